/* What the monitor keeps of one backend besides its account: who it is, and its facts as last
 * read, cleaned, which outlive it as long as it is in the window. */
#ifndef PGTOP_SESSION_H
#define PGTOP_SESSION_H

#include "classify.h"
#include "cluster.h"

struct session {
	pid_t pid, pid_ns; /* pid_ns 0: not looked up yet */
	uint64_t start_ticks;
	struct cluster *cluster;
	struct classify_seed seed;
	bool tracked_facts; /* known to backend_status */
	bool is_client;
	uint64_t visited_cut_ns; /* the tick that found it in the kernel's map */

	/* The stack of a wait in progress, read once per wait; type and event by the stack. */
	uint64_t stack_out_ns;
	uint8_t stack_type;
	uint32_t stack_event, stack_id;

	/* Facts; owned, NULL: not known. */
	uint32_t facts_generation;
	bool facts_known;
	char *backend_type, *user, *database, *client, *application, *state, *query;
	enum pg_state pg_state;
	int64_t query_id, backend_start_us, xact_start_us, state_start_us;
	pid_t leader_pid;
};

struct session *session_new(pid_t pid, uint64_t start_ticks, struct cluster *c);
void session_free(struct session *s); /* NULL is allowed */

/* Takes over what has changed; cleans every text. */
void session_take_facts(struct session *s, const struct backend_facts *f);

/* What an exit says of who ended before it was ever read; where nothing better is known. */
void session_take_exit(
	struct session *s, uint8_t backend_type, uint32_t databaseid, uint32_t userid);

/* What the ps title says, where nothing better is known. */
void session_take_title(struct session *s, const char *title, size_t len);

#endif

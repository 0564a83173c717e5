/* See session.h. Here untrusted text from PostgreSQL's memory is cleaned, once. */
#include "session.h"

#include <string.h>

#include "proctitle.h"
#include "text.h"
#include "util.h"

struct session *session_new(pid_t pid, uint64_t start_ticks, struct cluster *c)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->pid = pid;
	s->start_ticks = start_ticks;
	s->cluster = c;
	s->stack_type = WAIT_OTHER;
	s->stack_event = s->stack_id = MODEL_NO_ID;
	return s;
}

static void free_facts(struct session *s)
{
	free(s->backend_type);
	free(s->user);
	free(s->database);
	free(s->client);
	free(s->application);
	free(s->state);
	free(s->query);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	free_facts(s);
	free(s);
}

static void set_text(char **to, const char *s, size_t len, enum text_flags flags)
{
	free(*to);
	*to = NULL;
	if (!s)
		return;
	*to = xmalloc(len + 1);
	text_clean(*to, len + 1, s, len, flags);
}

static void set_bytes(char **to, const struct pg_bytes *b, enum text_flags flags)
{
	set_text(to, b->s, b->len, flags);
}

void session_take_facts(struct session *s, const struct backend_facts *f)
{
	const char *state = pg_state_name(f->state);

	if (s->facts_generation == f->generation && s->facts_known == f->known && s->backend_type)
		return;
	s->facts_generation = f->generation;
	s->facts_known = f->known;
	if (f->backend_type.s)
		set_bytes(&s->backend_type, &f->backend_type, TEXT_ONE_LINE);
	set_bytes(&s->user, &f->user, TEXT_ONE_LINE);
	set_bytes(&s->database, &f->database, TEXT_ONE_LINE);
	set_text(&s->client, f->client[0] ? f->client : NULL, strlen(f->client), TEXT_ONE_LINE);
	if (!f->known)
		return;
	set_bytes(&s->application, &f->application, TEXT_ONE_LINE);
	set_bytes(&s->query, &f->query, TEXT_KEEP_LINES);
	set_text(&s->state, state, state ? strlen(state) : 0, TEXT_ONE_LINE);
	s->pg_state = f->state;
	s->query_id = f->query_id;
	s->leader_pid = f->leader_pid;
	s->backend_start_us = f->backend_start_us;
	s->xact_start_us = f->xact_start_us;
	s->state_start_us = f->state_start_us;
	s->is_client = s->backend_type && !strcmp(s->backend_type, "client backend");
}

void session_take_exit(
	struct session *s, uint8_t backend_type, uint32_t databaseid, uint32_t userid)
{
	const struct backend_status *status = s->cluster->status;
	const char *type, *database, *user;

	if (s->facts_known || !status || !s->cluster->layout)
		return;
	type = pglayout_backend_type(s->cluster->layout, backend_type);
	database = backend_status_database_name(status, databaseid);
	user = backend_status_user_name(status, userid);
	if (type && !s->backend_type)
		set_text(&s->backend_type, type, strlen(type), TEXT_ONE_LINE);
	if (database && !s->database)
		set_text(&s->database, database, strlen(database), TEXT_ONE_LINE);
	if (user && !s->user)
		set_text(&s->user, user, strlen(user), TEXT_ONE_LINE);
}

void session_take_title(struct session *s, const char *title, size_t len)
{
	struct proctitle t;

	if (s->backend_type || proctitle_parse(title, len, s->cluster->identity.cluster_name, &t))
		return;
	set_text(&s->backend_type, t.backend_type, strlen(t.backend_type), TEXT_ONE_LINE);
	if (t.database[0] && !s->database)
		set_text(&s->database, t.database, strlen(t.database), TEXT_ONE_LINE);
	if (t.leader_pid && !s->leader_pid)
		s->leader_pid = t.leader_pid;
	s->is_client = s->backend_type && !strcmp(s->backend_type, "client backend");
}

/* A session's facts: cleaned where they come in, kept as long as nothing better is known. */
#include "unit.h"

#include "fakemem.h"
#include "session.h"
#include "util.h"

struct fixture {
	struct fakemem mem;
	struct cluster cluster;
	struct session *s;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));
	struct mem_source mem = fakemem_source(&f->mem);
	struct pg_symbols symbols = {.addr = {0}};

	f->cluster.layout = pglayout_for(15);
	f->cluster.status = backend_status_new(&mem, f->cluster.layout, &symbols, 1);
	f->s = session_new(42, 7, &f->cluster);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	session_free(f->s);
	backend_status_free(f->cluster.status);
	fakemem_release(&f->mem);
	free(f);
	return 0;
}

static struct pg_bytes bytes(const char *s)
{
	return (struct pg_bytes){.s = s, .len = s ? strlen(s) : 0};
}

static struct backend_facts client(uint32_t generation)
{
	return (struct backend_facts){
		.pid = 42,
		.known = true,
		.backend_type = bytes("client backend"),
		.user = bytes("alice"),
		.database = bytes("shop"),
		.application = bytes("psql"),
		.query = bytes("select 1"),
		.client = "127.0.0.1:51234",
		.state = PG_STATE_ACTIVE,
		.query_id = -5,
		.leader_pid = 41,
		.backend_start_us = 1,
		.xact_start_us = 2,
		.state_start_us = 3,
		.generation = generation,
	};
}

static void it_begins_with_nothing_known(void **state)
{
	const struct session *s = ((struct fixture *)*state)->s;

	assert_int_equal(s->pid, 42);
	assert_int_equal(s->pid_ns, 0);
	assert_int_equal(s->start_ticks, 7);
	assert_null(s->backend_type);
	assert_null(s->query);
	assert_null(s->state);
	assert_int_equal(s->stack_id, MODEL_NO_ID);
	assert_int_equal(s->stack_event, MODEL_NO_ID);
	session_free(NULL);
}

static void all_facts(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);

	session_take_facts(s, &f);
	assert_string_equal(s->backend_type, "client backend");
	assert_string_equal(s->user, "alice");
	assert_string_equal(s->database, "shop");
	assert_string_equal(s->application, "psql");
	assert_string_equal(s->query, "select 1");
	assert_string_equal(s->client, "127.0.0.1:51234");
	assert_string_equal(s->state, "active");
	assert_int_equal(s->pg_state, PG_STATE_ACTIVE);
	assert_int_equal(s->query_id, -5);
	assert_int_equal(s->leader_pid, 41);
	assert_int_equal(s->backend_start_us, 1);
	assert_int_equal(s->xact_start_us, 2);
	assert_int_equal(s->state_start_us, 3);
	assert_true(s->is_client);
}

static void untrusted_text_is_cleaned(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);

	f.user = bytes("a\033[31mb");
	f.database = bytes("x\ny\tz");
	f.application = bytes("caf\xc3\xa9 \xe9");
	f.query = bytes("select\n\t'\x07'");
	session_take_facts(s, &f);
	assert_string_equal(s->user, "a?[31mb");
	assert_string_equal(s->database, "x y z");
	assert_string_equal(s->application, "caf\xc3\xa9 ?");
	/* Only queries keep their lines. */
	assert_string_equal(s->query, "select\n\t'?'");
}

static void not_a_byte_beyond_the_length(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);
	char *exact = xmalloc(3);

	memcpy(exact, "abc", 3);
	f.query = (struct pg_bytes){.s = exact, .len = 3};
	session_take_facts(s, &f);
	assert_string_equal(s->query, "abc");
	free(exact);
}

static void only_what_has_changed_is_taken(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);
	const char *query;

	session_take_facts(s, &f);
	query = s->query;
	f.query = bytes("select 2");
	session_take_facts(s, &f);
	assert_ptr_equal(s->query, query);
	f.generation = 2;
	session_take_facts(s, &f);
	assert_string_equal(s->query, "select 2");
	/* Not known any more is not an old value. */
	f.generation = 3;
	f.query = bytes(NULL);
	f.application = bytes("");
	f.client[0] = '\0';
	f.state = PG_STATE_UNDEFINED;
	session_take_facts(s, &f);
	assert_null(s->query);
	assert_string_equal(s->application, "");
	assert_null(s->client);
	assert_null(s->state);
}

static void facts_that_are_not_known_yet(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(0);

	f.known = false;
	session_take_facts(s, &f);
	assert_string_equal(s->user, "alice");
	assert_null(s->query);
	assert_int_equal(s->backend_start_us, 0);
	f.known = true; /* of the same generation */
	session_take_facts(s, &f);
	assert_string_equal(s->query, "select 1");
}

static void a_background_process_is_no_client(void **state)
{
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);

	f.backend_type = bytes("walwriter");
	session_take_facts(s, &f);
	assert_false(s->is_client);
}

static void the_title_where_nothing_better_is_known(void **state)
{
	static const char title[] = "postgres: autovacuum worker shop";
	struct session *s = ((struct fixture *)*state)->s;
	struct backend_facts f = client(1);

	session_take_title(s, "not a title", 11);
	assert_null(s->backend_type);
	session_take_title(s, title, sizeof(title) - 1);
	assert_string_equal(s->backend_type, "autovacuum worker");
	assert_string_equal(s->database, "shop");
	assert_false(s->is_client);
	/* A second title changes nothing, facts do. */
	session_take_title(s, "postgres: walwriter", 19);
	assert_string_equal(s->backend_type, "autovacuum worker");
	session_take_facts(s, &f);
	assert_string_equal(s->backend_type, "client backend");
	assert_true(s->is_client);
}

static void the_title_with_a_cluster_name(void **state)
{
	struct fixture *f = *state;

	strcpy(f->cluster.identity.cluster_name, "a: b");
	session_take_title(f->s, "postgres: a: b: checkpointer", 28);
	assert_string_equal(f->s->backend_type, "checkpointer");
}

static void what_an_exit_says(void **state)
{
	struct fixture *f = *state;
	const struct pg_layout *l = f->cluster.layout;

	backend_status_learn_database(f->cluster.status, 5, "shop\n");
	session_take_exit(f->s, (uint8_t)l->type_client, 5, 10);
	assert_string_equal(f->s->backend_type, "client backend");
	assert_string_equal(f->s->database, "shop ");
	assert_null(f->s->user); /* nobody taught it */
}

static void an_exit_tells_nothing_new_of_who_is_known(void **state)
{
	struct fixture *f = *state;
	struct backend_facts facts = client(1);

	session_take_facts(f->s, &facts);
	backend_status_learn_database(f->cluster.status, 5, "other");
	session_take_exit(f->s, 3, 5, 10);
	assert_string_equal(f->s->backend_type, "client backend");
	assert_string_equal(f->s->database, "shop");
}

static void an_exit_in_a_server_that_is_not_known(void **state)
{
	struct fixture *f = *state;

	f->cluster.layout = NULL;
	session_take_exit(f->s, 3, 5, 10);
	assert_null(f->s->backend_type);
	f->cluster.layout = pglayout_for(15);
	session_take_exit(f->s, 250, 0, 0);
	assert_null(f->s->backend_type);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_begins_with_nothing_known),
		CASE(all_facts),
		CASE(untrusted_text_is_cleaned),
		CASE(not_a_byte_beyond_the_length),
		CASE(only_what_has_changed_is_taken),
		CASE(facts_that_are_not_known_yet),
		CASE(a_background_process_is_no_client),
		CASE(the_title_where_nothing_better_is_known),
		CASE(the_title_with_a_cluster_name),
		CASE(what_an_exit_says),
		CASE(an_exit_tells_nothing_new_of_who_is_known),
		CASE(an_exit_in_a_server_that_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

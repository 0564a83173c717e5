/* Interned names. */
#include "unit.h"

#include "names.h"

static void ids_are_given_out_from_0_on(void **state)
{
	struct names *n = names_new();
	size_t len = 99;

	(void)state;
	assert_int_equal(names_intern(n, "a", 1), 0);
	assert_int_equal(names_intern(n, "bc", 2), 1);
	assert_int_equal(names_intern(n, "a", 1), 0);
	assert_int_equal(names_intern(n, "", 0), 2);
	assert_int_equal(names_intern(n, "", 0), 2);
	assert_string_equal(names_get(n, 1, &len), "bc");
	assert_int_equal(len, 2);
	assert_string_equal(names_get(n, 2, &len), "");
	assert_int_equal(len, 0);
	names_free(n);
	names_free(NULL);
}

static void an_id_that_was_not_given_out(void **state)
{
	struct names *n = names_new();
	size_t len = 99;

	(void)state;
	assert_null(names_get(n, 0, &len));
	names_intern(n, "a", 1);
	assert_null(names_get(n, 1, &len));
	assert_null(names_get(n, NAMES_NONE, NULL));
	assert_int_equal(len, 99);
	names_free(n);
}

static void any_bytes(void **state)
{
	static const char a[] = "Lock\0relation", b[] = "Lock\0tuple";
	struct names *n = names_new();
	size_t len;

	(void)state;
	assert_int_equal(names_intern(n, a, sizeof(a)), 0);
	assert_int_equal(names_intern(n, b, sizeof(b)), 1);
	assert_int_equal(names_intern(n, a, 4), 2); /* a prefix is another name */
	assert_int_equal(names_intern(n, "\0\0", 2), 3);
	assert_int_equal(names_intern(n, "\0", 1), 4);
	assert_memory_equal(names_get(n, 0, &len), a, sizeof(a));
	assert_int_equal(len, sizeof(a));
	assert_int_equal(names_get(n, 2, NULL)[4], '\0');
	names_free(n);
}

static void a_full_table_still_knows_what_is_in_it(void **state)
{
	struct names *n = names_new();
	uint32_t extra = NAMES_MAX;
	const char *first;

	(void)state;
	for (uint32_t i = 0; i < NAMES_MAX; i++)
		assert_int_equal(names_intern(n, &i, sizeof(i)), i);
	first = names_get(n, 0, NULL);
	assert_int_equal(names_intern(n, &extra, sizeof(extra)), NAMES_NONE);
	for (uint32_t i = 0; i < NAMES_MAX; i++) {
		assert_int_equal(names_intern(n, &i, sizeof(i)), i);
		assert_memory_equal(names_get(n, i, NULL), &i, sizeof(i));
	}
	assert_ptr_equal(names_get(n, 0, NULL), first);
	names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_given_out_from_0_on),
		cmocka_unit_test(an_id_that_was_not_given_out),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(a_full_table_still_knows_what_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

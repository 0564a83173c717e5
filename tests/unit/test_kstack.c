/* What kernel stacks say, over tests/fixtures/kernel_stacks.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "kstack.h"
#include "util.h"

#define MAX_FRAMES 32

static size_t split_frames(char *text, const char **frames)
{
	size_t n = 0;

	for (char *p = strtok(text, " <\n"); p; p = strtok(NULL, " <\n")) {
		assert_true(n < MAX_FRAMES);
		frames[n++] = strcmp(p, "?") ? p : NULL;
	}
	return n;
}

static void every_stack_of_the_fixture(void **state)
{
	_cleanup_fclose_ FILE *f = fopen("tests/fixtures/kernel_stacks.txt", "r");
	size_t n_io = 0, n_other = 0;
	char line[1024];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char type[16], function[64], name[64], text[1024];
		const char *frames[MAX_FRAMES];
		enum wait_type want;
		size_t n;

		if (line[0] == '#')
			continue;
		assert_int_equal(
			sscanf(line, "%15[^\t]\t%63[^\t]\t%1023[^\n]", type, function, text), 3);
		want = strcmp(type, "io") ? WAIT_OTHER : WAIT_IO;
		n = split_frames(text, frames);
		if (kstack_type(frames, n) != want)
			fail_msg("not %s: %s", type, line);
		kstack_function(frames, n, name, sizeof(name));
		if (strcmp(name, strcmp(function, "-") ? function : ""))
			fail_msg("function %s: %s", name, line);
		*(want == WAIT_IO ? &n_io : &n_other) += 1;
	}
	assert_true(n_io > 40);
	assert_true(n_other > 25);
}

static void empty_stack(void **state)
{
	char name[8] = "x";

	(void)state;
	assert_int_equal(kstack_type(NULL, 0), WAIT_OTHER);
	assert_string_equal(kstack_function(NULL, 0, name, sizeof(name)), "");
}

static void long_names_are_cut(void **state)
{
	const char *frames[] = {"schedule", "do_epoll_wait.isra.0"};
	char name[6];

	(void)state;
	assert_string_equal(kstack_function(frames, 2, name, sizeof(name)), "do_ep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stack_of_the_fixture),
		cmocka_unit_test(empty_stack),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

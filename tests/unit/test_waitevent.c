/* Wait event names and types, against the tables they were made from and a written-out list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"
#include "waitevent.h"

#define INFO(class, id) ((uint32_t)(class) << 24 | (uint32_t)(id))

static enum wait_type expected_class_type(const char *class)
{
	static const struct {
		const char *class;
		enum wait_type type;
	} types[] = {
		{"LWLock", WAIT_LWLOCK},
		{"Lock", WAIT_LOCK},
		{"BufferPin", WAIT_LOCK},
		{"Activity", WAIT_IDLE},
		{"Client", WAIT_NETWORK},
		{"Extension", WAIT_OTHER},
		{"IPC", WAIT_IPC},
		{"Timeout", WAIT_TIMEOUT},
		{"IO", WAIT_IO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].class, class))
			return types[i].type;
	fail_msg("class %s", class);
	return WAIT_NR;
}

/* Every event that is wal_write, as it is spelled up to 16 and from 17. Nothing else may be. */
static const char *const wal_events[] = {"LWLock:WALWrite", "LWLock:WALInsert",
	"LWLock:WALBufMapping", "IO:WALSenderTimelineHistoryRead", "IO:WALBootstrapSync",
	"IO:WALBootstrapWrite", "IO:WALCopyRead", "IO:WALCopySync", "IO:WALCopyWrite",
	"IO:WALInitSync", "IO:WALInitWrite", "IO:WALRead", "IO:WALSync", "IO:WALSyncMethodAssign",
	"IO:WALWrite", "IO:WalsenderTimelineHistoryRead", "IO:WalBootstrapSync",
	"IO:WalBootstrapWrite", "IO:WalCopyRead", "IO:WalCopySync", "IO:WalCopyWrite",
	"IO:WalInitSync", "IO:WalInitWrite", "IO:WalRead", "IO:WalSummaryRead",
	"IO:WalSummaryWrite", "IO:WalSync", "IO:WalSyncMethodAssign", "IO:WalWrite"};

static bool is_wal_event(const char *class, const char *event)
{
	char name[160];

	snprintf(name, sizeof(name), "%s:%s", class, event);
	for (size_t i = 0; i < ARRAY_SIZE(wal_events); i++)
		if (!strcmp(wal_events[i], name))
			return true;
	return false;
}

static void check_row(
	int major, unsigned class, unsigned id, const char *class_name, const char *event_name)
{
	char class_buf[WAITEVENT_NAME_MAX], event_buf[WAITEVENT_NAME_MAX];
	uint32_t info = INFO(class, id);
	enum wait_type want = is_wal_event(class_name, event_name)
				      ? WAIT_WAL_WRITE
				      : expected_class_type(class_name);

	assert_string_equal(waitevent_class_name(major, info), class_name);
	assert_string_equal(waitevent_event_name(major, info), event_name);
	waitevent_format(
		major, info, NULL, class_buf, sizeof(class_buf), event_buf, sizeof(event_buf));
	assert_string_equal(class_buf, class_name);
	assert_string_equal(event_buf, event_name);
	if (waitevent_type(major, info) != want)
		fail_msg("%d %s:%s is %s, not %s", major, class_name, event_name,
			wait_type_name(waitevent_type(major, info)), wait_type_name(want));
	assert_int_equal(waitevent_is_client_read(major, info), !strcmp(event_name, "ClientRead"));
}

static void every_row_of_every_table(void **state)
{
	const int *majors;
	size_t n = waitevent_majors(&majors);

	(void)state;
	assert_true(n >= 5);
	for (size_t i = 0; i < n; i++) {
		char path[64], line[256], class_name[64], event_name[64];
		unsigned class, id, rows = 0, seen = 0, wal = 0;
		FILE *f;

		snprintf(path, sizeof(path), "src/waitevents/pg%d.tsv", majors[i]);
		f = fopen(path, "r");
		assert_non_null(f);
		assert_non_null(fgets(line, sizeof(line), f));
		while (fgets(line, sizeof(line), f)) {
			assert_int_equal(sscanf(line, "%2x\t%u\t%63s\t%63s", &class, &id,
						 class_name, event_name),
				4);
			check_row(majors[i], class, id, class_name, event_name);
			rows++;
			seen |= 1u << class;
			wal += is_wal_event(class_name, event_name);
		}
		fclose(f);
		assert_true(rows > 200);
		/* 01, 03 .. 0A */
		assert_int_equal(seen, 0x7FA);
		assert_true(wal >= 15);
	}
}

static void majors_14_to_18_are_known(void **state)
{
	(void)state;
	for (int major = 14; major <= 18; major++)
		assert_true(waitevent_major_known(major));
	assert_false(waitevent_major_known(0));
	assert_false(waitevent_major_known(13));
	assert_false(waitevent_major_known(-1));
}

static void check_type(int major, const char *class, const char *event, enum wait_type want)
{
	for (unsigned c = 1; c < 16; c++) {
		for (unsigned id = 0; id < 128; id++) {
			uint32_t info = INFO(c, id);
			const char *name = waitevent_event_name(major, info);

			if (!name || strcmp(name, event) ||
				strcmp(waitevent_class_name(major, info), class))
				continue;
			if (waitevent_type(major, info) != want)
				fail_msg("%d %s:%s", major, class, event);
			return;
		}
	}
	fail_msg("%d has no %s:%s", major, class, event);
}

static void borderline_events(void **state)
{
	static const struct {
		int major;
		const char *class, *event;
		enum wait_type type;
	} list[] = {
		{14, "LWLock", "WALWrite", WAIT_WAL_WRITE},
		{15, "LWLock", "WALInsert", WAIT_WAL_WRITE},
		{18, "LWLock", "WALBufMapping", WAIT_WAL_WRITE},
		{17, "LWLock", "WALSummarizer", WAIT_LWLOCK},
		{17, "LWLock", "WaitEventCustom", WAIT_LWLOCK},
		{18, "LWLock", "AioUringCompletion", WAIT_LWLOCK},
		{18, "LWLock", "SyncRep", WAIT_LWLOCK},
		{15, "IO", "WALSync", WAIT_WAL_WRITE},
		{17, "IO", "WalSync", WAIT_WAL_WRITE},
		{18, "IO", "WalRead", WAIT_WAL_WRITE},
		{17, "IO", "WalsenderTimelineHistoryRead", WAIT_WAL_WRITE},
		{15, "IO", "DataFileRead", WAIT_IO},
		{18, "IO", "AioIoCompletion", WAIT_IO},
		{18, "IO", "TimelineHistoryWrite", WAIT_IO},
		{18, "Lock", "applytransaction", WAIT_LOCK},
		{15, "Lock", "extend", WAIT_LOCK},
		{15, "BufferPin", "BufferPin", WAIT_LOCK},
		{15, "Client", "ClientRead", WAIT_NETWORK},
		{15, "Client", "WalSenderWaitForWAL", WAIT_NETWORK},
		{18, "Client", "WaitForStandbyConfirmation", WAIT_NETWORK},
		{18, "Client", "SslOpenServer", WAIT_NETWORK},
		{15, "Activity", "WalWriterMain", WAIT_IDLE},
		{18, "Activity", "WalSummarizerWal", WAIT_IDLE},
		{18, "Activity", "IoWorkerMain", WAIT_IDLE},
		{15, "IPC", "SyncRep", WAIT_IPC},
		{15, "IPC", "BufferIO", WAIT_IPC},
		{18, "IPC", "WalReceiverExit", WAIT_IPC},
		{18, "IPC", "WalSummaryReady", WAIT_IPC},
		{15, "IPC", "ProcArrayGroupUpdate", WAIT_IPC},
		{15, "Timeout", "VacuumDelay", WAIT_TIMEOUT},
		{18, "Timeout", "WalSummarizerError", WAIT_TIMEOUT},
		{16, "Timeout", "SpinDelay", WAIT_TIMEOUT},
		{15, "Extension", "Extension", WAIT_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		check_type(list[i].major, list[i].class, list[i].event, list[i].type);
}

static void check_format(int major, uint32_t info, const struct waitevent_resolver *resolver,
	const char *class, const char *event)
{
	char class_buf[WAITEVENT_NAME_MAX], event_buf[WAITEVENT_NAME_MAX];

	waitevent_format(
		major, info, resolver, class_buf, sizeof(class_buf), event_buf, sizeof(event_buf));
	assert_string_equal(class_buf, class);
	assert_string_equal(event_buf, event);
}

static void nothing_is_dropped(void **state)
{
	(void)state;
	check_format(15, 0, NULL, "", "");
	assert_null(waitevent_class_name(15, 0));
	check_format(15, 0x08000039, NULL, "IPC", "#57");
	check_format(18, 0x08000039, NULL, "IPC", "WalReceiverUpstreamCatchup");
	check_format(15, 0x2C000039, NULL, "0x2C", "#57");
	check_format(15, 0xFF00FFFF, NULL, "0xFF", "#65535");
	check_format(15, 0x02000001, NULL, "0x02", "#1");
	check_format(15, 0x00000007, NULL, "0x00", "#7");
	/* an id that fell out of use */
	check_format(15, INFO(WAITEVENT_CLASS_LWLOCK, 10), NULL, "LWLock", "#10");
	/* bits 16..23 are not part of the event */
	check_format(15, 0x03FF0005, NULL, "Lock", "transactionid");
	check_format(17, INFO(WAITEVENT_CLASS_EXTENSION, 3), NULL, "Extension", "#3");
	check_format(17, INFO(WAITEVENT_CLASS_INJECTION, 1), NULL, "InjectionPoint", "#1");
	check_format(16, INFO(WAITEVENT_CLASS_INJECTION, 1), NULL, "0x0B", "#1");
	assert_int_equal(waitevent_type(15, 0x2C000039), WAIT_OTHER);
	assert_int_equal(waitevent_type(15, 0), WAIT_OTHER);
	assert_int_equal(waitevent_type(17, INFO(WAITEVENT_CLASS_INJECTION, 1)), WAIT_OTHER);
	assert_int_equal(waitevent_type(15, 0x08000039), WAIT_IPC);
}

static void unknown_major_keeps_classes_and_types(void **state)
{
	static const struct {
		unsigned class;
		const char *name;
		enum wait_type type;
	} list[] = {
		{0x01, "LWLock", WAIT_LWLOCK},
		{0x03, "Lock", WAIT_LOCK},
		{0x04, "BufferPin", WAIT_LOCK},
		{0x05, "Activity", WAIT_IDLE},
		{0x06, "Client", WAIT_NETWORK},
		{0x07, "Extension", WAIT_OTHER},
		{0x08, "IPC", WAIT_IPC},
		{0x09, "Timeout", WAIT_TIMEOUT},
		{0x0A, "IO", WAIT_IO},
		{0x0B, "InjectionPoint", WAIT_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		uint32_t info = INFO(list[i].class, 8);

		check_format(0, info, NULL, list[i].name, "#8");
		assert_int_equal(waitevent_type(0, info), list[i].type);
		assert_null(waitevent_event_name(0, info));
	}
	check_format(0, 0x0C000001, NULL, "0x0C", "#1");
	assert_int_equal(waitevent_type(0, 0x0C000001), WAIT_OTHER);
	assert_string_equal(waitevent_class_name(99, INFO(WAITEVENT_CLASS_BUFFER, 0)), "Buffer");
	assert_true(waitevent_is_client_read(0, INFO(WAITEVENT_CLASS_CLIENT, 0)));
	assert_false(waitevent_is_client_read(0, INFO(WAITEVENT_CLASS_CLIENT, 1)));
	assert_false(waitevent_is_client_read(0, INFO(WAITEVENT_CLASS_LWLOCK, 0)));
}

static const char *tranche_75(void *ctx, uint32_t id)
{
	++*(int *)ctx;
	return id == 75 ? "pg_stat_statements" : NULL;
}

static void extension_tranches(void **state)
{
	static const uint32_t first[][2] = {{14, 72}, {15, 75}, {16, 77}, {17, 92}, {18, 95}};
	int calls = 0;
	struct waitevent_resolver resolver = {tranche_75, &calls};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
		int major = (int)first[i][0];

		assert_int_equal(waitevent_first_extension_tranche(major), first[i][1]);
		check_format(major, INFO(WAITEVENT_CLASS_LWLOCK, first[i][1]), NULL, "LWLock",
			"extension");
		assert_non_null(
			waitevent_event_name(major, INFO(WAITEVENT_CLASS_LWLOCK, first[i][1] - 1)));
		assert_int_equal(
			waitevent_type(major, INFO(WAITEVENT_CLASS_LWLOCK, 1000)), WAIT_LWLOCK);
	}
	check_format(
		15, INFO(WAITEVENT_CLASS_LWLOCK, 75), &resolver, "LWLock", "pg_stat_statements");
	check_format(15, INFO(WAITEVENT_CLASS_LWLOCK, 76), &resolver, "LWLock", "extension");
	assert_int_equal(calls, 2);
	/* PostgreSQL's own are not asked for. */
	check_format(15, INFO(WAITEVENT_CLASS_LWLOCK, 4), &resolver, "LWLock", "ProcArray");
	assert_int_equal(calls, 2);
	check_format(0, INFO(WAITEVENT_CLASS_LWLOCK, 75), &resolver, "LWLock", "#75");
	assert_int_equal(waitevent_first_extension_tranche(0), 0);
}

static void small_buffers_truncate(void **state)
{
	char class_buf[3], event_buf[5];

	(void)state;
	waitevent_format(15, INFO(WAITEVENT_CLASS_LOCK, 5), NULL, class_buf, sizeof(class_buf),
		event_buf, sizeof(event_buf));
	assert_string_equal(class_buf, "Lo");
	assert_string_equal(event_buf, "tran");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_of_every_table),
		cmocka_unit_test(majors_14_to_18_are_known),
		cmocka_unit_test(borderline_events),
		cmocka_unit_test(nothing_is_dropped),
		cmocka_unit_test(unknown_major_keeps_classes_and_types),
		cmocka_unit_test(extension_tranches),
		cmocka_unit_test(small_buffers_truncate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Durations, sizes and numbers, parsed and printed. */
#include <string.h>

#include "fuzz.h"
#include "units.h"
#include "util.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5aULL

static void parse(int (*parser)(const char *, uint64_t *), const char *s)
{
	uint64_t v = UNTOUCHED;
	char buf[UNITS_BUF];

	if (parser(s, &v)) {
		FUZZ_CHECK(v == UNTOUCHED);
		return;
	}
	FUZZ_CHECK(*s >= '.' && *s <= '9');
	FUZZ_CHECK(strlen(units_duration(buf, v)) <= 6);
	FUZZ_CHECK(strlen(units_count(buf, v)) <= 5);
	FUZZ_CHECK(strlen(units_size(buf, v)) <= 5);
	FUZZ_CHECK(strlen(units_pct(buf, v, UINT64_MAX)) <= 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *s = xcalloc(size + 1, 1);
	char buf[UNITS_BUF];
	double v;

	memcpy(s, data, size);
	parse(units_parse_duration, s);
	parse(units_parse_size, s);
	parse(units_parse_u64, s);
	if (size >= sizeof(v)) {
		memcpy(&v, data, sizeof(v));
		FUZZ_CHECK(strlen(units_rate(buf, v)) <= 5);
		if (v - v == 0) /* finite */
			FUZZ_CHECK(strtod(units_double(buf, v), NULL) == v);
	}
	return 0;
}

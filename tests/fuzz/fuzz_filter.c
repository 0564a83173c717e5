/* Filter expressions, matched against the backends of the report fixture. */
#include <string.h>

#include "filter.h"
#include "fuzz.h"
#include "report_fixture.h"
#include "util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *expr = xcalloc(size + 1, 1);
	const struct snapshot *s = report_fixture();
	struct filter *f = NULL;
	struct diag d = {0};

	memcpy(expr, data, size);
	if (filter_compile(expr, &f, &d)) {
		FUZZ_CHECK(!f && d.summary[0]);
		return 0;
	}
	for (size_t i = 0; i < s->n_backends; i++) {
		bool match = filter_match(f, &s->backends[i]);

		FUZZ_CHECK(match || !filter_is_empty(f));
		FUZZ_CHECK(match == filter_match(f, &s->backends[i]));
	}
	filter_free(f);
	return 0;
}

/* ps titles; everything up to the first newline is the cluster name. */
#include <string.h>

#include "fuzz.h"
#include "proctitle.h"
#include "util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *title = (const char *)data;
	const char *newline = memchr(title, '\n', size);
	_cleanup_free_ char *cluster = NULL, *whole = NULL;
	struct proctitle t;
	const char *titles[2];
	char name[16];

	if (newline) {
		cluster = xasprintf("%.*s", (int)(newline - title), title);
		size -= (size_t)(newline + 1 - title);
		title = newline + 1;
	}
	if (!proctitle_parse(title, size, cluster, &t)) {
		FUZZ_CHECK(t.backend_type && t.leader_pid >= 0);
		FUZZ_CHECK(t.text >= title && t.text_len && t.text + t.text_len <= title + size);
		FUZZ_CHECK(strnlen(t.database, sizeof(t.database)) < sizeof(t.database));
	}
	whole = xasprintf("%.*s", (int)size, title);
	titles[0] = whole;
	titles[1] = "postgres: a: b: walwriter ";
	FUZZ_CHECK(strlen(proctitle_cluster_name(titles, 2, name, sizeof(name))) < sizeof(name));
	return 0;
}

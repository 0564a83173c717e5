/* /proc/PID/timens_offsets and /proc/PID/stack. */
#include <string.h>

#include "fuzz.h"
#include "procfs.h"
#include "util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *copy = xmalloc(size);
	const char *frames[PROCFS_STACK_MAX];
	struct proc_timens t;
	size_t n;

	(void)procfs_parse_timens((const char *)data, size, &t);
	memcpy(copy, data, size);
	n = procfs_parse_stack(copy, size, frames, PROCFS_STACK_MAX);
	FUZZ_CHECK(n <= PROCFS_STACK_MAX);
	for (size_t i = 0; i < n; i++) {
		if (!frames[i])
			continue;
		FUZZ_CHECK(frames[i] >= copy && frames[i] < copy + size);
		FUZZ_CHECK(frames[i] + strlen(frames[i]) < copy + size);
	}
	return 0;
}

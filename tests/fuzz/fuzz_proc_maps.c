/* /proc/PID/maps. */
#include "fuzz.h"
#include "procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct proc_maps_iter it;
	struct proc_map m;

	procfs_maps_begin(&it, text, size);
	while (procfs_maps_next(&it, &m)) {
		FUZZ_CHECK(m.start < m.end);
		FUZZ_CHECK(m.path >= text && m.path + m.path_len < text + size);
	}
	FUZZ_CHECK(it.pos == it.end);
	return 0;
}

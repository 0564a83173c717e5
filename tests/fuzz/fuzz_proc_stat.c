/* /proc/PID/stat and schedstat. */
#include <string.h>

#include "fuzz.h"
#include "procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_schedstat sched;
	struct proc_stat st;

	if (!procfs_parse_stat((const char *)data, size, &st)) {
		FUZZ_CHECK(st.pid >= 0 && st.ppid >= 0);
		FUZZ_CHECK(strnlen(st.comm, sizeof(st.comm)) < sizeof(st.comm));
	}
	(void)procfs_parse_schedstat((const char *)data, size, &sched);
	return 0;
}

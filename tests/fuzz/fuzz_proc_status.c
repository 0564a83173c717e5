/* /proc/PID/status. */
#include "fuzz.h"
#include "procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_status st;

	if (!procfs_parse_status((const char *)data, size, &st))
		FUZZ_CHECK(st.pid_ns >= 0 && (st.n_nspid || !st.pid_ns));
	return 0;
}

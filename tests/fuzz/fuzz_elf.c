/* ELF files: symbols, segments, bias, version. */
#include <string.h>

#include "elfsym.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct proc_map maps[] = {
		{.start = 0x7f0000000000, .end = 0x7f0000001000, .ino = 1},
		{.start = 0x7f0000001000, .end = 0x7f0000002000, .pgoff = 0x1000, .exec = true},
	};
	struct elfsym *ef = NULL;
	uint64_t value, bias;
	char version[16];

	if (!elfsym_scan_version(data, size, version, sizeof(version)))
		FUZZ_CHECK(version[0] && strlen(version) < sizeof(version));
	if (elfsym_parse(data, size, &ef, NULL))
		return 0;
	FUZZ_CHECK(ef != NULL);
	(void)elfsym_find(ef, "f", ELFSYM_FUNC | ELFSYM_OBJECT, &value, NULL);
	for (uint64_t addr = 0; addr < 0x2000; addr += 0x3f) {
		uint64_t offset;
		const char *name = elfsym_lookup(ef, addr, &offset);

		if (name)
			FUZZ_CHECK(name[0] && offset <= addr);
		(void)elfsym_file_to_vaddr(ef, addr, &value);
	}
	if (!elfsym_bias(ef, maps, 2, NULL, &bias))
		FUZZ_CHECK(bias % 4096 == 0);
	elfsym_free(ef);
	return 0;
}

/* /proc/kallsyms: parsing, look-ups, and what is made of the names found. */
#include <string.h>

#include "fuzz.h"
#include "kstack.h"
#include "ksyms.h"

static const uint64_t addresses[] = {0, 1, 0x400000, 0xffffffff81000000, 0xffffffff81001000,
	0xffffffff81002001, 0xffffffffc0201fff, UINT64_MAX};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ksyms *ks = ksyms_new("/nonexistent");
	int err = ksyms_parse(ks, (const char *)data, size);
	char name[32];

	FUZZ_CHECK(!err == (ksyms_count(ks) > 0));
	FUZZ_CHECK(!(ksyms_hidden(ks) && ksyms_count(ks)));
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		uint64_t offset;
		const char *found = ksyms_lookup(ks, addresses[i], &offset);

		if (!found)
			continue;
		FUZZ_CHECK(found[0] && offset < addresses[i]);
		FUZZ_CHECK(ksyms_base_len(found) <= strlen(found));
		(void)kstack_type(&found, 1);
		FUZZ_CHECK(strlen(kstack_function(&found, 1, name, sizeof(name))) < sizeof(name));
	}
	ksyms_free(ks);
	return 0;
}

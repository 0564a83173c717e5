/* What every fuzzer defines: called by libFuzzer, or by replay_main.c over given files. */
#ifndef PGTOP_FUZZ_H
#define PGTOP_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold whatever the input: checked in every build. */
#define FUZZ_CHECK(condition)     \
	do {                      \
		if (!(condition)) \
			abort();  \
	} while (0)

#endif

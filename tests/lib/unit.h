/* What every unit test begins with: cmocka and the headers it wants in front of it. */
#ifndef PGTOP_TESTS_UNIT_H
#define PGTOP_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A reproducible random number below n. */
static inline uint32_t unit_random(uint64_t *state, uint32_t n)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((*state >> 33) % n);
}

#endif

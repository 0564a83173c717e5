/* Golden screens: a frame as text, compared with a file under tests/fixtures/golden. */
#ifndef PGTOP_TEST_GOLDEN_H
#define PGTOP_TEST_GOLDEN_H

#include <stdbool.h>

#include "ui/frame.h"

/*
 * The frame as text, to be freed: each row as it reads, then, indented, its styles as runs
 * ("title*12 normal*2 ..."; "+" marks the selected ones).
 */
char *golden_dump(const struct frame *f);

/*
 * True if the dump equals tests/fixtures/golden/NAME.txt; prints the lines that differ if not. With
 * GENERATE=1 in the environment the file is written instead. Run from the top folder.
 */
bool golden_check(const struct frame *f, const char *name);

/* Fails the running test unless the frame is sound: wide cells whole, no control characters. */
void golden_assert_sound(const struct frame *f);

#endif

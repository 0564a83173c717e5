/*
 * Numbers with units, read and written. Nothing here depends on the locale.
 *
 * The formatting functions return buf. They cut (never round up) durations, so that an age never
 * shows what has not passed yet; percentages and rates are rounded to the nearest.
 */
#ifndef PGTOP_UNITS_H
#define PGTOP_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_BUF 32

/*
 * A duration: digits with an optional fraction, then one of ns us ms s m h; a bare number is
 * seconds. "250ms", "0.5", "1.5h". What is below a nanosecond is cut off. -EINVAL: not a duration;
 * -ERANGE: more than 2^64-1 ns. *ret_ns is untouched on failure.
 */
int units_parse_duration(const char *s, uint64_t *ret_ns);

/*
 * A size in bytes: digits with an optional fraction, then nothing, or K M G (powers of 1024, either
 * case, "B" or "iB" may follow). -EINVAL, -ERANGE as above.
 */
int units_parse_size(const char *s, uint64_t *ret_bytes);

/* Decimal digits and nothing else. -EINVAL, -ERANGE as above. */
int units_parse_u64(const char *s, uint64_t *ret);

/*
 * At most 6 cells: "0", "850ns", "1.23us", "12.3ms", "123ms", "9.99s", "59.9s", "1:05" (minutes and
 * seconds), "3h12m", "4d03h", "123d", "27y".
 */
char *units_duration(char buf[UNITS_BUF], uint64_t ns);

/* A duration that someone chose, as it would be typed: "1s", "2.5s", "300ms", "15m", "2h".
 * Otherwise as units_duration(), without the zeros at the end of a fraction. At most 6 cells. */
char *units_setting(char buf[UNITS_BUF], uint64_t ns);

/* part of whole in per cent without the sign: "0.0", "87.3", "100", "1234". whole 0: "0.0". */
char *units_pct(char buf[UNITS_BUF], uint64_t part, uint64_t whole);

/* At most 5 cells: "0", "9999", "12.3k", "123k", "1.23M" ... powers of 1000. */
char *units_count(char buf[UNITS_BUF], uint64_t n);

/* A rate or an average, at most 5 cells: "0.00", "2.31", "12.3", "123", then as units_count().
 * "-" when it is negative or not finite. */
char *units_rate(char buf[UNITS_BUF], double v);

/* At most 5 cells: "512B", "64K", "1.5M", "12.3M", "2.0G": powers of 1024. */
char *units_size(char buf[UNITS_BUF], uint64_t bytes);

/*
 * v in decimal notation that reads back as the same double, "." as decimal point, valid as a JSON
 * number. v must be finite.
 */
char *units_double(char buf[UNITS_BUF], double v);

#endif

/*
 * Numbers with units. See units.h.
 *
 * Integer arithmetic throughout, in 128 bits where a product could overflow; only units_double()
 * goes through libc, under the C locale.
 */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "util.h"

typedef unsigned __int128 u128;

#define FRACTION_DIGITS 18 /* what fits 64 bits; digits beyond it are cut off */

struct unit {
	const char *name;
	uint64_t factor;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Decimal digits at *s, which moves behind them. */
static int parse_digits(const char **s, uint64_t *ret)
{
	bool overflow = false;
	uint64_t v = 0;

	for (; is_digit(**s); (*s)++)
		overflow |= __builtin_mul_overflow(v, 10ULL, &v) ||
			    __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v);
	*ret = v;
	return overflow ? -ERANGE : 0;
}

/* "12.5" and the rest; the fraction as num / den. */
static int parse_decimal(
	const char *s, uint64_t *whole, uint64_t *num, uint64_t *den, const char **rest)
{
	const char *start = s;
	size_t digits;
	int err;

	err = parse_digits(&s, whole);
	digits = (size_t)(s - start);
	*num = 0;
	*den = 1;
	if (*s == '.') {
		int n = 0;

		for (s++; is_digit(*s); s++, digits++) {
			if (n++ >= FRACTION_DIGITS)
				continue;
			*num = *num * 10 + (uint64_t)(*s - '0');
			*den *= 10;
		}
	}
	*rest = s;
	return digits ? err : -EINVAL;
}

static int parse_scaled(const char *s, const struct unit *units, size_t n, uint64_t *ret)
{
	uint64_t whole, num, den, v;
	const char *rest;
	int err;

	err = parse_decimal(s, &whole, &num, &den, &rest);
	if (err == -EINVAL)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(rest, units[i].name))
			continue;
		if (err || __builtin_mul_overflow(whole, units[i].factor, &v) ||
			__builtin_add_overflow(
				v, (uint64_t)((u128)num * units[i].factor / den), &v))
			return -ERANGE;
		*ret = v;
		return 0;
	}
	return -EINVAL;
}

int units_parse_duration(const char *s, uint64_t *ret_ns)
{
	static const struct unit units[] = {
		{"", NSEC_PER_SEC},
		{"ns", 1},
		{"us", NSEC_PER_USEC},
		{"ms", NSEC_PER_MSEC},
		{"s", NSEC_PER_SEC},
		{"m", 60 * NSEC_PER_SEC},
		{"h", 3600 * NSEC_PER_SEC},
	};

	return parse_scaled(s, units, ARRAY_SIZE(units), ret_ns);
}

int units_parse_size(const char *s, uint64_t *ret_bytes)
{
	static const char letters[] = "KMG";
	static const char *const tails[] = {"", "B", "iB"};
	uint64_t whole, num, den;
	const char *rest, *letter;
	struct unit unit;
	int err;

	err = parse_decimal(s, &whole, &num, &den, &rest);
	if (err == -EINVAL)
		return err;
	unit = (struct unit){rest, 1};
	letter = *rest ? strchr(letters, toupper((unsigned char)*rest)) : NULL;
	if (letter) {
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(tails); i++)
			known |= !strcasecmp(rest + 1, tails[i]);
		if (!known)
			return -EINVAL;
		unit.factor <<= 10 * (letter - letters + 1);
	} else if (*rest && strcasecmp(rest, "B")) {
		return -EINVAL;
	}
	return parse_scaled(s, &unit, 1, ret_bytes);
}

int units_parse_u64(const char *s, uint64_t *ret)
{
	uint64_t v;
	int err;

	if (!is_digit(*s))
		return -EINVAL;
	err = parse_digits(&s, &v);
	if (*s)
		return -EINVAL;
	if (!err)
		*ret = v;
	return err;
}

/* v / unit with three digits: "1.23", "12.3", "123"; what follows is cut off. */
static void three_digits(char *buf, uint64_t v, uint64_t unit, const char *suffix)
{
	uint64_t whole = v / unit;
	unsigned int hundredths = (unsigned int)((u128)(v % unit) * 100 / unit);

	if (whole < 10)
		snprintf(buf, UNITS_BUF, "%" PRIu64 ".%02u%s", whole, hundredths, suffix);
	else if (whole < 100)
		snprintf(buf, UNITS_BUF, "%" PRIu64 ".%u%s", whole, hundredths / 10, suffix);
	else
		snprintf(buf, UNITS_BUF, "%" PRIu64 "%s", whole, suffix);
}

/* "3h12m", "4d03h" */
static void two_units(char *buf, uint64_t large, char large_unit, uint64_t small, char small_unit)
{
	snprintf(buf, UNITS_BUF, "%" PRIu64 "%c%02" PRIu64 "%c", large, large_unit, small,
		small_unit);
}

char *units_duration(char buf[UNITS_BUF], uint64_t ns)
{
	uint64_t s = ns / NSEC_PER_SEC, minutes = s / 60, hours = minutes / 60, days = hours / 24;

	if (ns == 0)
		strcpy(buf, "0");
	else if (ns < NSEC_PER_USEC)
		snprintf(buf, UNITS_BUF, "%" PRIu64 "ns", ns);
	else if (ns < NSEC_PER_MSEC)
		three_digits(buf, ns, NSEC_PER_USEC, "us");
	else if (s < 1)
		three_digits(buf, ns, NSEC_PER_MSEC, "ms");
	else if (minutes < 1)
		three_digits(buf, ns, NSEC_PER_SEC, "s");
	else if (hours < 1)
		snprintf(buf, UNITS_BUF, "%" PRIu64 ":%02" PRIu64, minutes, s % 60);
	else if (hours < 48)
		two_units(buf, hours, 'h', minutes % 60, 'm');
	else if (days < 100)
		two_units(buf, days, 'd', hours % 24, 'h');
	else if (days < 10000)
		snprintf(buf, UNITS_BUF, "%" PRIu64 "d", days);
	else
		snprintf(buf, UNITS_BUF, "%" PRIu64 "y", days / 365);
	return buf;
}

char *units_setting(char buf[UNITS_BUF], uint64_t ns)
{
	uint64_t minutes = ns / (60 * NSEC_PER_SEC);
	char *unit, *end;

	if (ns && ns % (3600 * NSEC_PER_SEC) == 0 && minutes < 48 * 60) {
		snprintf(buf, UNITS_BUF, "%" PRIu64 "h", minutes / 60);
		return buf;
	}
	if (ns && ns % (60 * NSEC_PER_SEC) == 0 && minutes < 60) {
		snprintf(buf, UNITS_BUF, "%" PRIu64 "m", minutes);
		return buf;
	}
	units_duration(buf, ns);
	if (!strchr(buf, '.'))
		return buf;
	unit = end = buf + strspn(buf, "0123456789.");
	while (end[-1] == '0')
		end--;
	end -= end[-1] == '.';
	memmove(end, unit, strlen(unit) + 1);
	return buf;
}

char *units_pct(char buf[UNITS_BUF], uint64_t part, uint64_t whole)
{
	u128 tenths = whole ? ((u128)part * 1000 + whole / 2) / whole : 0;

	if (tenths < 1000)
		snprintf(buf, UNITS_BUF, "%u.%u", (unsigned int)tenths / 10,
			(unsigned int)tenths % 10);
	else
		snprintf(buf, UNITS_BUF, "%" PRIu64,
			(uint64_t)MIN(((u128)part * 100 + whole / 2) / whole, (u128)UINT64_MAX));
	return buf;
}

char *units_count(char buf[UNITS_BUF], uint64_t n)
{
	static const char suffixes[] = "kMGTPE";
	char suffix[2] = "";
	uint64_t unit = 1;

	if (n < 10000) {
		snprintf(buf, UNITS_BUF, "%" PRIu64, n);
		return buf;
	}
	for (size_t i = 0; n / unit >= 1000; i++) {
		unit *= 1000;
		suffix[0] = suffixes[i];
	}
	three_digits(buf, n, unit, suffix);
	return buf;
}

char *units_rate(char buf[UNITS_BUF], double v)
{
	if (!isfinite(v) || v < 0)
		strcpy(buf, "-");
	else if (v < 9.995)
		three_digits(buf, (uint64_t)(v * 100 + 0.5), 100, "");
	else if (v < 99.95)
		three_digits(buf, (uint64_t)(v * 10 + 0.5), 10, "");
	else if (v < 1e19)
		units_count(buf, (uint64_t)(v + 0.5));
	else
		units_count(buf, UINT64_MAX);
	return buf;
}

char *units_size(char buf[UNITS_BUF], uint64_t bytes)
{
	static const char suffixes[] = "KMGTPE";
	uint64_t unit = 1024;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(buf, UNITS_BUF, "%" PRIu64 "B", bytes);
		return buf;
	}
	for (; bytes / unit >= 1024; i++)
		unit *= 1024;
	if (bytes / unit < 10)
		snprintf(buf, UNITS_BUF, "%" PRIu64 ".%u%c", bytes / unit,
			(unsigned int)((u128)(bytes % unit) * 10 / unit), suffixes[i]);
	else
		snprintf(buf, UNITS_BUF, "%" PRIu64 "%c", bytes / unit, suffixes[i]);
	return buf;
}

char *units_double(char buf[UNITS_BUF], double v)
{
	static locale_t c_locale;
	locale_t old;

	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	old = uselocale(c_locale);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, UNITS_BUF, "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	uselocale(old);
	return buf;
}

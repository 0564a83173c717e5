/* Bytes of unknown encoding: cleaned, measured, cut, folded, and put into JSON. */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "json.h"
#include "json_check.h"
#include "text.h"
#include "util.h"

static void check_clean(const char *s, size_t len, enum text_flags flags)
{
	for (size_t i = 0, n; i < len; i += n) {
		bool line = flags & TEXT_KEEP_LINES && (s[i] == '\n' || s[i] == '\t');
		uint32_t cp;

		n = text_decode(s + i, len - i, &cp);
		FUZZ_CHECK(cp != TEXT_BAD && (line || text_char_width(cp) >= 0));
	}
}

static void check_cuts(const char *s)
{
	size_t total = text_width(s), cells;

	for (size_t max = 0; max <= total; max += 1 + max / 4) {
		size_t n = text_cut(s, max, &cells);

		FUZZ_CHECK(cells <= max && cells + 1 >= MIN(max, total));
		FUZZ_CHECK(n <= strlen(s) && text_width(s + n) == total - cells);
	}
}

static void check_json(const char *s)
{
	struct json j;
	struct buf b;

	buf_init(&b, 1 << 20);
	json_init(&j, &b);
	json_str(&j, NULL, s);
	FUZZ_CHECK(b.overflow || json_is_valid(b.data, b.len));
	buf_done(&b);
}

/* The first byte chooses the flags, the second how much room there is. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum text_flags flags;
	_cleanup_free_ char *raw = NULL, *dst = NULL, *again = NULL;
	size_t room, n;

	if (size < 2)
		return 0;
	flags = data[0] & 1 ? TEXT_KEEP_LINES : TEXT_ONE_LINE;
	room = data[0] & 2 ? data[1] : size;
	data += 2;
	size -= 2;
	raw = xcalloc(size + 1, 1);
	memcpy(raw, data, size);
	check_cuts(raw);
	check_json(raw);

	dst = xmalloc(room);
	n = text_clean(dst, room, (const char *)data, size, flags);
	FUZZ_CHECK(n <= size && (room ? n < room && !dst[n] : !n));
	if (!room)
		return 0;
	check_clean(dst, n, flags);
	check_cuts(dst);
	again = xmalloc(n + 1);
	FUZZ_CHECK(text_clean(again, n + 1, dst, n, flags) == n && !memcmp(again, dst, n + 1));
	n = text_fold(again, n + 1, dst);
	FUZZ_CHECK(!strpbrk(again, "\n\t") && !strstr(again, "  ") && again[n] == '\0');
	return 0;
}

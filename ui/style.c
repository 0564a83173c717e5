/*
 * The tables of looks. Owns nothing; knows colour numbers of the xterm palettes, no curses.
 *
 * Colours: cpu green, io blue, lock red, lwlock magenta, ipc cyan, network yellow, timeout orange
 * are what people know from other PostgreSQL tools. Neighbours in the bar also differ in
 * lightness, and every cell carries its type's letter, faint where there is colour, so that
 * neither colour vision nor a copy without colours loses the breakdown.
 */
#include "style.h"

#include <stdio.h>

#define DEF (-1)

/* The 8 ANSI colours; + BRIGHT for the other 8 where there are 16. */
enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, BRIGHT };

struct looks {
	struct style_look c256, c16, c8, mono;
};

#define PLAIN               \
	{                   \
		DEF, DEF, 0 \
	}
#define ATTR(flags)             \
	{                       \
		DEF, DEF, flags \
	}
#define ALWAYS(flags)                                              \
	{                                                          \
		ATTR(flags), ATTR(flags), ATTR(flags), ATTR(flags) \
	}

static const struct {
	const char *name;
	struct looks looks;
} roles[STYLE_BAR] = {
	[STYLE_NORMAL] = {"normal", ALWAYS(0)},
	[STYLE_DIM] = {"dim",
		{{243, DEF, 0}, {BLACK + BRIGHT, DEF, 0}, ATTR(SF_DIM), ATTR(SF_DIM)}},
	[STYLE_BRIGHT] = {"bright", ALWAYS(SF_BOLD)},
	[STYLE_LABEL] = {"label", {{73, DEF, 0}, {CYAN, DEF, 0}, {CYAN, DEF, 0}, PLAIN}},
	[STYLE_TITLE] = {"title", {{117, DEF, SF_BOLD}, {CYAN + BRIGHT, DEF, SF_BOLD},
					  {CYAN, DEF, SF_BOLD}, ATTR(SF_BOLD)}},
	[STYLE_COLHEAD] = {"colhead",
		{{254, 239, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0}, ATTR(SF_REVERSE)}},
	[STYLE_SORTHEAD] = {"sorthead", {{16, 80, SF_BOLD}, {BLACK, CYAN + BRIGHT, 0},
						{BLACK, CYAN, 0}, ATTR(SF_REVERSE | SF_BOLD)}},
	[STYLE_WARN] = {"warn", {{215, DEF, SF_BOLD}, {YELLOW + BRIGHT, DEF, SF_BOLD},
					{YELLOW, DEF, SF_BOLD}, ATTR(SF_BOLD)}},
	[STYLE_BADGE] = {"badge", {{16, 215, SF_BOLD}, {BLACK, YELLOW + BRIGHT, 0},
					  {BLACK, YELLOW, 0}, ATTR(SF_REVERSE | SF_BOLD)}},
	[STYLE_KEY] = {"key", ALWAYS(SF_BOLD)},
	[STYLE_KEYLABEL] = {"keylabel",
		{{16, 73, 0}, {BLACK, CYAN, 0}, {BLACK, CYAN, 0}, ATTR(SF_REVERSE)}},
	[STYLE_MENU] = {"menu", ALWAYS(0)},
	[STYLE_MENUHEAD] = {"menuhead",
		{{254, 239, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0}, ATTR(SF_REVERSE)}},
	[STYLE_INPUT] = {"input", ALWAYS(SF_BOLD)},
};

/* bar: letter on ground. text: what is written in the type's colour. The graph is derived. */
static const struct {
	struct looks bar, text;
} types[WAIT_NR] = {
	[WAIT_CPU] = {{{28, 77, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0}, PLAIN},
		{{77, DEF, 0}, {GREEN, DEF, 0}, {GREEN, DEF, 0}, PLAIN}},
	[WAIT_RUNQ] = {{{130, 208, 0}, {YELLOW + BRIGHT, RED + BRIGHT, 0}, {YELLOW, RED, SF_BOLD},
			       PLAIN},
		{{208, DEF, 0}, {RED + BRIGHT, DEF, 0}, {RED, DEF, 0}, PLAIN}},
	[WAIT_IO] = {{{25, 33, 0}, {BLACK, BLUE + BRIGHT, 0}, {WHITE, BLUE, SF_BOLD}, PLAIN},
		{{39, DEF, 0}, {BLUE + BRIGHT, DEF, 0}, {BLUE, DEF, SF_BOLD}, PLAIN}},
	[WAIT_WAL_WRITE] = {{{67, 25, 0}, {WHITE, BLUE, 0}, {CYAN, BLUE, SF_BOLD}, PLAIN},
		{{68, DEF, 0}, {BLUE, DEF, 0}, {BLUE, DEF, 0}, PLAIN}},
	[WAIT_LWLOCK] = {{{127, 176, 0}, {BLACK, MAGENTA + BRIGHT, 0}, {BLACK, MAGENTA, 0}, PLAIN},
		{{176, DEF, 0}, {MAGENTA + BRIGHT, DEF, 0}, {MAGENTA, DEF, 0}, PLAIN}},
	[WAIT_LOCK] = {{{210, 160, 0}, {WHITE + BRIGHT, RED, 0}, {WHITE, RED, SF_BOLD}, PLAIN},
		{{203, DEF, SF_BOLD}, {RED, DEF, SF_BOLD}, {RED, DEF, SF_BOLD}, ATTR(SF_BOLD)}},
	[WAIT_NETWORK] = {{{136, 220, 0}, {BLACK, YELLOW + BRIGHT, 0}, {BLACK, YELLOW, 0}, PLAIN},
		{{220, DEF, 0}, {YELLOW + BRIGHT, DEF, 0}, {YELLOW, DEF, SF_BOLD}, PLAIN}},
	[WAIT_IPC] = {{{30, 44, 0}, {BLACK, CYAN, 0}, {BLACK, CYAN, 0}, PLAIN},
		{{44, DEF, 0}, {CYAN, DEF, 0}, {CYAN, DEF, 0}, PLAIN}},
	[WAIT_TIMEOUT] = {{{172, 130, 0}, {WHITE + BRIGHT, YELLOW, 0}, {WHITE, YELLOW, SF_BOLD},
				  PLAIN},
		{{172, DEF, 0}, {YELLOW, DEF, 0}, {YELLOW, DEF, 0}, PLAIN}},
	[WAIT_IDLE_XACT] = {{{144, 230, 0}, {BLACK, WHITE + BRIGHT, 0}, {BLACK, WHITE, 0}, PLAIN},
		{{230, DEF, 0}, {WHITE + BRIGHT, DEF, 0}, {WHITE, DEF, SF_BOLD}, PLAIN}},
	[WAIT_IDLE] = {{{240, 237, 0}, {WHITE, BLACK + BRIGHT, 0}, ATTR(SF_DIM), ATTR(SF_DIM)},
		{{243, DEF, 0}, {BLACK + BRIGHT, DEF, 0}, ATTR(SF_DIM), ATTR(SF_DIM)}},
	[WAIT_OTHER] = {{{243, 250, 0}, {BLACK, WHITE, 0}, {BLUE, WHITE, 0}, PLAIN},
		{{250, DEF, 0}, {WHITE, DEF, 0}, {WHITE, DEF, 0}, PLAIN}},
	[WAIT_UNKNOWN] = {{{196, 231, SF_BOLD}, {RED, WHITE + BRIGHT, SF_BOLD}, {RED, WHITE, 0},
				  ATTR(SF_REVERSE)},
		{{196, DEF, SF_BOLD | SF_REVERSE}, {RED + BRIGHT, DEF, SF_REVERSE},
			{RED, DEF, SF_REVERSE}, ATTR(SF_REVERSE)}},
};

static struct style_look pick(const struct looks *l, int colors)
{
	if (colors >= 256)
		return l->c256;
	if (colors >= 16)
		return l->c16;
	return colors >= 8 ? l->c8 : l->mono;
}

static bool is_bar(enum ui_style style)
{
	return style >= STYLE_BAR && style < STYLE_TYPE;
}

/* The selected row: bars keep their colours, everything else stands on one ground, where neither
 * grey nor a wait type's colour would be easy to read. */
static struct style_look selected_look(enum ui_style style, struct style_look look, int colors)
{
	if (colors < 8) {
		look.flags = (uint8_t)((look.flags & ~SF_DIM) | SF_REVERSE);
		return look;
	}
	if (is_bar(style))
		return look;
	if (colors < 256)
		return (struct style_look){BLACK, CYAN, 0};
	return (struct style_look){231, 24, SF_BOLD};
}

struct style_look style_look(enum ui_style style, bool selected, int colors)
{
	struct style_look look;

	if ((unsigned)style >= STYLE_NR)
		style = STYLE_NORMAL;
	if (style < STYLE_BAR) {
		look = pick(&roles[style].looks, colors);
	} else if (style < STYLE_TYPE) {
		look = pick(&types[style - STYLE_BAR].bar, colors);
	} else if (style < STYLE_GRAPH) {
		look = pick(&types[style - STYLE_TYPE].text, colors);
	} else {
		/* The bar's ground, drawn by the character. */
		look = pick(&types[style - STYLE_GRAPH].bar, colors);
		look.fg = look.bg;
		look.bg = DEF;
	}
	return selected ? selected_look(style, look, colors) : look;
}

char *style_name(enum ui_style style, char buf[STYLE_NAME_BUF])
{
	if ((unsigned)style >= STYLE_NR)
		style = STYLE_NORMAL;
	if (style < STYLE_BAR)
		snprintf(buf, STYLE_NAME_BUF, "%s", roles[style].name);
	else if (style < STYLE_TYPE)
		snprintf(buf, STYLE_NAME_BUF, "bar-%s",
			wait_type_name((enum wait_type)(style - STYLE_BAR)));
	else if (style < STYLE_GRAPH)
		snprintf(buf, STYLE_NAME_BUF, "type-%s",
			wait_type_name((enum wait_type)(style - STYLE_TYPE)));
	else
		snprintf(buf, STYLE_NAME_BUF, "graph-%s",
			wait_type_name((enum wait_type)(style - STYLE_GRAPH)));
	return buf;
}

/*
 * The table of looks. Owns nothing; knows colour numbers of the xterm palettes, no curses.
 *
 * Colours: cpu green, io blue, lock red, lwlock magenta, ipc cyan, network yellow, timeout orange
 * are what people know from other PostgreSQL tools. Neighbours in the bar also differ in
 * lightness, and every cell carries its type's letter, so that neither colour vision nor a copy
 * without colours loses the breakdown.
 */
#include "style.h"

#include <stddef.h>

#define DEF (-1)

/* The 8 ANSI colours; + 8 for the bright ones where there are 16. */
enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, BRIGHT };

static const struct {
	const char *name;
	struct style_look c256, c16, c8, mono;
} styles[STYLE_NR] = {
	[STYLE_NORMAL] = {"normal", {DEF, DEF, 0}, {DEF, DEF, 0}, {DEF, DEF, 0}, {DEF, DEF, 0}},
	[STYLE_DIM] = {"dim", {243, DEF, 0}, {BLACK + BRIGHT, DEF, 0}, {DEF, DEF, SF_DIM},
		{DEF, DEF, SF_DIM}},
	[STYLE_BRIGHT] = {"bright", {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD},
		{DEF, DEF, SF_BOLD}},
	[STYLE_LABEL] = {"label", {73, DEF, 0}, {CYAN, DEF, 0}, {CYAN, DEF, 0}, {DEF, DEF, 0}},
	[STYLE_TITLE] = {"title", {117, DEF, SF_BOLD}, {CYAN + BRIGHT, DEF, SF_BOLD},
		{CYAN, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}},
	[STYLE_COLHEAD] = {"colhead", {16, 71, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0},
		{DEF, DEF, SF_REVERSE}},
	[STYLE_SORTHEAD] = {"sorthead", {16, 80, SF_BOLD}, {BLACK, CYAN + BRIGHT, 0},
		{BLACK, CYAN, 0}, {DEF, DEF, SF_REVERSE | SF_BOLD}},
	[STYLE_WARN] = {"warn", {215, DEF, SF_BOLD}, {YELLOW + BRIGHT, DEF, SF_BOLD},
		{YELLOW, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}},
	[STYLE_BADGE] = {"badge", {16, 215, SF_BOLD}, {BLACK, YELLOW + BRIGHT, 0},
		{BLACK, YELLOW, 0}, {DEF, DEF, SF_REVERSE | SF_BOLD}},
	[STYLE_KEY] = {"key", {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD},
		{DEF, DEF, SF_BOLD}},
	[STYLE_KEYLABEL] = {"keylabel", {16, 73, 0}, {BLACK, CYAN, 0}, {BLACK, CYAN, 0},
		{DEF, DEF, SF_REVERSE}},
	[STYLE_MENU] = {"menu", {DEF, DEF, 0}, {DEF, DEF, 0}, {DEF, DEF, 0}, {DEF, DEF, 0}},
	[STYLE_MENUHEAD] = {"menuhead", {16, 71, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0},
		{DEF, DEF, SF_REVERSE}},
	[STYLE_INPUT] = {"input", {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD},
		{DEF, DEF, SF_BOLD}},

#define BAR_LOOKS(t) [STYLE_BAR + WAIT_##t]
	BAR_LOOKS(CPU) = {"bar-cpu", {22, 71, 0}, {BLACK, GREEN, 0}, {BLACK, GREEN, 0},
		{DEF, DEF, 0}},
	BAR_LOOKS(RUNQ) = {"bar-runq", {52, 202, 0}, {YELLOW + BRIGHT, RED + BRIGHT, 0},
		{YELLOW, RED, SF_BOLD}, {DEF, DEF, 0}},
	BAR_LOOKS(IO) = {"bar-io", {17, 39, 0}, {BLACK, BLUE + BRIGHT, 0}, {WHITE, BLUE, SF_BOLD},
		{DEF, DEF, 0}},
	BAR_LOOKS(WAL_WRITE) = {"bar-wal_write", {75, 25, 0}, {WHITE, BLUE, 0},
		{CYAN, BLUE, SF_BOLD}, {DEF, DEF, 0}},
	BAR_LOOKS(LWLOCK) = {"bar-lwlock", {53, 176, 0}, {BLACK, MAGENTA + BRIGHT, 0},
		{BLACK, MAGENTA, 0}, {DEF, DEF, 0}},
	BAR_LOOKS(LOCK) = {"bar-lock", {217, 160, 0}, {WHITE + BRIGHT, RED, 0},
		{WHITE, RED, SF_BOLD}, {DEF, DEF, 0}},
	BAR_LOOKS(NETWORK) = {"bar-network", {94, 220, 0}, {BLACK, YELLOW + BRIGHT, 0},
		{BLACK, YELLOW, 0}, {DEF, DEF, 0}},
	BAR_LOOKS(
		IPC) = {"bar-ipc", {23, 44, 0}, {BLACK, CYAN, 0}, {BLACK, CYAN, 0}, {DEF, DEF, 0}},
	BAR_LOOKS(TIMEOUT) = {"bar-timeout", {222, 130, 0}, {WHITE + BRIGHT, YELLOW, 0},
		{WHITE, YELLOW, SF_BOLD}, {DEF, DEF, 0}},
	BAR_LOOKS(IDLE_XACT) = {"bar-idle_xact", {101, 230, 0}, {BLACK, WHITE + BRIGHT, 0},
		{BLACK, WHITE, 0}, {DEF, DEF, 0}},
	BAR_LOOKS(IDLE) = {"bar-idle", {243, 237, 0}, {WHITE, BLACK + BRIGHT, 0},
		{WHITE, DEF, SF_DIM}, {DEF, DEF, SF_DIM}},
	BAR_LOOKS(OTHER) = {"bar-other", {240, 250, 0}, {BLACK, WHITE, 0}, {BLUE, WHITE, 0},
		{DEF, DEF, 0}},
	BAR_LOOKS(UNKNOWN) = {"bar-unknown", {196, 231, SF_BOLD}, {RED, WHITE + BRIGHT, SF_BOLD},
		{RED, WHITE, 0}, {DEF, DEF, SF_REVERSE}},

#define TYPE_LOOKS(t) [STYLE_TYPE + WAIT_##t]
	TYPE_LOOKS(
		CPU) = {"type-cpu", {71, DEF, 0}, {GREEN, DEF, 0}, {GREEN, DEF, 0}, {DEF, DEF, 0}},
	TYPE_LOOKS(RUNQ) = {"type-runq", {202, DEF, 0}, {RED + BRIGHT, DEF, 0}, {RED, DEF, 0},
		{DEF, DEF, 0}},
	TYPE_LOOKS(IO) = {"type-io", {39, DEF, 0}, {BLUE + BRIGHT, DEF, 0}, {BLUE, DEF, SF_BOLD},
		{DEF, DEF, 0}},
	TYPE_LOOKS(WAL_WRITE) = {"type-wal_write", {68, DEF, 0}, {BLUE, DEF, 0}, {BLUE, DEF, 0},
		{DEF, DEF, 0}},
	TYPE_LOOKS(LWLOCK) = {"type-lwlock", {176, DEF, 0}, {MAGENTA + BRIGHT, DEF, 0},
		{MAGENTA, DEF, 0}, {DEF, DEF, 0}},
	TYPE_LOOKS(LOCK) = {"type-lock", {203, DEF, SF_BOLD}, {RED, DEF, SF_BOLD},
		{RED, DEF, SF_BOLD}, {DEF, DEF, SF_BOLD}},
	TYPE_LOOKS(NETWORK) = {"type-network", {220, DEF, 0}, {YELLOW + BRIGHT, DEF, 0},
		{YELLOW, DEF, SF_BOLD}, {DEF, DEF, 0}},
	TYPE_LOOKS(IPC) = {"type-ipc", {44, DEF, 0}, {CYAN, DEF, 0}, {CYAN, DEF, 0}, {DEF, DEF, 0}},
	TYPE_LOOKS(TIMEOUT) = {"type-timeout", {172, DEF, 0}, {YELLOW, DEF, 0}, {YELLOW, DEF, 0},
		{DEF, DEF, 0}},
	TYPE_LOOKS(IDLE_XACT) = {"type-idle_xact", {230, DEF, 0}, {WHITE + BRIGHT, DEF, 0},
		{WHITE, DEF, SF_BOLD}, {DEF, DEF, 0}},
	TYPE_LOOKS(IDLE) = {"type-idle", {243, DEF, 0}, {BLACK + BRIGHT, DEF, 0},
		{DEF, DEF, SF_DIM}, {DEF, DEF, SF_DIM}},
	TYPE_LOOKS(OTHER) = {"type-other", {250, DEF, 0}, {WHITE, DEF, 0}, {WHITE, DEF, 0},
		{DEF, DEF, 0}},
	TYPE_LOOKS(UNKNOWN) = {"type-unknown", {196, DEF, SF_BOLD | SF_REVERSE},
		{RED + BRIGHT, DEF, SF_REVERSE}, {RED, DEF, SF_REVERSE}, {DEF, DEF, SF_REVERSE}},
};

static bool is_bar(enum ui_style style)
{
	return style >= STYLE_BAR && style < STYLE_BAR + WAIT_NR;
}

/* The selected row: bars keep their colours, everything else stands on one ground. Grey on grey
 * would be hard to read, so dim text becomes normal. */
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
	if (look.bg == DEF)
		look.bg = 24;
	look.fg = 231;
	look.flags |= SF_BOLD;
	return look;
}

struct style_look style_look(enum ui_style style, bool selected, int colors)
{
	struct style_look look;

	if ((unsigned)style >= STYLE_NR)
		style = STYLE_NORMAL;
	if (colors >= 256)
		look = styles[style].c256;
	else if (colors >= 16)
		look = styles[style].c16;
	else if (colors >= 8)
		look = styles[style].c8;
	else
		look = styles[style].mono;
	return selected ? selected_look(style, look, colors) : look;
}

const char *style_name(enum ui_style style)
{
	return (unsigned)style < STYLE_NR ? styles[style].name : "?";
}

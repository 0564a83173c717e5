/*
 * Styles: what a cell means, and how that looks on a terminal of some number of colours.
 *
 * Views name roles only. The mapping to colours is a table, so that it can be tested without a
 * terminal.
 */
#ifndef PGTOP_STYLE_H
#define PGTOP_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "waittype.h"

enum ui_style {
	STYLE_NORMAL,
	STYLE_DIM,	/* present, but not what you look for: zero values, idle rows */
	STYLE_BRIGHT,	/* the number a line is about */
	STYLE_LABEL,	/* what names a number in the header */
	STYLE_TITLE,	/* program name */
	STYLE_COLHEAD,	/* column titles */
	STYLE_SORTHEAD, /* title of the column sorted by */
	STYLE_WARN,	/* degraded, lost */
	STYLE_BADGE,	/* PAUSED and the like */
	STYLE_KEY,	/* a key in the hints and the help */
	STYLE_KEYLABEL, /* what the key does */
	STYLE_MENU,	/* a line of a side panel */
	STYLE_MENUHEAD,
	STYLE_INPUT,			    /* text being typed */
	STYLE_BAR,			    /* STYLE_BAR + wait type: a solid cell of a bar */
	STYLE_TYPE = STYLE_BAR + WAIT_NR,   /* STYLE_TYPE + wait type: text in its colour */
	STYLE_GRAPH = STYLE_TYPE + WAIT_NR, /* STYLE_GRAPH + wait type: a block of the graph */
	STYLE_NR = STYLE_GRAPH + WAIT_NR,
};

static inline enum ui_style style_bar(enum wait_type type)
{
	return (enum ui_style)(STYLE_BAR + type);
}

static inline enum ui_style style_type(enum wait_type type)
{
	return (enum ui_style)(STYLE_TYPE + type);
}

static inline enum ui_style style_graph(enum wait_type type)
{
	return (enum ui_style)(STYLE_GRAPH + type);
}

enum style_flags {
	SF_BOLD = 1,
	SF_DIM = 2,
	SF_REVERSE = 4,
	SF_UNDERLINE = 8,
};

struct style_look {
	int16_t fg, bg; /* colour numbers; -1: the terminal's own */
	uint8_t flags;
};

/* The look of a style on a terminal of that many colours (below 8: none are used), selected or
 * not. */
struct style_look style_look(enum ui_style style, bool selected, int colors);

/* A short stable name, for golden screens: "normal", "bar-lock", "type-io". */
#define STYLE_NAME_BUF 32
char *style_name(enum ui_style style, char buf[STYLE_NAME_BUF]);

#endif

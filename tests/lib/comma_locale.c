/* See comma_locale.h. Owns one temporary folder between enter and leave. */
#include "comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

static bool run(const char *format)
{
	char command[256];

	snprintf(command, sizeof(command), format, folder, folder);
	return system(command) == 0;
}

static bool write_source(void)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/source", folder);
	f = fopen(path, "w");
	if (!f)
		return false;
	fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND "
	      "LC_NUMERIC\n",
		f);
	return fclose(f) == 0;
}

bool comma_locale_enter(void)
{
	strcpy(folder, "/tmp/pgtop-locale-XXXXXX");
	if (!mkdtemp(folder) || !write_source())
		return false;
	/* It warns of the other categories and exits with 1: what counts is whether it works. */
	(void)run("localedef -c -i %s/source -f ANSI_X3.4-1968 %s/comma >/dev/null 2>&1");
	setenv("LOCPATH", folder, 1);
	if (setlocale(LC_NUMERIC, "comma") && !strcmp(localeconv()->decimal_point, ","))
		return true;
	comma_locale_leave();
	return false;
}

void comma_locale_leave(void)
{
	setlocale(LC_ALL, "C");
	unsetenv("LOCPATH");
	(void)run("rm -rf %s");
}

/* See comma_locale.h. Owns one temporary folder between enter and leave. */
#include "comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[] = "/tmp/pgtop-locale-XXXXXX";

static bool run(const char *format)
{
	char command[256];

	snprintf(command, sizeof(command), format, folder);
	return system(command) == 0;
}

bool comma_locale_enter(void)
{
	strcpy(folder, "/tmp/pgtop-locale-XXXXXX");
	if (!mkdtemp(folder))
		return false;
	/* localedef exits with 1 for mere warnings: what counts is whether the locale works. */
	(void)run("localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1");
	setenv("LOCPATH", folder, 1);
	if (setlocale(LC_ALL, "de_DE.UTF-8") && !strcmp(localeconv()->decimal_point, ","))
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

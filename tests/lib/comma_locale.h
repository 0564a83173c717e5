/*
 * A locale with "," as decimal point, made for the test: machines that build packages have none.
 */
#ifndef PGTOP_TESTS_COMMA_LOCALE_H
#define PGTOP_TESTS_COMMA_LOCALE_H

#include <stdbool.h>

/*
 * Builds de_DE.UTF-8 into a temporary folder and makes it the locale of the process. False if this
 * machine has no localedef or not the sources of the locale. To be undone by comma_locale_leave().
 */
bool comma_locale_enter(void);
void comma_locale_leave(void);

#endif

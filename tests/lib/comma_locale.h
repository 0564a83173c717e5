/*
 * A locale with "," as decimal point, made for the test: machines that build packages have none.
 */
#ifndef PGTOP_TESTS_COMMA_LOCALE_H
#define PGTOP_TESTS_COMMA_LOCALE_H

#include <stdbool.h>

/*
 * Compiles the locale into a temporary folder and makes it the LC_NUMERIC of the process. False if
 * this machine has no localedef. To be undone by comma_locale_leave().
 */
bool comma_locale_enter(void);
void comma_locale_leave(void);

#endif

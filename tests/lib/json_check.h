/* A strict reader of JSON (RFC 8259): says whether a text is one value, no more and no less. */
#ifndef PGTOP_TESTS_JSON_CHECK_H
#define PGTOP_TESTS_JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>

bool json_is_valid(const char *s, size_t len);

#endif

/* Names of subroutines as tables for people have them. */
#ifndef RV_EXPORT_TABLE_NAMES_H
#define RV_EXPORT_TABLE_NAMES_H

#include <stddef.h>

/*
 * Leave out template arguments, as many as leaves no two names alike: "std::vector<...>::push_back".
 *   rows     n rows of row_bytes; name_offset: of the pointer to the full name in each
 *   returns  n texts in their order, for rv_table_names_destroy()
 */
char **rv_table_names_create(const void *rows, size_t row_bytes, size_t name_offset, size_t n);

void rv_table_names_destroy(char **texts, size_t n);

#endif

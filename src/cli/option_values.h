/* Values of options, as text. Each returns 0, or -EINVAL with one line printed that names the option. */
#ifndef RV_CLI_OPTION_VALUES_H
#define RV_CLI_OPTION_VALUES_H

#include <stdint.h>

#include "cli/option_lookup.h"

/* Prints what was expected. Returns -EINVAL. */
int rv_option_value_bad(const char *name, const char *value, const char *expected);

/* The index of value among the words of the option; the first one when there is no value. */
int rv_option_value_word(const struct rv_option_entry *entry, const char *value, int *index);

int rv_option_value_count(const char *name, const char *value, uint64_t max, uint32_t *out); /* from 1 */
int rv_option_value_bytes(const char *name, const char *value, uint64_t max, uint32_t *out);
int rv_option_value_time(const char *name, const char *value, uint64_t min_ns, uint64_t *ns);
int rv_option_value_limit(const char *name, const char *value, uint64_t *n_bytes,
                          uint64_t *ns); /* one of the two; the other is 0 */
int rv_option_value_speed(const char *name, const char *value, double *speed);
int rv_option_value_turn(const char *name, const char *value, float radians[2]);

#endif

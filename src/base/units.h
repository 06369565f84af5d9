/* Numbers with units, parsed from the command line and formatted for people. */
#ifndef RV_BASE_UNITS_H
#define RV_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* "12ns 3us 4ms 5s", a plain number is seconds, "500Hz" the period. 0 or -EINVAL. */
int rv_units_parse_ns(const char *text, uint64_t *ns);

/* "64K 2M 1G" or plain bytes, powers of 1024. 0 or -EINVAL. */
int rv_units_parse_bytes(const char *text, uint64_t *n_bytes);

/* A whole number in [min, max]. 0 or -EINVAL. */
int rv_units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *count);

/* Format as "12.58 ms": three or four significant digits and a suitable unit. */
void rv_units_format_ns(char *out, size_t out_bytes, uint64_t ns);

/* Format as "12.584331ms", exactly and as rv_units_parse_ns() reads it: in the largest unit of which it has one. */
void rv_units_format_exact_ns(char *out, size_t out_bytes, uint64_t ns);

/* Format a number of things in a second, as "48.12 M calls/s", "20 calls/s". */
void rv_units_format_rate(char *out, size_t out_bytes, double per_s, const char *things);

/* "1 call", "2 calls": the first word for one, the second for any other number. */
static inline const char *rv_units_word(uint64_t n, const char *one, const char *others)
{
    return n == 1 ? one : others;
}

#endif

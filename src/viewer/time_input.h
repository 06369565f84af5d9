/* Parses what is entered in the fields for a time and for a range of time. Pure. */
#ifndef RV_VIEWER_TIME_INPUT_H
#define RV_VIEWER_TIME_INPUT_H

#include <stddef.h>
#include <stdint.h>

struct rv_time_input_context {
    uint64_t first_ns, last_ns; /* of the trace */
    uint64_t at_ns;             /* the current time */
};

/*
 * "12ms": from the begin of the trace; "+3ms", "-3ms": from the current time; "@start", "@end". Numbers as on the
 * command line; surrounding spaces are ignored.
 *   returns  0 through *ns, or -EINVAL
 */
int rv_time_input_parse(const char *text, const struct rv_time_input_context *context, uint64_t *ns);

/*
 * "12ms..15ms": two such times; the second one is from the first on where it begins with a "+".
 *   returns  0 through range_ns, or -EINVAL, also where the second is not after the first
 */
int rv_time_input_parse_range(const char *text, const struct rv_time_input_context *context, uint64_t range_ns[2]);

/* The text of a range, exactly. Returns out. */
char *rv_time_input_format_range(const uint64_t range_ns[2], uint64_t first_ns, char *out, size_t out_bytes);

#endif

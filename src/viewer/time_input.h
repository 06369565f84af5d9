/* Parses a time entered in the go-to field. Pure. */
#ifndef RV_VIEWER_TIME_INPUT_H
#define RV_VIEWER_TIME_INPUT_H

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

#endif

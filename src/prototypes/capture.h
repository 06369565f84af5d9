/*
 * What producers copy of a call and of its return, as wire.h has it: operations for each prototype, in the order in
 * which arguments_text.h reads what they have copied.
 */
#ifndef RV_PROTOTYPES_CAPTURE_H
#define RV_PROTOTYPES_CAPTURE_H

#include "prototypes/prototypes.h"
#include "ringviz/wire.h"

struct rv_capture {
    struct rv_wire_capture_operation calls[RV_CAPTURE_MOST_OPERATIONS], returns[RV_CAPTURE_MOST_OPERATIONS];
    uint32_t n_calls, n_returns;
    bool needs_call; /* a return's operations use values of its call */
    uint32_t most_bytes;
};

/* Which operations capture a function's arguments and its result. string_bytes: of a string, at most so many. */
void rv_capture_plan(const struct rv_prototype *prototype, uint32_t string_bytes, struct rv_capture *capture);

/*
 * The section of a trace file.
 *   text     of the prototypes, kept in it
 *   n_bytes  set to its size
 *   returns  to be freed by the caller
 */
void *rv_capture_take_section(const struct rv_prototypes *prototypes, const char *text, size_t n_text_bytes,
                              uint32_t string_bytes, size_t *n_bytes);

/* A reader's view of a section, which is input. */
struct rv_capture_section {
    const char *text;
    size_t n_text_bytes;
    const uint8_t *records;
    size_t n_record_bytes;
    uint32_t n_captures, string_bytes;
};

/* False: it is not one. */
bool rv_capture_read_section(const void *section, size_t n_bytes, struct rv_capture_section *out);

#endif

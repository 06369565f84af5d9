/*
 * Where values lie in a call of a function on x86-64 (System V ABI), and which pointers are followed: known alike to
 * what says how values are captured, and to what shows them.
 */
#ifndef RV_PROTOTYPES_LAYOUT_H
#define RV_PROTOTYPES_LAYOUT_H

#include "prototypes/prototypes.h"
#include "ringviz/wire.h"

#define RV_LAYOUT_ELEMENTS 4u      /* elements of an array that are shown */
#define RV_LAYOUT_POINTERS 3u      /* pointers that are followed, each behind the last */
#define RV_LAYOUT_STACK_STRINGS 4u /* words of the stack behind a format that may be strings */

/* The values that hold an argument or a result: its bytes, 8 each. */
struct rv_layout_place {
    uint8_t values[RV_CAPTURE_STACK_WORDS];
    uint8_t n; /* 0: not captured */
};

struct rv_layout {
    uint8_t n_integers, n_floats, n_stack; /* registers and stack words that earlier parameters have taken */
};

/* Start before the first parameter. */
void rv_layout_begin(struct rv_layout *layout, const struct rv_prototype *prototype);

/* The place of the next parameter. */
struct rv_layout_place rv_layout_next(struct rv_layout *layout, const struct rv_type *type);

/* Is a result of this type given by its address? */
bool rv_layout_is_in_memory(const struct rv_type *type);

/* The place of a result; empty for a result given by its address. */
struct rv_layout_place rv_layout_result(const struct rv_type *type);

/* Is a pointer's target captured, n pointers deep? */
bool rv_layout_is_followed(const struct rv_type *pointer, unsigned n);

/* Is a pointer's target shown as text? Does that end at a NUL? */
bool rv_layout_is_text(const struct rv_type *pointer);
bool rv_layout_is_string(const struct rv_type *pointer);

/* Bytes of a pointer's target that are captured. */
uint32_t rv_layout_pointee_bytes(const struct rv_type *pointer, uint32_t string_bytes);

/* Bytes captured of a result that is given by its address. */
uint32_t rv_layout_memory_bytes(const struct rv_type *type);

/* Are arguments needed as the function returns: to show them, or for the length of its result? */
bool rv_layout_needs_call(const struct rv_prototype *prototype);

/* Is the last parameter a format? */
bool rv_layout_has_format(const struct rv_prototype *prototype);

/* The number of elements of an array that are read, which is limited. */
uint32_t rv_layout_elements(const struct rv_type *array);

/* Does a type have pointers that are followed, n pointers deep? */
bool rv_layout_has_pointers(const struct rv_type *type, unsigned n);

/* Offset of a struct's field. */
uint32_t rv_layout_field_at(const struct rv_type *type, uint32_t field_idx);

#endif

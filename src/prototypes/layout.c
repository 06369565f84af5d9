#include "prototypes/layout.h"

#define WORD_BYTES 8u

static uint32_t n_words(const struct rv_type *type)
{
    return (type->n_bytes + WORD_BYTES - 1) / WORD_BYTES;
}

uint32_t rv_layout_field_at(const struct rv_type *type, uint32_t field_idx)
{
    uint32_t at = 0;
    for (uint32_t i = 0;; i++) {
        const uint32_t alignment = type->fields[i]->alignment;
        at = (at + alignment - 1) / alignment * alignment;
        if (i == field_idx)
            return at;
        at += type->fields[i]->n_bytes;
    }
}

/* Has this word of a value, which begins at a byte of what is classified, anything but floating point numbers? */
static bool has_integer(const struct rv_type *type, uint32_t at, uint32_t word)
{
    if (type->kind == RV_TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->n_fields; i++)
            if (has_integer(type->fields[i], at + rv_layout_field_at(type, i), word))
                return true;
        return false;
    }
    if (type->kind == RV_TYPE_ARRAY) {
        for (uint32_t i = 0; i * type->inner->n_bytes < type->n_bytes; i++)
            if (has_integer(type->inner, at + i * type->inner->n_bytes, word))
                return true;
        return false;
    }
    return at / WORD_BYTES == word && type->kind != RV_TYPE_FLOAT && type->kind != RV_TYPE_DOUBLE;
}

bool rv_layout_is_in_memory(const struct rv_type *type)
{
    return type->n_bytes > 2 * WORD_BYTES;
}

static struct rv_layout_place on_stack(struct rv_layout *layout, uint32_t n)
{
    struct rv_layout_place place = {.n = 0};
    if (n > RV_CAPTURE_STACK_WORDS - layout->n_stack) {
        layout->n_stack = RV_CAPTURE_STACK_WORDS;
        return place;
    }
    for (; place.n < n; place.n++)
        place.values[place.n] = (uint8_t)(RV_CAPTURE_STACK + layout->n_stack++);
    return place;
}

void rv_layout_begin(struct rv_layout *layout, const struct rv_prototype *prototype)
{
    *layout = (struct rv_layout){.n_integers = rv_layout_is_in_memory(prototype->result)};
}

struct rv_layout_place rv_layout_next(struct rv_layout *layout, const struct rv_type *type)
{
    struct rv_layout_place place = {.n = 0};
    struct rv_layout after = *layout;
    const uint32_t n = n_words(type);
    if (rv_layout_is_in_memory(type))
        return on_stack(layout, n);
    for (; place.n < n; place.n++)
        place.values[place.n] = has_integer(type, 0, place.n) ? (uint8_t)(RV_CAPTURE_INTEGER + after.n_integers++)
                                                              : (uint8_t)(RV_CAPTURE_FLOAT + after.n_floats++);
    if (after.n_integers > RV_CAPTURE_INTEGERS || after.n_floats > RV_CAPTURE_FLOATS)
        return on_stack(layout, n);
    *layout = after;
    return place;
}

struct rv_layout_place rv_layout_result(const struct rv_type *type)
{
    struct rv_layout_place place = {.n = 0};
    uint8_t n_integers = 0, n_floats = 0;
    if (rv_layout_is_in_memory(type))
        return place;
    for (const uint32_t n = n_words(type); place.n < n; place.n++)
        place.values[place.n] = has_integer(type, 0, place.n) ? (uint8_t)(RV_CAPTURE_RESULT + n_integers++)
                                                              : (uint8_t)(RV_CAPTURE_FLOAT_RESULT + n_floats++);
    return place;
}

bool rv_layout_is_followed(const struct rv_type *pointer, unsigned n)
{
    return n < RV_LAYOUT_POINTERS && pointer->lens != RV_LENS_HIDE && pointer->inner->kind != RV_TYPE_VOID &&
           !pointer->inner->is_declared_only;
}

bool rv_layout_is_text(const struct rv_type *pointer)
{
    const struct rv_type *target = pointer->inner;
    return (pointer->lens == RV_LENS_STRING || target->lens == RV_LENS_STRING) && target->kind == RV_TYPE_ARRAY &&
           target->inner->kind == RV_TYPE_CHAR;
}

bool rv_layout_is_string(const struct rv_type *pointer)
{
    return rv_layout_is_text(pointer) && pointer->inner->length.kind == RV_LENGTH_ZERO;
}

uint32_t rv_layout_elements(const struct rv_type *array)
{
    const struct rv_length *length = &array->length;
    if (length->kind == RV_LENGTH_NUMBER && (uint64_t)length->number < RV_LAYOUT_ELEMENTS)
        return (uint32_t)length->number;
    return RV_LAYOUT_ELEMENTS;
}

static uint32_t shown_bytes(const struct rv_type *array, uint32_t string_bytes)
{
    if (array->lens == RV_LENS_STRING && array->inner->kind == RV_TYPE_CHAR)
        return string_bytes;
    return rv_layout_elements(array) * array->inner->n_bytes;
}

uint32_t rv_layout_memory_bytes(const struct rv_type *type)
{
    return type->n_bytes < RV_CAPTURE_MOST_STRING ? type->n_bytes : RV_CAPTURE_MOST_STRING;
}

/* A bit vector is of all bytes. What comes behind a struct belongs to it where its last field is an array without a
 * length of its own. */
uint32_t rv_layout_pointee_bytes(const struct rv_type *pointer, uint32_t string_bytes)
{
    const struct rv_type *target = pointer->inner;
    uint32_t n_bytes = rv_layout_memory_bytes(target);
    if (rv_layout_is_text(pointer))
        n_bytes = string_bytes;
    else if (target->kind == RV_TYPE_ARRAY && pointer->lens != RV_LENS_BITVEC)
        n_bytes = shown_bytes(target, string_bytes);
    if (target->kind == RV_TYPE_STRUCT && target->n_fields) {
        const struct rv_type *last = target->fields[target->n_fields - 1];
        if (last->kind == RV_TYPE_ARRAY && !last->n_bytes)
            n_bytes = rv_layout_field_at(target, target->n_fields - 1) + shown_bytes(last, string_bytes);
    }
    return n_bytes < RV_CAPTURE_MOST_STRING ? n_bytes : RV_CAPTURE_MOST_STRING;
}

static bool has_argument_length(const struct rv_type *type)
{
    const struct rv_length *length = NULL;
    if (type->kind == RV_TYPE_POINTER && type->inner->kind == RV_TYPE_ARRAY)
        length = &type->inner->length;
    while (length && length->kind == RV_LENGTH_ZERO)
        length = length->most;
    return length && length->kind == RV_LENGTH_ARGUMENT;
}

bool rv_layout_needs_call(const struct rv_prototype *prototype)
{
    bool needs = has_argument_length(prototype->result);
    for (uint32_t i = 0; i < prototype->n_parameters; i++)
        needs |= prototype->parameters[i].is_out;
    return needs;
}

bool rv_layout_has_format(const struct rv_prototype *prototype)
{
    return prototype->n_parameters && prototype->parameters[prototype->n_parameters - 1].is_format;
}

bool rv_layout_has_pointers(const struct rv_type *type, unsigned n)
{
    if (type->kind == RV_TYPE_POINTER)
        return rv_layout_is_followed(type, n);
    if (type->kind == RV_TYPE_ARRAY)
        return rv_layout_has_pointers(type->inner, n);
    if (type->kind != RV_TYPE_STRUCT)
        return false;
    for (uint32_t i = 0; i < type->n_fields; i++)
        if (rv_layout_has_pointers(type->fields[i], n))
            return true;
    return false;
}

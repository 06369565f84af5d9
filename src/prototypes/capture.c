#include "prototypes/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "prototypes/layout.h"

struct planner {
    struct rv_wire_capture_operation *operations;
    uint32_t n, n_bytes, string_bytes;
};

static void add(struct planner *planner, enum rv_capture_kind kind, uint8_t source, uint8_t target, uint32_t n)
{
    if (planner->n == RV_CAPTURE_MOST_OPERATIONS)
        return;
    planner->operations[planner->n++] =
        (struct rv_wire_capture_operation){.kind = (uint8_t)kind, .source = source, .target = target, .n = n};
    if (kind == RV_CAPTURE_VALUE)
        planner->n_bytes += 8;
    else if (kind != RV_CAPTURE_LOAD)
        planner->n_bytes += 2 + n;
}

/* The number of a value that stays 0, since nothing is loaded into it. */
#define NO_VALUE (RV_CAPTURE_VALUES - 1)
_Static_assert(RV_CAPTURE_LOADED + RV_LAYOUT_POINTERS < NO_VALUE, "no pointer is loaded into it");

/* Where a value lies: in a place, or at an offset from an address that is another value. */
struct where {
    const struct rv_layout_place *place; /* or NULL */
    uint8_t base;
    uint32_t at;
    unsigned n_pointers; /* pointers followed up to here */
};

static void follow(struct planner *planner, const struct rv_type *type, struct where where);

static void follow_pointer(struct planner *planner, const struct rv_type *pointer, struct where where)
{
    uint8_t address = (uint8_t)(RV_CAPTURE_LOADED + where.n_pointers);
    if (!rv_layout_is_followed(pointer, where.n_pointers))
        return;
    if (where.place)
        address = where.at / 8 < where.place->n ? where.place->values[where.at / 8] : NO_VALUE;
    else
        add(planner, RV_CAPTURE_LOAD, where.base, address, where.at);
    if (rv_layout_is_string(pointer)) {
        add(planner, RV_CAPTURE_STRING, address, 0, planner->string_bytes);
        return;
    }
    add(planner, RV_CAPTURE_BYTES, address, 0, rv_layout_pointee_bytes(pointer, planner->string_bytes));
    follow(planner, pointer->inner, (struct where){.base = address, .n_pointers = where.n_pointers + 1});
}

static void follow(struct planner *planner, const struct rv_type *type, struct where where)
{
    if (planner->n == RV_CAPTURE_MOST_OPERATIONS || !rv_layout_has_pointers(type, where.n_pointers))
        return;
    struct where part = where;
    if (type->kind == RV_TYPE_POINTER)
        follow_pointer(planner, type, where);
    for (uint32_t i = 0; type->kind == RV_TYPE_STRUCT && i < type->n_fields; i++) {
        part.at = where.at + rv_layout_field_at(type, i);
        follow(planner, type->fields[i], part);
    }
    for (uint32_t i = 0; type->kind == RV_TYPE_ARRAY && i < rv_layout_elements(type); i++) {
        part.at = where.at + i * type->inner->n_bytes;
        follow(planner, type->inner, part);
    }
}

static void add_values(struct planner *planner, const struct rv_layout_place *place)
{
    for (uint8_t i = 0; i < place->n; i++)
        add(planner, RV_CAPTURE_VALUE, place->values[i], 0, 0);
}

static void follow_place(struct planner *planner, const struct rv_type *type, const struct rv_layout_place *place)
{
    if (place->n)
        follow(planner, type, (struct where){.place = place});
}

/* Which of the further arguments are strings is known only to what reads the format. */
static void add_further(struct planner *planner, const struct rv_layout *layout)
{
    for (uint8_t i = layout->n_integers; i < RV_CAPTURE_INTEGERS; i++)
        add(planner, RV_CAPTURE_VALUE, (uint8_t)(RV_CAPTURE_INTEGER + i), 0, 0);
    for (uint8_t i = layout->n_floats; i < RV_CAPTURE_FLOATS; i++)
        add(planner, RV_CAPTURE_VALUE, (uint8_t)(RV_CAPTURE_FLOAT + i), 0, 0);
    for (uint8_t i = layout->n_stack; i < RV_CAPTURE_STACK_WORDS; i++)
        add(planner, RV_CAPTURE_VALUE, (uint8_t)(RV_CAPTURE_STACK + i), 0, 0);
    for (uint8_t i = layout->n_integers; i < RV_CAPTURE_INTEGERS; i++)
        add(planner, RV_CAPTURE_STRING, (uint8_t)(RV_CAPTURE_INTEGER + i), 0, planner->string_bytes);
    for (uint8_t i = layout->n_stack; i < RV_CAPTURE_STACK_WORDS && i < layout->n_stack + RV_LAYOUT_STACK_STRINGS; i++)
        add(planner, RV_CAPTURE_STRING, (uint8_t)(RV_CAPTURE_STACK + i), 0, planner->string_bytes);
}

static void add_parameter_values(struct planner *planner, const struct rv_prototype *prototype,
                                 struct rv_layout *layout)
{
    rv_layout_begin(layout, prototype);
    for (uint32_t i = 0; i < prototype->n_parameters; i++) {
        const struct rv_layout_place place = rv_layout_next(layout, prototype->parameters[i].type);
        add_values(planner, &place);
    }
}

/* What those lead to that are shown now. */
static void follow_parameters(struct planner *planner, const struct rv_prototype *prototype, bool is_out)
{
    struct rv_layout layout;
    rv_layout_begin(&layout, prototype);
    for (uint32_t i = 0; i < prototype->n_parameters; i++) {
        const struct rv_layout_place place = rv_layout_next(&layout, prototype->parameters[i].type);
        if (prototype->parameters[i].is_out == is_out)
            follow_place(planner, prototype->parameters[i].type, &place);
    }
}

static void add_result(struct planner *planner, const struct rv_type *type)
{
    if (rv_layout_is_in_memory(type)) {
        add(planner, RV_CAPTURE_BYTES, RV_CAPTURE_RESULT, 0, rv_layout_memory_bytes(type));
        follow(planner, type, (struct where){.base = RV_CAPTURE_RESULT});
        return;
    }
    const struct rv_layout_place place = rv_layout_result(type);
    add_values(planner, &place);
    follow_place(planner, type, &place);
}

void rv_capture_plan(const struct rv_prototype *prototype, uint32_t string_bytes, struct rv_capture *capture)
{
    struct planner call = {.operations = capture->calls, .string_bytes = string_bytes};
    struct planner end = {.operations = capture->returns, .string_bytes = string_bytes};
    struct rv_layout layout;
    capture->needs_call = rv_layout_needs_call(prototype);
    add_parameter_values(&call, prototype, &layout);
    follow_parameters(&call, prototype, false);
    if (rv_layout_has_format(prototype))
        add_further(&call, &layout);
    if (capture->needs_call)
        add_parameter_values(&end, prototype, &layout);
    add_result(&end, prototype->result);
    if (capture->needs_call)
        follow_parameters(&end, prototype, true);
    capture->n_calls = call.n;
    capture->n_returns = end.n;
    capture->most_bytes = call.n_bytes > end.n_bytes ? call.n_bytes : end.n_bytes;
}

/* ---- the section ---- */

static uint32_t rounded(size_t n_bytes)
{
    return (uint32_t)((n_bytes + 7) / 8 * 8);
}

static void *put(uint8_t **section, size_t *n, size_t *capacity, const void *bytes, size_t n_bytes)
{
    *section = rv_vec_reserve(*section, capacity, *n + n_bytes, 1);
    uint8_t *at = *section + *n;
    if (n_bytes)
        memcpy(at, bytes, n_bytes);
    *n += n_bytes;
    return at;
}

void *rv_capture_take_section(const struct rv_prototypes *prototypes, const char *text, size_t n_text_bytes,
                              uint32_t string_bytes, size_t *n_bytes)
{
    static const uint8_t ZEROES[8];
    uint8_t *section = NULL;
    size_t n = 0, capacity = 0;
    struct rv_capture *capture = rv_alloc(1, sizeof *capture);
    const struct rv_wire_captures head = {.n_text_bytes = (uint32_t)n_text_bytes,
                                          .n_captures = (uint32_t)rv_prototypes_n(prototypes),
                                          .string_bytes = string_bytes};
    put(&section, &n, &capacity, &head, sizeof head);
    put(&section, &n, &capacity, text, n_text_bytes);
    put(&section, &n, &capacity, ZEROES, rounded(n) - n);
    for (size_t i = 0; i < rv_prototypes_n(prototypes); i++) {
        const struct rv_prototype *prototype = rv_prototypes_at(prototypes, i);
        rv_capture_plan(prototype, string_bytes, capture);
        const size_t n_name = strlen(prototype->name);
        const struct rv_wire_capture record = {
            .record_bytes = (uint32_t)(sizeof record + rounded(n_name + 1) +
                                       (capture->n_calls + capture->n_returns) * sizeof *capture->calls),
            .name_bytes = (uint16_t)n_name,
            .n_calls = (uint16_t)capture->n_calls,
            .n_returns = (uint16_t)capture->n_returns,
            .needs_call = capture->needs_call,
            .most_bytes = capture->most_bytes};
        put(&section, &n, &capacity, &record, sizeof record);
        put(&section, &n, &capacity, prototype->name, n_name + 1);
        put(&section, &n, &capacity, ZEROES, rounded(n) - n);
        put(&section, &n, &capacity, capture->calls, capture->n_calls * sizeof *capture->calls);
        put(&section, &n, &capacity, capture->returns, capture->n_returns * sizeof *capture->returns);
    }
    free(capture);
    *n_bytes = n;
    return section;
}

bool rv_capture_read_section(const void *section, size_t n_bytes, struct rv_capture_section *out)
{
    struct rv_wire_captures head;
    if (n_bytes < sizeof head)
        return false;
    memcpy(&head, section, sizeof head);
    const size_t n_left = n_bytes - sizeof head;
    if (head.n_text_bytes > n_left || rounded(head.n_text_bytes) > n_left || !head.string_bytes ||
        head.string_bytes > RV_CAPTURE_MOST_STRING)
        return false;
    const uint8_t *text = (const uint8_t *)section + sizeof head;
    *out = (struct rv_capture_section){.text = (const char *)text,
                                       .n_text_bytes = head.n_text_bytes,
                                       .records = text + rounded(head.n_text_bytes),
                                       .n_record_bytes = n_left - rounded(head.n_text_bytes),
                                       .n_captures = head.n_captures,
                                       .string_bytes = head.string_bytes};
    return true;
}

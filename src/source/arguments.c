#include "source/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "prototypes/capture.h"
#include "prototypes/arguments_text.h"

enum { N_RECENT = 1024, MOST_RECENT_BYTES = 100 };

/* What was captured lately: a program asks for the same again and again. */
struct recent {
    uint32_t id; /* 0: none */
    uint32_t capture, n_bytes;
    bool is_result;
    uint8_t bytes[MOST_RECENT_BYTES];
};

struct rv_arguments {
    struct rv_prototypes *prototypes;
    struct rv_symbolizer *symbolizer;
    struct rv_arguments_text text;
    uint8_t *bytes; /* of one text */
    size_t most_bytes;
    uint64_t n_lost;
    uint32_t n_texts;
    struct recent *recent; /* N_RECENT, each at its hash */
};

struct rv_arguments *rv_arguments_open(const struct rv_map *map, struct rv_symbolizer *symbolizer)
{
    const struct rv_wire_area *area = &map->geometry.captures;
    struct rv_capture_section section;
    unsigned line;
    const char *why;
    if (!map->geometry.text_bytes || !rv_capture_read_section(map->base + area->offset, area->n_bytes, &section))
        return NULL;
    char *text = rv_alloc(section.n_text_bytes + 1u, 1); /* a program may change the file's */
    memcpy(text, section.text, section.n_text_bytes);
    struct rv_prototypes *prototypes = rv_prototypes_parse(text, section.n_text_bytes, &line, &why);
    free(text);
    if (!prototypes)
        return NULL;
    struct rv_arguments *arguments = rv_alloc(1, sizeof *arguments);
    *arguments = (struct rv_arguments){.prototypes = prototypes,
                                       .symbolizer = symbolizer,
                                       .most_bytes = map->geometry.text_bytes,
                                       .bytes = rv_alloc_scratch(map->geometry.text_bytes, 1),
                                       .recent = rv_alloc(N_RECENT, sizeof(struct recent))};
    return arguments;
}

void rv_arguments_close(struct rv_arguments *arguments)
{
    if (!arguments)
        return;
    rv_prototypes_destroy(arguments->prototypes);
    free(arguments->text.bytes);
    free(arguments->bytes);
    free(arguments->recent);
    free(arguments);
}

/* 0: it is new, and no more are kept. */
static uint32_t intern(struct rv_arguments *arguments, const struct rv_intake *intake)
{
    const uint32_t n_before = rv_symbolizer_count(arguments->symbolizer);
    if (arguments->n_texts == RV_ARGUMENTS_TEXTS)
        return rv_symbolizer_find(arguments->symbolizer, arguments->text.bytes);
    const uint32_t id = rv_symbolizer_intern(arguments->symbolizer, NULL, arguments->text.bytes, NULL, 0);
    if (rv_symbolizer_count(arguments->symbolizer) == n_before)
        return id;
    arguments->n_texts++;
    intake->define(intake->context, &(struct rv_definition){id, "", arguments->text.bytes, "", 0}, 1);
    return id;
}

static uint32_t format(struct rv_arguments *arguments, const struct rv_wire_text *head, bool is_result,
                       const struct rv_intake *intake)
{
    const struct rv_prototype *prototype = rv_prototypes_at(arguments->prototypes, head->capture);
    (is_result ? rv_arguments_text_of_return : rv_arguments_text_of_call)(prototype, arguments->bytes, head->n_bytes,
                                                                          &arguments->text);
    return intern(arguments, intake);
}

static bool is_as_before(const struct recent *recent, const struct rv_wire_text *head, bool is_result,
                         const uint8_t *bytes)
{
    return recent->id && recent->capture == head->capture && recent->n_bytes == head->n_bytes &&
           recent->is_result == is_result && memcmp(recent->bytes, bytes, head->n_bytes) == 0;
}

/* The same bytes have the same text. */
static uint32_t format_unless_recent(struct rv_arguments *arguments, const struct rv_wire_text *head, bool is_result,
                                     const struct rv_intake *intake)
{
    if (head->n_bytes > MOST_RECENT_BYTES)
        return format(arguments, head, is_result, intake);
    const uint64_t hash =
        rv_hash_bytes_seeded(arguments->bytes, head->n_bytes, 2 * (uint64_t)head->capture + is_result);
    struct recent *recent = &arguments->recent[hash % N_RECENT];
    if (!is_as_before(recent, head, is_result, arguments->bytes)) {
        *recent = (struct recent){.id = format(arguments, head, is_result, intake),
                                  .capture = head->capture,
                                  .n_bytes = head->n_bytes,
                                  .is_result = is_result};
        memcpy(recent->bytes, arguments->bytes, head->n_bytes);
    }
    return recent->id;
}

/* The id of the text at an event's position; 0: there is none. */
static uint32_t read_text(struct rv_arguments *arguments, struct rv_texts *texts, uint64_t position, bool is_result,
                          const struct rv_intake *intake)
{
    struct rv_wire_text head;
    if (!rv_texts_read(texts, position, &head, arguments->bytes, arguments->most_bytes) ||
        head.capture >= rv_prototypes_n(arguments->prototypes))
        return 0;
    return format_unless_recent(arguments, &head, is_result, intake);
}

static bool is_of_call(unsigned kind)
{
    return kind == RV_EVENT_CALL_AT || kind == RV_EVENT_CALL;
}

static bool is_of_return(unsigned kind)
{
    return kind == RV_EVENT_RETURN_AT || kind == RV_EVENT_RETURN;
}

void rv_arguments_translate(struct rv_arguments *arguments, struct rv_texts *texts, struct rv_arguments_place *place,
                            struct rv_event *events, size_t n, const struct rv_intake *intake)
{
    for (size_t i = 0; arguments && i < n; i++) {
        const unsigned kind = rv_event_kind(&events[i]);
        const unsigned last_kind = (unsigned)(place->when >> RV_EVENT_KIND_SHIFT);
        if (kind != RV_EVENT_ARGUMENTS) {
            place->when = events[i].when;
            continue;
        }
        const bool is_behind = rv_event_ticks(&events[i]) == (place->when & RV_EVENT_TICKS_MASK) &&
                               (is_of_call(last_kind) || is_of_return(last_kind));
        const uint32_t id =
            is_behind ? read_text(arguments, texts, rv_event_address(&events[i]), is_of_return(last_kind), intake) : 0;
        events[i] = (struct rv_event){
            .when = events[i].when, .id = id, .frame = is_of_return(last_kind) ? RV_EVENT_IS_RESULT : 0};
        arguments->n_lost += !id;
    }
}

uint64_t rv_arguments_n_lost(const struct rv_arguments *arguments)
{
    return arguments ? arguments->n_lost : 0;
}

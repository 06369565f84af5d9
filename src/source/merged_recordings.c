/*
 * Each source gets an intake of its own, which translates ids, times and names and passes them on. The sources take
 * turns chunk by chunk, so that names and blocks of all of them arrive interleaved.
 */
#include "source/merged_recordings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "symbols/symbolizer.h"

#define MOST_OFFSET_NS (1ull << 58) /* nine years: no clock is that wrong */
#define START_NS 1000000000u        /* common start of aligned runs: leaves room for earlier events */

struct part {
    struct rv_source *source;
    struct merged *merged;
    struct rv_intake intake;       /* given to the source */
    const struct rv_intake *outer; /* of the current turn */
    const char *label;             /* of its processes, or NULL */
    uint64_t offset_ns;            /* modulo 2^64 */
    uint32_t number;
    uint32_t *ids; /* source's ids to ours; 0 = not seen yet */
    size_t n_ids;
    bool has_ended;
};

struct merged {
    struct rv_source source; /* first: a merged source is a source */
    struct rv_symbolizer *symbolizer;
    struct part *parts;
    size_t n_parts, next;
};

/* ---- ids ---- */

static uint32_t *id_slot(struct part *part, uint32_t id)
{
    if (id >= part->n_ids)
        part->ids = rv_vec_extend(part->ids, &part->n_ids, (size_t)id + 1, sizeof *part->ids);
    return &part->ids[id];
}

/* An id used before its definition gets a new id, shared with no other source. */
static uint32_t map_id(struct part *part, uint32_t id)
{
    if (id == 0)
        return 0;
    uint32_t *slot = id_slot(part, id);
    if (*slot == 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "#%u:%u", part->number, id);
        *slot = rv_symbolizer_intern(part->merged->symbolizer, "", name, "", 0);
    }
    return *slot;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct part *part = context;
    for (size_t i = 0; i < n; i++) {
        struct rv_definition definition = definitions[i];
        if (definition.id == 0)
            continue;
        uint32_t *slot = id_slot(part, definition.id);
        if (*slot == 0)
            *slot = rv_symbolizer_intern(part->merged->symbolizer, definition.package, definition.name, definition.file,
                                         definition.line_form);
        definition.id = *slot;
        part->outer->define(part->outer->context, &definition, 1);
    }
}

/* ---- streams and events ---- */

/* Shift a time, clamped to [0, last time]. */
static uint64_t shift(const struct part *part, uint64_t ns)
{
    int64_t offset_ns = (int64_t)part->offset_ns;
    if (offset_ns < 0 && ns < -part->offset_ns)
        return 0;
    uint64_t shifted = ns + part->offset_ns;
    return shifted < RV_EVENT_TICKS_MASK ? shifted : RV_EVENT_TICKS_MASK;
}

static void *open_stream(void *context, const struct rv_stream_info *info)
{
    struct part *part = context;
    struct rv_stream_info ours = *info;
    char name[256];
    if (part->label) {
        snprintf(name, sizeof name, "%s %s", part->label, info->process_name);
        ours.process_name = name;
    }
    ours.process_key = rv_hash_combine(info->process_key, part->number);
    ours.born_ns = shift(part, info->born_ns);
    return part->outer->open_stream(part->outer->context, &ours);
}

static void rename_stream(void *context, void *stream, const char *thread_name)
{
    const struct part *part = context;
    part->outer->rename_stream(part->outer->context, stream, thread_name);
}

static void name_outside(void *context, uint32_t tid, const char *name)
{
    const struct part *part = context;
    if (part->outer->name_outside)
        part->outer->name_outside(part->outer->context, tid, name);
}

static void account_stream(void *context, void *stream, const struct rv_stream_account *account)
{
    const struct part *part = context;
    part->outer->account_stream(part->outer->context, stream, account);
}

static void close_stream(void *context, void *stream, uint64_t end_ns)
{
    const struct part *part = context;
    part->outer->close_stream(part->outer->context, stream, shift(part, end_ns));
}

static struct rv_batch *acquire_batch(void *context)
{
    const struct part *part = context;
    return part->outer->acquire_batch(part->outer->context);
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    struct part *part = context;
    batch->base_ns = shift(part, batch->base_ns);
    for (uint32_t i = 0; i < batch->n; i++) {
        struct rv_event *event = &batch->events[i];
        unsigned kind = rv_event_kind(event);
        event->when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | shift(part, rv_event_ticks(event));
        if (rv_batch_has_name(event) && !(batch->is_open && kind == RV_EVENT_LINE))
            event->id = map_id(part, event->id);
    }
    part->outer->submit_batch(part->outer->context, batch);
}

static bool is_stopping(void *context)
{
    const struct part *part = context;
    return part->outer->is_stopping(part->outer->context);
}

/* ---- the source ---- */

static enum rv_source_status poll_merged(struct rv_source *source, const struct rv_intake *intake)
{
    struct merged *merged = (struct merged *)source;
    for (size_t i = 0; i < merged->n_parts; i++) {
        struct part *part = &merged->parts[merged->next];
        merged->next = (merged->next + 1) % merged->n_parts;
        if (part->has_ended)
            continue;
        part->outer = intake;
        enum rv_source_status status = part->source->poll(part->source, &part->intake);
        part->has_ended = status == RV_SOURCE_ENDED;
        if (status != RV_SOURCE_IDLE)
            return RV_SOURCE_MOVED;
    }
    for (size_t i = 0; i < merged->n_parts; i++)
        if (!merged->parts[i].has_ended)
            return RV_SOURCE_IDLE;
    return RV_SOURCE_ENDED;
}

static void nap_merged(struct rv_source *source)
{
    struct merged *merged = (struct merged *)source;
    const struct part *part = &merged->parts[merged->next];
    part->source->nap(part->source);
}

static void resolve_merged(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    (void)source; /* names were defined as they were met */
    (void)intake;
    (void)is_final;
}

static int error_of_merged(const struct rv_source *source)
{
    const struct merged *merged = (const struct merged *)source;
    for (size_t i = 0; i < merged->n_parts; i++) {
        const struct rv_source *part = merged->parts[i].source;
        int error = part->error ? part->error(part) : 0;
        if (error)
            return error;
    }
    return 0;
}

static void close_merged(struct rv_source *source)
{
    struct merged *merged = (struct merged *)source;
    for (size_t i = 0; i < merged->n_parts; i++) {
        merged->parts[i].source->close(merged->parts[i].source);
        free(merged->parts[i].ids);
    }
    rv_symbolizer_destroy(merged->symbolizer);
    free(merged->parts);
    free(merged);
}

static void losses_of_merged(const struct rv_source *source, struct rv_losses *losses)
{
    const struct merged *merged = (const struct merged *)source;
    for (size_t i = 0; i < merged->n_parts; i++)
        if (merged->parts[i].source->losses)
            merged->parts[i].source->losses(merged->parts[i].source, losses);
}

static void silent_of_merged(const struct rv_source *source, struct rv_silent_threads *silent)
{
    const struct merged *merged = (const struct merged *)source;
    for (size_t i = 0; i < merged->n_parts; i++)
        if (merged->parts[i].source->silent)
            merged->parts[i].source->silent(merged->parts[i].source, silent);
}

/* CLOCK_REALTIME when the source's CLOCK_MONOTONIC was 0: when its host booted. */
static uint64_t boot_ns(const struct rv_source *source)
{
    return source->real_ns - source->mono_ns;
}

static int align_clocks(struct merged *merged, const char *const *paths)
{
    uint64_t first_ns = UINT64_MAX;
    for (size_t i = 0; i < merged->n_parts; i++) {
        uint64_t at_ns = boot_ns(merged->parts[i].source);
        first_ns = at_ns < first_ns ? at_ns : first_ns;
    }
    for (size_t i = 0; i < merged->n_parts; i++) {
        struct part *part = &merged->parts[i];
        part->offset_ns = boot_ns(part->source) - first_ns;
        if (part->offset_ns > MOST_OFFSET_NS)
            return rv_err(EBADMSG, "%s: its clock is years apart from the others'", paths[i]);
    }
    merged->source.real_ns = first_ns;
    return 0;
}

static void align_starts(struct merged *merged, const uint64_t *starts_ns)
{
    for (size_t i = 0; i < merged->n_parts; i++) {
        struct part *part = &merged->parts[i];
        part->offset_ns = START_NS - (starts_ns[i] - part->source->origin_ns);
    }
}

static bool has_all(const struct rv_merged_recordings_params *params)
{
    size_t n = 0;
    while (n < params->n && params->sources[n])
        n++;
    return n == params->n;
}

static void close_all(const struct rv_merged_recordings_params *params)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->sources[i])
            params->sources[i]->close(params->sources[i]);
}

struct rv_source *rv_merged_recordings_open(const struct rv_merged_recordings_params *params)
{
    if (!has_all(params)) {
        close_all(params);
        return NULL;
    }
    const size_t n = params->n;
    struct merged *merged = rv_alloc(1, sizeof *merged);
    merged->parts = rv_alloc(n, sizeof *merged->parts);
    merged->n_parts = n;
    merged->symbolizer = rv_symbolizer_create();
    merged->source = (struct rv_source){.poll = poll_merged,
                                        .nap = nap_merged,
                                        .resolve = resolve_merged,
                                        .close = close_merged,
                                        .error = error_of_merged,
                                        .losses = losses_of_merged,
                                        .silent = silent_of_merged};
    for (size_t i = 0; i < n; i++) {
        struct part *part = &merged->parts[i];
        *part = (struct part){.source = params->sources[i],
                              .merged = merged,
                              .label = params->labels ? params->labels[i] : NULL,
                              .number = (uint32_t)i,
                              .intake = {.context = part,
                                         .open_stream = open_stream,
                                         .rename_stream = rename_stream,
                                         .account_stream = account_stream,
                                         .close_stream = close_stream,
                                         .acquire_batch = acquire_batch,
                                         .submit_batch = submit_batch,
                                         .is_stopping = is_stopping,
                                         .define = define,
                                         .name_outside = name_outside}};
    }
    if (params->starts_ns)
        align_starts(merged, params->starts_ns);
    else if (align_clocks(merged, params->paths) != 0)
        goto failed;
    return &merged->source;
failed:
    close_merged(&merged->source);
    return NULL;
}

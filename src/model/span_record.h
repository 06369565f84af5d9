/*
 * How a timeline's logs keep exact spans: 16 bytes each, or wide records of those that are 2^32 ns or longer, or 65,536
 * deep or deeper.
 */
#ifndef RV_MODEL_SPAN_RECORD_H
#define RV_MODEL_SPAN_RECORD_H

#include <stdint.h>

#include "model/box.h"
#include "model/chunked_log.h"

struct rv_span_record {
    uint32_t end; /* minus the chunk's base */
    uint32_t duration, id;
    uint16_t depth, flags;
};

struct rv_wide_span_record {
    uint32_t end; /* minus the chunk's base */
    uint32_t id, depth, flags;
    uint64_t duration;
};

/* Record idx of an array returned by rv_chunked_log_walk(), with the chunk's base. */
static inline struct rv_box rv_span_record_box(const struct rv_chunked_log *log, const void *records, uint32_t idx,
                                               uint64_t base)
{
    struct rv_box box = {.count = 1, .coverage = RV_BOX_EXACT};
    if (log->item_bytes == sizeof(struct rv_span_record)) {
        const struct rv_span_record *record = (const struct rv_span_record *)records + idx;
        box.duration_ns = record->duration;
        box.start_ns = base + record->end - record->duration;
        box.id = record->id;
        box.depth = record->depth;
        box.flags = record->flags;
    } else {
        const struct rv_wide_span_record *record = (const struct rv_wide_span_record *)records + idx;
        box.duration_ns = record->duration;
        box.start_ns = base + record->end - record->duration;
        box.id = record->id;
        box.depth = record->depth;
        box.flags = (uint16_t)record->flags;
    }
    return box;
}

/* The record at a place that is not the end. */
static inline struct rv_box rv_span_record_box_at(const struct rv_chunked_log *log, const struct rv_chunked_log_at *at)
{
    const struct rv_chunk *chunk = &log->list[at->chunk];
    return rv_span_record_box(log, chunk->items, at->item, chunk->base);
}

#endif

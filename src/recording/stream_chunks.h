/* Validated contents of STREAM, STRINGS and SILENT chunks. */
#ifndef RV_RECORDING_STREAM_CHUNKS_H
#define RV_RECORDING_STREAM_CHUNKS_H

#include "recording/column_compression.h"

struct rv_stream_chunk {
    struct rv_rec_stream stream;
    const char *process_name, *thread_name;         /* point into the payload */
    struct rv_wire_instrumentation instrumentation; /* zeroed where an older recorder has left it out */
};

/* 0, or -EBADMSG. */
int rv_stream_chunk_read(struct rv_stream_chunk *who, const struct rv_rec_chunk *chunk, const uint8_t *payload);

/* The definitions of a STRINGS chunk, read one by one. */
struct rv_rec_strings { /* zeroed = closed; reusable, keeps its memory */
    uint8_t *bytes;
    size_t capacity;
    const uint8_t *at, *end;
};

struct rv_rec_definition {
    uint32_t id, line_form;
    const char *package, *name, *file; /* valid until the next open or close */
};

/* 0, or -EBADMSG. */
int rv_rec_strings_open(struct rv_rec_strings *strings, struct rv_compressor *compressor,
                        const struct rv_rec_chunk *chunk, const uint8_t *payload);

/* 1; 0 at the end; -EBADMSG. */
int rv_rec_strings_next(struct rv_rec_strings *strings, struct rv_rec_definition *definition);
void rv_rec_strings_close(struct rv_rec_strings *strings);

/* The head of a SILENT chunk, and the number of threads that it lists. 0, or -EBADMSG. */
int rv_rec_silent_read(struct rv_rec_silent *head, size_t *n, const struct rv_rec_chunk *chunk, const uint8_t *payload);
struct rv_rec_silent_thread rv_rec_silent_thread(const uint8_t *payload, size_t i);

#endif

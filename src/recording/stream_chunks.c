#include "recording/stream_chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* The string at *at; advances *at past its NUL. NULL when it is not terminated before `end`. */
static const char *take_string(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *nul = *at < end ? memchr(*at, 0, (size_t)(end - *at)) : NULL;
    if (!nul)
        return NULL;
    const char *string = (const char *)*at;
    *at = nul + 1;
    return string;
}

int rv_stream_chunk_read(struct rv_stream_chunk *who, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    const uint8_t *at = payload + sizeof who->stream, *end = payload + chunk->payload_bytes;
    if (chunk->payload_bytes < sizeof who->stream)
        return -EBADMSG;
    memcpy(&who->stream, payload, sizeof who->stream);
    who->process_name = take_string(&at, end);
    who->thread_name = take_string(&at, end);
    who->instrumentation = (struct rv_wire_instrumentation){0};
    if (who->thread_name && (size_t)(end - at) >= sizeof who->instrumentation)
        memcpy(&who->instrumentation, at, sizeof who->instrumentation);
    return who->process_name && who->thread_name && who->stream.tag_mode == 0 ? 0 : -EBADMSG;
}

int rv_rec_strings_open(struct rv_rec_strings *strings, struct rv_compressor *compressor,
                        const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_compressed_column column;
    if (rv_compress_next_column(&payload, payload + chunk->payload_bytes, &column) != 0 ||
        column.header.raw_bytes > RV_REC_MAX_STRINGS)
        return -EBADMSG;
    strings->bytes = rv_vec_reserve(strings->bytes, &strings->capacity, column.header.raw_bytes + 1u, 1);
    strings->at = strings->bytes;
    strings->end = strings->bytes + column.header.raw_bytes;
    return rv_compress_unpack(compressor, &column, strings->bytes);
}

int rv_rec_strings_next(struct rv_rec_strings *strings, struct rv_rec_definition *definition)
{
    struct rv_rec_string head;
    if (strings->at == strings->end)
        return 0;
    if ((size_t)(strings->end - strings->at) < sizeof head)
        return -EBADMSG;
    memcpy(&head, strings->at, sizeof head);
    strings->at += sizeof head;
    *definition = (struct rv_rec_definition){.id = head.id, .line_form = head.line_form};
    definition->package = take_string(&strings->at, strings->end);
    definition->name = take_string(&strings->at, strings->end);
    definition->file = take_string(&strings->at, strings->end);
    return definition->package && definition->name && definition->file ? 1 : -EBADMSG;
}

void rv_rec_strings_close(struct rv_rec_strings *strings)
{
    free(strings->bytes);
    *strings = (struct rv_rec_strings){0};
}

int rv_rec_silent_read(struct rv_rec_silent *head, size_t *n, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    if (chunk->payload_bytes < sizeof *head)
        return -EBADMSG;
    memcpy(head, payload, sizeof *head);
    const size_t n_bytes = (size_t)(chunk->payload_bytes - sizeof *head);
    *n = n_bytes / sizeof(struct rv_rec_silent_thread);
    return n_bytes % sizeof(struct rv_rec_silent_thread) || *n > head->n_threads ? -EBADMSG : 0;
}

struct rv_rec_silent_thread rv_rec_silent_thread(const uint8_t *payload, size_t i)
{
    struct rv_rec_silent_thread thread;
    memcpy(&thread, payload + sizeof(struct rv_rec_silent) + i * sizeof thread, sizeof thread);
    return thread;
}

#include "recording/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/codec.h"
#include "recording/payload.h"
#include "recording/writer.h"

struct checker {
    struct rv_rec_reader_params params;
    struct rv_rec_verify *found;
    struct rv_codec *codec;
    struct rv_compressor *compressor;
    struct rv_event *events;
    struct rv_rec_strings strings;
    uint64_t *ordinals; /* the next, by stream; 0: none seen */
    size_t n_ordinals, ordinals_capacity;
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer;
};

static void count_damage(void *context, const struct rv_rec_damage *damage)
{
    struct checker *checker = context;
    checker->found->n_damages++;
    checker->found->n_damaged += damage->n_bytes;
    if (checker->params.on_damage)
        checker->params.on_damage(checker->params.context, damage);
}

static uint64_t *ordinal_of(struct checker *checker, uint32_t stream)
{
    if (stream >= checker->n_ordinals) {
        checker->ordinals =
            rv_vec_reserve(checker->ordinals, &checker->ordinals_capacity, stream + 1u, sizeof *checker->ordinals);
        memset(checker->ordinals + checker->n_ordinals, 0,
               (checker->ordinals_capacity - checker->n_ordinals) * sizeof *checker->ordinals);
        checker->n_ordinals = checker->ordinals_capacity;
    }
    return &checker->ordinals[stream];
}

static bool is_sound_events(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_verify *found = checker->found;
    struct rv_rec_events head;
    if (rv_codec_decode(checker->codec, chunk, payload, chunk->payload_bytes, checker->events) != 0)
        return false;
    memcpy(&head, payload, sizeof head);
    uint64_t *next = ordinal_of(checker, chunk->stream);
    if (head.first_ordinal < *next)
        return false;
    found->n_missing += head.first_ordinal - *next;
    *next = head.first_ordinal + chunk->n_events;
    if (found->n_blocks == 0 || chunk->first_ns < found->first_ns)
        found->first_ns = chunk->first_ns;
    if (chunk->last_ns > found->last_ns)
        found->last_ns = chunk->last_ns;
    found->n_blocks++;
    found->n_events += chunk->n_events;
    return true;
}

static bool is_sound_strings(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    if (rv_rec_strings_open(&checker->strings, checker->compressor, chunk, payload) != 0)
        return false;
    struct rv_rec_definition definition;
    int result;
    while ((result = rv_rec_strings_next(&checker->strings, &definition)) > 0)
        checker->found->n_strings++;
    return result == 0;
}

static bool is_sound_stream(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_who who;
    if (rv_rec_who_read(&who, chunk, payload) != 0)
        return false;
    if (chunk->stream >= checker->found->n_streams)
        checker->found->n_streams = chunk->stream + 1u;
    return true;
}

static bool is_sound(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    if (!rv_chunk_has_stream_within(chunk, checker->found->n_bytes))
        return false;
    switch (chunk->type) {
    case RV_REC_EVENTS:
        return is_sound_events(checker, chunk, payload);
    case RV_REC_STRINGS:
        return is_sound_strings(checker, chunk, payload);
    case RV_REC_STREAM:
        return is_sound_stream(checker, chunk, payload);
    case RV_REC_ACCOUNT:
        return chunk->payload_bytes >= sizeof(struct rv_rec_account);
    default:
        return true;
    }
}

static int copy(struct checker *checker, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    rv_chunk_begin(&checker->buffer);
    rv_rec_buffer_add(&checker->buffer, payload, chunk->payload_bytes);
    rv_chunk_end(&checker->buffer, chunk);
    return rv_rec_writer_put(&checker->writer, &checker->buffer);
}

static int finish(struct checker *checker)
{
    struct rv_rec_end end = {checker->found->n_events, checker->found->n_streams};
    struct rv_rec_chunk chunk = {.type = RV_REC_END, .payload_bytes = sizeof end};
    return copy(checker, &chunk, (const uint8_t *)&end);
}

static int read_all(struct checker *checker, struct rv_rec_reader *reader)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    int result;
    while ((result = rv_rec_reader_next(reader, &chunk, &payload)) > 0) {
        struct rv_rec_reader_state state = rv_rec_reader_state(reader);
        if (!is_sound(checker, &chunk, payload)) {
            uint64_t n_bytes = rv_chunk_bytes(&chunk);
            count_damage(checker, &(struct rv_rec_damage){state.offset - n_bytes, n_bytes, "makes no sense"});
            continue;
        }
        if (checker->writer.path && chunk.type != RV_REC_END && (result = copy(checker, &chunk, payload)) != 0)
            return result;
    }
    if (result == 0 && checker->writer.path)
        result = finish(checker);
    return result;
}

int rv_rec_verify(const char *path, const struct rv_rec_reader_params *params, const char *out_path, bool is_forced,
                  struct rv_rec_verify *found)
{
    struct checker checker = {.params = *params, .found = found};
    struct rv_rec_reader_params reader_params = {count_damage, &checker};
    struct rv_rec_reader *reader;
    *found = (struct rv_rec_verify){0};
    int error = rv_rec_reader_open(&reader, path, &reader_params);
    if (error)
        return error;
    found->n_bytes = rv_rec_reader_state(reader).n_bytes;
    if (out_path)
        error = rv_rec_writer_open(&checker.writer, out_path, rv_rec_reader_file(reader), rv_rec_reader_program(reader),
                                   is_forced);
    if (!error) {
        checker.codec = rv_codec_create();
        checker.compressor = rv_compressor_create();
        checker.events = rv_alloc(RV_REC_MAX_EVENTS, sizeof *checker.events);
        error = read_all(&checker, reader);
    }
    found->n_chunks = rv_rec_reader_state(reader).n_chunks;
    found->is_finished = rv_rec_reader_state(reader).is_finished;
    int close_error = rv_rec_writer_close(&checker.writer);
    rv_rec_reader_close(reader);
    rv_codec_destroy(checker.codec);
    rv_compressor_destroy(checker.compressor);
    rv_rec_strings_close(&checker.strings);
    rv_rec_buffer_fini(&checker.buffer);
    free(checker.events);
    free(checker.ordinals);
    return error ? error : close_error;
}

bool rv_rec_verify_is_whole(const struct rv_rec_verify *found)
{
    return found->is_finished && found->n_damages == 0;
}

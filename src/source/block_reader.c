#include "source/block_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "recording/chunk_reader.h"
#include "recording/codec.h"
#include "recording/index_chunk.h"
#include "source/recorded_names.h"

struct rv_block_reader {
    struct rv_rec_reader *file;
    struct rv_recorded_names *names;
    struct rv_codec *codec;
    struct rv_rec_index_table entries; /* of the INDEX that a block was last read with */
    uint64_t entries_index;            /* its offset; 0: none */
    struct rv_block_entry entry;
    struct rv_event *events;
};

struct rv_block_reader *rv_block_reader_create(struct rv_rec_reader *file, struct rv_recorded_names *names)
{
    struct rv_block_reader *reader = rv_alloc(1, sizeof *reader);
    reader->file = file;
    reader->names = names;
    reader->codec = rv_codec_create();
    reader->events = rv_alloc_scratch(RV_REC_MAX_EVENTS + RV_BATCH_PADDING, sizeof *reader->events);
    return reader;
}

void rv_block_reader_destroy(struct rv_block_reader *reader)
{
    if (!reader)
        return;
    rv_rec_reader_close(reader->file);
    rv_codec_destroy(reader->codec);
    rv_rec_index_fini(&reader->entries);
    rv_block_entry_fini(&reader->entry);
    free(reader->events);
    free(reader);
}

/* Read the INDEX at this offset, unless it was the last one. 0 or -EBADMSG. */
static int load_entries(struct rv_block_reader *reader, uint64_t index)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (index == reader->entries_index)
        return 0;
    reader->entries_index = 0;
    if (rv_rec_reader_at(reader->file, index, &chunk, &payload) <= 0 || chunk.type != RV_REC_INDEX ||
        rv_rec_index_decode_entries(rv_codec_compressor(reader->codec), &chunk, payload, index, &reader->entries) != 0)
        return -EBADMSG;
    rv_recorded_map_index(reader->names, &reader->entries);
    reader->entries_index = index;
    return 0;
}

/* Apply the rows of the block's stream up to it. False: a row keeps frames that are not there. */
static bool find_entry(struct rv_block_reader *reader, const struct rv_rec_index_block *first,
                       const struct rv_rec_index_block *block)
{
    size_t n;
    const struct rv_rec_index_stack *stack = rv_rec_index_rows(&reader->entries, RV_REC_INDEX_STACKS, &n);
    const struct rv_rec_index_frame *frame = rv_rec_index_rows(&reader->entries, RV_REC_INDEX_FRAMES, &n);
    const struct rv_rec_index_depth *depths = rv_rec_index_rows(&reader->entries, RV_REC_INDEX_DEPTHS, &n);
    const struct rv_rec_index_depth *depth = n ? depths : NULL;
    bool has_all = true;
    rv_block_entry_clear(&reader->entry);
    for (const struct rv_rec_index_block *row = first; row <= block; row++)
        for (uint32_t i = 0; i < row->n_stacks; i++) {
            if (row->stream == block->stream)
                has_all &= rv_block_entry_apply(&reader->entry, stack, depth, frame);
            frame += stack++->n_frames;
            depth = depth ? depth + 1 : NULL;
        }
    return has_all;
}

/* Decode the events of a block. 0 or -EBADMSG. */
static int decode(struct rv_block_reader *reader, const struct rv_rec_index_block *block)
{
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    if (block->n_events == 0)
        return 0;
    if (rv_rec_reader_at(reader->file, block->offset, &chunk, &payload) <= 0 || chunk.type != RV_REC_EVENTS ||
        chunk.n_events != block->n_events)
        return -EBADMSG;
    return rv_codec_decode(reader->codec, &chunk, payload, chunk.payload_bytes, reader->events);
}

int rv_block_reader_read(struct rv_block_reader *reader, uint64_t index, uint64_t offset, struct rv_read_block *out)
{
    size_t n;
    int error = load_entries(reader, index);
    if (error)
        return error;
    const struct rv_rec_index_block *rows = rv_rec_index_rows(&reader->entries, RV_REC_INDEX_BLOCKS, &n);
    for (size_t i = 0; i < n; i++) {
        if (rows[i].offset != offset)
            continue;
        *out = (struct rv_read_block){.row = &rows[i],
                                      .entry = &reader->entry,
                                      .events = reader->events,
                                      .n_alike = rv_recorded_n_alike(reader->names)};
        out->lacks_frames = !find_entry(reader, rows, &rows[i]);
        return decode(reader, &rows[i]);
    }
    return -EBADMSG;
}

uint32_t rv_block_reader_fit(struct rv_block_reader *reader, const struct rv_read_block *block, uint32_t first,
                             struct rv_batch *batch, uint64_t *last_ns)
{
    const uint32_t n = rv_batch_fit(batch, block->events + first, block->row->n_events - first, last_ns);
    rv_recorded_map_ids(reader->names, batch);
    return n;
}

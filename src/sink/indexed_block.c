#include "sink/indexed_block.h"

#include <stdlib.h>

#include "base/vec.h"

#define MOST_FRAMES (1u << 20) /* limit of frames listed per stack */

void rv_indexed_block_init(struct rv_indexed_block *rows, struct rv_rec_index_table *table)
{
    *rows = (struct rv_indexed_block){.table = table};
}

void rv_indexed_block_fini(struct rv_indexed_block *rows)
{
    free(rows->listed);
    free(rows->boxes);
}

void rv_indexed_block_list(struct rv_indexed_block *rows, const struct rv_indexed_stream *stream,
                           struct rv_indexed_stack *lane)
{
    if (lane->is_listed)
        return;
    lane->is_listed = true;
    lane->row = (struct rv_rec_index_stack){.stack = lane->stack, .n_kept = lane->n_listed};
    rows->listed = rv_vec_reserve(rows->listed, &rows->listed_capacity, rows->n_listed + 1, sizeof *rows->listed);
    rows->listed[rows->n_listed++] = (uint32_t)(lane - stream->lanes);
}

/* Add the open frames at the block's beginning that changed since the INDEX last listed them. */
static void list_open(struct rv_indexed_block *rows, struct rv_indexed_stream *stream, size_t stack_idx)
{
    struct rv_open_stack open;
    rv_block_join_open_stack(stream->carry, stack_idx, &open);
    struct rv_indexed_stack *lane = rv_indexed_stream_stack(stream, open.stack);
    uint32_t n_open = open.n_frames < MOST_FRAMES ? open.n_frames : MOST_FRAMES;
    uint32_t n_kept = lane->n_kept < lane->n_listed ? lane->n_kept : lane->n_listed;
    lane->n_kept = open.n_frames;
    lane->base_depth = (uint32_t)open.base_depth + stream->depth_shift;
    lane->depth = (struct rv_rec_index_depth){open.least_key, open.last_key, open.n_lost, stream->begin_ns};
    if (n_open == lane->n_listed && n_kept == n_open)
        return;
    rv_indexed_block_list(rows, stream, lane);
    lane->row.n_kept = n_kept;
    lane->row.n_frames = n_open - n_kept;
    for (uint32_t i = n_kept; i < n_open; i++)
        rv_rec_index_add(rows->table, RV_REC_INDEX_FRAMES,
                         &(struct rv_rec_index_frame){open.start[i], open.id[i], (uint16_t)open.key[i], open.flags[i]});
    lane->n_listed = n_open;
}

void rv_indexed_block_begin(struct rv_indexed_block *rows, struct rv_indexed_stream *stream)
{
    rows->n_listed = 0;
    for (size_t i = 0; i < rv_block_join_n_stacks(stream->carry); i++)
        list_open(rows, stream, i);
}

/* From the begin of the stack's last cell until its last call had ended. */
static uint32_t until_of(const struct rv_indexed_stack *lane, const struct rv_box *last_cell)
{
    const uint64_t until_ns = lane->last_ns + 1 - last_cell->start_ns;
    return until_ns <= UINT32_MAX ? (uint32_t)until_ns : 0;
}

static void add_cells(struct rv_indexed_block *rows, const struct rv_indexed_stream *stream,
                      struct rv_indexed_stack *lane)
{
    size_t n = rv_density_count(&lane->density, stream->level, 0, UINT64_MAX);
    rows->boxes = rv_vec_reserve(rows->boxes, &rows->boxes_capacity, n, sizeof *rows->boxes);
    n = rv_density_query(&lane->density, stream->level, 0, UINT64_MAX, rows->boxes, n);
    for (size_t i = 0; i < n; i++) {
        const struct rv_box *box = &rows->boxes[i];
        rv_rec_index_add(rows->table, RV_REC_INDEX_CELLS,
                         &(struct rv_rec_index_cell){.column = box->start_ns >> rv_density_shift(stream->level),
                                                     .n_calls = box->count,
                                                     .id = box->id,
                                                     .row = (uint16_t)box->depth,
                                                     .coverage = box->coverage,
                                                     .until_ns = i + 1 < n ? 0 : until_of(lane, box)});
    }
    lane->row.n_cells = (uint32_t)n;
    rv_density_fini(&lane->density);
    rv_density_init(&lane->density);
}

static void add_stack(struct rv_indexed_block *rows, const struct rv_indexed_stream *stream,
                      struct rv_indexed_stack *lane, uint32_t max_depth)
{
    add_cells(rows, stream, lane);
    for (size_t i = 0; i < lane->n_spans; i++)
        rv_rec_index_add(rows->table, RV_REC_INDEX_SPANS, &lane->spans[i]);
    for (size_t i = 0; i < lane->n_notes; i++)
        rv_rec_index_add(rows->table, RV_REC_INDEX_NOTES, &lane->notes[i]);
    lane->row.first_ns = lane->first_ns;
    lane->row.base_depth = lane->base_depth;
    lane->row.level = stream->level;
    lane->row.max_depth = max_depth;
    lane->row.n_spans = (uint32_t)lane->n_spans;
    lane->row.n_notes = (uint32_t)lane->n_notes;
    rv_rec_index_add(rows->table, RV_REC_INDEX_STACKS, &lane->row);
    rv_rec_index_add(rows->table, RV_REC_INDEX_DEPTHS, &lane->depth);
    lane->n_spans = lane->n_notes = 0;
    lane->n_marks = 0;
    lane->is_listed = false;
}

uint64_t rv_indexed_block_end(struct rv_indexed_block *rows, struct rv_indexed_stream *stream,
                              const struct rv_rec_index_block *block)
{
    struct rv_rec_index_block row = *block;
    struct rv_block_join_counts counts;
    uint64_t n = 0;
    rv_block_join_counts(stream->carry, &counts);
    for (size_t i = 0; i < rows->n_listed; i++) {
        struct rv_indexed_stack *lane = &stream->lanes[rows->listed[i]];
        add_stack(rows, stream, lane, counts.max_depth);
        n += lane->row.n_spans + lane->row.n_cells;
    }
    row.n_stacks = (uint32_t)rows->n_listed;
    rv_rec_index_add(rows->table, RV_REC_INDEX_BLOCKS, &row);
    return n;
}

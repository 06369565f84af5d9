#include "pipeline/piece_reader.h"

#include <stdatomic.h>

static const uint64_t WAIT_NS = 50000000; /* for a block */

struct reading {
    const struct rv_piece_reader_params *params;
    atomic_bool is_incomplete;
};

static bool is_whole(const struct rv_span_piece *piece)
{
    for (size_t i = 0; i < piece->n; i++)
        if (piece->spans[i].flags & RV_SPAN_ORPHAN && piece->spans[i].start < piece->from_ns)
            return false;
    return true;
}

static void take(void *taker, const struct rv_span_piece *piece)
{
    struct reading *reading = taker;
    if (is_whole(piece))
        reading->params->take(reading->params->taker, piece);
    else
        atomic_store_explicit(&reading->is_incomplete, true, memory_order_relaxed);
}

bool rv_piece_reader_read(struct rv_session *session, const struct rv_piece_reader_params *params)
{
    struct reading reading = {.params = params};
    if (params->lane->n_open)
        return false;
    struct rv_span_reader *reader =
        rv_session_read(session, &(struct rv_span_reader_params){.from_ns = params->from_ns,
                                                                 .to_ns = params->to_ns,
                                                                 .lane_idx = &params->lane->idx,
                                                                 .wants = params->wants,
                                                                 .context = params->context,
                                                                 .take = take,
                                                                 .taker = &reading});
    bool is_complete = rv_span_reader_has_blocks(reader);
    enum rv_span_reader_status status = RV_SPAN_READER_LATER;
    while (is_complete && status != RV_SPAN_READER_OVER) {
        struct rv_span_part part;
        status = rv_span_reader_take(reader, WAIT_NS, &part);
        is_complete &= !part.is_damaged;
        rv_span_part_fini(&part);
        if (params->tell)
            params->tell(params->taker, rv_span_reader_progress(reader));
    }
    rv_span_reader_close(reader);
    return is_complete && !atomic_load_explicit(&reading.is_incomplete, memory_order_relaxed);
}

#include "pipeline/lane_reader.h"

void rv_lane_reader_open(struct rv_lane_reader *reader, const struct rv_lane_reader_params *params)
{
    struct rv_lane *lane = params->lane;
    *reader = (struct rv_lane_reader){.params = *params, .lane_idx = lane->idx};
    pthread_rwlock_wrlock(&lane->lock);
    rv_span_iter_back_begin(&reader->walk, lane->timeline, params->from_ns, params->to_ns);
    pthread_rwlock_unlock(&lane->lock);
}

void rv_lane_reader_close(struct rv_lane_reader *reader)
{
    rv_span_iter_back_fini(&reader->walk);
    rv_span_reader_close(reader->blocks);
    reader->blocks = NULL;
}

bool rv_lane_reader_has_blocks(const struct rv_lane_reader *reader)
{
    return rv_span_iter_back_lacks_pages(&reader->walk);
}

static void give_page(struct rv_lane_reader *reader, uint64_t timeout_ns)
{
    struct rv_span_part part;
    if (!reader->blocks)
        reader->blocks = rv_session_read(
            reader->params.session, &(struct rv_span_reader_params){.from_ns = reader->walk.from_ns,
                                                                    .to_ns = reader->walk.to_ns,
                                                                    .is_backward = true,
                                                                    .paged_before_ns = reader->walk.paged_before_ns,
                                                                    .wants = reader->params.wants,
                                                                    .context = reader->params.context,
                                                                    .lane_idx = &reader->lane_idx});
    if (rv_span_reader_take(reader->blocks, timeout_ns, &part) == RV_SPAN_READER_LATER)
        return;
    reader->is_damaged |= part.is_damaged;
    rv_span_iter_back_give(&reader->walk, rv_span_part_take(&part, reader->lane_idx),
                           rv_span_reader_edge_ns(reader->blocks));
    rv_span_part_fini(&part);
}

bool rv_lane_reader_next(struct rv_lane_reader *reader, uint64_t timeout_ns, struct rv_box *out, size_t max, size_t *n)
{
    pthread_rwlock_wrlock(&reader->params.lane->lock);
    *n = rv_span_iter_back_next(&reader->walk, reader->params.lane->timeline, out, max);
    pthread_rwlock_unlock(&reader->params.lane->lock);
    if (!rv_span_iter_back_wants_page(&reader->walk))
        return *n == max;
    give_page(reader, timeout_ns);
    return true;
}

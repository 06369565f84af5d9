#include "pipeline/range_reader.h"

/* Give the range the page that it wants, if it comes in time. */
static void give_page(struct rv_range_reader *reader, uint64_t timeout_ns)
{
    uint32_t lane_idx = rv_range_lane(reader->range);
    struct rv_span_part part;
    if (!reader->blocks)
        reader->blocks = rv_session_read(
            reader->session, &(struct rv_span_reader_params){.from_ns = reader->from_ns,
                                                             .to_ns = reader->to_ns,
                                                             .is_backward = true,
                                                             .paged_before_ns = rv_range_paged_before_ns(reader->range),
                                                             .lane_idx = &lane_idx});
    if (rv_span_reader_take(reader->blocks, timeout_ns, &part) == RV_SPAN_READER_LATER)
        return;
    if (part.is_damaged)
        rv_range_miss(reader->range);
    rv_range_give(reader->range, rv_span_part_take(&part, lane_idx), rv_span_reader_edge_ns(reader->blocks));
    rv_span_part_fini(&part);
    if (!rv_range_wants_page(reader->range))
        rv_range_reader_fini(reader);
}

bool rv_range_reader_step(struct rv_range_reader *reader, size_t most, uint64_t timeout_ns)
{
    bool is_done = rv_range_step(reader->range, most);
    if (rv_range_wants_page(reader->range))
        give_page(reader, timeout_ns);
    return is_done;
}

void rv_range_reader_fini(struct rv_range_reader *reader)
{
    rv_span_reader_close(reader->blocks);
    reader->blocks = NULL;
}

#include "pipeline/range_reader.h"

void rv_range_reader_init(struct rv_range_reader *reader, struct rv_range_statistics *range, struct rv_session *session)
{
    *reader = (struct rv_range_reader){.share = rv_range_statistics_share_create(range), .session = session};
}

static void close_blocks(struct rv_range_reader *reader)
{
    rv_span_reader_close(reader->blocks);
    reader->blocks = NULL;
}

/* Give the range the page that it wants, if it comes in time. */
static void give_page(struct rv_range_reader *reader, uint64_t timeout_ns)
{
    const struct rv_range_statistics_window window = rv_range_statistics_share_window(reader->share);
    struct rv_span_part part;
    if (!reader->blocks)
        reader->blocks =
            rv_session_read(reader->session, &(struct rv_span_reader_params){.from_ns = window.from_ns,
                                                                             .to_ns = window.to_ns,
                                                                             .is_backward = true,
                                                                             .paged_before_ns = window.paged_before_ns,
                                                                             .lane_idx = &window.lane_idx});
    if (rv_span_reader_take(reader->blocks, timeout_ns, &part) == RV_SPAN_READER_LATER)
        return;
    if (part.is_damaged)
        rv_range_statistics_share_miss(reader->share);
    rv_range_statistics_share_give(reader->share, rv_span_part_take(&part, window.lane_idx),
                                   rv_span_reader_edge_ns(reader->blocks));
    rv_span_part_fini(&part);
    if (!rv_range_statistics_share_wants_page(reader->share))
        close_blocks(reader);
}

bool rv_range_reader_step(struct rv_range_reader *reader, size_t most, uint64_t timeout_ns)
{
    bool is_done = rv_range_statistics_share_step(reader->share, most, timeout_ns);
    if (rv_range_statistics_share_wants_page(reader->share))
        give_page(reader, timeout_ns);
    return is_done;
}

void rv_range_reader_fini(struct rv_range_reader *reader)
{
    close_blocks(reader);
    rv_range_statistics_share_destroy(reader->share);
    *reader = (struct rv_range_reader){0};
}

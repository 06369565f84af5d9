#include "cli/session_calls.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "pipeline/lane_reader.h"
#include "pipeline/piece_reader.h"

enum { PIECE = 4096 };

static const uint64_t WAIT_NS = 50000000; /* for a block */

static struct rv_span span_of(const struct rv_box *box)
{
    return (struct rv_span){
        .start = box->start_ns, .end = rv_box_end_ns(box), .id = box->id, .depth = box->depth, .flags = box->flags};
}

/* Calls that have not ended last as long as the lane. */
static void give_open(const struct rv_lane_calls_wanted *wanted)
{
    const struct rv_lane *lane = wanted->lane;
    for (size_t i = 0; i < lane->n_open; i++) {
        const struct rv_lane_frame *open = &lane->open[i];
        const struct rv_span span = {.start = open->start_ns,
                                     .end = lane->last_ns > open->start_ns ? lane->last_ns : open->start_ns,
                                     .id = open->id,
                                     .depth = open->depth,
                                     .flags = RV_SPAN_OPEN};
        wanted->take(wanted->context, &span, 1);
    }
}

static void warn_of_missing(const struct rv_lane_reader *reader, const struct rv_lane_calls_wanted *wanted)
{
    if (reader->is_damaged)
        rv_warn("%s: calls in damaged blocks are not counted", wanted->lane->name);
    if (rv_timeline_exact_from_ns(wanted->lane->timeline) > wanted->from_ns)
        rv_warn("%s: some calls were evicted and are not counted; use --memory", wanted->lane->name);
}

static int read_calls(void *context, const struct rv_lane_calls_wanted *wanted)
{
    struct rv_box *boxes = rv_alloc_scratch(PIECE, sizeof *boxes);
    struct rv_span *spans = rv_alloc_scratch(PIECE, sizeof *spans);
    struct rv_lane_reader reader;
    bool has_more = true;
    give_open(wanted);
    rv_lane_reader_open(&reader, &(struct rv_lane_reader_params){.session = context,
                                                                 .lane = (struct rv_lane *)(uintptr_t)wanted->lane,
                                                                 .from_ns = wanted->from_ns,
                                                                 .to_ns = wanted->to_ns,
                                                                 .wants = wanted->is_needed,
                                                                 .context = wanted->needed_by});
    while (has_more) {
        size_t n;
        has_more = rv_lane_reader_next(&reader, WAIT_NS, boxes, PIECE, &n);
        for (size_t i = 0; i < n; i++)
            spans[i] = span_of(&boxes[i]);
        wanted->take(wanted->context, spans, n);
    }
    warn_of_missing(&reader, wanted);
    rv_lane_reader_close(&reader);
    free(spans);
    free(boxes);
    return 0;
}

static bool read_pieces(void *context, const struct rv_lane_pieces_wanted *wanted)
{
    return rv_session_read_pieces(context, &(struct rv_piece_reader_params){.lane = wanted->lane,
                                                                            .from_ns = wanted->from_ns,
                                                                            .to_ns = wanted->to_ns,
                                                                            .wants = wanted->is_needed,
                                                                            .context = wanted->needed_by,
                                                                            .take = wanted->take,
                                                                            .take_events = wanted->take_events,
                                                                            .tell = wanted->tell,
                                                                            .taker = wanted->context});
}

static void read_folds(void *context, const struct rv_lane_folds_wanted *wanted)
{
    rv_session_read_folds(context, wanted->from_ns, wanted->to_ns, wanted->take, wanted->context);
}

struct rv_lane_calls rv_cli_session_calls(struct rv_session *session)
{
    return (struct rv_lane_calls){
        .read = read_calls, .read_pieces = read_pieces, .read_folds = read_folds, .context = session};
}

/*
 * Logs are sorted by end, so ends are found at once. A beginning is looked for among those that end near it: no call of
 * a log lasts as long as the log's limit, so what begins before some time ends before that and the limit.
 */
#include "query/step.h"

#include <stddef.h>

#include "base/bisect.h"
#include "model/chunked_log.h"

static bool has_start(const struct rv_box *box)
{
    return !(box->flags & RV_SPAN_ORPHAN);
}

/* The earliest event of a log after at_ns, if it is before `best`; else best. */
static uint64_t next_in(const struct rv_chunked_log *log, uint64_t limit_ns, uint64_t at_ns, uint64_t best)
{
    struct rv_chunked_log_at at = rv_chunked_log_find(log, rv_clock_after_ns(at_ns, 1)), end = rv_chunked_log_end(log);
    uint64_t base;
    uint32_t n;
    for (const void *records; (records = rv_chunked_log_walk(log, &at, end, &base, &n));)
        for (uint32_t i = 0; i < n; i++) {
            struct rv_box box = rv_timeline_box(log, records, i, base);
            if (rv_box_end_ns(&box) >= rv_clock_after_ns(best, limit_ns))
                return best;
            if (rv_box_end_ns(&box) < best)
                best = rv_box_end_ns(&box);
            if (box.start_ns > at_ns && box.start_ns < best && has_start(&box))
                best = box.start_ns;
        }
    return best;
}

struct found { /* the latest so far */
    uint64_t ns;
    bool is_any;
};

static void take_later(struct found *found, uint64_t ns)
{
    if (!found->is_any || ns > found->ns)
        *found = (struct found){ns, true};
}

/* Events of a log before at_ns, from where they cannot be earlier than what was found. */
static void previous_in(const struct rv_chunked_log *log, uint64_t limit_ns, uint64_t at_ns, struct found *found)
{
    struct rv_chunked_log_at at = rv_chunked_log_find(log, rv_clock_after_ns(at_ns, limit_ns));
    while (rv_chunked_log_back(log, &at)) {
        struct rv_box box = rv_timeline_box_at(log, &at);
        if (found->is_any && rv_box_end_ns(&box) <= found->ns)
            break;
        if (rv_box_end_ns(&box) < at_ns)
            take_later(found, rv_box_end_ns(&box));
        else if (box.start_ns < at_ns && has_start(&box))
            take_later(found, box.start_ns);
    }
}

/* Open frames that began before this; outer ones began first. */
static size_t n_open_before(const struct rv_lane *lane, uint64_t ns)
{
    return rv_bisect_below(lane->open, lane->n_open, sizeof *lane->open, offsetof(struct rv_lane_frame, start_ns), ns);
}

bool rv_step_next_in(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = rv_timeline_first_log(timeline); i < RV_TIMELINE_LOGS; i++)
        best = next_in(rv_timeline_log(timeline, i), rv_timeline_log_limit(i), at_ns, best);
    *ns = best;
    return best != UINT64_MAX;
}

bool rv_step_previous_in(const struct rv_timeline *timeline, uint64_t at_ns, uint64_t *ns)
{
    struct found found = {0, false};
    for (uint32_t i = rv_timeline_first_log(timeline); i < RV_TIMELINE_LOGS; i++)
        previous_in(rv_timeline_log(timeline, i), rv_timeline_log_limit(i), at_ns, &found);
    *ns = found.ns;
    return found.is_any;
}

bool rv_step_next(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns)
{
    bool is_found = rv_step_next_in(lane->timeline, at_ns, ns);
    size_t open = n_open_before(lane, rv_clock_after_ns(at_ns, 1));
    if (open == lane->n_open || (is_found && *ns <= lane->open[open].start_ns))
        return is_found;
    *ns = lane->open[open].start_ns;
    return true;
}

bool rv_step_previous(const struct rv_lane *lane, uint64_t at_ns, uint64_t *ns)
{
    bool is_found = rv_step_previous_in(lane->timeline, at_ns, ns);
    size_t open = n_open_before(lane, at_ns);
    if (open == 0 || (is_found && *ns >= lane->open[open - 1].start_ns))
        return is_found;
    *ns = lane->open[open - 1].start_ns;
    return true;
}

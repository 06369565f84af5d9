#include "model/busy_range.h"

#include "model/view.h"

#define N_COLUMNS 1024u
#define MOST_ROUNDS 10u   /* each leaves at most a fifth */
#define GAP_SHARE 0.8     /* least share of the time without a call */
#define EDGE_SHARE 0.1    /* the same at the edge, where a side has no calls at all */
#define FEW 20u           /* a side with so many times fewer calls is left out */
#define MARGIN_SHARE 0.02 /* on both sides, of what is left */

struct columns {
    double n_calls[N_COLUMNS];
    bool is_covered[N_COLUMNS];
};

static unsigned column_of(const struct rv_view *view, uint64_t ns)
{
    if (ns <= view->from_ns)
        return 0;
    double share = (double)(ns - view->from_ns) / (double)(view->to_ns - view->from_ns);
    return share < 1.0 ? (unsigned)(share * N_COLUMNS) : N_COLUMNS - 1;
}

static uint64_t time_of(const struct rv_view *view, unsigned column)
{
    return view->from_ns + (uint64_t)((double)(view->to_ns - view->from_ns) * column / N_COLUMNS);
}

static void fill(struct columns *columns, const struct rv_view *view)
{
    *columns = (struct columns){0};
    for (size_t i = 0; i < view->n_boxes; i++) {
        const struct rv_box *box = &view->boxes[i];
        unsigned first = column_of(view, box->start_ns), last = column_of(view, rv_box_end_ns(box));
        columns->n_calls[first] += box->count;
        for (unsigned column = first; column <= last; column++)
            columns->is_covered[column] = true;
    }
}

/* The longest stretch of columns without a call: [gap[0], gap[1]). */
static void find_gap(const struct columns *columns, unsigned gap[2])
{
    unsigned begin = 0;
    gap[0] = gap[1] = 0;
    for (unsigned column = 0; column < N_COLUMNS; column++) {
        if (columns->is_covered[column])
            begin = column + 1;
        else if (column + 1 - begin > gap[1] - gap[0]) {
            gap[0] = begin;
            gap[1] = column + 1;
        }
    }
}

static double count(const struct columns *columns, unsigned from, unsigned to)
{
    double n = 0.0;
    for (unsigned column = from; column < to; column++)
        n += columns->n_calls[column];
    return n;
}

/* Leave a side out. False when there is none. */
static bool narrow(const struct rv_view *view, uint64_t *from_ns, uint64_t *to_ns)
{
    struct columns columns;
    unsigned gap[2];
    fill(&columns, view);
    find_gap(&columns, gap);
    double before = count(&columns, 0, gap[0]), after = count(&columns, gap[1], N_COLUMNS);
    bool is_edge = gap[0] == 0 || gap[1] == N_COLUMNS;
    if (gap[1] - gap[0] < (is_edge ? EDGE_SHARE : GAP_SHARE) * N_COLUMNS ||
        (before * FEW > after && after * FEW > before) || before + after <= 0.0)
        return false;
    bool is_after = after > before;
    uint64_t begin_ns = is_after ? time_of(view, gap[1]) : *from_ns, end_ns = is_after ? *to_ns : time_of(view, gap[0]);
    uint64_t margin_ns = (uint64_t)((double)(end_ns - begin_ns) * MARGIN_SHARE);
    *from_ns = begin_ns - *from_ns > margin_ns ? begin_ns - margin_ns : *from_ns;
    *to_ns = *to_ns - end_ns > margin_ns ? end_ns + margin_ns : *to_ns;
    return true;
}

bool rv_busy_range(struct rv_lanes *lanes, uint64_t *from_ns, uint64_t *to_ns)
{
    struct rv_view view = {0};
    bool is_known = rv_lanes_bounds(lanes, from_ns, to_ns), has_more = is_known;
    for (unsigned round = 0; has_more && round<MOST_ROUNDS && * to_ns - *from_ns> N_COLUMNS; round++) {
        rv_view_update(&view, lanes,
                       &(struct rv_view_params){.from_ns = *from_ns, .to_ns = *to_ns, .width_px = N_COLUMNS});
        has_more = narrow(&view, from_ns, to_ns);
    }
    rv_view_fini(&view);
    return is_known;
}

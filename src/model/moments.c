/*
 * One walk over the calls as they close: moments that have passed wait on a stack, and a closing call takes those after
 * its begin, since every deeper call has closed before it.
 */
#include "model/moments.h"

static bool is_within(const struct rv_moment *moment, uint64_t start_ns)
{
    return moment->at_ns > start_ns || (moment->kind == RV_MOMENT_STEP && moment->at_ns == start_ns);
}

/* The first call from i on that may have begun by begun_ns, or has ended when the next moment passes: those before take none. */
static inline size_t skip(const struct rv_span *spans, size_t i, size_t n_spans, uint64_t begun_ns, uint64_t next_ns)
{
    while (i < n_spans && spans[i].start > begun_ns && spans[i].end < next_ns)
        i++;
    return i;
}

void rv_moments_find_calls(struct rv_moment *moments, size_t n, const struct rv_span *spans, size_t n_spans,
                           const struct rv_lane_frame *open, size_t n_open, size_t *scratch)
{
    size_t next = 0, n_waiting = 0;
    for (size_t i = 0; i < n_spans && (n_waiting || next < n); i++) {
        i = skip(spans, i, n_spans, n_waiting ? moments[scratch[n_waiting - 1]].at_ns : 0,
                 next < n ? moments[next].at_ns : UINT64_MAX);
        if (i == n_spans)
            break;
        if (spans[i].flags & RV_SPAN_ORPHAN)
            continue;
        while (next < n && moments[next].at_ns <= spans[i].end)
            scratch[n_waiting++] = next++;
        for (; n_waiting && is_within(&moments[scratch[n_waiting - 1]], spans[i].start); n_waiting--)
            moments[scratch[n_waiting - 1]].call = spans[i].id;
    }
    while (next < n)
        scratch[n_waiting++] = next++;
    for (; n_open; n_open--)
        for (; n_waiting && is_within(&moments[scratch[n_waiting - 1]], open[n_open - 1].start_ns); n_waiting--)
            moments[scratch[n_waiting - 1]].call = open[n_open - 1].id;
}

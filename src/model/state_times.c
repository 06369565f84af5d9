#include "model/state_times.h"

#include "base/bisect.h"

struct rv_state_times rv_state_times_sums_between(const struct rv_state_times_sums *sums, uint64_t after_ns,
                                                  uint64_t until_ns)
{
    const size_t at = offsetof(struct rv_state_stretch, at_ns), n_bytes = sizeof *sums->items;
    const size_t from = rv_bisect_count(sums->items, sums->n, n_bytes, at, after_ns);
    const size_t to = rv_bisect_count(sums->items, sums->n, n_bytes, at, until_ns);
    if (to <= from)
        return (struct rv_state_times){0};
    struct rv_state_times times = sums->items[to - 1].times;
    if (from > 0)
        rv_state_times_subtract(&times, &sums->items[from - 1].times);
    return times;
}

#include "model/state_times.h"

#include "base/bisect.h"

/* As rv_bisect_count(), of stretches from `from` on, where the answer is near it. */
static size_t count_near(const struct rv_state_times_sums *sums, size_t from, uint64_t most_ns)
{
    size_t n = 1;
    while (from + n < sums->n && sums->items[from + n].at_ns <= most_ns)
        n *= 2;
    n = n < sums->n - from ? n : sums->n - from;
    return from + rv_bisect_count(sums->items + from, n, sizeof *sums->items,
                                  offsetof(struct rv_state_stretch, at_ns), most_ns);
}

struct rv_state_times rv_state_times_sums_between(const struct rv_state_times_sums *sums, uint64_t after_ns,
                                                  uint64_t until_ns)
{
    const size_t at = offsetof(struct rv_state_stretch, at_ns), n_bytes = sizeof *sums->items;
    const size_t from = rv_bisect_count(sums->items, sums->n, n_bytes, at, after_ns);
    const size_t to = from < sums->n ? count_near(sums, from, until_ns) : from;
    if (to <= from)
        return (struct rv_state_times){0};
    struct rv_state_times times = sums->items[to - 1].times;
    if (from > 0)
        rv_state_times_subtract(&times, &sums->items[from - 1].times);
    return times;
}

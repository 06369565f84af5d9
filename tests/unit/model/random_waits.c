#include "random_waits.h"

#include <string.h>

static uint32_t state;

void random_waits_seed(uint32_t seed)
{
    state = seed;
}

uint32_t random_waits_below(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

static uint64_t pause_ns(bool has_ties)
{
    return has_ties ? random_waits_below(3) * random_waits_below(20) : 1 + random_waits_below(50);
}

void random_waits_make(struct random_waits *graph, bool has_ties)
{
    uint64_t now_ns = 1;
    uint32_t n_left = 1 + random_waits_below(MOST_WAITS);
    struct rv_critical_path_wait open[MOST_THREADS];
    bool is_waiting[MOST_THREADS] = {false};
    memset(graph, 0, sizeof *graph);
    graph->threads[0] = (struct rv_critical_path_thread){.begin_ns = now_ns, .parent = RV_CRITICAL_PATH_NONE};
    graph->n_threads = 1;
    while (n_left > 0) {
        const uint32_t thread = random_waits_below((uint32_t)graph->n_threads),
                       other = random_waits_below((uint32_t)graph->n_threads);
        now_ns += pause_ns(has_ties);
        if (random_waits_below(12) == 0 && graph->n_threads < MOST_THREADS && !is_waiting[thread]) {
            graph->threads[graph->n_threads++] = (struct rv_critical_path_thread){now_ns, thread};
        } else if (!is_waiting[thread]) {
            is_waiting[thread] = true;
            open[thread] =
                (struct rv_critical_path_wait){.start_ns = now_ns, .thread = thread, .waker = RV_CRITICAL_PATH_NONE};
        } else if (open[thread].start_ns == now_ns) {
            continue;
        } else if (thread != other && !is_waiting[other] && random_waits_below(3)) {
            open[thread].woke_ns = now_ns;
            open[thread].waker = other;
            now_ns += random_waits_below(2) * random_waits_below(20);
            is_waiting[thread] = false;
            open[thread].end_ns = now_ns;
            graph->waits[graph->n_waits++] = open[thread];
            n_left--;
        } else if (random_waits_below(4) == 0) { /* a timeout */
            is_waiting[thread] = false;
            open[thread].end_ns = now_ns;
            graph->waits[graph->n_waits++] = open[thread];
            n_left--;
        }
    }
    graph->end_ns = now_ns + 1 + random_waits_below(50);
}

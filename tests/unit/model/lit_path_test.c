/* A lit path compared with a search at every moment. */
#include "model/lit_path.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { N_STEPS = 200, N_THREADS = 5 };

static uint32_t state;

static uint32_t below(uint32_t n)
{
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

/* Without gaps in time, as a path is. */
static const struct rv_lit_path *make(uint32_t seed)
{
    struct rv_critical_path_step *steps = calloc(N_STEPS, sizeof *steps);
    uint64_t now_ns = 10;
    state = seed;
    for (size_t i = 0; i < N_STEPS; i++) {
        const uint64_t to_ns = now_ns + 1 + below(9);
        steps[i] = (struct rv_critical_path_step){.from_ns = now_ns, .to_ns = to_ns, .thread = below(N_THREADS)};
        now_ns = to_ns;
    }
    return rv_lit_path_create(steps, N_STEPS);
}

static uint64_t count_moments(const struct rv_lit_path *path, uint32_t thread, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t n = 0;
    for (size_t i = 0; i < path->n; i++)
        for (uint64_t at_ns = path->steps[i].from_ns; at_ns < path->steps[i].to_ns; at_ns++)
            n += path->steps[i].thread == thread && at_ns >= from_ns && at_ns < to_ns;
    return n;
}

Test(lit_path, a_call_is_lit_when_half_of_its_time_is_on_the_path)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        const struct rv_lit_path *path = make(seed);
        const uint64_t end_ns = path->steps[path->n - 1].to_ns;
        for (int i = 0; i < 50; i++) {
            const uint32_t thread = below(N_THREADS);
            const uint64_t from_ns = below((uint32_t)end_ns), to_ns = from_ns + 1 + below(60);
            const uint64_t begin_ns = from_ns > 10 ? from_ns : 10, until_ns = to_ns < end_ns ? to_ns : end_ns;
            const bool wanted =
                begin_ns < until_ns && 2 * count_moments(path, thread, from_ns, to_ns) >= until_ns - begin_ns;
            if (begin_ns < until_ns)
                cr_expect_eq(rv_lit_path_has(path, thread, from_ns, to_ns), wanted, "seed %u", seed);
        }
        cr_expect_not(rv_lit_path_has(path, 0, end_ns + 5, end_ns + 9));
        cr_expect_not(rv_lit_path_has(path, N_THREADS, 0, end_ns));
        rv_lit_path_release(path);
    }
}

Test(lit_path, a_call_of_no_duration_is_lit_by_its_moment)
{
    const struct rv_lit_path *path = make(7);
    const struct rv_critical_path_step *step = &path->steps[20];
    cr_expect(rv_lit_path_has(path, step->thread, step->to_ns, step->to_ns));
    cr_expect_not(rv_lit_path_has(path, N_THREADS, step->to_ns, step->to_ns));
    rv_lit_path_release(path);
}

Test(lit_path, steps_shorter_than_a_pixel_are_drawn_one_for_each)
{
    const struct rv_lit_path *path = make(3);
    for (uint64_t pixel_ns = 0; pixel_ns <= 40; pixel_ns += 8) {
        size_t n_drawn = 0, last = 0;
        for (size_t i = 0; i < path->n; i = rv_lit_path_next(path, i, pixel_ns)) {
            cr_expect(n_drawn == 0 || i > last);
            if (pixel_ns == 0)
                cr_expect_eq(i, n_drawn);
            last = i;
            n_drawn++;
        }
        const uint64_t all_ns = path->steps[path->n - 1].to_ns - path->steps[0].from_ns;
        if (pixel_ns >= 10)
            cr_expect_leq(n_drawn, all_ns / pixel_ns + 1);
    }
    rv_lit_path_release(path);
}

Test(lit_path, a_held_path_outlives_its_maker)
{
    const struct rv_lit_path *path = rv_lit_path_hold(make(1));
    rv_lit_path_release(path);
    cr_expect_eq(path->n, N_STEPS);
    rv_lit_path_release(path);
}

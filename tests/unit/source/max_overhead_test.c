#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ring/ownership.h"
#include "source/max_overhead.h"

#define N 4096
static struct rv_event events[N];

/* Of each sixteen calls one of 0x2000, the others of 0x1000. */
static void fill(void)
{
    for (unsigned i = 0; i < N; i++)
        events[i] = (struct rv_event){.when = (uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT | i,
                                      .id = i % 16 ? 0x1000 : 0x2000};
}

/* Count far more calls than fit into the time of the process, until functions are chosen to be left out. */
static size_t choose(struct rv_max_overhead *overhead, struct rv_max_overhead_choice *choices, size_t max)
{
    size_t n = 0;
    for (const uint64_t end_ns = rv_clock_mono_ns() + 10000000000u; !n && rv_clock_mono_ns() < end_ns;) {
        for (unsigned i = 0; i < 100; i++)
            rv_max_overhead_count(overhead, 3, 0, events, N);
        n = rv_max_overhead_choose(overhead, choices, max);
    }
    return n;
}

static void with_process(uint32_t instruments, void (*test)(struct rv_map *map))
{
    struct rv_map map;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/max-overhead-test-%d", (int)getpid());
    cr_assert_eq(rv_map_create(&map, path, NULL), 0);
    cr_assert_eq(rv_ownership_enter_process(&map), 0);
    rv_map_process(&map, 0)->instrumentation.instruments = instruments;
    unlink(path);
    fill();
    test(&map);
    rv_map_close(&map);
}

static void choose_twice(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 1.0);
    cr_assert_eq(choose(overhead, choices, 1), 1);
    cr_assert_eq(choices[0].address, 0x1000);
    cr_assert_eq(choices[0].ring_idx, 3);
    cr_assert_eq(choices[0].ticks, N - 1);
    cr_assert_gt(choices[0].calls_per_s, 0);
    cr_assert_eq(choose(overhead, choices, 1), 1, "what was chosen once is not again");
    cr_assert_eq(choices[0].address, 0x2000);
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, chooses_the_most_expensive_first_and_once, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_twice);
}

/* Calls may cost less than is assumed: more than the process has the time for, it seems. */
static void choose_some(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 0.5);
    const struct rv_event seldom = {.when = (uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT, .id = 0x3000};
    size_t n_chosen = 0;
    for (const uint64_t end_ns = rv_clock_mono_ns() + 500000000u; rv_clock_mono_ns() < end_ns;) {
        for (unsigned i = 0; i < 100; i++) /* they go on for a while after they were chosen */
            rv_max_overhead_count(overhead, 3, 0, events, N);
        rv_max_overhead_count(overhead, 3, 0, &seldom, 1);
        const size_t n = rv_max_overhead_choose(overhead, choices, 4);
        for (size_t i = 0; i < n; i++)
            cr_assert_neq(choices[i].address, 0x3000);
        n_chosen += n;
    }
    cr_assert_geq(n_chosen, 1);
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, leaves_seldom_calls_of_a_process_that_does_little_else, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_some);
}

/* Use the CPU for so many ticks. */
static void work(clock_t ticks)
{
    for (const clock_t end = clock() + ticks; clock() < end;)
        ;
}

/* After few calls, costs are compared every 100 ms only. Returns whether many calls are noticed within 11 ms. */
static bool looks_soon(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 0.1);
    const struct rv_event seldom = {.when = (uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT, .id = 0x3000};
    for (unsigned i = 0; i < 200; i++) {
        rv_max_overhead_count(overhead, 3, 0, &seldom, 1);
        work(CLOCKS_PER_SEC / 1000);
        cr_assert_eq(rv_max_overhead_choose(overhead, choices, 4), 0);
    }
    for (unsigned i = 0; i < 500; i++)
        rv_max_overhead_count(overhead, 3, 0, events, N);
    work(CLOCKS_PER_SEC / 90);
    const bool has_chosen = rv_max_overhead_choose(overhead, choices, 4) > 0;
    rv_max_overhead_destroy(overhead);
    return has_chosen;
}

static void look_soon(struct rv_map *map)
{
    enum { N_TIMES = 5 }; /* one may be on time by chance */
    for (unsigned i = 0; i < N_TIMES; i++)
        cr_assert(looks_soon(map));
}

Test(max_overhead, looks_sooner_where_calls_cost_much, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, look_soon);
}

/* Calls that take far less than the process works. */
static void choose_none(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 10.0);
    for (unsigned i = 0; i < 20; i++) {
        rv_max_overhead_count(overhead, 3, 0, events, N);
        work(CLOCKS_PER_SEC / 50);
        cr_assert_eq(rv_max_overhead_choose(overhead, choices, 4), 0);
    }
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, cheap_functions_stay_traced, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_none);
}

/* A process that waits, but for a few calls now and then. */
static void choose_none_of_waiting(struct rv_map *map)
{
    const struct timespec pause = {.tv_sec = 1};
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 0.01);
    for (unsigned i = 0; i < 3; i++) {
        rv_max_overhead_count(overhead, 3, 0, events, 1100);
        nanosleep(&pause, NULL);
        cr_assert_eq(rv_max_overhead_choose(overhead, choices, 4), 0);
    }
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, leaves_a_process_that_waits_most_of_the_time, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_none_of_waiting);
}

/* Duration of one read of the clock, when nobody takes the CPU away. */
static double clock_ns(enum rv_clock_kind kind)
{
    enum { N_BATCHES = 100, N_READS = 100 };
    uint64_t least_ns = UINT64_MAX;
    for (unsigned i = 0; i < N_BATCHES; i++) {
        const uint64_t begin_ns = rv_clock_mono_ns();
        for (unsigned k = 0; k < N_READS; k++)
            (void)rv_clock_ticks(kind);
        const uint64_t ns = rv_clock_mono_ns() - begin_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return (double)least_ns / N_READS;
}

/* Calls that come in two parts, of which only the first has waited: together they cost half of what is free. */
static void choose_none_of_bursts(struct rv_map *map)
{
    enum { CLOCK_READS = 5, N_TURNS = 4, N_LEAST = 1000 };
    const double part_ns = 2.5e5;
    const struct timespec pause = {.tv_sec = 1}, part = {.tv_nsec = 110000000};
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 0.01);
    const double n_calls = part_ns / CLOCK_READS / clock_ns(map->geometry.clock_kind);
    const size_t n = n_calls < N_LEAST ? N_LEAST : n_calls > N ? N : (size_t)n_calls;
    for (unsigned i = 0; i < 2 * N_TURNS; i++) {
        rv_max_overhead_count(overhead, 3, 0, events, n);
        work(CLOCKS_PER_SEC / 500);
        nanosleep(i % 2 ? &part : &pause, NULL);
        cr_assert_eq(rv_max_overhead_choose(overhead, choices, 4), 0);
    }
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, leaves_a_process_that_works_now_and_then, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_none_of_bursts);
}

/* Once the process has worked for a second, count calls that cost half of what it may be slowed by. Returns how many
 * functions were chosen. */
static size_t choose_by(struct rv_map *map, uint64_t patching_ns)
{
    enum { CLOCK_READS = 10 }; /* that two calls cost */
    const double share = 0.2, work_ns = 20e6;
    struct rv_max_overhead_choice choices[4];
    size_t n = 0;
    const double pairs_ns = CLOCK_READS * clock_ns(map->geometry.clock_kind);
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, share);
    rv_map_process(map, 0)->patching_ns = patching_ns;
    rv_map_process(map, 0)->instrumentation.n_functions = 1000000;
    work(CLOCKS_PER_SEC);
    for (unsigned i = 0; i < 20; i++) {
        for (double left = share * work_ns / pairs_ns; left > 0; left -= 64)
            rv_max_overhead_count(overhead, 3, 0, events, 64);
        work(CLOCKS_PER_SEC / 50);
        n += rv_max_overhead_choose(overhead, choices, 4);
    }
    rv_max_overhead_destroy(overhead);
    return n;
}

/* The share of a tenth of a second is free: no function is chosen although its calls cost more than the share of a
 * program of 30 ms. */
static void choose_none_of_short(struct rv_map *map)
{
    enum { CLOCK_READS = 10 }; /* that two calls cost */
    const double share = 0.5, free_ns = share * 1e8;
    struct rv_max_overhead_choice choices[4];
    const double pairs_ns = CLOCK_READS * clock_ns(map->geometry.clock_kind);
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, share);
    for (unsigned i = 0; i < 3; i++) {
        for (double left = free_ns / 4 / pairs_ns; left > 0; left -= 64)
            rv_max_overhead_count(overhead, 3, 0, events, 64);
        work(CLOCKS_PER_SEC / 100);
        cr_assert_eq(rv_max_overhead_choose(overhead, choices, 4), 0);
    }
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, leaves_a_short_program_whole, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_none_of_short);
}

static void charge_patching(struct rv_map *map)
{
    cr_assert_eq(choose_by(map, 0), 0, "its parent has patched");
    cr_assert_gt(choose_by(map, 1000000000), 0);
}

Test(max_overhead, charges_a_process_for_its_own_patching, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, charge_patching);
}

/* Let the process work, without traced calls, until a function is let in again. */
static size_t wait_for_return(struct rv_max_overhead *overhead, struct rv_max_overhead_choice *choices, size_t max)
{
    size_t n = 0;
    for (unsigned i = 0; !n && i < 1000; i++) {
        work(CLOCKS_PER_SEC / 100);
        n = rv_max_overhead_choose(overhead, choices, max);
    }
    return n;
}

static void let_in_again(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 1.0);
    cr_assert_eq(choose(overhead, choices, 1), 1); /* of two, where much is owed */
    cr_assert_not(choices[0].is_back);
    cr_assert_eq(wait_for_return(overhead, choices, 4), 1);
    cr_assert(choices[0].is_back);
    cr_assert_eq(choices[0].address, 0x1000);
    cr_assert_eq(choose(overhead, choices, 1), 1, "it may be left out again");
    cr_assert_not(choices[0].is_back);
    cr_assert_eq(choices[0].address, 0x1000);
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, functions_are_traced_again_once_the_limit_allows_it, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, let_in_again);
}

static void let_in_after_late_calls(struct rv_map *map)
{
    const struct timespec pause = {.tv_nsec = 600000000};
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 1.0);
    cr_assert_eq(choose(overhead, choices, 1), 1);
    nanosleep(&pause, NULL);
    rv_max_overhead_count(overhead, 3, 0, events, 1100);
    if (!rv_max_overhead_choose(overhead, choices, 1))
        cr_assert_eq(wait_for_return(overhead, choices, 4), 1);
    cr_assert(choices[0].is_back);
    cr_assert_eq(choices[0].address, 0x1000);
    rv_max_overhead_destroy(overhead);
}

/* A machine under load: the process was stopped, or its ring read, long after the choice. */
Test(max_overhead, late_calls_are_not_taken_for_the_users_choice, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, let_in_after_late_calls);
}

static bool is_wanted(void *context, uint32_t process_idx, uint64_t address, uint64_t ticks)
{
    return process_idx == 0 && ticks == N - 1 && address == *(const uint64_t *)context;
}

static void heed_wish(struct rv_map *map)
{
    uint64_t wanted = 0x2000;
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 1.0);
    rv_max_overhead_heed(overhead, is_wanted, &wanted);
    cr_assert_eq(choose(overhead, choices, 1), 1);
    cr_assert_eq(choices[0].address, 0x1000);
    wanted = 0x1000;
    rv_max_overhead_heed(overhead, is_wanted, &wanted);
    cr_assert_eq(choose(overhead, choices, 1), 1);
    cr_assert_eq(choices[0].address, 0x2000, "what is wanted later is not left out now");
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, functions_that_the_user_chose_stay_traced, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, heed_wish);
}

/* One call of each of so many functions. */
static void count_functions(struct rv_max_overhead *overhead, uint32_t process_idx, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct rv_event call = {.when = (uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT, .id = 0x100000 + i};
        rv_max_overhead_count(overhead, 3, process_idx, &call, 1);
    }
}

static void choose_of_next(struct rv_map *map)
{
    struct rv_max_overhead_choice choices[4];
    struct rv_max_overhead *overhead = rv_max_overhead_create(map, 0.01);
    struct rv_wire_process *ended = rv_map_process(map, 1);
    *ended = *rv_map_process(map, 0);
    ended->state = RV_PROCESS_ENDED;
    count_functions(overhead, 1, 100000);
    (void)rv_max_overhead_choose(overhead, choices, 4);
    cr_assert_eq(choose(overhead, choices, 1), 1);
    cr_assert_eq(choices[0].process_idx, 0);
    cr_assert_eq(choices[0].address, 0x1000);
    rv_max_overhead_destroy(overhead);
}

Test(max_overhead, forgets_functions_of_processes_that_have_ended, .timeout = 60)
{
    with_process(RV_INSTRUMENT_PATCHES, choose_of_next);
}

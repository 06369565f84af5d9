#include "source/scheduler.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST = 4096 };

struct child {
    struct rv_scheduler *scheduler;
    pid_t pid;
    struct rusage usage;
};

/* Run a program that sleeps so often, 5 ms each, to its end under a scheduler. Skips the test where perf_event_open is not allowed. */
static struct child run(unsigned n_sleeps)
{
    struct child child;
    char code[64];
    int error, status;
    snprintf(code, sizeof code, "select undef, undef, undef, 0.005 for 1 .. %u", n_sleeps);
    child.scheduler = rv_scheduler_open(&error);
    if (!child.scheduler)
        cr_skip_test("perf_event_open: %d", error);
    child.pid = fork();
    if (child.pid == 0) {
        execlp("perl", "perl", "-e", code, (char *)NULL);
        _exit(127);
    }
    cr_assert_eq(wait4(child.pid, &status, 0, &child.usage), child.pid);
    cr_assert_eq(status, 0);
    rv_scheduler_read(child.scheduler);
    return child;
}

static size_t take(const struct child *child, const struct rv_clock *clock, uint64_t until, struct rv_event *events)
{
    return rv_scheduler_take(child->scheduler, (uint32_t)child->pid, clock, until, events, MOST);
}

Test(source_scheduler, a_program_leaves_the_CPU_as_often_as_the_kernel_counts, .timeout = 60)
{
    static struct rv_event events[MOST];
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_TSC);
    const uint64_t begin = rv_clock_ticks(clock.kind);
    struct child child = run(40);
    size_t n = take(&child, &clock, UINT64_MAX, events), n_of[RV_THREAD_STATE_COUNT] = {0};
    const uint64_t end = rv_clock_ticks(clock.kind);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(rv_event_kind(&events[i]), RV_EVENT_THREAD);
        cr_assert_lt(events[i].aux, RV_THREAD_STATE_COUNT);
        cr_assert(rv_event_ticks(&events[i]) >= begin && rv_event_ticks(&events[i]) <= end, "event %zu", i);
        cr_assert(i == 0 || rv_event_ticks(&events[i]) >= rv_event_ticks(&events[i - 1]), "event %zu", i);
        cr_assert(i == 0 || (events[i].aux == RV_THREAD_RUNNING) != (events[i - 1].aux == RV_THREAD_RUNNING),
                  "event %zu: in and out alternate", i);
        n_of[events[i].aux]++;
    }
    /* The kernel's counts include the switches between fork and exec; the last one is the exit's. */
    const long n_blocked = (long)n_of[RV_THREAD_BLOCKED], n_preempted = (long)n_of[RV_THREAD_PREEMPTED];
    cr_assert(n_blocked >= 40 && labs(n_blocked - child.usage.ru_nvcsw) <= 4, "%ld blocked, %ld voluntary switches",
              n_blocked, child.usage.ru_nvcsw);
    cr_assert_geq(child.usage.ru_nivcsw + 2, n_preempted);
    cr_assert_eq(rv_scheduler_n_lost(child.scheduler), 0);
    rv_scheduler_close(child.scheduler);
}

Test(source_scheduler, switches_after_a_time_are_left_for_later, .timeout = 60)
{
    static struct rv_event all[MOST], early[MOST], late[MOST];
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_MONOTONIC);
    struct child child = run(6);
    uint64_t half = rv_clock_ticks(clock.kind) - 15000000;
    size_t n_early = take(&child, &clock, half, early), n_late = take(&child, &clock, UINT64_MAX, late);
    cr_assert_geq(n_early + n_late, 6);
    for (size_t i = 0; i < n_early; i++)
        cr_assert_leq(rv_event_ticks(&early[i]), half);
    for (size_t i = 0; i < n_late; i++)
        cr_assert_gt(rv_event_ticks(&late[i]), half);
    cr_assert_eq(take(&child, &clock, UINT64_MAX, all), 0);
    rv_scheduler_forget(child.scheduler, (uint32_t)child.pid);
    cr_assert_eq(take(&child, &clock, UINT64_MAX, all), 0);
    rv_scheduler_close(child.scheduler);
}

Test(source_scheduler, switches_of_ringviz_itself_are_not_reported, .timeout = 60)
{
    struct rv_event event;
    struct rv_clock clock;
    rv_clock_init(&clock, RV_CLOCK_MONOTONIC);
    struct child child = run(1);
    cr_assert_eq(rv_scheduler_take(child.scheduler, (uint32_t)getpid(), &clock, UINT64_MAX, &event, 1), 0);
    rv_scheduler_close(child.scheduler);
}

#include "source/context_switches.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"

enum { MOST = 4096, OWNER = 7, SLACK_NS = 10000 };
enum { FEW = 10 }; /* naps of 40 whose time is over before a busy machine gets to the sleep */

/* The threads of a process that waits for us, all of them; behind those of another one, or of none. Where that is not allowed,
 * kills it and skips the test. */
static struct rv_context_switches *open_process_behind(pid_t first, pid_t pid, struct rv_clock *clock)
{
    int error;
    struct rv_context_switches *switches = rv_context_switches_open_process(first ? first : pid, &error);
    if (!switches) {
        kill(pid, SIGKILL);
        cr_skip_test("perf_event_open: %d", error);
    }
    if (first)
        rv_context_switches_add_process(switches, pid);
    rv_clock_init(clock, RV_CLOCK_MONOTONIC);
    while (rv_context_switches_is_opening(switches))
        rv_context_switches_read(switches, clock);
    return switches;
}

static struct rv_context_switches *open_process(pid_t pid, struct rv_clock *clock)
{
    return open_process_behind(0, pid, clock);
}

struct child {
    struct rv_context_switches *switches;
    struct rv_clock clock;
    pid_t pid;
    struct rusage usage;
};

/* A program, in Perl. Skips the test where perf_event_open is not allowed. */
static struct child begin(const char *code)
{
    struct child child;
    int error;
    child.switches = rv_context_switches_open(&error);
    if (!child.switches)
        cr_skip_test("perf_event_open: %d", error);
    child.pid = fork();
    if (child.pid == 0) {
        execlp("perl", "perl", "-e", code, (char *)NULL);
        _exit(127);
    }
    return child;
}

static void read_to_end(struct child *child, enum rv_clock_kind kind)
{
    int status;
    cr_assert_eq(wait4(child->pid, &status, 0, &child->usage), child->pid);
    cr_assert_eq(status, 0);
    rv_clock_init(&child->clock, kind);
    rv_context_switches_read(child->switches, &child->clock);
}

static struct child run_unclaimed(unsigned n_sleeps, enum rv_clock_kind kind)
{
    char code[64];
    snprintf(code, sizeof code, "select undef, undef, undef, 0.005 for 1 .. %u", n_sleeps);
    struct child child = begin(code);
    read_to_end(&child, kind);
    return child;
}

static struct child run(unsigned n_sleeps, enum rv_clock_kind kind)
{
    struct child child = run_unclaimed(n_sleeps, kind);
    rv_context_switches_claim(child.switches, (uint32_t)child.pid, OWNER, UINT64_MAX);
    return child;
}

static size_t take(const struct child *child, uint64_t until, struct rv_event *events)
{
    return rv_context_switches_take(child->switches, (uint32_t)child->pid, OWNER, until, events, MOST);
}

Test(source_context_switches, a_program_leaves_the_CPU_as_often_as_the_kernel_counts, .timeout = 60)
{
    static struct rv_event events[MOST];
    const uint64_t begin_ns = rv_clock_mono_ns();
    struct child child = run(40, RV_CLOCK_TSC);
    size_t n = take(&child, UINT64_MAX, events), n_of[RV_THREAD_STATE_COUNT] = {0};
    const uint64_t end_ns = rv_clock_mono_ns();
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(rv_event_kind(&events[i]), RV_EVENT_THREAD);
        cr_assert_lt(events[i].aux, RV_THREAD_STATE_COUNT);
        const uint64_t at_ns = rv_clock_to_ns(&child.clock, rv_event_ticks(&events[i]));
        cr_assert(at_ns + SLACK_NS >= begin_ns && at_ns <= end_ns + SLACK_NS, "event %zu", i);
        cr_assert(i == 0 || rv_event_ticks(&events[i]) >= rv_event_ticks(&events[i - 1]), "event %zu", i);
        cr_assert(i == 0 || (events[i].aux == RV_THREAD_RUNNING) != (events[i - 1].aux == RV_THREAD_RUNNING),
                  "event %zu: in and out alternate", i);
        n_of[events[i].aux]++;
    }
    /* The kernel's counts include the switches between fork and exec; the last one is the exit's. */
    const long n_blocked = (long)n_of[RV_THREAD_BLOCKED], n_preempted = (long)n_of[RV_THREAD_PREEMPTED];
    cr_assert(n_blocked >= 40 - FEW && labs(n_blocked - child.usage.ru_nvcsw) <= 4,
              "%ld blocked, %ld voluntary switches", n_blocked, child.usage.ru_nvcsw);
    cr_assert_geq(child.usage.ru_nivcsw + 2, n_preempted);
    cr_assert_eq(rv_context_switches_n_lost(child.switches), 0);
    rv_context_switches_close(child.switches);
}

Test(source_context_switches, switches_after_a_time_are_left_for_later, .timeout = 60)
{
    static struct rv_event all[MOST], early[MOST], late[MOST];
    struct child child = run(6, RV_CLOCK_MONOTONIC);
    uint64_t half = rv_clock_mono_ns() - 15000000;
    size_t n_early = take(&child, half, early), n_late = take(&child, UINT64_MAX, late);
    cr_assert_geq(n_early + n_late, 6);
    for (size_t i = 0; i < n_early; i++)
        cr_assert_leq(rv_event_ticks(&early[i]), half);
    for (size_t i = 0; i < n_late; i++)
        cr_assert_gt(rv_event_ticks(&late[i]), half);
    cr_assert_eq(take(&child, UINT64_MAX, all), 0);
    rv_context_switches_forget(child.switches, (uint32_t)child.pid, OWNER);
    cr_assert_eq(take(&child, UINT64_MAX, all), 0);
    rv_context_switches_close(child.switches);
}

Test(source_context_switches, switches_of_ringviz_itself_are_not_reported, .timeout = 60)
{
    struct rv_event event;
    struct child child = run(1, RV_CLOCK_MONOTONIC);
    rv_context_switches_claim(child.switches, (uint32_t)getpid(), OWNER + 1, UINT64_MAX);
    cr_assert_eq(rv_context_switches_take(child.switches, (uint32_t)getpid(), OWNER + 1, UINT64_MAX, &event, 1), 0);
    rv_context_switches_close(child.switches);
}

enum { N_NAPS = 40 };

static void *nap(void *unused)
{
    for (int i = 0; i < N_NAPS; i++)
        usleep(1000);
    return unused;
}

/* Waits for a byte, naps in two threads, and says so. */
static void run_process(int ask, int answer)
{
    char byte;
    pthread_t thread;
    if (read(ask, &byte, 1) != 1 || pthread_create(&thread, NULL, nap, NULL) != 0)
        _exit(1);
    (void)nap(NULL);
    _exit(pthread_join(thread, NULL) != 0 || write(answer, "", 1) != 1 || read(ask, &byte, 1) != 0);
}

/* The thread of a process besides its first. */
static uint32_t other_thread(pid_t pid)
{
    for (uint32_t tid = (uint32_t)pid + 1; tid < (uint32_t)pid + 1000; tid++)
        if (syscall(SYS_tgkill, pid, tid, 0) == 0)
            return tid;
    return 0;
}

static void expect_threads_of_a_process(pid_t first)
{
    static struct rv_event events[MOST];
    struct rv_clock clock;
    int ask[2], answer[2], error;
    cr_assert(pipe(ask) == 0 && pipe(answer) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ask[1]);
        run_process(ask[0], answer[1]);
    }
    struct rv_context_switches *switches = open_process_behind(first, pid, &clock);
    cr_assert_eq(write(ask[1], "", 1), 1);
    uint32_t thread = 0;
    while (!thread)
        thread = other_thread(pid);
    char byte;
    cr_assert_eq(read(answer[0], &byte, 1), 1);
    rv_context_switches_read(switches, &clock);
    const uint32_t tids[] = {(uint32_t)pid, thread};
    for (size_t t = 0; t < 2; t++) {
        size_t n_blocked = 0, n;
        rv_context_switches_claim(switches, tids[t], OWNER, UINT64_MAX);
        n = rv_context_switches_take(switches, tids[t], OWNER, UINT64_MAX, events, MOST);
        for (size_t i = 0; i < n; i++) {
            n_blocked += events[i].aux == RV_THREAD_BLOCKED;
            cr_assert(i == 0 || (events[i].aux == RV_THREAD_RUNNING) != (events[i - 1].aux == RV_THREAD_RUNNING));
        }
        cr_assert(n_blocked >= N_NAPS - FEW && n_blocked <= N_NAPS + 8, "thread %zu: %zu times", t, n_blocked);
    }
    close(ask[1]);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    rv_context_switches_close(switches);
}

Test(source_context_switches, threads_of_a_process_that_runs_are_seen, .timeout = 60)
{
    expect_threads_of_a_process(0);
}

Test(source_context_switches, threads_of_several_processes_are_seen, .timeout = 60)
{
    expect_threads_of_a_process(getpid());
}

Test(source_context_switches, a_process_that_has_ended_has_no_switches, .timeout = 60)
{
    int error;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    cr_assert_null(rv_context_switches_open_process(pid, &error));
    cr_assert(error < 0);
}

Test(source_context_switches, the_last_to_claim_a_thread_gets_its_switches, .timeout = 60)
{
    static struct rv_event events[MOST];
    struct child child = run(2, RV_CLOCK_MONOTONIC);
    rv_context_switches_claim(child.switches, (uint32_t)child.pid, OWNER + 1, UINT64_MAX);
    cr_assert_eq(take(&child, UINT64_MAX, events), 0);
    rv_context_switches_forget(child.switches, (uint32_t)child.pid, OWNER); /* no longer its */
    cr_assert_geq(rv_context_switches_take(child.switches, (uint32_t)child.pid, OWNER + 1, UINT64_MAX, events, MOST),
                  2);
    rv_context_switches_close(child.switches);
}

static unsigned n_blocked(const struct child *child, uint32_t owner)
{
    static struct rv_event events[MOST];
    unsigned n_found = 0;
    const size_t n = rv_context_switches_take(child->switches, (uint32_t)child->pid, owner, UINT64_MAX, events, MOST);
    for (size_t i = 0; i < n; i++)
        n_found += events[i].aux == RV_THREAD_BLOCKED;
    return n_found;
}

/* Rings that began meanwhile are found only then. */
Test(source_context_switches, what_a_thread_did_in_a_long_pause_of_the_readings_is_kept_for_its_owner, .timeout = 60)
{
    struct child child = begin("select undef, undef, undef, 0.005 for 1 .. 40; select undef, undef, undef, 1.5");
    rv_clock_init(&child.clock, RV_CLOCK_MONOTONIC);
    rv_context_switches_read(child.switches, &child.clock);
    read_to_end(&child, RV_CLOCK_MONOTONIC);
    rv_context_switches_read(child.switches, &child.clock);
    rv_context_switches_claim(child.switches, (uint32_t)child.pid, OWNER, UINT64_MAX);
    const unsigned n = n_blocked(&child, OWNER);
    cr_expect_geq(n, 41 - FEW, "%u", n);
    rv_context_switches_close(child.switches);
}

enum order { IN_TIME, LATER_FIRST, FORGOTTEN_BETWEEN, N_ORDERS };

/* The ring of either program may be found first. */
Test(source_context_switches, programs_of_one_thread_get_their_own_switches, .timeout = 60)
{
    static const char CODE[] = "select undef, undef, undef, 0.005 for 1 .. 40;"
                               "exec 'perl', '-e', 'select undef, undef, undef, 0.005 for 1 .. 100'";
    const uint32_t second = OWNER + 1;
    for (enum order order = IN_TIME; order < N_ORDERS; order++) {
        struct child child = begin(CODE);
        const uint32_t tid = (uint32_t)child.pid;
        if (order == LATER_FIRST)
            rv_context_switches_claim(child.switches, tid, second, UINT64_MAX);
        rv_context_switches_claim(child.switches, tid, OWNER, 1);
        read_to_end(&child, RV_CLOCK_MONOTONIC);
        const unsigned n_first = n_blocked(&child, OWNER);
        cr_expect(order == LATER_FIRST ? n_first == 0 : n_first >= 40 - FEW && n_first < 100 - FEW, "%u: %u", order,
                  n_first);
        if (order == FORGOTTEN_BETWEEN)
            rv_context_switches_forget(child.switches, tid, OWNER);
        if (order != LATER_FIRST)
            rv_context_switches_claim(child.switches, tid, second, UINT64_MAX);
        const unsigned n_second = n_blocked(&child, second), least = order == LATER_FIRST ? 140 : 100;
        cr_expect(n_second >= least - FEW && n_second < least + 40, "%u: %u", order, n_second);
        rv_context_switches_close(child.switches);
    }
}

/* ---- threads that nobody claims ---- */

Test(source_context_switches, times_of_a_thread_without_a_lane_are_summed_up, .timeout = 60)
{
    struct rv_silent_threads silent = {0};
    struct child child = run(40, RV_CLOCK_MONOTONIC);
    rv_context_switches_silent(child.switches, &silent);
    cr_assert_eq(silent.n_threads, 0, "it was claimed");
    rv_context_switches_close(child.switches);

    const uint64_t begin_ns = rv_clock_mono_ns();
    child = run_unclaimed(40, RV_CLOCK_MONOTONIC);
    const uint64_t all_ns = rv_clock_mono_ns() - begin_ns;
    rv_context_switches_silent(child.switches, &silent);
    cr_assert_eq(silent.n_threads, 1);
    const long n_counted = child.usage.ru_nvcsw + child.usage.ru_nivcsw, n = (long)silent.times.n_switches;
    cr_assert(n >= 40 - FEW && n <= n_counted, "%ld switches, of %ld", n, n_counted); /* the kernel's since its fork */
    cr_assert_geq(silent.times.blocked_ns, (40 - FEW) * 5000000ull);
    cr_assert_gt(silent.times.running_ns, 0);
    cr_assert_leq(silent.times.blocked_ns + silent.times.running_ns + silent.times.runnable_ns, all_ns);
    cr_assert(silent.n == 1 && silent.threads[0].pid == (uint32_t)child.pid &&
              silent.threads[0].tid == (uint32_t)child.pid);
    cr_assert_str_eq(silent.threads[0].name, "perl");
    cr_assert_arr_eq(&silent.threads[0].times, &silent.times, sizeof silent.times);
    rv_silent_threads_fini(&silent);
    rv_context_switches_claim(child.switches, (uint32_t)child.pid, OWNER, UINT64_MAX);
    rv_context_switches_silent(child.switches, &silent);
    cr_assert_eq(silent.n_threads, 0, "claimed after its end");
    rv_context_switches_close(child.switches);
}

/* It was blocked before, and is all the time: the kernel has nothing to report. */
Test(source_context_switches, a_thread_that_never_runs_is_blocked_from_the_begin_on, .timeout = 60)
{
    static struct rv_event events[MOST];
    struct rv_silent_threads silent = {0};
    struct rv_clock clock;
    const pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    while (rv_os_process_state(pid) != 'S')
        usleep(1000);
    struct rv_context_switches *switches = open_process(pid, &clock);
    usleep(50000);
    rv_context_switches_read(switches, &clock);
    rv_context_switches_silent(switches, &silent);
    cr_assert(silent.n == 1 && silent.threads[0].tid == (uint32_t)pid, "%zu threads", silent.n);
    cr_expect_geq(silent.times.blocked_ns, 50000000ull);
    cr_expect_eq(silent.times.running_ns + silent.times.runnable_ns + silent.times.n_switches, 0);
    rv_silent_threads_fini(&silent);
    rv_context_switches_claim(switches, (uint32_t)pid, OWNER, UINT64_MAX);
    cr_expect_eq(rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, MOST), 1);
    cr_expect_eq(events[0].aux, RV_THREAD_BLOCKED);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    rv_context_switches_close(switches);
}

/* Not at its last switch: from then on it ran. */
Test(source_context_switches, a_thread_that_has_ended_says_when, .timeout = 60)
{
    static struct rv_event events[MOST];
    struct child child = run_unclaimed(2, RV_CLOCK_MONOTONIC);
    const uint64_t now_ns = rv_clock_mono_ns();
    rv_context_switches_show(child.switches, (uint32_t)child.pid, OWNER);
    cr_assert(!rv_context_switches_runs(child.switches, (uint32_t)child.pid, OWNER));
    const uint64_t end_ns = rv_context_switches_end_ns(child.switches, (uint32_t)child.pid, OWNER);
    const size_t n = take(&child, UINT64_MAX, events);
    cr_assert(n >= 2 && end_ns > rv_event_ticks(&events[n - 1]) && end_ns < now_ns);
    cr_assert_eq(rv_context_switches_end_ns(child.switches, (uint32_t)child.pid, OWNER + 1), 0);
    rv_context_switches_close(child.switches);
}

enum { N_MOVES = 100, MOVE_US = 500 };

/* Waits for a byte, sleeps on two CPUs in turn, and says so. */
static void move_between(const int cpus[2], int ask, int answer)
{
    char byte;
    if (read(ask, &byte, 1) != 1)
        _exit(1);
    for (int i = 0; i < N_MOVES; i++) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpus[i % 2], &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0)
            _exit(1);
        usleep(MOVE_US);
    }
    _exit(write(answer, "", 1) != 1 || read(ask, &byte, 1) != 0);
}

static bool find_two_cpus(int cpus[2])
{
    cpu_set_t allowed;
    int n = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[n++] = cpu;
    return n == 2;
}

/* Its records lie in two buffers, which are read once. */
Test(source_context_switches, what_a_thread_did_on_two_CPUs_in_turn_is_summed_up, .timeout = 60)
{
    struct rv_silent_threads silent = {0};
    struct rv_clock clock;
    int cpus[2], ask[2], answer[2], error, status;
    char byte;
    if (!find_two_cpus(cpus))
        cr_skip_test("one CPU");
    cr_assert(pipe(ask) == 0 && pipe(answer) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ask[1]);
        move_between(cpus, ask[0], answer[1]);
    }
    struct rv_context_switches *switches = open_process(pid, &clock);
    cr_assert_eq(write(ask[1], "", 1), 1);
    cr_assert_eq(read(answer[0], &byte, 1), 1);
    rv_context_switches_read(switches, &clock);
    rv_context_switches_silent(switches, &silent);
    cr_expect_eq(silent.n_threads, 1);
    cr_expect_geq(silent.times.n_switches, 2 * N_MOVES - 1, "%lu: a sleep and a move each", silent.times.n_switches);
    cr_expect_geq(silent.times.blocked_ns, N_MOVES / 2 * MOVE_US * 1000ull);
    rv_silent_threads_fini(&silent);
    close(ask[1]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    rv_context_switches_close(switches);
}

/* Of many that end soon each is counted, and none of them twice: a shell starts them, and waits for each. */
Test(source_context_switches, threads_are_counted_once_however_soon_they_end, .timeout = 60)
{
    enum { N_CHILDREN = 200 };
    int error, status;
    struct rv_silent_threads silent = {0};
    struct rv_clock clock;
    struct rv_context_switches *switches = rv_context_switches_open(&error);
    if (!switches)
        cr_skip_test("perf_event_open: %d", error);
    const pid_t pid = fork();
    if (pid == 0) {
        execlp("perl", "perl", "-e", "for (1 .. 200) { fork() // exit 1 or exit 0; wait }", (char *)NULL);
        _exit(127);
    }
    rv_clock_init(&clock, RV_CLOCK_MONOTONIC);
    while (waitpid(pid, &status, WNOHANG) == 0) {
        rv_context_switches_read(switches, &clock);
        usleep(1000);
    }
    cr_assert_eq(status, 0);
    rv_context_switches_read(switches, &clock);
    rv_context_switches_claim(switches, (uint32_t)pid, OWNER, UINT64_MAX);
    rv_context_switches_forget(switches, (uint32_t)pid, OWNER);
    rv_context_switches_silent(switches, &silent);
    cr_expect_eq(silent.n_threads, N_CHILDREN);
    rv_silent_threads_fini(&silent);
    rv_context_switches_close(switches);
}

/* ---- wakes ---- */

enum { N_WAKES = 20 };

/* Waits for bytes, then sleeps, as often. */
static void be_woken(int ask)
{
    char byte;
    for (int i = 0; i < N_WAKES; i++)
        if (read(ask, &byte, 1) != 1)
            _exit(1);
    for (int i = 0; i < N_WAKES; i++)
        usleep(1000);
    _exit(read(ask, &byte, 1) != 0);
}

struct heard { /* of a waker that is not traced */
    uint32_t tid;
    char name[64];
};

static void hear(void *context, uint32_t tid, const char *name)
{
    struct heard *heard = context;
    if (tid != heard->tid)
        return;
    (void)snprintf(heard->name, sizeof heard->name, "%s", name);
}

/* How often the child has given up its CPU to wait. */
static long count_voluntary(pid_t pid)
{
    char text[4096];
    cr_assert_gt(rv_os_read_proc(pid, "status", text, sizeof text), 0);
    return strtol(strstr(text, "\nvoluntary_ctxt_switches:") + sizeof "\nvoluntary_ctxt_switches:", NULL, 10);
}

static void await_blocked(pid_t pid)
{
    static const char waits[] = ") S";
    char text[512] = "";
    while (!strstr(text, waits)) {
        usleep(200);
        cr_assert_gt(rv_os_read_proc(pid, "stat", text, sizeof text), 0);
    }
}

/* Write each byte when the child waits for it; meanwhile wakes of the whole machine must not fill the buffer. */
static void wake_often(struct rv_context_switches *switches, const struct rv_clock *clock, pid_t pid, int to)
{
    for (int i = 0; i < N_WAKES; i++) {
        await_blocked(pid);
        rv_context_switches_read(switches, clock);
        const long n = count_voluntary(pid);
        cr_assert_eq(write(to, "", 1), 1);
        while (count_voluntary(pid) == n)
            usleep(200);
    }
}

struct found_wakes {
    size_t n_by_us, n_by_interrupt, n_blocked, n_unexplained;
    char name[64];
};

static void count_found(const struct rv_event *events, size_t n, struct found_wakes *found)
{
    const uint32_t exact = (uint32_t)RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT | RV_WIRE_OUTSIDE;
    bool is_woken = false, is_blocked = false;
    for (size_t i = 0; i < n; i++) {
        const bool is_wake = events[i].aux == RV_CONTEXT_SWITCHES_WAKE;
        cr_expect(i == 0 || rv_event_ticks(&events[i]) >= rv_event_ticks(&events[i - 1]));
        found->n_by_us += is_wake && events[i].id == (exact | (uint32_t)gettid());
        found->n_by_interrupt += is_wake && events[i].id == exact;
        is_woken |= is_wake;
        is_blocked |= events[i].aux == RV_THREAD_BLOCKED;
        if (events[i].aux != RV_THREAD_RUNNING)
            continue;
        found->n_blocked += is_blocked;
        found->n_unexplained += is_blocked && !is_woken;
        is_woken = is_blocked = false;
    }
}

static struct found_wakes find_wakes(void)
{
    static struct rv_event events[MOST];
    struct found_wakes found = {0};
    struct rv_clock clock;
    int ask[2], status;
    cr_assert_eq(pipe(ask), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ask[1]);
        be_woken(ask[0]);
    }
    await_blocked(pid);
    struct rv_context_switches *switches = open_process(pid, &clock);
    const int error = rv_context_switches_add_wakes(switches);
    cr_expect_eq(rv_context_switches_has_wakes(switches), error == 0);
    if (error) {
        kill(pid, SIGKILL);
        cr_skip_test("the kernel does not tell wakes: %d", error);
    }
    rv_context_switches_read(switches, &clock);
    rv_context_switches_claim(switches, (uint32_t)pid, OWNER, UINT64_MAX);
    wake_often(switches, &clock, pid, ask[1]);
    close(ask[0]);
    close(ask[1]);
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    rv_context_switches_read(switches, &clock);
    count_found(events, rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, MOST), &found);
    struct heard heard = {.tid = (uint32_t)gettid()};
    rv_context_switches_tell_wakers(switches, &(struct rv_intake){.context = &heard, .name_outside = hear});
    memcpy(found.name, heard.name, sizeof found.name);
    rv_context_switches_close(switches);
    return found;
}

/* The first wait may have begun before. */
static bool is_whole(const struct found_wakes *found)
{
    return found->n_by_us == N_WAKES && found->n_by_interrupt > 0 && found->n_blocked > N_WAKES &&
           found->n_unexplained <= 1;
}

enum { MOST_CPUS = 64 };

/* Of what an interrupt wakes on an idle CPU some kernels tell nothing. */
static unsigned keep_busy(pid_t busy[MOST_CPUS])
{
    const long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned n = n_cpus < MOST_CPUS ? (unsigned)n_cpus : MOST_CPUS;
    for (unsigned i = 0; i < n; i++) {
        busy[i] = fork();
        if (busy[i] != 0)
            continue;
        (void)!nice(19);
        alarm(60);
        for (volatile unsigned long n_rounds = 0;; n_rounds++)
            continue;
    }
    return n;
}

static void end_busy(const pid_t *busy, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}

/* By us, who are not traced, and by the timer. Whenever the thread has blocked, there was a wake before it ran. Wakes of
 * the whole machine may fill the buffers, in which case some of ours are lost. */
Test(source_context_switches, the_kernel_tells_who_woke_a_thread, .timeout = 60)
{
    pid_t busy[MOST_CPUS];
    const unsigned n_busy = keep_busy(busy);
    struct found_wakes found = find_wakes();
    for (unsigned n_tries = 1; n_tries < 10 && !is_whole(&found); n_tries++)
        found = find_wakes();
    end_busy(busy, n_busy);
    cr_expect(is_whole(&found), "%zu by us, %zu by interrupts of %zu, %zu by none", found.n_by_us, found.n_by_interrupt,
              found.n_blocked, found.n_unexplained);
    char name[64];
    cr_expect(rv_os_read_proc(gettid(), "comm", name, sizeof name) > 1);
    cr_expect(strncmp(found.name, name, strlen(name) - 1) == 0, "%s, not %s", found.name, name);
}

struct talk {
    int ask[2], tell[2], answer[2]; /* to the child and its own child; to the child; from the child */
};

/* In the child's child: wakes its parent, and ends when it is asked to, which wakes that, too. */
static void wake_parent(const struct talk *talk)
{
    char byte;
    await_blocked(getppid());
    _exit(write(talk->tell[1], "", 1) != 1 || read(talk->ask[0], &byte, 1) != 1);
}

/* Answers with the number of its child when that has woken it, and again when that has ended. */
static void have_child(const struct talk *talk)
{
    char byte;
    if (read(talk->ask[0], &byte, 1) != 1)
        _exit(1);
    const pid_t child = fork();
    if (child == 0)
        wake_parent(talk);
    if (read(talk->tell[0], &byte, 1) != 1 || write(talk->answer[1], &child, sizeof child) != sizeof child ||
        waitpid(child, NULL, 0) != child || write(talk->answer[1], &child, sizeof child) != sizeof child)
        _exit(1);
    while (read(talk->tell[0], &byte, 1) == 1)
        continue;
    _exit(1);
}

static pid_t get_answer(const struct talk *talk)
{
    pid_t child;
    cr_assert_eq(read(talk->answer[0], &child, sizeof child), sizeof child);
    return child;
}

/* A process of this number, which is free, tells the child. Returns false where that is not allowed. */
static bool tell_as(pid_t number, const struct talk *talk)
{
    const struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&number, .set_tid_size = 1};
    int status;
    const pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
    if (pid == 0)
        _exit(write(talk->tell[1], "", 1) != 1);
    return pid == number && waitpid(pid, &status, 0) == pid && status == 0;
}

static size_t count_wakes(const struct rv_event *events, size_t n, uint32_t id)
{
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++)
        n_found += events[i].aux == RV_CONTEXT_SWITCHES_WAKE && events[i].id == id;
    return n_found;
}

Test(source_context_switches, a_waker_that_has_ended_is_not_another_with_its_number, .timeout = 60)
{
    static struct rv_event events[MOST];
    struct rv_clock clock;
    struct talk talk;
    char name[64];
    cr_assert(pipe(talk.ask) == 0 && pipe(talk.tell) == 0 && pipe(talk.answer) == 0);
    const pid_t pid = fork();
    if (pid == 0)
        have_child(&talk);
    struct rv_context_switches *switches = open_process(pid, &clock);
    if (rv_context_switches_add_wakes(switches) != 0) {
        kill(pid, SIGKILL);
        cr_skip_test("the kernel does not tell wakes");
    }
    rv_context_switches_claim(switches, (uint32_t)pid, OWNER, UINT64_MAX);
    cr_assert_eq(write(talk.ask[1], "", 1), 1);
    const pid_t child = get_answer(&talk);
    rv_context_switches_read(switches, &clock);
    struct heard heard = {.tid = (uint32_t)child};
    rv_context_switches_tell_wakers(switches, &(struct rv_intake){.context = &heard, .name_outside = hear});
    cr_expect(rv_os_read_proc(child, "comm", name, sizeof name) > 1);
    cr_expect(strncmp(heard.name, name, strlen(name) - 1) == 0, "%s, not %s: nobody has claimed it", heard.name, name);

    rv_context_switches_claim(switches, (uint32_t)child, OWNER + 1, UINT64_MAX);
    await_blocked(pid);
    cr_assert_eq(write(talk.ask[1], "", 1), 1);
    cr_assert_eq(get_answer(&talk), child);
    rv_context_switches_read(switches, &clock);
    cr_expect(rv_context_switches_end_ns(switches, (uint32_t)child, OWNER + 1));
    size_t n = rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, MOST);
    const uint32_t exact = (uint32_t)RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT | (uint32_t)child;
    cr_expect_geq(count_wakes(events, n, exact), 2, "by a byte and by its end");

    usleep(1100000); /* a number is not used again at once */
    do {             /* wakes of the whole machine may have filled the buffer */
        await_blocked(pid);
        rv_context_switches_read(switches, &clock);
        if (!tell_as(child, &talk)) {
            kill(pid, SIGKILL);
            cr_skip_test("clone3 with a number: %s", strerror(errno));
        }
        rv_context_switches_read(switches, &clock);
        n = rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, MOST);
        cr_expect_eq(count_wakes(events, n, exact), 0);
    } while (count_wakes(events, n, 0) && !count_wakes(events, n, exact | RV_WIRE_OUTSIDE));
    cr_expect_eq(count_wakes(events, n, exact | RV_WIRE_OUTSIDE), 1);
    kill(pid, SIGKILL);
    rv_context_switches_close(switches);
}

/* ---- losses ---- */

enum { N_BURST = 60000, N_REST = 10 };

/* Fills a kernel buffer, waits for a byte, and goes on for a while, on one CPU, so that this buffer reports losses. */
static void burst(int ask, int answer)
{
    char byte;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0 || read(ask, &byte, 1) != 1)
        _exit(1);
    for (int i = 0; i < N_BURST; i++)
        usleep(1);
    if (write(answer, "", 1) != 1 || read(ask, &byte, 1) != 1)
        _exit(1);
    for (int i = 0; i < N_REST; i++)
        usleep(1000);
    _exit(write(answer, "", 1) != 1 || read(ask, &byte, 1) != 0);
}

/* When a buffer is full, one change to UNKNOWN follows, and no other until the changes after the loss. */
Test(source_context_switches, a_state_is_unknown_from_a_loss_to_the_next_change, .timeout = 60)
{
    static struct rv_event events[1 << 17];
    enum { ROOM = sizeof events / sizeof *events };
    struct rv_clock clock;
    int ask[2], answer[2], error;
    char byte;
    cr_assert(pipe(ask) == 0 && pipe(answer) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ask[1]);
        burst(ask[0], answer[1]);
    }
    struct rv_context_switches *switches = open_process(pid, &clock);
    rv_context_switches_claim(switches, (uint32_t)pid, OWNER, UINT64_MAX);
    cr_assert_eq(write(ask[1], "", 1), 1);
    cr_assert_eq(read(answer[0], &byte, 1), 1);
    rv_context_switches_read(switches, &clock);
    size_t n = rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, ROOM);
    cr_assert(n > 0 && n < ROOM);
    cr_expect_eq(events[n - 1].aux, RV_THREAD_UNKNOWN, "a full buffer, of which the kernel has not told yet");
    cr_expect_geq(rv_context_switches_n_lost(switches), 1);
    const uint64_t from_ns = rv_event_ticks(&events[n - 1]), full_ns = rv_clock_mono_ns();
    cr_assert_eq(write(ask[1], "", 1), 1);
    cr_assert_eq(read(answer[0], &byte, 1), 1);
    rv_context_switches_read(switches, &clock);
    cr_expect_gt(rv_context_switches_n_lost(switches), N_BURST);
    n = rv_context_switches_take(switches, (uint32_t)pid, OWNER, UINT64_MAX, events, ROOM);
    size_t n_blocked = 0;
    for (size_t i = 0; i < n; i++) {
        n_blocked += events[i].aux == RV_THREAD_BLOCKED;
        cr_expect_geq(rv_event_ticks(&events[i]), full_ns, "event %zu: within the loss, since %lu", i, from_ns);
        cr_expect(i == 0 || (events[i].aux == RV_THREAD_RUNNING) != (events[i - 1].aux == RV_THREAD_RUNNING));
    }
    cr_expect(n_blocked >= N_REST / 2 && n_blocked <= N_REST + 2, "%zu", n_blocked);
    close(ask[1]);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    rv_context_switches_close(switches);
}

/* ---- many threads, by what each counts itself ---- */

enum { N_THREADS = 64, N_TURNS = 200, N_THREADS_OF_MANY = 1000, N_TURNS_OF_MANY = 6 };

struct counts { /* of a thread, at a time */
    uint64_t at_ns;
    long n_voluntary, n_other;
};

struct crowd { /* shared with the process */
    unsigned n_threads, n_turns;
    _Atomic unsigned n_ready, n_done;
    _Atomic bool is_let_go;
    struct counted {
        uint32_t tid;
        struct counts turns[N_TURNS + 1]; /* between two of which is a turn */
    } threads[N_THREADS_OF_MANY];
};

/* Counts of one moment: none has changed meanwhile. */
static struct counts count_now(void)
{
    struct rusage before, now;
    uint64_t at_ns;
    do {
        getrusage(RUSAGE_THREAD, &before);
        at_ns = rv_clock_mono_ns();
        getrusage(RUSAGE_THREAD, &now);
    } while (before.ru_nvcsw != now.ru_nvcsw || before.ru_nivcsw != now.ru_nivcsw);
    return (struct counts){at_ns, now.ru_nvcsw, now.ru_nivcsw};
}

static struct crowd *crowd;

static void *take_turns(void *its)
{
    struct counted *counted = its;
    counted->tid = (uint32_t)syscall(SYS_gettid);
    atomic_fetch_add(&crowd->n_ready, 1);
    while (!atomic_load(&crowd->is_let_go))
        usleep(16 * crowd->n_threads);
    for (unsigned i = 0; i < crowd->n_turns; i++) {
        counted->turns[i] = count_now();
        for (volatile unsigned spin = 0; spin < 20000 + counted->tid % 7 * 5000; spin++)
            continue;
        if (i % 3 == 0)
            usleep(50 + i % 5 * 100);
    }
    counted->turns[crowd->n_turns] = count_now();
    atomic_fetch_add(&crowd->n_done, 1);
    return NULL;
}

static void run_crowd(void)
{
    pthread_t threads[N_THREADS_OF_MANY];
    for (unsigned i = 0; i < crowd->n_threads; i++)
        if (pthread_create(&threads[i], NULL, take_turns, &crowd->threads[i]) != 0)
            _exit(1);
    for (unsigned i = 0; i < crowd->n_threads; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

/* Does each turn have its switches, by the kernel's own counts: as many, at times within it, and a CPU again after each? */
static void check_thread(struct rv_context_switches *switches, const struct counted *counted, uint32_t owner)
{
    static struct rv_event events[MOST];
    const size_t n = rv_context_switches_take(switches, counted->tid, owner, UINT64_MAX, events, MOST);
    size_t k = 0;
    cr_assert_lt(n, MOST);
    while (k < n && rv_event_ticks(&events[k]) < counted->turns[0].at_ns)
        k++;
    for (const struct counts *from = counted->turns, *to = from + 1; from < counted->turns + crowd->n_turns;
         from = to++) {
        long n_of[RV_CONTEXT_SWITCHES_WAKE + 1] = {0}; /* events */
        for (; k < n && rv_event_ticks(&events[k]) <= to->at_ns; k++)
            n_of[events[k].aux]++;
        const long n_blocked = to->n_voluntary - from->n_voluntary, n_preempted = to->n_other - from->n_other;
        cr_expect(n_of[RV_THREAD_BLOCKED] == n_blocked && n_of[RV_THREAD_PREEMPTED] == n_preempted &&
                      n_of[RV_THREAD_RUNNING] == n_blocked + n_preempted,
                  "%ld blocked, %ld preempted, %ld running; counted %ld and %ld", n_of[RV_THREAD_BLOCKED],
                  n_of[RV_THREAD_PREEMPTED], n_of[RV_THREAD_RUNNING], n_blocked, n_preempted);
    }
}

/* Its threads are ready. */
static pid_t start_crowd(unsigned n_threads, unsigned n_turns_of_each)
{
    crowd = mmap(NULL, sizeof *crowd, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(crowd, MAP_FAILED);
    crowd->n_threads = n_threads;
    crowd->n_turns = n_turns_of_each;
    const pid_t pid = fork();
    if (pid == 0)
        run_crowd();
    while (atomic_load(&crowd->n_ready) < n_threads)
        usleep(1000);
    return pid;
}

/* Each thread has its own counts. */
static void check_crowd(unsigned n_threads, unsigned n_turns_of_each)
{
    struct rv_clock clock;
    int status;
    const pid_t pid = start_crowd(n_threads, n_turns_of_each);
    struct rv_context_switches *switches = open_process(pid, &clock);
    cr_assert_eq(rv_context_switches_error(switches), 0);
    for (uint32_t i = 0; i < n_threads; i++)
        rv_context_switches_claim(switches, crowd->threads[i].tid, i + 1, UINT64_MAX);
    atomic_store(&crowd->is_let_go, true);
    while (atomic_load(&crowd->n_done) < n_threads) {
        rv_context_switches_read(switches, &clock);
        usleep(1000);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    rv_context_switches_read(switches, &clock);
    cr_assert_eq(rv_context_switches_n_lost(switches), 0);
    for (uint32_t i = 0; i < n_threads; i++)
        check_thread(switches, &crowd->threads[i], i + 1);
    rv_context_switches_close(switches);
}

Test(source_context_switches, of_many_threads_each_turn_has_its_own_counts, .timeout = 60)
{
    check_crowd(N_THREADS, N_TURNS);
}

Test(source_context_switches, of_a_thousand_threads_each_has_its_own_counts, .timeout = 100)
{
    check_crowd(N_THREADS_OF_MANY, N_TURNS_OF_MANY);
}

Test(source_context_switches, threads_that_find_no_descriptor_are_missing_and_some_are_left_for_others, .timeout = 60)
{
    enum { N_DESCRIPTORS = 64 };
    struct rv_clock clock;
    const pid_t pid = start_crowd(N_THREADS, 1);
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){N_DESCRIPTORS, N_DESCRIPTORS}), 0);
    struct rv_context_switches *switches = open_process(pid, &clock);
    cr_expect_eq(rv_context_switches_error(switches), -EMFILE);
    cr_expect(rv_context_switches_refuse(switches, pid) && !rv_context_switches_refuse(switches, getpid()));
    const int fd = dup(STDERR_FILENO);
    cr_expect(fd >= 0 && fd < N_DESCRIPTORS * 3 / 4, "%d", fd);
    cr_assert_eq(kill(pid, SIGKILL), 0);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    rv_context_switches_close(switches);
}

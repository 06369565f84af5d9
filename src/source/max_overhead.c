#include "source/max_overhead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/vec.h"
#include "ring/process_liveness.h"

#define N_SLOTS (1u << 16)
#define MOST_FUNCTIONS (N_SLOTS / 2)
#define MOST_BACK 8u /* let in at once */
/* The two events of a call take 2.5 to 3.5 clock reads where all functions are traced (lua, redis-server, python, php, git,
 * cc1, xz, mawk on AMD EPYC vCPUs); where few are, caches have less of what events need. */
#define CLOCK_READS 5.0
#define LEAST_CALLS 1000u /* of a process in an interval: fewer cost nothing to speak of */
/* The first look comes soon, since a program may be slowed tenfold until then. */
static const uint64_t FIRST_NS = 10000000, MOST_NS = 100000000;
/* Also the interval after a choice: what a program does next has other functions. */
static const uint64_t AGAIN_NS = 25000000;
/*
 * A look comes sooner once calls have cost the share of so much time, or of less while a process owes some: the program may
 * change what it does at any time.
 */
static const double BURST_NS = 2e7, BURST_IN_DEBT_NS = 5e6;
static const uint64_t SOONEST_NS = 5000000;
/* Weight of a new measurement of a clock read at each look: its cost changes with the machine's other work. */
static const double NEW_SHARE = 0.2;
/* Tracing may cost a process its share of this time at first, whatever the process does: a short one is shown whole. It is
 * lent: a longer one makes it good. */
static const double LENT_NS = 1e8;
/* Own time within which a process makes good by how much more than allowed it was slowed. */
static const double REPAYMENT_NS = 5e7;
/* The part of its share by which it may be slowed meanwhile, so that something is seen. */
static const double LEAST_SHARE = 0.1;
/*
 * Share of a CPU that tracing a process may always take: a process that waits most of the time loses nothing by it,
 * even where that is much of its own time. That of so much time may be taken at once, as by one that works now and then.
 */
static const double FREE_SHARE = 0.001, FREE_NS = 1e9;
/* The most of a process's time that counts as tracing's: where calls seem to take more, they cost less than assumed. */
static const double MOST_SHARE = 0.9;

/*
 * Interval between looks for room, and the time after which the cost of a function left out for the first time counts
 * half.
 */
static const uint64_t ROOM_NS = 500000000;
/* The share of the room that functions let in at once may take, by what is expected of them. */
static const double ROOM_SHARE = 0.5;

struct function {
    uint64_t address; /* 0: none */
    uint64_t ticks;
    uint32_t process_idx, ring_idx;
    uint32_t n_calls;   /* since the last look */
    uint32_t n_choices; /* number of times that it was left out */
    uint64_t chosen_ns; /* time of the last choice; 0: it is traced */
    double load;        /* at that time: calls in a ns of the process's own time */
    bool is_wished;     /* traced nevertheless, on request */
};

struct process {
    uint64_t cpu_ns, patching_ns, mono_ns; /* at the last look that found calls of it; mono_ns 0: there was none */
    double debt_ns;                        /* cost so far beyond its share */
    double lent_ns;                        /* what is left of what it may cost at first */
    double free_ns;                        /* and of what it may always cost */
    uint64_t room_cpu_ns;                  /* CPU time at the last look for room; 0: none yet */
    double room_cost_ns;                   /* since then */
    uint32_t n_left_out;                   /* functions that are left out now */
};

struct rv_max_overhead {
    const struct rv_map *map;
    double max_overhead, clock_ns; /* clock_ns: of a clock read */
    uint64_t looked_ns, next_ns, interval_ns, next_room_ns;
    uint64_t n_calls;          /* since the last look */
    bool has_debts;            /* at the last look */
    struct process *processes; /* by index */
    size_t n_processes;
    struct function functions[N_SLOTS];
    size_t n_functions;
    struct function *called[MOST_FUNCTIONS]; /* functions that were called since the last look */
    size_t n_called;
};

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* Time of one clock read, when nobody takes the CPU away. */
static double measure_clock_ns(enum rv_clock_kind kind)
{
    enum { N_BATCHES = 4, N = 100 };
    uint64_t least_ns = UINT64_MAX;
    for (unsigned i = 0; i < N_BATCHES; i++) {
        const uint64_t begin_ns = rv_clock_mono_ns();
        for (unsigned k = 0; k < N; k++)
            (void)rv_clock_ticks(kind);
        const uint64_t ns = rv_clock_mono_ns() - begin_ns;
        least_ns = ns < least_ns ? ns : least_ns;
    }
    return (double)least_ns / N;
}

struct rv_max_overhead *rv_max_overhead_create(const struct rv_map *map, double max_overhead)
{
    struct rv_max_overhead *overhead = rv_alloc_sparse(1, sizeof *overhead); /* most of its table is never touched */
    overhead->map = map;
    overhead->max_overhead = max_overhead;
    overhead->clock_ns = measure_clock_ns(map->geometry.clock_kind);
    overhead->interval_ns = FIRST_NS;
    return overhead;
}

void rv_max_overhead_destroy(struct rv_max_overhead *overhead)
{
    if (!overhead)
        return;
    free(overhead->processes);
    free(overhead);
}

/* ---- counting ---- */

/* Its slot, or the free one that it is to have. */
static struct function *slot_of(struct rv_max_overhead *overhead, uint64_t address, uint32_t process_idx)
{
    const uint64_t hash = (address ^ (uint64_t)process_idx << 40) * 0x9e3779b97f4a7c15ull;
    for (uint64_t i = hash >> 48;; i++) {
        struct function *function = &overhead->functions[i % N_SLOTS];
        if (!function->address || (function->address == address && function->process_idx == process_idx))
            return function;
    }
}

/* NULL: there are too many. */
static struct function *function_of(struct rv_max_overhead *overhead, uint64_t address, uint32_t process_idx)
{
    struct function *function = slot_of(overhead, address, process_idx);
    if (function->address)
        return function;
    if (overhead->n_functions == MOST_FUNCTIONS)
        return NULL;
    overhead->n_functions++;
    *function = (struct function){.address = address, .process_idx = process_idx};
    return function;
}

static double pair_ns_of(const struct rv_max_overhead *overhead)
{
    return CLOCK_READS * overhead->clock_ns;
}

static struct process *process_of(struct rv_max_overhead *overhead, uint32_t process_idx)
{
    if (process_idx >= overhead->n_processes)
        overhead->processes = rv_vec_extend(overhead->processes, &overhead->n_processes, (size_t)process_idx + 1,
                                            sizeof *overhead->processes);
    return &overhead->processes[process_idx];
}

/* The first look at a process comes with its first calls. */
static void look_soon(struct rv_max_overhead *overhead, uint32_t process_idx)
{
    if (process_of(overhead, process_idx)->mono_ns)
        return;
    overhead->next_ns = 0;
    overhead->interval_ns = FIRST_NS;
}

void rv_max_overhead_count(struct rv_max_overhead *overhead, uint32_t ring_idx, uint32_t process_idx,
                           const struct rv_event *popped, size_t n)
{
    uint64_t n_calls = 0;
    for (size_t i = 0; i < n; i++) {
        struct function *function = rv_event_kind(&popped[i]) == RV_EVENT_CALL_AT
                                        ? function_of(overhead, rv_event_address(&popped[i]), process_idx)
                                        : NULL;
        if (!function)
            continue;
        if (!function->n_calls++)
            overhead->called[overhead->n_called++] = function;
        function->ticks = rv_event_ticks(&popped[i]);
        function->ring_idx = ring_idx;
        n_calls++;
    }
    overhead->n_calls += n_calls;
    if (n_calls)
        look_soon(overhead, process_idx);
}

static bool is_live(const struct rv_max_overhead *overhead, uint32_t process_idx)
{
    return __atomic_load_n(&rv_map_process(overhead->map, process_idx)->state, __ATOMIC_RELAXED) == RV_PROCESS_LIVE;
}

/* Those of processes that have ended make room. */
static void forget_ended(struct rv_max_overhead *overhead)
{
    struct function *kept = rv_alloc(MOST_FUNCTIONS, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < N_SLOTS; i++)
        if (overhead->functions[i].address && is_live(overhead, overhead->functions[i].process_idx))
            kept[n++] = overhead->functions[i];
    if (n < overhead->n_functions) {
        memset(overhead->functions, 0, sizeof overhead->functions);
        for (size_t i = 0; i < n; i++)
            *slot_of(overhead, kept[i].address, kept[i].process_idx) = kept[i];
        overhead->n_functions = n;
    }
    free(kept);
}

/* ---- choosing ---- */

/* 0: it cannot be known. */
static uint64_t cpu_ns_of(const struct rv_wire_process *process)
{
    clockid_t clock;
    struct timespec now;
    if (!(__atomic_load_n(&process->instrumentation.instruments, __ATOMIC_RELAXED) & RV_INSTRUMENT_PATCHES) ||
        !rv_process_liveness_is_running(process->pid, process->start) ||
        clock_getcpuclockid((pid_t)process->pid, &clock) != 0 || clock_gettime(clock, &now) != 0)
        return 0;
    return rv_clock_time_ns(now);
}

/* Process by process, the most expensive first. */
static int compare_costs(const void *left, const void *right)
{
    const struct function *a = *(struct function *const *)left, *b = *(struct function *const *)right;
    if (a->process_idx != b->process_idx)
        return a->process_idx < b->process_idx ? -1 : 1;
    return (a->n_calls < b->n_calls) - (a->n_calls > b->n_calls);
}

/* What tracing may cost a process in some of its own time: while there is a debt less, while something is lent more. */
static double allow(const struct rv_max_overhead *overhead, const struct process *process, double own_ns,
                    double free_ns)
{
    const double most_ns = overhead->max_overhead * own_ns, due_ns = process->debt_ns * own_ns / REPAYMENT_NS;
    const double least_ns = greater(LEAST_SHARE * most_ns, free_ns);
    return greater(greater(most_ns - due_ns, least_ns), process->lent_ns);
}

/* What tracing has cost a process since the last look. */
struct cost {
    double used_ns;               /* the process's CPU time; negative: it is not known */
    double patching_ns, pair_ns;  /* pair: of a call's events */
    uint64_t n_calls, n_left_out; /* left out: still in the ring, or until the process has heard of it */
};

static double cost_of_calls(const struct cost *cost)
{
    return (double)cost->n_calls * cost->pair_ns;
}

static double own_ns_of(const struct cost *cost)
{
    return greater(cost->used_ns - cost->patching_ns - cost_of_calls(cost), 0);
}

/* The process says so: it is input. */
static double patching_ns_between(const struct process *before, const struct process *now)
{
    const uint64_t ns = now->patching_ns - before->patching_ns, used_ns = now->cpu_ns - before->cpu_ns;
    return now->cpu_ns < before->cpu_ns ? 0 : ns < used_ns ? (double)ns : (double)used_ns;
}

/* At its first look a process's own time is not known: it may have run before it was traced. */
static struct cost measure(const struct rv_max_overhead *overhead, const struct process *before,
                           const struct process *now, struct function *const *called, size_t n_called)
{
    const bool is_known = before->mono_ns && now->cpu_ns > before->cpu_ns;
    struct cost cost = {.used_ns = is_known ? (double)(now->cpu_ns - before->cpu_ns) : -1,
                        .patching_ns = patching_ns_between(before, now),
                        .pair_ns = pair_ns_of(overhead)};
    for (size_t i = 0; i < n_called; i++) {
        cost.n_calls += called[i]->n_calls;
        cost.n_left_out += called[i]->chosen_ns ? called[i]->n_calls : 0;
    }
    const double most_ns = MOST_SHARE * cost.used_ns / (double)cost.n_calls;
    if (is_known && most_ns < cost.pair_ns)
        cost.pair_ns = most_ns;
    return cost;
}

/* What a process has left over is no licence to slow it later. */
static void charge(const struct rv_max_overhead *overhead, struct process *process, const struct cost *cost)
{
    const double used_ns = cost_of_calls(cost) + cost->patching_ns, share_ns = overhead->max_overhead * own_ns_of(cost);
    process->debt_ns = greater(process->debt_ns + used_ns - greater(share_ns, lesser(used_ns, process->free_ns)), 0);
    process->lent_ns = greater(process->lent_ns - used_ns, 0);
    process->free_ns = greater(process->free_ns - used_ns, 0);
}

static struct process look_at(const struct rv_max_overhead *overhead, uint32_t process_idx, uint64_t now_ns)
{
    const struct rv_wire_process *process = rv_map_process(overhead->map, process_idx);
    return (struct process){.cpu_ns = cpu_ns_of(process),
                            .patching_ns = __atomic_load_n(&process->patching_ns, __ATOMIC_RELAXED),
                            .mono_ns = now_ns};
}

/* Where tracing takes most of the time, the rest is hardly known, and soon more of it is: half of the calls go at once,
 * unless much is owed already. */
static double allow_at_once(const struct rv_max_overhead *overhead, double debt_ns, const struct cost *cost,
                            double allowed_ns, double left_ns)
{
    const bool is_hardly_known = cost_of_calls(cost) > own_ns_of(cost) && debt_ns < BURST_NS * overhead->max_overhead;
    return is_hardly_known ? greater(left_ns / 2, allowed_ns) : allowed_ns;
}

static void leave_out(struct function *function, const struct cost *cost, uint64_t now_ns)
{
    const double own_ns = own_ns_of(cost), least_ns = (1 - MOST_SHARE) * cost->used_ns;
    function->load = function->n_calls / greater(own_ns, least_ns);
    function->chosen_ns = now_ns;
    function->n_choices++;
}

/* Of a process: its functions that were called, in their order. */
static size_t choose_of(struct rv_max_overhead *overhead, struct function *const *called, size_t n_called,
                        uint64_t now_ns, struct rv_max_overhead_choice *choices, size_t max)
{
    const uint32_t idx = called[0]->process_idx;
    struct process *process = process_of(overhead, idx), now = look_at(overhead, idx, now_ns);
    const struct cost cost = measure(overhead, process, &now, called, n_called);
    const double wall_ns = (double)(now_ns - process->mono_ns);
    now.debt_ns = process->debt_ns;
    now.lent_ns = process->mono_ns ? process->lent_ns : LENT_NS * overhead->max_overhead;
    const double free_ns = lesser(process->free_ns + FREE_SHARE * wall_ns, FREE_SHARE * FREE_NS);
    now.free_ns = free_ns;
    charge(overhead, &now, &cost);
    now.room_cpu_ns = process->room_cpu_ns;
    now.n_left_out = process->n_left_out;
    now.room_cost_ns = process->room_cost_ns + cost_of_calls(&cost) + cost.patching_ns;
    *process = now;
    overhead->has_debts |= process->debt_ns > 0 && process->lent_ns <= 0;
    const bool may_choose = cost.used_ns > 0 && cost.n_calls >= LEAST_CALLS;
    double left_ns = cost_of_calls(&cost) - (double)cost.n_left_out * cost.pair_ns;
    const double allowed_ns =
        allow_at_once(overhead, process->debt_ns, &cost, allow(overhead, process, own_ns_of(&cost), free_ns), left_ns);
    size_t n = 0;
    for (size_t i = 0; i < n_called; i++) {
        struct function *function = called[i];
        if (may_choose && n < max && !function->chosen_ns && left_ns > allowed_ns) {
            left_ns -= (double)function->n_calls * cost.pair_ns;
            leave_out(function, &cost, now_ns);
            process->n_left_out++;
            choices[n++] = (struct rv_max_overhead_choice){.process_idx = idx,
                                                           .ring_idx = function->ring_idx,
                                                           .address = function->address,
                                                           .ticks = function->ticks,
                                                           .calls_per_s = 1e9 * function->n_calls / wall_ns};
        }
        function->n_calls = 0;
    }
    return n;
}

/* ---- letting in again ---- */

/* That calls of it still come tells nothing: its process may hear late that it was left out. */
void rv_max_overhead_heed(struct rv_max_overhead *overhead, rv_max_overhead_is_wanted_fn *is_wanted, void *context)
{
    for (size_t i = 0; i < N_SLOTS; i++) {
        struct function *function = &overhead->functions[i];
        if (!function->chosen_ns || function->is_wished ||
            !is_wanted(context, function->process_idx, function->address, function->ticks))
            continue;
        function->is_wished = true;
        overhead->processes[function->process_idx].n_left_out--;
    }
}

/* Calls in a ns of own time: fewer than before it was left out, the longer ago that is. */
static double expected_load(const struct function *function, uint64_t now_ns)
{
    const double half_lives = (double)(now_ns - function->chosen_ns) / (double)ROOM_NS / function->n_choices;
    return function->load * exp2(-half_lives);
}

static struct function *find_cheapest(struct rv_max_overhead *overhead, uint32_t process_idx, uint64_t now_ns)
{
    struct function *cheapest = NULL;
    for (size_t i = 0; i < N_SLOTS; i++) {
        struct function *function = &overhead->functions[i];
        if (function->process_idx == process_idx && function->chosen_ns && !function->is_wished &&
            (!cheapest || expected_load(function, now_ns) < expected_load(cheapest, now_ns)))
            cheapest = function;
    }
    return cheapest;
}

/* What is left of a debt: looks come with calls, and what it has worked since the last is its own time. */
static double debt_at(const struct rv_max_overhead *overhead, const struct process *process, uint64_t cpu_ns)
{
    return process->debt_ns - overhead->max_overhead * ((double)cpu_ns - (double)process->cpu_ns);
}

/* Cost that a process may have besides what it had since it was last asked, in a ns of its own time. Negative: none. */
static double measure_room(const struct rv_max_overhead *overhead, uint32_t process_idx)
{
    struct process *process = &overhead->processes[process_idx];
    const uint64_t cpu_ns = cpu_ns_of(rv_map_process(overhead->map, process_idx));
    const double cost_ns = process->room_cost_ns;
    const double own_ns = (double)cpu_ns - (double)process->room_cpu_ns - cost_ns;
    const double share_ns = overhead->max_overhead * own_ns, free_ns = FREE_SHARE * (double)ROOM_NS;
    const bool is_known = process->room_cpu_ns && own_ns > 0;
    const bool has_room = free_ns > share_ns || debt_at(overhead, process, cpu_ns) <= 0;
    process->room_cpu_ns = cpu_ns;
    process->room_cost_ns = 0;
    return is_known && has_room ? (greater(share_ns, free_ns) - cost_ns) / own_ns : -1;
}

static size_t let_in_of(struct rv_max_overhead *overhead, uint32_t process_idx, uint64_t now_ns,
                        struct rv_max_overhead_choice *choices, size_t max)
{
    double room = ROOM_SHARE * measure_room(overhead, process_idx);
    size_t n = 0;
    struct process *process = &overhead->processes[process_idx];
    for (struct function *function; process->n_left_out && n < max && room > 0 && n < MOST_BACK;) {
        function = find_cheapest(overhead, process_idx, now_ns);
        room -= function ? expected_load(function, now_ns) * pair_ns_of(overhead) : room;
        if (room <= 0)
            break;
        function->chosen_ns = 0;
        process->n_left_out--;
        choices[n++] = (struct rv_max_overhead_choice){
            .process_idx = process_idx, .ring_idx = function->ring_idx, .address = function->address, .is_back = true};
    }
    return n;
}

static size_t let_in(struct rv_max_overhead *overhead, uint64_t now_ns, struct rv_max_overhead_choice *choices,
                     size_t max)
{
    size_t n = 0;
    if (now_ns < overhead->next_room_ns)
        return 0;
    overhead->next_room_ns = now_ns + ROOM_NS;
    for (size_t i = 0; i < overhead->n_processes; i++)
        if (overhead->processes[i].mono_ns && is_live(overhead, (uint32_t)i))
            n += let_in_of(overhead, (uint32_t)i, now_ns, choices + n, max - n);
    return n;
}

static bool is_time(const struct rv_max_overhead *overhead, uint64_t now_ns)
{
    const double calls_ns = (double)overhead->n_calls * pair_ns_of(overhead),
                 burst_ns = overhead->has_debts ? BURST_IN_DEBT_NS : BURST_NS;
    return now_ns >= overhead->next_ns ||
           (now_ns - overhead->looked_ns >= SOONEST_NS && calls_ns > burst_ns * overhead->max_overhead);
}

size_t rv_max_overhead_choose(struct rv_max_overhead *overhead, struct rv_max_overhead_choice *choices, size_t max)
{
    const uint64_t now_ns = rv_clock_mono_ns();
    size_t n = 0;
    if (!is_time(overhead, now_ns))
        return 0;
    overhead->looked_ns = now_ns;
    overhead->n_calls = 0;
    overhead->has_debts = false;
    overhead->clock_ns += NEW_SHARE * (measure_clock_ns(overhead->map->geometry.clock_kind) - overhead->clock_ns);
    struct function **const called = overhead->called;
    const size_t n_called = overhead->n_called;
    qsort(called, n_called, sizeof *called, compare_costs);
    for (size_t i = 0, n_own; i < n_called; i += n_own) {
        n_own = 1;
        while (i + n_own < n_called && called[i + n_own]->process_idx == called[i]->process_idx)
            n_own++;
        n += choose_of(overhead, called + i, n_own, now_ns, choices + n, max - n);
    }
    overhead->n_called = 0;
    n += let_in(overhead, now_ns, choices + n, max - n);
    if (overhead->n_functions == MOST_FUNCTIONS)
        forget_ended(overhead);
    if (n && overhead->interval_ns > AGAIN_NS)
        overhead->interval_ns = AGAIN_NS;
    overhead->next_ns = now_ns + overhead->interval_ns;
    overhead->interval_ns = 2 * overhead->interval_ns < MOST_NS ? 2 * overhead->interval_ns : MOST_NS;
    return n;
}

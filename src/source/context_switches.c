/*
 * Of a thread that has two events (source/perf_buffers), of two switches in the same direction the first one counts.
 *
 * Of a thread that blocks on one CPU and runs on another, the second record may be seen before the first, when the
 * buffers are read between the two. Such a late record is dropped and counted: it is rare, and moving it behind the
 * other would turn the thread's state around; the state is not known from then on.
 *
 * A thread that runs another program by exec may have a ring of each: its switches since then are the later one's.
 *
 * A thread without an owner is silent, unless one claims it within a second of its end. Its sums are kept until then, its
 * switches for a second each. After a pause of the readings, in which rings may have begun that are found only now, what
 * happened in it is kept for a second from its end. The kernel reports each end, so that a number that is used again is
 * another thread.
 *
 * After a loss, from the last record of the full buffer until the kernel says how many it has lost, every thread's state is
 * not known, nor is it until the thread's next switch.
 *
 * Wakes of a thread stand among its switches, by time.
 */
#include "source/context_switches.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"
#include "ringviz/producer.h"
#include "source/kernel_wakes.h"
#include "source/outside_wakers.h"
#include "source/perf_buffers.h"

/* How long switches of threads without an owner are kept: the thread's first call may still come. */
static const uint64_t STRANGER_NS = 1000000000;
/* Most switches kept per thread; older ones are dropped, where a ring is read at the end only. */
enum { MOST_CHANGES = 1 << 18 };

struct thread {
    uint32_t tid;                  /* 0: a free place */
    uint32_t owner;                /* 0: none */
    uint64_t born_ticks;           /* of the owner */
    uint64_t exec_ticks;           /* of its last exec, if it had its owner before; else 0 */
    uint32_t pid;                  /* 0: unknown yet */
    uint32_t next;                 /* index of the one that had its CPU after it, the last time */
    char name[RV_PERF_NAME_BYTES]; /* likewise "" */
    struct rv_event *changes;      /* first to n: not taken yet, by time */
    size_t first, n, capacity;
    uint64_t first_ns, last_ns; /* time of the first and the last change added */
    uint64_t ended_ns;          /* 0: it runs */
    bool was_claimed;
    uint8_t last_state;         /* since last_ns, */
    struct rv_silent_times did; /* until then; if it was never claimed */
    uint64_t taken_ticks;       /* time of the last change taken; 0: none */
    uint8_t taken_state;        /* if taken_ticks is not 0 */
};

struct loss { /* a time of it, in ticks */
    uint64_t from, to;
};

struct pause { /* of the readings, longer than STRANGER_NS */
    uint64_t from_ns, to_ns;
};

struct rv_context_switches {
    struct rv_perf_buffers *buffers;
    size_t *last_threads; /* by buffer: index of the thread of its last switch, which often has the next one */
    struct thread *threads;
    size_t n_threads, capacity, n_swept; /* n_swept: number left by the last sweep */
    struct rv_hash_index by_tid;         /* index in threads, + 1 */
    struct rv_silent_threads silent;     /* those that have ended */
    struct rv_outside_wakers wakers;
    bool has_wakes;
    uint64_t n_lost;
    struct loss lost, wakes_lost; /* the latest */
    struct pause pause;           /* likewise */
    uint64_t read_ns;             /* time of the last reading, */
    uint64_t kept_ns;             /* at which earlier switches of threads without an owner were dropped */
};

/* Takes the buffers, of which NULL gives NULL. */
static struct rv_context_switches *create(struct rv_perf_buffers *buffers)
{
    if (!buffers)
        return NULL;
    struct rv_context_switches *switches = rv_alloc(1, sizeof *switches);
    switches->buffers = buffers;
    switches->last_threads = rv_alloc(rv_perf_buffers_n(buffers), sizeof *switches->last_threads);
    return switches;
}

struct rv_context_switches *rv_context_switches_open(int *error)
{
    return create(rv_perf_buffers_open(error));
}

struct rv_context_switches *rv_context_switches_open_process(pid_t pid, int *error)
{
    return create(rv_perf_buffers_open_process(pid, error));
}

void rv_context_switches_add_process(struct rv_context_switches *switches, pid_t pid)
{
    rv_perf_buffers_add_process(switches->buffers, pid);
}

int rv_context_switches_add_wakes(struct rv_context_switches *switches)
{
    const int error = rv_perf_buffers_add_wakes(switches->buffers);
    free(switches->last_threads);
    switches->last_threads = rv_alloc(rv_perf_buffers_n(switches->buffers), sizeof *switches->last_threads);
    switches->has_wakes = !error;
    return error;
}

bool rv_context_switches_has_wakes(const struct rv_context_switches *switches)
{
    return switches->has_wakes;
}

bool rv_context_switches_is_opening(const struct rv_context_switches *switches)
{
    return rv_perf_buffers_is_opening(switches->buffers);
}

int rv_context_switches_error(const struct rv_context_switches *switches)
{
    return rv_perf_buffers_error(switches->buffers);
}

bool rv_context_switches_refuse(const struct rv_context_switches *switches, pid_t pid)
{
    return rv_perf_buffers_refuse(switches->buffers, pid);
}

void rv_context_switches_close(struct rv_context_switches *switches)
{
    if (!switches)
        return;
    rv_perf_buffers_close(switches->buffers);
    for (size_t i = 0; i < switches->n_threads; i++)
        free(switches->threads[i].changes);
    rv_silent_threads_fini(&switches->silent);
    rv_outside_wakers_fini(&switches->wakers);
    free(switches->last_threads);
    free(switches->threads);
    rv_hash_index_fini(&switches->by_tid);
    free(switches);
}

/* ---- threads ---- */

static void index_thread(struct rv_context_switches *switches, size_t i)
{
    uint32_t *value = rv_hash_index_at(&switches->by_tid, switches->threads[i].tid);
    if (value)
        *value = (uint32_t)i + 1;
    else
        rv_hash_index_add(&switches->by_tid, switches->threads[i].tid, (uint32_t)i + 1);
}

static void add_time(struct rv_silent_times *did, uint8_t state, uint64_t n_ns)
{
    did->running_ns += state == RV_THREAD_RUNNING ? n_ns : 0;
    did->runnable_ns += state == RV_THREAD_PREEMPTED ? n_ns : 0;
    did->blocked_ns += state == RV_THREAD_BLOCKED ? n_ns : 0;
}

static bool is_off(uint8_t state)
{
    return state == RV_THREAD_PREEMPTED || state == RV_THREAD_BLOCKED;
}

static void follow_state(struct thread *thread, uint64_t mono_ns, uint8_t state)
{
    if (mono_ns < thread->last_ns)
        return;
    if (thread->last_ns)
        add_time(&thread->did, thread->last_state, mono_ns - thread->last_ns);
    thread->did.n_switches += is_off(state) && !is_off(thread->last_state);
    thread->first_ns = thread->first_ns ? thread->first_ns : mono_ns;
    thread->last_ns = mono_ns;
    thread->last_state = state;
}

static void name_silent(struct rv_silent_thread *silent, const struct thread *thread)
{
    char name[RV_PERF_NAME_BYTES];
    memcpy(name, thread->name, sizeof name);
    if (!*name && !thread->ended_ns)
        rv_outside_wakers_ask_name(thread->tid, name);
    rv_text_escape(silent->name, sizeof silent->name, name, strnlen(name, sizeof name));
}

static bool is_of_ringviz(const char *thread_name)
{
    return strcmp(thread_name, RINGVIZ_OWN_NAME) == 0;
}

static void add_silent(struct rv_silent_threads *all, const struct thread *thread, uint64_t until_ns)
{
    struct rv_silent_thread silent = {.pid = thread->pid, .tid = thread->tid, .times = thread->did};
    if (!thread->tid || thread->was_claimed || !thread->last_ns)
        return;
    name_silent(&silent, thread);
    if (is_of_ringviz(silent.name))
        return;
    if (!thread->ended_ns && until_ns > thread->last_ns)
        add_time(&silent.times, thread->last_state, until_ns - thread->last_ns);
    rv_silent_threads_add(all, &silent);
}

static void drop_changes(struct thread *thread)
{
    free(thread->changes);
    thread->changes = NULL;
    thread->first = thread->n = thread->capacity = 0;
}

/* The thread has ended, and its number is free. */
static void end_thread(struct rv_context_switches *switches, struct thread *thread)
{
    add_silent(&switches->silent, thread, 0);
    free(thread->changes);
    *thread = (struct thread){0};
}

/* Forget threads that have ended, unless someone may still claim them, and switches that are too old. */
static void sweep(struct rv_context_switches *switches)
{
    size_t n_left = 0;
    rv_hash_index_clear(&switches->by_tid);
    for (size_t i = 0; i < switches->n_threads; i++) {
        struct thread *thread = &switches->threads[i];
        const bool is_old = !thread->owner && thread->last_ns < switches->kept_ns;
        if (is_old && thread->ended_ns)
            end_thread(switches, thread);
        else if (is_old)
            drop_changes(thread);
        if (!thread->tid)
            continue;
        switches->threads[n_left] = *thread;
        index_thread(switches, n_left++);
    }
    switches->n_threads = switches->n_swept = n_left;
}

static struct thread *find_thread(const struct rv_context_switches *switches, uint32_t tid)
{
    uint32_t i = rv_hash_index_get(&switches->by_tid, tid);
    return i && switches->threads[i - 1].tid == tid ? &switches->threads[i - 1] : NULL;
}

static struct thread *need_thread(struct rv_context_switches *switches, uint32_t tid)
{
    struct thread *thread = find_thread(switches, tid);
    if (thread)
        return thread;
    if (switches->n_threads > 2 * switches->n_swept + 64)
        sweep(switches);
    size_t i = switches->n_threads++;
    switches->threads =
        rv_vec_reserve(switches->threads, &switches->capacity, switches->n_threads, sizeof *switches->threads);
    switches->threads[i] = (struct thread){.tid = tid};
    index_thread(switches, i);
    return &switches->threads[i];
}

void rv_context_switches_claim(struct rv_context_switches *switches, uint32_t tid, uint32_t owner, uint64_t born_ticks)
{
    struct thread *thread = need_thread(switches, tid);
    if (thread->owner && thread->born_ticks > born_ticks)
        return;
    thread->owner = owner;
    thread->born_ticks = born_ticks;
    thread->exec_ticks = thread->exec_ticks > born_ticks ? thread->exec_ticks : 0;
    thread->was_claimed = true;
}

uint32_t rv_context_switches_owner(const struct rv_context_switches *switches, uint32_t tid)
{
    const struct thread *thread = find_thread(switches, tid);
    return thread ? thread->owner : 0;
}

void rv_context_switches_show(struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    struct thread *thread = need_thread(switches, tid);
    thread->owner = owner;
    thread->born_ticks = thread->exec_ticks = 0;
}

bool rv_context_switches_runs(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    const struct thread *thread = find_thread(switches, tid);
    return thread && thread->owner == owner && !thread->ended_ns;
}

uint64_t rv_context_switches_end_ns(const struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    const struct thread *thread = find_thread(switches, tid);
    return thread && thread->owner == owner ? thread->ended_ns : 0;
}

/* Is its first switch one that was before this time? */
static bool is_unclaimed(const struct thread *thread, uint64_t before_ns)
{
    return thread->tid && !thread->owner && !thread->was_claimed && !thread->ended_ns && thread->first < thread->n &&
           thread->first_ns < before_ns && !is_of_ringviz(thread->name);
}

bool rv_context_switches_next_unclaimed(const struct rv_context_switches *switches, size_t *at, uint64_t before_ns,
                                        struct rv_unclaimed_thread *found)
{
    while (*at < switches->n_threads) {
        const struct thread *thread = &switches->threads[(*at)++];
        if (!is_unclaimed(thread, before_ns))
            continue;
        *found = (struct rv_unclaimed_thread){thread->pid, thread->tid, thread->name,
                                              rv_event_ticks(&thread->changes[thread->first])};
        return true;
    }
    return false;
}

/* It runs another program, of whose ring nothing has been seen yet: that may claim what has happened since the exec. */
static void leave_to_next_program(struct thread *thread)
{
    while (thread->first < thread->n && rv_event_ticks(&thread->changes[thread->first]) < thread->exec_ticks)
        thread->first++;
    thread->owner = 0;
    thread->born_ticks = thread->exec_ticks = thread->taken_ticks = 0;
    thread->was_claimed = false;
}

void rv_context_switches_forget(struct rv_context_switches *switches, uint32_t tid, uint32_t owner)
{
    struct thread *thread = find_thread(switches, tid);
    if (!thread || thread->owner != owner)
        return;
    if (thread->exec_ticks) {
        leave_to_next_program(thread);
        return;
    }
    if (thread->ended_ns) {
        end_thread(switches, thread);
        return;
    }
    drop_changes(thread);
    *thread = (struct thread){.tid = tid, .was_claimed = true, .last_ns = thread->last_ns};
}

/* ---- records ---- */

struct reading {
    uint64_t rate; /* of the clock */
    struct rv_clock_instant now;
    uint64_t kept_ticks; /* that of kept_ns */
};

static uint64_t ticks_at(const struct reading *reading, uint64_t mono_ns)
{
    return rv_clock_ticks_at(reading->rate, &reading->now, mono_ns);
}

/* Since when switches of threads without an owner are kept now. */
static uint64_t kept_since(struct rv_context_switches *switches, uint64_t now_ns)
{
    const uint64_t before_ns = now_ns > STRANGER_NS ? now_ns - STRANGER_NS : 0;
    if (switches->read_ns < before_ns)
        switches->pause = (struct pause){switches->read_ns, now_ns};
    switches->read_ns = now_ns;
    return switches->pause.to_ns > before_ns ? switches->pause.from_ns : before_ns;
}

static struct reading begin_reading(struct rv_context_switches *switches, const struct rv_clock *clock)
{
    struct reading reading = {.rate = rv_clock_rate(clock), .now = rv_clock_instant(clock->kind)};
    switches->kept_ns = kept_since(switches, reading.now.mono_ns);
    reading.kept_ticks = switches->kept_ns ? ticks_at(&reading, switches->kept_ns) : 0;
    return reading;
}

/* Make room for one more. Drops the oldest of too many, and those without an owner. */
static void make_room(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading)
{
    if (thread->n - thread->first == MOST_CHANGES) {
        struct rv_event *oldest = &thread->changes[++thread->first];
        oldest->aux = RV_THREAD_UNKNOWN;
        oldest->id = 0; /* it may have been a wake */
        switches->n_lost++;
    }
    while (!thread->owner && thread->first < thread->n &&
           rv_event_ticks(&thread->changes[thread->first]) < reading->kept_ticks)
        thread->first++;
    if (thread->first > thread->n / 2) {
        thread->n -= thread->first;
        memmove(thread->changes, thread->changes + thread->first, thread->n * sizeof *thread->changes);
        thread->first = 0;
    }
    thread->changes = rv_vec_reserve(thread->changes, &thread->capacity, thread->n + 1, sizeof *thread->changes);
}

static uint64_t when_of(uint64_t ticks)
{
    return (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | ticks;
}

/* Inline: an event on the stack is copied before its small fields are in memory, which takes longer than the rest. */
static inline __attribute__((always_inline)) void insert(struct rv_context_switches *switches, struct thread *thread,
                                                         const struct reading *reading, struct rv_event change)
{
    make_room(switches, thread, reading);
    size_t at = thread->n++;
    for (; at > thread->first && thread->changes[at - 1].when > change.when; at--)
        thread->changes[at] = thread->changes[at - 1];
    thread->changes[at] = change;
}

static bool is_known(const struct thread *thread, uint64_t when)
{
    size_t n = thread->n;
    while (n > thread->first && thread->changes[n - 1].when > when)
        n--;
    return (n > thread->first ? thread->changes[n - 1].aux : thread->taken_state) != RV_THREAD_UNKNOWN;
}

/* The thread's state is not known from then on; where later states were taken, from those. */
static void forget_state(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading,
                         struct rv_event at)
{
    if (!is_known(thread, at.when))
        return;
    at.aux = RV_THREAD_UNKNOWN;
    if (rv_event_ticks(&at) < thread->taken_ticks)
        at.when = when_of(thread->taken_ticks);
    insert(switches, thread, reading, at);
}

static bool is_in(const struct loss *loss, uint64_t ticks)
{
    return ticks >= loss->from && ticks < loss->to;
}

/* Overlapping losses, of several buffers, are one. */
static void join_loss(struct loss *into, const struct loss *loss)
{
    const bool goes_on = loss->from < into->to && loss->to > into->from;
    into->from = goes_on && into->from < loss->from ? into->from : loss->from;
    into->to = goes_on && into->to > loss->to ? into->to : loss->to;
}

/* The one that has the number at this time. */
static struct thread *thread_at(struct rv_context_switches *switches, uint32_t pid, uint32_t tid, uint64_t mono_ns)
{
    struct thread *thread = need_thread(switches, tid);
    if (thread->ended_ns && !thread->owner && mono_ns > thread->ended_ns) {
        end_thread(switches, thread);
        thread = need_thread(switches, tid);
    }
    thread->pid = pid;
    return thread;
}

/* The one at this place, if the switch is its own. */
static struct thread *thread_of(const struct rv_context_switches *switches, size_t idx,
                                const struct rv_perf_record *record)
{
    if (idx >= switches->n_threads)
        return NULL;
    struct thread *thread = &switches->threads[idx];
    return thread->tid == record->tid && thread->pid == record->pid && !thread->ended_ns ? thread : NULL;
}

/* The thread that gets a CPU after the one at `before`: often the same as the last time. */
static struct thread *thread_after(struct rv_context_switches *switches, size_t before,
                                   const struct rv_perf_record *record)
{
    const bool has_before = before < switches->n_threads;
    struct thread *next = has_before ? thread_of(switches, switches->threads[before].next, record) : NULL;
    if (next)
        return next;
    next = thread_at(switches, record->pid, record->tid, record->mono_ns);
    if (before < switches->n_threads)
        switches->threads[before].next = (uint32_t)(next - switches->threads);
    return next;
}

/* The thread of a switch, which is often that of the switch before on its CPU. */
static struct thread *thread_on(struct rv_context_switches *switches, const struct rv_perf_record *record)
{
    size_t *const idx = &switches->last_threads[record->buffer];
    struct thread *thread = thread_of(switches, *idx, record);
    if (thread)
        return thread;
    thread = thread_after(switches, *idx, record);
    *idx = (size_t)(thread - switches->threads);
    return thread;
}

static void add_change(struct rv_context_switches *switches, struct thread *thread, const struct reading *reading,
                       uint64_t mono_ns, struct rv_event change)
{
    const uint64_t ticks = rv_event_ticks(&change);
    if (is_in(&switches->lost, ticks))
        change.aux = RV_THREAD_UNKNOWN;
    follow_state(thread, mono_ns, (uint8_t)change.aux);
    if (ticks >= thread->taken_ticks) {
        insert(switches, thread, reading, change);
        return;
    }
    switches->n_lost++;
    forget_state(switches, thread, reading, change);
}

static void forget_changes(const struct rv_context_switches *switches, struct thread *thread)
{
    for (size_t i = thread->first; i < thread->n; i++)
        if (thread->changes[i].aux != RV_CONTEXT_SWITCHES_WAKE &&
            is_in(&switches->lost, rv_event_ticks(&thread->changes[i])))
            thread->changes[i].aux = RV_THREAD_UNKNOWN;
}

/* Records of the CPU after the last one are missing, of any thread. */
static void note_loss(struct rv_context_switches *switches, const struct rv_perf_record *record,
                      const struct reading *reading)
{
    const struct loss loss = {ticks_at(reading, record->from_ns), ticks_at(reading, record->mono_ns)};
    switches->n_lost += record->n_lost;
    join_loss(&switches->lost, &loss);
    for (size_t i = 0; i < switches->n_threads; i++) {
        struct thread *thread = &switches->threads[i];
        if (thread->tid) {
            forget_state(switches, thread, reading,
                         (struct rv_event){.when = when_of(loss.from), .frame = record->cpu});
            follow_state(thread, record->from_ns, RV_THREAD_UNKNOWN);
        }
        forget_changes(switches, thread);
    }
}

static void read_end(struct rv_context_switches *switches, const struct rv_perf_record *record)
{
    struct thread *thread = find_thread(switches, record->tid);
    if (!thread)
        return;
    follow_state(thread, record->mono_ns, RV_THREAD_UNKNOWN);
    thread->ended_ns = thread->last_ns;
    if (thread->was_claimed && !thread->owner)
        end_thread(switches, thread);
}

/* It has the name of the thread that created it. */
static void read_begin(struct rv_context_switches *switches, const struct rv_perf_record *record)
{
    struct thread *thread = thread_at(switches, record->pid, record->tid, record->mono_ns);
    const struct thread *parent = find_thread(switches, record->parent_tid);
    if (parent)
        memcpy(thread->name, parent->name, sizeof thread->name);
}

static void read_name(struct rv_context_switches *switches, const struct rv_perf_record *record,
                      const struct reading *reading)
{
    struct thread *thread = thread_at(switches, record->pid, record->tid, record->mono_ns);
    memcpy(thread->name, record->name, sizeof thread->name);
    const uint64_t ticks = ticks_at(reading, record->mono_ns);
    if (!record->is_exec || (thread->owner && thread->born_ticks > ticks))
        return;
    thread->exec_ticks = ticks;
    if (thread->was_claimed) { /* it is another one, should nobody claim that */
        thread->did = (struct rv_silent_times){0};
        thread->first_ns = record->mono_ns;
    }
}

static struct rv_event change_of(const struct rv_perf_record *record, const struct reading *reading)
{
    return (struct rv_event){
        .when = when_of(ticks_at(reading, record->mono_ns)), .aux = (uint16_t)record->state, .frame = record->cpu};
}

static void read_switch(struct rv_context_switches *switches, const struct rv_perf_record *record,
                        const struct reading *reading)
{
    add_change(switches, thread_on(switches, record), reading, record->mono_ns, change_of(record, reading));
}

/* Of a thread that is found so: that is no switch. */
static void read_blocked(struct rv_context_switches *switches, const struct rv_perf_record *record,
                         const struct reading *reading)
{
    struct thread *thread = thread_at(switches, record->pid, record->tid, record->mono_ns);
    if (thread->last_ns)
        return;
    thread->first_ns = thread->last_ns = record->mono_ns;
    thread->last_state = (uint8_t)record->state;
    insert(switches, thread, reading, change_of(record, reading));
}

/* ---- wakes ---- */

static uint32_t waker_id(uint32_t tid, enum rv_wake wake)
{
    return tid | (uint32_t)wake << RV_EVENT_WAKE_SHIFT;
}

/* The number of the thread that woke; of one that has ended so far that it has none any more, its process's. UINT32_MAX:
 * that has none either. */
static uint32_t waker_tid(const struct rv_perf_record *record)
{
    const uint32_t tid = record->waker_tid < RV_WIRE_FIRST_TID ? record->waker_tid : record->waker_pid;
    return tid < RV_WIRE_FIRST_TID ? tid : UINT32_MAX;
}

/* Has this thread woken another? It may have ended just before: the kernel tells the end of a thread before that wakes its
 * parent, and the last thread of a process may have the number of the first. A second later it is another's. */
static bool is_waker(const struct thread *thread, const struct rv_perf_record *record)
{
    return (!thread->pid || thread->pid == record->waker_pid) &&
           (!thread->ended_ns || record->waker_tid != thread->tid || record->mono_ns < thread->ended_ns + STRANGER_NS);
}

/* As a WOKEN has it. What a softirq does may be for the thread that it runs in, such as one that sends to a socket of this
 * host, or for another. */
static uint32_t find_waker(struct rv_context_switches *switches, const struct rv_perf_record *record)
{
    const enum rv_wake wake = record->context == RV_WAKING_IN_SOFTIRQ ? RV_WAKE_LIKELY : RV_WAKE_EXACT;
    const uint32_t tid = waker_tid(record);
    if (record->context == RV_WAKING_IN_INTERRUPT || !tid)
        return RV_KERNEL_WAKES_INTERRUPT;
    if (tid == UINT32_MAX)
        return waker_id(0, RV_WAKE_UNKNOWN);
    const struct thread *thread = find_thread(switches, tid);
    const bool is_inside = thread && is_waker(thread, record);
    if (!is_inside || !thread->owner)
        rv_outside_wakers_see(&switches->wakers, record->waker_pid, tid);
    return waker_id(is_inside ? tid : RV_WIRE_OUTSIDE | tid, wake);
}

static void read_wake(struct rv_context_switches *switches, const struct rv_perf_record *record,
                      const struct reading *reading)
{
    struct thread *thread = find_thread(switches, record->tid);
    if (!thread || thread->ended_ns || record->waker_tid == record->tid)
        return;
    const uint64_t ticks = ticks_at(reading, record->mono_ns);
    if (ticks >= thread->taken_ticks)
        insert(switches, thread, reading,
               (struct rv_event){.when = when_of(ticks),
                                 .aux = RV_CONTEXT_SWITCHES_WAKE,
                                 .id = is_in(&switches->wakes_lost, ticks) ? 0 : find_waker(switches, record)});
}

/* Of a wait in this time another wake than those that are known may have been the last. */
static void note_lost_wakes(struct rv_context_switches *switches, const struct rv_perf_record *record,
                            const struct reading *reading)
{
    const struct loss loss = {ticks_at(reading, record->from_ns), ticks_at(reading, record->mono_ns)};
    join_loss(&switches->wakes_lost, &loss);
    for (size_t i = 0; i < switches->n_threads; i++) {
        struct thread *thread = &switches->threads[i];
        if (!thread->tid)
            continue;
        for (size_t k = thread->first; k < thread->n; k++)
            if (thread->changes[k].aux == RV_CONTEXT_SWITCHES_WAKE && is_in(&loss, rv_event_ticks(&thread->changes[k])))
                thread->changes[k].id = 0;
        insert(switches, thread, reading,
               (struct rv_event){.when = when_of(loss.from), .aux = RV_CONTEXT_SWITCHES_WAKE});
    }
}

void rv_context_switches_tell_wakers(struct rv_context_switches *switches, const struct rv_intake *intake)
{
    rv_outside_wakers_tell(&switches->wakers, intake);
}

static void read_record(struct rv_context_switches *switches, const struct rv_perf_record *record,
                        const struct reading *reading)
{
    switch (record->kind) {
    case RV_PERF_SWITCH:
        read_switch(switches, record, reading);
        break;
    case RV_PERF_BEGIN:
        read_begin(switches, record);
        break;
    case RV_PERF_END:
        read_end(switches, record);
        break;
    case RV_PERF_NAME:
        read_name(switches, record, reading);
        break;
    case RV_PERF_LOSS:
        note_loss(switches, record, reading);
        break;
    case RV_PERF_WAKE:
        read_wake(switches, record, reading);
        break;
    case RV_PERF_WAKES_LOSS:
        note_lost_wakes(switches, record, reading);
        break;
    }
}

unsigned rv_context_switches_percent_full(const struct rv_context_switches *switches)
{
    return rv_perf_buffers_percent_full(switches->buffers);
}

uint64_t rv_context_switches_read(struct rv_context_switches *switches, const struct rv_clock *clock)
{
    struct rv_perf_record record = {.n_lost = 0};
    rv_perf_buffers_open_some(switches->buffers);
    const struct reading reading = begin_reading(switches, clock);
    while (rv_perf_buffers_take_blocked(switches->buffers, &record))
        read_blocked(switches, &record, &reading);
    rv_perf_buffers_begin(switches->buffers, reading.now.mono_ns);
    while (rv_perf_buffers_next(switches->buffers, &record))
        read_record(switches, &record, &reading);
    return reading.now.ticks;
}

/* A thread that leaves the CPU, and had left it. */
static bool is_told(const struct thread *thread, const struct rv_event *change)
{
    if (change->aux == RV_CONTEXT_SWITCHES_WAKE)
        return false;
    if (change->aux == RV_THREAD_UNKNOWN || thread->taken_state == RV_THREAD_UNKNOWN)
        return thread->taken_ticks && change->aux == thread->taken_state;
    return thread->taken_ticks && (change->aux == RV_THREAD_RUNNING) == (thread->taken_state == RV_THREAD_RUNNING);
}

static bool is_of_next_program(const struct thread *thread, const struct rv_event *change)
{
    return thread->was_claimed && thread->exec_ticks && rv_event_ticks(change) >= thread->exec_ticks;
}

size_t rv_context_switches_take(struct rv_context_switches *switches, uint32_t tid, uint32_t owner, uint64_t until,
                                struct rv_event *out, size_t max)
{
    struct thread *thread = find_thread(switches, tid);
    size_t n = 0;
    if (!thread || thread->owner != owner)
        return 0;
    for (; thread->first < thread->n && n < max; thread->first++) {
        const struct rv_event *change = &thread->changes[thread->first];
        if (rv_event_ticks(change) > until || is_of_next_program(thread, change))
            break;
        if (is_told(thread, change))
            continue;
        out[n++] = *change;
        if (change->aux == RV_CONTEXT_SWITCHES_WAKE)
            continue;
        thread->taken_ticks = rv_event_ticks(change);
        thread->taken_state = (uint8_t)change->aux;
    }
    return n;
}

uint64_t rv_context_switches_n_lost(const struct rv_context_switches *switches)
{
    return switches->n_lost;
}

void rv_context_switches_silent(const struct rv_context_switches *switches, struct rv_silent_threads *silent)
{
    const uint64_t until_ns = rv_clock_later_ns(rv_perf_buffers_last_ns(switches->buffers), switches->read_ns);
    rv_silent_threads_merge(silent, &switches->silent);
    for (size_t i = 0; i < switches->n_threads; i++)
        add_silent(silent, &switches->threads[i], until_ns);
}

#include "source/silent_streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ring/ownership.h"
#include "ring/ring.h"
#include "source/blocking_syscall.h"
#include "source/kernel_wakes.h"
#include "source/normalize.h"

static const uint64_t SILENT_NS = 500000000, LOOK_NS = 100000000;
/* A thread that is blocked for so long is asked what it waits in, */
static const uint64_t ASKED_NS = 10000000;
enum {
    MOST_ASKED = 32, /* so many in a turn: each takes some 5 us */
    MOST_STREAMS = 256, /* open at once; more threads are in reports only */
    MOST_EVENTS = 4     /* of a switch and the wait that it ends */
};
/* Owner of all of them: rings have small numbers. */
static const uint32_t OWNER = UINT32_MAX;

struct rv_silent_stream {
    uint32_t tid;
    void *stream; /* the pipeline's handle */
    struct rv_normalizer normalizer;
    uint64_t n_events;
    struct rv_kernel_wakes wakes;
    struct blocked {
        uint64_t since;                /* ticks; 0: it is not */
        uint64_t asked;                /* ticks at which that was known: it counts if no switch came before; 0: not asked */
        bool is_known, is_told;        /* in what; there is a wait for it that has not ended */
        struct rv_blocking_syscall in; /* if it is known */
    } blocked;
};

void rv_silent_streams_fini(struct rv_silent_streams *streams)
{
    free(streams->all);
}

/* Its process's last image in the trace file; NULL: it is not traced. */
static const struct rv_wire_process *find_process(const struct rv_map *map, uint32_t pid, uint32_t *idx)
{
    for (*idx = rv_ownership_n_processes(map); (*idx)-- > 0;) {
        const struct rv_wire_process *process = rv_map_process(map, *idx);
        if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == RV_PROCESS_LIVE && process->pid == pid) /* D2 <- D1 */
            return process;
    }
    return NULL;
}

static void open_stream(struct rv_silent_streams *streams, const struct rv_unclaimed_thread *thread,
                        const struct rv_intake *intake)
{
    uint32_t process_idx;
    const struct rv_wire_process *process = find_process(streams->map, thread->pid, &process_idx);
    if (!process)
        return;
    char process_name[4 * sizeof process->name], thread_name[64];
    rv_text_escape(process_name, sizeof process_name, process->name, strnlen(process->name, sizeof process->name));
    rv_text_escape(thread_name, sizeof thread_name, thread->name, strlen(thread->name));
    const struct rv_clock *clock = &streams->map->clock;
    const uint64_t born_ns = rv_normalize_time(clock, thread->since);
    streams->all = rv_vec_reserve(streams->all, &streams->capacity, streams->n + 1, sizeof *streams->all);
    streams->all[streams->n++] = (struct rv_silent_stream){
        .tid = thread->tid,
        .normalizer = {.clock = clock,
                       .symbolizer = streams->symbolizer,
                       .process = rv_symbolizer_process(streams->symbolizer, process_idx),
                       .process_idx = process_idx,
                       .last_ns = born_ns},
        .stream = intake->open_stream(intake->context, &(struct rv_stream_info){.pid = thread->pid,
                                                                                .parent_pid = process->parent_pid,
                                                                                .tid = thread->tid,
                                                                                .process_key = process_idx,
                                                                                .process_name = process_name,
                                                                                .thread_name = thread_name,
                                                                                .born_ns = born_ns,
                                                                                .instrumentation =
                                                                                    process->instrumentation})};
    rv_context_switches_show(streams->switches, thread->tid, OWNER);
}

static void open_streams(struct rv_silent_streams *streams, const struct rv_intake *intake)
{
    const uint64_t before_ns = rv_clock_mono_ns() - SILENT_NS;
    struct rv_unclaimed_thread thread;
    for (size_t at = 0; streams->n < MOST_STREAMS &&
                        rv_context_switches_next_unclaimed(streams->switches, &at, before_ns, &thread);)
        open_stream(streams, &thread, intake);
}

static struct rv_batch *wait_for_batch(const struct rv_silent_streams *streams, const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        rv_ring_turn_done(streams->map->header);
    return batch;
}

static void hand_over(const struct rv_silent_streams *streams, struct rv_silent_stream *silent,
                      const struct rv_event *events, size_t n, const struct rv_intake *intake)
{
    silent->n_events += n;
    for (size_t n_done = 0; n_done < n;) {
        struct rv_batch *batch = wait_for_batch(streams, intake);
        n_done += rv_normalize(&silent->normalizer, batch, events + n_done, (uint32_t)(n - n_done));
        batch->stream = silent->stream;
        intake->submit_batch(intake->context, batch);
    }
}

/* ---- what it is blocked in ---- */

static struct rv_event event_at(enum rv_event_kind kind, uint64_t ticks, uint64_t word)
{
    struct rv_event event;
    const uint64_t words[] = {(uint64_t)kind << RV_EVENT_KIND_SHIFT | ticks, word};
    memcpy(&event, words, sizeof event);
    return event;
}

/* The wait, from before these ticks on, if it is known. Returns the number of events. */
static size_t tell_begin(struct rv_silent_stream *silent, uint64_t until, struct rv_event *out)
{
    struct blocked *blocked = &silent->blocked;
    if (!blocked->is_known || blocked->is_told || blocked->asked >= until)
        return 0;
    blocked->is_told = true;
    out[0] = event_at(RV_EVENT_WAIT, blocked->asked, rv_event_word_at(blocked->in.object, (uint16_t)blocked->in.kind));
    out[1] = event_at(RV_EVENT_WOKEN, blocked->asked, rv_event_word_since_begin(blocked->asked - blocked->since));
    rv_kernel_wakes_follow(&silent->wakes, &out[0]);
    rv_kernel_wakes_follow(&silent->wakes, &out[1]);
    return 2;
}

static void tell_end(struct rv_silent_stream *silent, uint64_t ticks, struct rv_event *out)
{
    *out = event_at(RV_EVENT_WOKEN, ticks, rv_event_word_woken_by_none());
    rv_kernel_wakes_follow(&silent->wakes, out);
}

/* A switch, or a wake, which ends a wait when the thread runs. */
static size_t tell_switch(struct rv_silent_stream *silent, const struct rv_event *event, struct rv_event *out)
{
    struct blocked *blocked = &silent->blocked;
    const uint64_t ticks = rv_event_ticks(event);
    if (event->aux == RV_CONTEXT_SWITCHES_WAKE) {
        rv_kernel_wakes_add(&silent->wakes, event);
        return 0;
    }
    size_t n = tell_begin(silent, ticks, out);
    out[n++] = *event;
    if (blocked->is_told)
        tell_end(silent, ticks, &out[n++]);
    *blocked = (struct blocked){.since = event->aux == RV_THREAD_BLOCKED ? ticks : 0};
    return n;
}

/* Returns whether it was asked. */
static bool ask(const struct rv_silent_streams *streams, struct rv_silent_stream *silent, uint64_t now_ns)
{
    struct blocked *blocked = &silent->blocked;
    const struct rv_clock *clock = &streams->map->clock;
    if (!blocked->since || blocked->asked || rv_normalize_time(clock, blocked->since) + ASKED_NS > now_ns)
        return false;
    blocked->is_known = rv_blocking_syscall_find((pid_t)silent->tid, &blocked->in);
    blocked->asked = rv_clock_ticks(clock->kind);
    return true;
}

static void ask_all(const struct rv_silent_streams *streams, uint64_t now_ns)
{
    for (size_t i = 0, n = 0; i < streams->n && n < MOST_ASKED; i++)
        n += ask(streams, &streams->all[i], now_ns);
}

/* ---- turns ---- */

/* Until its thread has another owner: then none comes. */
static void send(const struct rv_silent_streams *streams, struct rv_silent_stream *silent, uint64_t until,
                 const struct rv_intake *intake)
{
    enum { AT_ONCE = 256 };
    struct rv_event taken[AT_ONCE], events[MOST_EVENTS * AT_ONCE + MOST_EVENTS];
    size_t n_taken;
    do {
        size_t n = 0;
        n_taken = rv_context_switches_take(streams->switches, silent->tid, OWNER, until, taken, AT_ONCE);
        for (size_t i = 0; i < n_taken; i++)
            n += tell_switch(silent, &taken[i], events + n);
        if (n_taken < AT_ONCE)
            n += tell_begin(silent, until, events + n);
        hand_over(streams, silent, events, n, intake);
    } while (n_taken == AT_ONCE);
}

static void close_stream(const struct rv_silent_stream *silent, uint64_t end_ns, const struct rv_intake *intake)
{
    const uint64_t last_ns = silent->normalizer.last_ns;
    intake->account_stream(intake->context, silent->stream,
                           &(struct rv_stream_account){silent->n_events, silent->n_events, 0});
    intake->close_stream(intake->context, silent->stream, end_ns > last_ns ? end_ns : last_ns);
}

void rv_silent_streams_turn(struct rv_silent_streams *streams, uint64_t until, const struct rv_intake *intake)
{
    const uint64_t now_ns = rv_clock_mono_ns();
    size_t n_left = 0;
    if (!streams->switches)
        return;
    for (size_t i = 0; i < streams->n; i++) {
        struct rv_silent_stream *silent = &streams->all[i];
        const bool goes_on = rv_context_switches_runs(streams->switches, silent->tid, OWNER);
        send(streams, silent, until, intake);
        if (goes_on) {
            streams->all[n_left++] = *silent;
            continue;
        }
        const uint64_t end_ns = rv_context_switches_end_ns(streams->switches, silent->tid, OWNER);
        rv_context_switches_forget(streams->switches, silent->tid, OWNER);
        close_stream(silent, end_ns, intake);
    }
    streams->n = n_left;
    ask_all(streams, now_ns);
    if (now_ns - streams->looked_ns < LOOK_NS)
        return;
    streams->looked_ns = now_ns;
    open_streams(streams, intake);
}

void rv_silent_streams_end(struct rv_silent_streams *streams, uint64_t now, const struct rv_intake *intake)
{
    for (size_t i = 0; i < streams->n; i++) {
        struct rv_silent_stream *silent = &streams->all[i];
        send(streams, silent, UINT64_MAX, intake);
        const bool goes_on = rv_context_switches_runs(streams->switches, silent->tid, OWNER);
        close_stream(silent,
                     goes_on ? rv_normalize_time(&streams->map->clock, now)
                             : rv_context_switches_end_ns(streams->switches, silent->tid, OWNER),
                     intake);
    }
    streams->n = 0;
}

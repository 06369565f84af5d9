/*
 * The drain. Each turn visits every ring: a new generation opens a stream, waiting events are sent in batches, and a
 * ring whose owner was gone before its last pop is closed and freed. Liveness is always checked before that pop; an
 * owner that dies after the check is found by the next turn.
 *
 * Traced programs can overwrite anything in the file. So whether a stream continues is decided by state outside the
 * file: the streams that are open here, the tail of each ring, and the kernel's locks. Words in the file that
 * contradict it are repaired, so that neither side waits for the other.
 */
#include "source/live_drain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/full_name.h"
#include "base/os.h"
#include "base/units.h"
#include "base/text.h"
#include "base/vec.h"
#include "flow/not_traced.h"
#include "ring/backing.h"
#include "ring/names.h"
#include "ring/liveness.h"
#include "ring/ownership.h"
#include "ring/ring.h"
#include "source/arguments.h"
#include "source/capture_control.h"
#include "source/max_overhead.h"
#include "source/module_watch.h"
#include "source/normalize.h"
#include "source/context_switches.h"
#include "source/ticker.h"

enum {
    MOST_CHOICES = 1024,
    POPPED_EVENTS =
        4096, /* at once: a batch takes several such pieces, each of which stays in the second-level cache */
    /* A ring this full at a turn is drained again before the nap ends. */
    BUSY_SHARE = 4,
    /* Naps become longer after this many turns without an event. */
    IDLE_TURNS = 25,
    /* Rings are ready for so many more threads: half as many as have one, within these bounds. */
    LEAST_READY = 8,
    MOST_READY = 256,
};
static const uint64_t DEFAULT_INTERVAL_NS = 2000000;
static const uint64_t LIVENESS_INTERVAL_NS = 20000000;
/* The first event after a pause must appear within 5 ms; a new ring's first event wakes us. */
static const uint64_t IDLE_NAP_NS = 4500000;
static const uint64_t EMPTY_NAP_NS = 10000000;
static const uint64_t LOSS_INTERVAL_NS = 1000000000;

struct live_ring {
    struct rv_ring ring;
    struct rv_texts texts;
    struct rv_arguments_place arguments_place;
    uint64_t text_head; /* at the visit before */
    struct rv_normalizer normalizer;
    void *stream;        /* the pipeline's handle; NULL when none is open */
    uint32_t generation; /* of the claim that `stream` belongs or belonged to */
    uint32_t tid;
    uint32_t name_seen; /* control.name_is_set at the name last reported */
    uint64_t n_dropped_said;
    struct rv_stream_account account; /* as last reported */
    bool is_owner_gone;               /* at this turn's check */
    uint64_t n_lost_ahead;            /* overwritten events to be reported before the next one */
    uint64_t n_added;                 /* events of context switches and marks of choices, which are not the ring's */
    bool has_called;                  /* switches before the thread's first event are not shown */
    bool is_damage_said;
};

struct live {
    struct rv_source source; /* first: a live is its source */
    struct rv_map *map;
    struct rv_live_drain_params params;
    struct rv_symbolizer *symbolizer;
    struct rv_name_map names;
    struct rv_module_watch modules;
    struct live_ring *rings;
    uint64_t *has_live_owner;       /* a bit per ring, at this turn's check; the others are checked one by one */
    struct rv_arguments *arguments; /* or NULL */
    struct rv_event *popped;
    struct rv_event *switches; /* of a thread */
    size_t switches_capacity;
    struct rv_ticker *ticker; /* clock TICK only */
    struct rv_capture_control capture;
    struct rv_max_overhead *overhead;                    /* or NULL */
    struct rv_max_overhead_choice choices[MOST_CHOICES]; /* its choices that no lane could show yet */
    size_t n_choices;
    uint64_t n_published;     /* number of verdicts, at the turn before */
    uint64_t n_switches_told; /* number of lost switches, as reported in events */
    uint64_t last_liveness_ns, last_loss_ns;
    uint64_t turn_ticks;   /* at this turn's begin */
    uint32_t n_new_rings;  /* the header's count, at this turn's begin */
    uint32_t n_rings_used; /* greatest value seen; never falls */
    uint32_t n_prepared;   /* rings prepared; all, once that has failed */
    size_t n_streams;      /* open now */
    uint64_t n_idle_turns; /* turns without an event in a row */
    bool has_had_stream, is_busy, is_ending, is_loss_turn, is_damage_said;
    /* naming thread */
    uint32_t n_named;
    uint32_t *unnamed; /* ids whose module was not known yet */
    size_t n_unnamed, unnamed_capacity;
};

static bool is_stopped(const struct live *live)
{
    return __atomic_load_n(&live->map->header->state, __ATOMIC_RELAXED) == RV_FILE_STOPPED;
}

static bool is_read_at_end(const struct live *live)
{
    return live->map->geometry.policy == RV_POLICY_RING;
}

/* ---- context switches ---- */

static uint32_t owner_of(const struct live *live, const struct live_ring *slot)
{
    return (uint32_t)(slot - live->rings) + 1;
}

/* Switches that were lost are counted by the next one that was not, of any thread: a recording has their number, too. */
static void tell_losses(struct live *live, struct rv_event *next)
{
    const uint64_t n_new = rv_context_switches_n_lost(live->params.switches) - live->n_switches_told;
    next->id = n_new < UINT32_MAX ? (uint32_t)n_new : UINT32_MAX;
    live->n_switches_told += next->id;
}

/* Take the thread's switches until these ticks into live->switches. Returns their number. */
static size_t take_switches(struct live *live, struct live_ring *slot, uint64_t until)
{
    enum { STEP = 64 };
    size_t n = 0, n_taken;
    do {
        live->switches = rv_vec_reserve(live->switches, &live->switches_capacity, n + STEP, sizeof *live->switches);
        n_taken = rv_context_switches_take(live->params.switches, slot->tid, owner_of(live, slot), until,
                                           live->switches + n, STEP);
        n += n_taken;
    } while (n_taken == STEP);
    slot->n_added += n;
    return n;
}

/* ---- streams ---- */

static void open_stream(struct live *live, struct live_ring *slot, uint32_t ring_idx, const struct rv_intake *intake)
{
    const struct rv_wire_control *control = slot->ring.control;
    uint32_t process_idx = control->process < live->map->geometry.n_processes ? control->process : 0;
    const struct rv_wire_process *process = rv_map_process(live->map, process_idx);
    char process_name[4 * sizeof process->name], thread_name[64];
    rv_text_escape(process_name, sizeof process_name, process->name, strnlen(process->name, sizeof process->name));
    slot->name_seen = __atomic_load_n(&control->name_is_set, __ATOMIC_RELAXED);
    rv_ownership_thread_name(live->map, ring_idx, thread_name);

    rv_ring_view(&slot->ring, live->map, ring_idx);
    rv_texts_view(&slot->texts, &slot->ring);
    slot->arguments_place = (struct rv_arguments_place){0};
    slot->text_head = slot->texts.tail;
    slot->generation = control->generation;
    slot->tid = control->owner_tid;
    slot->n_lost_ahead = slot->n_dropped_said = slot->n_added = 0;
    slot->account = (struct rv_stream_account){0};
    slot->normalizer = (struct rv_normalizer){
        .clock = &live->map->clock,
        .symbolizer = live->symbolizer,
        .process = rv_symbolizer_process(live->symbolizer, process_idx),
        .names = &live->names,
        .filter = live->capture.filter,
        .publisher = live->capture.publisher,
        .process_idx = process_idx,
        .has_texts = live->arguments != NULL,
        .last_ns = rv_normalize_time(&live->map->clock, control->born_ticks),
        .n_late = slot->normalizer.n_late,
    };
    slot->has_called = false;
    if (live->params.switches)
        rv_context_switches_claim(live->params.switches, slot->tid, owner_of(live, slot));
    slot->stream = intake->open_stream(intake->context, &(struct rv_stream_info){
                                                            .pid = control->owner_pid,
                                                            .parent_pid = process->parent_pid,
                                                            .tid = control->owner_tid,
                                                            .process_key = process_idx,
                                                            .process_name = process_name,
                                                            .thread_name = thread_name,
                                                            .born_ns = slot->normalizer.last_ns,
                                                            .ring = ring_idx,
                                                            .instrumentation = process->instrumentation,
                                                        });
    live->n_streams++;
    live->has_had_stream = true;
}

/* Report the counts to the pipeline, and drops to the user, except under policy `ring`, which overwrites by design. */
static void account(struct live *live, struct live_ring *slot, uint32_t ring_idx, const struct rv_intake *intake)
{
    struct rv_ring_account now = slot->is_owner_gone ? rv_ring_last_account(&slot->ring) : rv_ring_account(&slot->ring);
    if (live->is_ending && rv_ring_n_waiting(&slot->ring) > 0) /* its owner keeps running without us */
        now.n_produced = now.n_consumed + now.n_dropped;
    const struct rv_stream_account account = {now.n_produced + slot->n_added, now.n_consumed + slot->n_added,
                                              now.n_dropped};
    if (memcmp(&account, &slot->account, sizeof account) != 0) /* of thousands of idle threads none takes a lock */
        intake->account_stream(intake->context, slot->stream, &account);
    slot->account = account;
    if (live->is_loss_turn && now.n_dropped > slot->n_dropped_said && !is_read_at_end(live)) {
        char name[64];
        rv_ownership_thread_name(live->map, ring_idx, name);
        rv_warn("%llu drops on ring %u (%s)", (unsigned long long)(now.n_dropped - slot->n_dropped_said), ring_idx,
                name);
        slot->n_dropped_said = now.n_dropped;
    }
}

/* When the ring's thread made its last call: tracing was stopped, or the thread ended. 0 while it goes on. */
static uint64_t ticks_at_end(const struct live_ring *slot)
{
    uint64_t stopped = __atomic_load_n(&slot->ring.control->closing_ticks, __ATOMIC_RELAXED);
    return stopped ? stopped : __atomic_load_n(&slot->ring.control->exited_ticks, __ATOMIC_RELAXED);
}

static void follow_name(struct live *live, struct live_ring *slot, uint32_t ring_idx, const struct rv_intake *intake)
{
    uint32_t seen = __atomic_load_n(&slot->ring.control->name_is_set, __ATOMIC_RELAXED);
    if (seen == slot->name_seen || (seen & 1))
        return;
    slot->name_seen = seen;
    char name[64];
    rv_ownership_thread_name(live->map, ring_idx, name);
    intake->rename_stream(intake->context, slot->stream, name);
}

/* ---- events ---- */

/* Acquire a batch; while waiting for the workers, keep the heartbeat moving. */
static struct rv_batch *wait_for_batch(struct live *live, const struct rv_intake *intake)
{
    struct rv_batch *batch;
    while (!(batch = intake->acquire_batch(intake->context)))
        rv_ring_turn_done(live->map->header);
    return batch;
}

static void submit(struct live *live, const struct live_ring *slot, struct rv_batch *batch,
                   const struct rv_intake *intake)
{
    batch->stream = slot->stream;
    intake->submit_batch(intake->context, batch);
    if (__atomic_load_n(&slot->ring.control->is_waiting, __ATOMIC_RELAXED))
        rv_ring_turn_done(live->map->header);
}

/* Returns the batch that begins with the loss. */
static struct rv_batch *append_loss(struct live *live, struct live_ring *slot, struct rv_batch *batch,
                                    const struct rv_intake *intake)
{
    uint32_t n = slot->n_lost_ahead > UINT32_MAX ? UINT32_MAX : (uint32_t)slot->n_lost_ahead;
    if (batch->n > 0) {
        submit(live, slot, batch, intake);
        batch = wait_for_batch(live, intake);
    }
    slot->n_lost_ahead -= n;
    rv_normalize_loss(&slot->normalizer, batch, n);
    return batch;
}

/* Returns the batch with the last ones, which is the next one where the first is full or covers too long a time. */
static struct rv_batch *append(struct live *live, struct live_ring *slot, struct rv_batch *batch,
                               const struct rv_event *events, size_t n, const struct rv_intake *intake)
{
    while (n > 0) {
        const uint32_t room = RV_BATCH_EVENTS - batch->n;
        const uint32_t n_done = rv_normalize(&slot->normalizer, batch, events, n < room ? (uint32_t)n : room);
        events += n_done;
        n -= n_done;
        if (n == 0)
            break;
        submit(live, slot, batch, intake);
        batch = wait_for_batch(live, intake);
    }
    return batch;
}

static void hand_over(struct live *live, struct live_ring *slot, const struct rv_event *events, size_t n,
                      const struct rv_intake *intake)
{
    submit(live, slot, append(live, slot, wait_for_batch(live, intake), events, n, intake), intake);
}

/* ---- ends ---- */

/* The call in which the thread has been killed, or still is, may have blocked: a wait without an end. What the thread has
 * called since, it called in a signal handler, or it has left the call by a jump. now: ticks. */
static bool send_open_wait(struct live *live, struct live_ring *slot, uint64_t now, const struct rv_intake *intake)
{
    const uint64_t word = __atomic_load_n(&slot->ring.control->blocking, __ATOMIC_RELAXED);
    const uint64_t began = word >> RV_BLOCKING_KIND_BITS, kind = word & RV_WAIT_KIND_MASK;
    if (!word || ticks_at_end(slot) || began > now || kind < RV_WAIT_SLEEP || kind >= RV_WAIT_KIND_COUNT ||
        rv_normalize_time(&live->map->clock, began) < slot->normalizer.last_call_ns)
        return false;
    const uint64_t words[][2] = {
        {(uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT | now, rv_event_word(0, (uint16_t)(kind | RV_WAIT_PAST), 0)},
        {(uint64_t)RV_EVENT_WOKEN << RV_EVENT_KIND_SHIFT | now, rv_event_word_since_begin(now - began)}};
    struct rv_event events[sizeof words / sizeof *words];
    memcpy(events, words, sizeof words);
    slot->n_added += sizeof words / sizeof *words;
    hand_over(live, slot, events, sizeof words / sizeof *words, intake);
    return true;
}

static void close_stream(struct live *live, struct live_ring *slot, uint32_t ring_idx, const struct rv_intake *intake)
{
    const uint64_t now = rv_clock_ticks(live->map->clock.kind);
    uint64_t end = ticks_at_end(slot);
    const bool is_in_call = send_open_wait(live, slot, now, intake);
    live->is_loss_turn = true;
    account(live, slot, ring_idx, intake);
    if (!end && (is_in_call || (live->is_ending && rv_ownership_has_live_owner(live->map, ring_idx))))
        end = now; /* its open calls last until now: it keeps running, or was killed a moment ago */
    uint64_t end_ns = rv_normalize_time(&live->map->clock, end), last_ns = slot->normalizer.last_ns;
    intake->close_stream(intake->context, slot->stream, end_ns > last_ns ? end_ns : last_ns);
    slot->stream = NULL;
    if (live->params.switches)
        rv_context_switches_forget(live->params.switches, slot->tid, owner_of(live, slot));
    live->n_streams--;
}

/* ---- context switches ---- */

static uint64_t last_ticks(const struct rv_event *events, size_t n)
{
    while (n-- > 0)
        if (rv_event_kind(&events[n]) != RV_EVENT_SYNC) /* describes the past */
            return rv_event_ticks(&events[n]);
    return 0;
}

/*
 * The thread's switches among its popped events. The kernel has written a switch before the thread makes its next event,
 * so all those before the last popped event are known; later ones, but until `until`, may precede events not popped yet.
 */
static size_t switches_among(struct live *live, struct live_ring *slot, size_t n_popped, uint64_t until)
{
    if (!live->params.switches || !n_popped)
        return 0;
    rv_context_switches_read(live->params.switches, &live->map->clock);
    if (!slot->has_called) {
        (void)take_switches(live, slot, rv_event_ticks(&live->popped[0]));
        slot->n_added = 0;
        slot->has_called = true;
    }
    const uint64_t last = last_ticks(live->popped, n_popped);
    const size_t n_switches = take_switches(live, slot, last > until ? last : until);
    if (n_switches)
        tell_losses(live, live->switches);
    return n_switches;
}

/* Append the popped events and the thread's switches, by time. Returns the batch with the last ones. */
static struct rv_batch *append_popped(struct live *live, struct live_ring *slot, struct rv_batch *batch,
                                      size_t n_popped, uint64_t until, const struct rv_intake *intake)
{
    const struct rv_event *event = live->popped, *end = event + n_popped;
    const size_t n_switches = switches_among(live, slot, n_popped, until);
    for (size_t i = 0; i < n_switches; i++) {
        const struct rv_event *begin = event, *next = &live->switches[i];
        while (event < end && (rv_event_ticks(event) < rv_event_ticks(next) || rv_event_kind(event) == RV_EVENT_SYNC))
            event++;
        batch = append(live, slot, batch, begin, (size_t)(event - begin), intake);
        batch = append(live, slot, batch, next, 1, intake);
    }
    return append(live, slot, batch, event, (size_t)(end - event), intake);
}

/* ---- overwritten words ---- */

/* Warn once. A truncated file reads as zeroes: that has its own warning. */
static bool is_damage_news(const struct live *live, bool *is_said)
{
    bool is_news = !*is_said && rv_map_is_whole(live->map);
    *is_said = true;
    return is_news;
}

static void warn_of_damage(const struct live *live, struct live_ring *slot, uint32_t ring_idx)
{
    if (!is_damage_news(live, &slot->is_damage_said))
        return;
    char name[64];
    rv_ownership_thread_name(live->map, ring_idx, name);
    rv_warn("ring %u (%s) was overwritten by a traced program: its events may be wrong", ring_idx, name);
}

/* A ring with an open stream is LIVE or EXITED. A ring without one is empty until it has a new owner. */
static bool has_wrong_state(const struct live_ring *slot)
{
    bool has_events = rv_ring_n_waiting(&slot->ring) > 0; /* read first: a claim is visible before its events */
    uint32_t state = __atomic_load_n(&slot->ring.control->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    bool is_claimed = state == RV_RING_LIVE || state == RV_RING_EXITED;
    if (slot->stream)
        return !is_claimed;
    return has_events && !(is_claimed && slot->generation != slot->ring.control->generation);
}

static void repair_state(struct live *live, struct live_ring *slot, uint32_t ring_idx)
{
    if (!has_wrong_state(slot))
        return;
    struct rv_wire_control *control = slot->ring.control;
    uint32_t generation = slot->stream ? slot->generation : control->generation + 1;
    if (!rv_ownership_revive(live->map, ring_idx, generation))
        return;
    if (!slot->stream)
        control->claim_head = slot->ring.tail; /* earlier events are already counted */
    warn_of_damage(live, slot, ring_idx);
}

/* Only a full ring under `fill` ends tracing, and stores its index. In any other invalid state producers are silent. */
static void repair_file_state(struct live *live)
{
    struct rv_wire_header *header = live->map->header;
    uint32_t state = __atomic_load_n(&header->state, __ATOMIC_ACQUIRE); /* S2 <- S1 */
    bool is_filled = live->map->geometry.policy == RV_POLICY_FILL && state == RV_FILE_STOPPED &&
                     __atomic_load_n(&header->stop_reason, __ATOMIC_RELAXED);
    if (state == RV_FILE_READY || is_filled)
        return;
    __atomic_store_n(&header->state, RV_FILE_READY, __ATOMIC_RELEASE); /* M1 -> M2 */
    if (is_damage_news(live, &live->is_damage_said))
        rv_warn("the trace file was overwritten by a traced program: events until now may be missing");
}

/* ---- turns ---- */

/* A text whose event was refused is never read. At the visit after that which has seen it, its event would have come. */
static void settle_texts(struct live_ring *slot)
{
    const uint64_t head = rv_texts_head(&slot->texts);
    const bool is_shortened = (int64_t)(head - slot->text_head) < 0;
    rv_texts_release(&slot->texts, is_shortened ? head : slot->text_head);
    slot->text_head = head;
}

/* The time up to which the thread's switches come before all events still to be popped; the ring was empty in this turn. */
static uint64_t switches_until(const struct live *live, const struct live_ring *slot)
{
    const uint64_t end = ticks_at_end(slot);
    return end && end < live->turn_ticks ? end : live->turn_ticks;
}

/* Drain the events that wait in one ring now; later ones are left for the next turn. is_last: there are none. */
static void drain_ring(struct live *live, struct live_ring *slot, bool is_last, const struct rv_intake *intake)
{
    uint64_t n_left = rv_ring_n_waiting(&slot->ring);
    live->is_busy |= n_left >= slot->ring.n_events / BUSY_SHARE;
    struct rv_batch *batch = n_left > 0 ? wait_for_batch(live, intake) : NULL;
    while (n_left > 0) {
        struct rv_ring_read read = rv_ring_pop(&slot->ring, live->popped, POPPED_EVENTS);
        /* A module is published before its first event, so the table now has the modules of all popped events. */
        rv_module_watch_refresh(&live->modules);
        slot->n_lost_ahead += read.n_overwritten;
        if (slot->n_lost_ahead)
            batch = append_loss(live, slot, batch, intake);
        rv_arguments_translate(live->arguments, &slot->texts, &slot->arguments_place, live->popped, read.n, intake);
        if (live->overhead)
            rv_max_overhead_count(live->overhead, (uint32_t)(slot - live->rings), slot->normalizer.process_idx,
                                  live->popped, read.n);
        n_left = read.n && read.n < n_left ? n_left - read.n : 0;
        const uint64_t until = is_last && n_left == 0 ? switches_until(live, slot) : 0;
        batch = append_popped(live, slot, batch, read.n, until, intake);
    }
    if (batch)
        submit(live, slot, batch, intake);
    settle_texts(slot);
}

/* The thread makes no calls now: hand its switches over. */
static void send_switches(struct live *live, struct live_ring *slot, const struct rv_intake *intake)
{
    const bool has_switches = live->params.switches && slot->has_called;
    size_t n = has_switches ? take_switches(live, slot, switches_until(live, slot)) : 0;
    if (!n)
        return;
    tell_losses(live, live->switches);
    hand_over(live, slot, live->switches, n, intake);
}

/* ---- what is captured ---- */

static void use_capture(struct live *live)
{
    for (uint32_t i = 0; i < live->n_rings_used; i++) {
        live->rings[i].normalizer.filter = live->capture.filter;
        live->rings[i].normalizer.publisher = live->capture.publisher;
    }
}

/* What a lane shows of it is the mark "not traced from here: NAME, 48.12 M calls/s", or "traced again from here: NAME". */
static void mark_choice(struct live *live, struct live_ring *slot, const struct rv_max_overhead_choice *choice,
                        uint32_t id, const struct rv_intake *intake)
{
    char full[512], rate[64], text[640];
    struct rv_symbolizer_name name;
    rv_symbolizer_name(live->symbolizer, id, &name);
    (void)rv_full_name(full, sizeof full, name.package, name.name, name.line_form);
    rv_units_format_rate(rate, sizeof rate, choice->calls_per_s, "calls");
    if (choice->is_back)
        snprintf(text, sizeof text, RV_TRACED_AGAIN "%s", full);
    else
        snprintf(text, sizeof text, RV_NOT_TRACED "%s, %s", full, rate);
    const uint32_t name_id = rv_names_intern(live->map, &(struct rv_name){RV_NAME_TEXT, "", text, "", 0});
    const struct rv_event mark = {.when = (uint64_t)RV_EVENT_MARK << RV_EVENT_KIND_SHIFT | choice->ticks,
                                  .id = name_id};
    if (!name_id)
        return;
    slot->n_added++;
    hand_over(live, slot, &mark, 1, intake);
}

static bool is_shown_by(const struct live_ring *slot, const struct rv_max_overhead_choice *choice)
{
    return slot->stream && slot->normalizer.process_idx == choice->process_idx;
}

/* Apply a choice of --max-overhead, and mark it in a lane: no function is left out without a mark. */
static void follow_choice(struct live *live, size_t i, struct live_ring *slot, const struct rv_intake *intake)
{
    struct rv_max_overhead_choice choice = live->choices[i];
    live->n_choices--;
    memmove(&live->choices[i], &live->choices[i + 1], (live->n_choices - i) * sizeof choice);
    choice.ticks = choice.is_back ? live->turn_ticks : choice.ticks;
    const uint32_t id = (choice.is_back ? rv_capture_control_let_in : rv_capture_control_leave_out)(
        &live->capture, choice.process_idx, choice.address, choice.ticks);
    if (id)
        mark_choice(live, slot, &choice, id, intake);
    use_capture(live);
}

/* Of a ring whose stream has just been opened. */
static void follow_late_choices(struct live *live, struct live_ring *slot, const struct rv_intake *intake)
{
    for (size_t i = 0; i < live->n_choices;)
        if (is_shown_by(slot, &live->choices[i]))
            follow_choice(live, i, slot, intake);
        else
            i++;
}

/* ---- rings ---- */

/* The next owner's events begin at another tail; until its claim is complete they must not look like events of nobody. */
static void reclaim_ring(struct live *live, uint32_t ring_idx)
{
    struct rv_ring *ring = &live->rings[ring_idx].ring;
    rv_ownership_reclaim(live->map, ring_idx);
    ring->tail = __atomic_load_n(&ring->control->tail, __ATOMIC_RELAXED);
}

/* A ring without an open stream: open one for a new owner, or free a dead owner's ring. */
static bool adopt_ring(struct live *live, uint32_t ring_idx, uint32_t state, bool owner_is_gone,
                       const struct rv_intake *intake)
{
    struct live_ring *slot = &live->rings[ring_idx];
    const struct rv_wire_control *control = slot->ring.control;
    bool is_news = slot->generation != control->generation && __atomic_load_n(&control->has_pages, __ATOMIC_RELAXED);
    if (state == RV_RING_CLAIMED || !is_news) {
        if (owner_is_gone)
            reclaim_ring(live, ring_idx);
        return false;
    }
    rv_module_watch_refresh(&live->modules);
    open_stream(live, slot, ring_idx, intake);
    follow_late_choices(live, slot, intake);
    return true;
}

static bool has_live_owner(const struct live *live, uint32_t ring_idx)
{
    return live->has_live_owner[ring_idx / 64] >> ring_idx % 64 & 1 || rv_ownership_has_live_owner(live->map, ring_idx);
}

/* Returns true when events moved. */
static bool visit_ring(struct live *live, uint32_t ring_idx, bool check_liveness, const struct rv_intake *intake)
{
    struct live_ring *slot = &live->rings[ring_idx];
    bool is_end = live->is_ending || is_stopped(live);
    if (check_liveness && !is_end)
        repair_state(live, slot, ring_idx);
    uint32_t state = __atomic_load_n(&slot->ring.control->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    if (state == RV_RING_FREE && !slot->stream)
        return false;
    bool owner_is_gone = state == RV_RING_EXITED || (check_liveness && !has_live_owner(live, ring_idx));
    slot->is_owner_gone = owner_is_gone;
    if (!slot->stream && !adopt_ring(live, ring_idx, state, owner_is_gone, intake))
        return false;
    if (rv_ring_settle(&slot->ring))
        warn_of_damage(live, slot, ring_idx);
    follow_name(live, slot, ring_idx, intake);
    bool is_last_turn = owner_is_gone || is_end;
    if (is_read_at_end(live) && !is_last_turn)
        return false;
    bool has_events = rv_ring_n_waiting(&slot->ring) > 0;
    drain_ring(live, slot, is_last_turn, intake);
    if ((!has_events && check_liveness) || is_last_turn)
        send_switches(live, slot, intake);
    if (check_liveness)
        account(live, slot, ring_idx, intake);
    if (is_last_turn && (live->is_ending || rv_ring_n_waiting(&slot->ring) == 0))
        close_stream(live, slot, ring_idx, intake);
    if (owner_is_gone && !slot->stream)
        reclaim_ring(live, ring_idx);
    return has_events;
}

static size_t n_words(const struct live *live)
{
    return (live->map->geometry.n_rings + 63) / 64;
}

static bool has_live_creator(const struct rv_map *map)
{
    uint64_t start = rv_os_process_start((pid_t)map->geometry.creator_pid);
    return start && start == map->geometry.creator_start;
}

/* One that has opened the file may not have called anything yet. */
static bool has_live_process(const struct rv_map *map)
{
    const uint32_t n = rv_ownership_n_processes(map);
    for (uint32_t i = 0; i < n; i++) {
        const struct rv_wire_process *process = rv_map_process(map, i);
        if (rv_liveness_is_running(process->pid, process->start))
            return true;
    }
    return false;
}

/* Wait for a file that nobody has used yet, as long as its creator lives, or a program that has opened it. */
static bool is_over(struct live *live)
{
    if (live->n_streams > 0)
        return false;
    if (live->is_ending || is_stopped(live))
        return true;
    if (live->params.is_over)
        return live->params.is_over(live->params.context);
    return live->has_had_stream || live->map->header->total_claims > 0 ||
           (!has_live_creator(live->map) && !has_live_process(live->map));
}

/* A ring that was never claimed has no page yet: reading it would give it one. */
static void look_at_rings(struct live *live, bool check_liveness)
{
    const uint32_t n_rings_used = rv_ownership_n_rings_used(live->map);
    for (; live->n_rings_used < n_rings_used; live->n_rings_used++)
        rv_ring_view(&live->rings[live->n_rings_used].ring, live->map, live->n_rings_used);
    if (!check_liveness)
        return;
    memset(live->has_live_owner, 0, n_words(live) * sizeof *live->has_live_owner);
    rv_ownership_find_live_owners(live->map, live->has_live_owner);
}

/* A thread that begins takes no page of the file then. */
static void prepare_rings(struct live *live)
{
    const uint32_t n_used = live->n_rings_used, n_more = n_used / 2;
    const uint32_t n_ready = n_used + (n_more < LEAST_READY ? LEAST_READY : n_more < MOST_READY ? n_more : MOST_READY);
    const uint32_t n_rings = live->map->geometry.n_rings, n = n_ready < n_rings ? n_ready : n_rings;
    for (; live->n_prepared < n; live->n_prepared++)
        if (live->n_prepared >= n_used && rv_backing_prepare(live->map, live->n_prepared) != 0)
            live->n_prepared = n_rings - 1;
}

/* ---- --max-overhead ---- */

/* The ring that has seen a choice's last call, or another one of its process; NULL: none of them is open now. */
static struct live_ring *find_shower(struct live *live, const struct rv_max_overhead_choice *choice)
{
    struct live_ring *slot = &live->rings[choice->ring_idx];
    for (uint32_t i = 0; i < live->n_rings_used && !is_shown_by(slot, choice); i++)
        slot = &live->rings[i];
    return is_shown_by(slot, choice) ? slot : NULL;
}

static void forget_choices_of_ended(struct live *live)
{
    size_t n_left = 0;
    for (size_t i = 0; i < live->n_choices; i++)
        if (__atomic_load_n(&rv_map_process(live->map, live->choices[i].process_idx)->state, __ATOMIC_RELAXED) ==
            RV_PROCESS_LIVE)
            live->choices[n_left++] = live->choices[i];
    live->n_choices = n_left;
}

/* A choice for whose process no ring is open now waits for the next one: threads may end sooner than we look. */
static void govern(struct live *live, const struct rv_intake *intake)
{
    if (!live->overhead)
        return;
    forget_choices_of_ended(live);
    const size_t n_late = live->n_choices;
    live->n_choices += rv_max_overhead_choose(live->overhead, live->choices + n_late, MOST_CHOICES - n_late);
    for (size_t i = n_late; i < live->n_choices;) {
        struct live_ring *slot = find_shower(live, &live->choices[i]);
        if (slot)
            follow_choice(live, i, slot, intake);
        else
            i++;
    }
}

static bool is_wanted(void *context, uint32_t process_idx, uint64_t address, uint64_t ticks)
{
    const struct live *live = context;
    const uint32_t id = rv_capture_control_id(&live->capture, process_idx, address, ticks);
    return rv_capture_filter_has(live->capture.filter, live->symbolizer, id);
}

static void change_capture(struct live *live)
{
    rv_capture_control_answer(&live->capture);
    use_capture(live);
    if (live->overhead && live->capture.filter)
        rv_max_overhead_heed(live->overhead, is_wanted, live);
}

/* Producers have more to follow than they have been told. */
static void tell_verdicts(struct live *live)
{
    const uint64_t n = live->capture.publisher ? rv_verdict_publisher_n(live->capture.publisher) : 0;
    if (n != live->n_published && live->params.on_verdicts)
        live->params.on_verdicts(live->params.context);
    live->n_published = n;
}

static enum rv_source_status poll_live(struct rv_source *source, const struct rv_intake *intake)
{
    struct live *live = (struct live *)source;
    uint64_t now = rv_clock_mono_ns();
    bool check_liveness = now - live->last_liveness_ns >= LIVENESS_INTERVAL_NS;
    if (check_liveness)
        live->last_liveness_ns = now;
    live->is_loss_turn = now - live->last_loss_ns >= LOSS_INTERVAL_NS;
    if (live->is_loss_turn)
        live->last_loss_ns = now;
    live->is_ending = intake->is_stopping(intake->context);
    live->turn_ticks = rv_clock_ticks(live->map->clock.kind);
    live->n_new_rings = __atomic_load_n(&live->map->header->n_new_rings, __ATOMIC_RELAXED);
    if (live->params.switches)
        rv_context_switches_read(live->params.switches, &live->map->clock);
    bool was_over = is_over(live);
    /* Answer a request when what was written before it has been read. */
    const bool is_capture_changing = rv_capture_control_is_asked(&live->capture);
    bool has_moved = false;
    live->is_busy = false;
    repair_file_state(live);
    rv_module_watch_refresh(&live->modules);
    check_liveness |= was_over;
    look_at_rings(live, check_liveness);
    prepare_rings(live);
    for (uint32_t i = 0; i < live->n_rings_used; i++)
        has_moved |= visit_ring(live, i, check_liveness, intake);
    rv_ring_turn_done(live->map->header);
    if (is_capture_changing)
        change_capture(live);
    govern(live, intake);
    tell_verdicts(live);
    if (was_over && is_over(live))
        return RV_SOURCE_ENDED;
    live->n_idle_turns = has_moved ? 0 : live->n_idle_turns + 1;
    return has_moved ? RV_SOURCE_MOVED : RV_SOURCE_IDLE;
}

/*
 * A producer wakes us when its ring fills up, and from a longer nap than usual for a new ring: thousands of threads that
 * start at once do not wake us thousands of times.
 */
static void nap_live(struct rv_source *source)
{
    struct live *live = (struct live *)source;
    struct rv_wire_header *header = live->map->header;
    uint64_t nap = live->params.interval_ns;
    if (live->is_busy)
        nap /= BUSY_SHARE;
    else if (live->n_idle_turns > IDLE_TURNS && nap < IDLE_NAP_NS)
        nap = live->n_streams ? IDLE_NAP_NS : EMPTY_NAP_NS;
    const uint32_t seen = __atomic_load_n(&header->consumer_wake, __ATOMIC_RELAXED);
    const bool is_long = nap > DEFAULT_INTERVAL_NS;
    __atomic_store_n(&header->consumer_is_asleep, 1 + is_long, __ATOMIC_SEQ_CST);                 /* W1 -> W2, */
    if (!is_long || __atomic_load_n(&header->n_new_rings, __ATOMIC_SEQ_CST) == live->n_new_rings) /* W3 -> W4 */
        rv_os_futex_wait(&header->consumer_wake, seen, nap);
    __atomic_store_n(&header->consumer_is_asleep, 0, __ATOMIC_RELAXED);
}

/* ---- names ---- */

static bool define(struct live *live, const struct rv_intake *intake, uint32_t id, bool is_final)
{
    struct rv_symbolizer_name name;
    int error = rv_symbolizer_name(live->symbolizer, id, &name);
    if (error && !is_final)
        return false;
    intake->define(intake->context, &(struct rv_definition){id, name.package, name.name, name.file, name.line_form}, 1);
    return true;
}

static void resolve_live(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    struct live *live = (struct live *)source;
    size_t n_left = 0;
    for (size_t i = 0; i < live->n_unnamed; i++)
        if (!define(live, intake, live->unnamed[i], is_final))
            live->unnamed[n_left++] = live->unnamed[i];
    live->n_unnamed = n_left;
    for (uint32_t n = rv_symbolizer_count(live->symbolizer); live->n_named < n; live->n_named++)
        if (!define(live, intake, live->n_named + 1, is_final)) {
            live->unnamed =
                rv_vec_reserve(live->unnamed, &live->unnamed_capacity, live->n_unnamed + 1, sizeof *live->unnamed);
            live->unnamed[live->n_unnamed++] = live->n_named + 1;
        }
}

static void losses_of_live(const struct rv_source *source, struct rv_losses *losses)
{
    const struct live *live = (const struct live *)source;
    const struct rv_wire_header *header = live->map->header;
    losses->n[RV_LOSS_THREADS_WITHOUT_RING] += __atomic_load_n(&header->n_threads_without_ring, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_EVENTS_WITHOUT_RING] += __atomic_load_n(&header->n_events_without_ring, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_PROGRAMS_NOT_PRELOADED] += __atomic_load_n(&header->n_programs_not_preloaded, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_NAMES] += __atomic_load_n(&header->n_names_lost, __ATOMIC_RELAXED);
    if (live->params.switches)
        losses->n[RV_LOSS_SWITCHES] += rv_context_switches_n_lost(live->params.switches) - live->n_switches_told;
    losses->n[RV_LOSS_ARGUMENTS] += rv_arguments_n_lost(live->arguments);
    losses->n[RV_LOSS_RINGS_FULL] += is_stopped(live);
    losses->n[RV_LOSS_PARTS_WRITTEN_OVER] += live->is_damage_said;
    for (uint32_t i = 0; i < live->n_rings_used && live->arguments; i++)
        losses->n[RV_LOSS_ARGUMENTS] +=
            live->rings[i].normalizer.n_late +
            __atomic_load_n(&live->rings[i].ring.control->n_texts_refused, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < live->n_rings_used; i++)
        losses->n[RV_LOSS_PARTS_WRITTEN_OVER] += live->rings[i].is_damage_said;
}

static void silent_of_live(const struct rv_source *source, struct rv_silent *silent)
{
    const struct live *live = (const struct live *)source;
    if (live->params.switches)
        rv_context_switches_silent(live->params.switches, silent);
}

static void close_live(struct rv_source *source)
{
    struct live *live = (struct live *)source;
    rv_ticker_stop(live->ticker);
    rv_ownership_detach_consumer(live->map);
    rv_name_map_fini(&live->names);
    rv_arguments_close(live->arguments);
    rv_symbolizer_destroy(live->symbolizer);
    rv_module_watch_fini(&live->modules);
    rv_capture_control_fini(&live->capture);
    rv_max_overhead_destroy(live->overhead);
    free(live->rings);
    free(live->has_live_owner);
    free(live->popped);
    free(live->switches);
    rv_context_switches_close(live->params.switches);
    free(live->unnamed);
    free(live);
}

struct rv_source *rv_live_drain_open(struct rv_map *map, const struct rv_live_drain_params *params)
{
    if (rv_ownership_attach_consumer(map) != 0) {
        rv_err(EBUSY, "%s: another ringviz is reading this trace", map->path);
        rv_context_switches_close(params->switches);
        return NULL;
    }
    struct live *live = rv_alloc_sparse(1, sizeof *live); /* most choices are never made */
    live->source = (struct rv_source){
        .mono_ns = map->clock.mono0_ns,
        .real_ns = map->clock.real0_ns,
        .poll = poll_live,
        .nap = nap_live,
        .resolve = resolve_live,
        .close = close_live,
        .losses = losses_of_live,
        .silent = silent_of_live,
    };
    live->map = map;
    live->params = *params;
    if (live->params.interval_ns == 0)
        live->params.interval_ns = DEFAULT_INTERVAL_NS;
    live->symbolizer = rv_symbolizer_create();
    live->arguments = rv_arguments_open(map, live->symbolizer);
    live->modules = (struct rv_module_watch){.map = map, .symbolizer = live->symbolizer};
    live->names = (struct rv_name_map){.map = map, .symbolizer = live->symbolizer};
    live->rings = rv_alloc_sparse(map->geometry.n_rings, sizeof *live->rings);
    live->popped = rv_alloc_scratch(POPPED_EVENTS, sizeof *live->popped);
    live->has_live_owner = rv_alloc(n_words(live), sizeof *live->has_live_owner);
    live->capture = (struct rv_capture_control){.map = map, .symbolizer = live->symbolizer, .filter = params->filter};
    rv_capture_control_init(&live->capture, params->is_own);
    if (params->max_overhead > 0)
        live->overhead = rv_max_overhead_create(map, params->max_overhead);
    if (map->geometry.clock_kind == RV_CLOCK_TICK)
        live->ticker = rv_ticker_start(&map->header->tick);
    return &live->source;
}

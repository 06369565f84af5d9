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
#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"
#include "ring/file_pages.h"
#include "ring/not_preloaded.h"
#include "ring/ownership.h"
#include "ring/process_liveness.h"
#include "ring/ring.h"
#include "source/arguments.h"
#include "source/capture_control.h"
#include "source/live_ring.h"
#include "source/max_overhead_marks.h"
#include "source/module_watch.h"
#include "source/name_definitions.h"
#include "source/normalize.h"
#include "source/overwritten_words.h"
#include "source/silent_streams.h"
#include "source/thread_switches.h"
#include "source/ticker.h"

enum {
    POPPED_EVENTS =
        4096, /* at once: a batch takes several such pieces, each of which stays in the second-level cache */
    /* A ring this full at a turn is drained again before the nap ends. */
    BUSY_SHARE = 4,
    /* Naps become longer after this many turns in which each ring had few events: */
    LIGHT_TURNS = 25,
    FEW_EVENTS = 256,
    /* Rings are ready for so many more threads: half as many as have one, within these bounds. */
    LEAST_READY = 8,
    MOST_READY = 256,
};
static const uint64_t DEFAULT_INTERVAL_NS = 2000000;
static const uint64_t LIVENESS_INTERVAL_NS = 20000000;
/* The first event after a pause must appear within 5 ms; a new ring's first event wakes us. */
static const uint64_t LIGHT_NAP_NS = 4500000;
static const uint64_t EMPTY_NAP_NS = 10000000;
/* Where nobody waits for it: but the end of the program is seen after this share of the time until then. */
static const uint64_t UNATTENDED_NAP_NS = 10000000;
enum { UNATTENDED_SHARE = 64 };
static const uint64_t LOSS_INTERVAL_NS = 1000000000;

struct live {
    struct rv_source source; /* first: a live is its source */
    struct rv_map *map;
    struct rv_live_drain_params params;
    struct rv_symbolizer *symbolizer;
    struct rv_name_map names;
    struct rv_module_watch modules;
    struct rv_live_rings rings;
    uint64_t *newest_ns;            /* by process; scratch */
    uint64_t *has_live_owner;       /* a bit per ring, at this turn's check; the others are checked one by one */
    struct rv_arguments *arguments; /* or NULL */
    struct rv_event *popped;
    struct rv_thread_switches switches;
    struct rv_silent_streams silent;
    struct rv_ticker *ticker; /* clock TICK only */
    struct rv_capture_control capture;
    struct rv_max_overhead_marks *marks; /* or NULL */
    uint64_t n_published;                /* number of verdicts, at the turn before */
    uint64_t opened_ns, last_liveness_ns, last_loss_ns;
    uint64_t turn_ns, turn_ticks; /* at this turn's begin */
    uint32_t n_new_rings;         /* the header's count, at this turn's begin */
    uint32_t n_prepared;          /* rings prepared; all, once that has failed */
    size_t n_streams, n_drained;  /* open now; to be closed */
    uint64_t n_light_turns;       /* in a row */
    bool has_had_stream, is_busy, is_light, is_ending, is_loss_turn, is_damage_said;
    struct rv_name_definitions definitions; /* naming thread */
};

static bool is_stopped(const struct live *live)
{
    return __atomic_load_n(&live->map->header->state, __ATOMIC_RELAXED) == RV_FILE_STOPPED;
}

static bool is_at_end(const struct live *live)
{
    return live->is_ending || is_stopped(live);
}

static bool is_read_at_end(const struct live *live)
{
    return live->map->geometry.policy == RV_POLICY_RING;
}

/* ---- streams ---- */

static void view_ring(struct rv_live_ring *slot)
{
    rv_ring_view(&slot->ring, slot->map, slot->idx);
    slot->ring.reads_file = true;
}

static void open_stream(struct live *live, struct rv_live_ring *slot, const struct rv_intake *intake)
{
    const struct rv_wire_control *control = slot->ring.control;
    uint32_t process_idx = control->process < live->map->geometry.n_processes ? control->process : 0;
    const struct rv_wire_process *process = rv_map_process(live->map, process_idx);
    char process_name[4 * sizeof process->name], thread_name[64];
    rv_text_escape(process_name, sizeof process_name, process->name, strnlen(process->name, sizeof process->name));
    slot->name_seen = __atomic_load_n(&control->name_is_set, __ATOMIC_RELAXED);
    rv_ownership_thread_name(live->map, slot->idx, thread_name);

    view_ring(slot);
    rv_texts_view(&slot->texts, &slot->ring);
    slot->arguments_place = (struct rv_arguments_place){0};
    slot->text_head = slot->texts.tail;
    slot->generation = control->generation;
    slot->tid = control->owner_tid;
    slot->title = (struct rv_process_title){.wait_ns = 0};
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
    slot->has_called = slot->is_refused = false;
    slot->wakes = (struct rv_kernel_wakes){0};
    rv_thread_switches_claim(&live->switches, slot, process->born_ticks);
    slot->stream = intake->open_stream(intake->context, &(struct rv_stream_info){
                                                            .pid = control->owner_pid,
                                                            .parent_pid = process->parent_pid,
                                                            .tid = control->owner_tid,
                                                            .process_key = process_idx,
                                                            .process_name = process_name,
                                                            .thread_name = thread_name,
                                                            .born_ns = slot->normalizer.last_ns,
                                                            .ring = slot->idx,
                                                            .instrumentation = process->instrumentation,
                                                        });
    live->n_streams++;
    live->has_had_stream = true;
}

/* Report the counts to the pipeline, and drops to the user, except under policy `ring`, which overwrites by design. */
static void account(struct live *live, struct rv_live_ring *slot, const struct rv_intake *intake)
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
        rv_ownership_thread_name(live->map, slot->idx, name);
        rv_warn("%llu drops on ring %u (%s)", (unsigned long long)(now.n_dropped - slot->n_dropped_said), slot->idx,
                name);
        slot->n_dropped_said = now.n_dropped;
    }
}

static void follow_name(struct live *live, struct rv_live_ring *slot, const struct rv_intake *intake)
{
    uint32_t seen = __atomic_load_n(&slot->ring.control->name_is_set, __ATOMIC_RELAXED);
    if (seen == slot->name_seen || (seen & 1))
        return;
    slot->name_seen = seen;
    char name[64];
    rv_ownership_thread_name(live->map, slot->idx, name);
    intake->rename_stream(intake->context, slot->stream, name);
}

/* A process that has a title shows it as the name of its first thread. */
static void follow_title(struct live *live, struct rv_live_ring *slot, const struct rv_intake *intake)
{
    const struct rv_wire_control *control = slot->ring.control;
    if (slot->tid != control->owner_pid || control->process >= live->map->geometry.n_processes)
        return;
    if (rv_process_title_follow(&slot->title, rv_map_process(live->map, control->process), live->turn_ns))
        intake->rename_stream(intake->context, slot->stream, slot->title.text);
}

/*
 * The end of the calls that are open at the end of a stream: of a thread that was killed, the last sign of its life or of its
 * process's. A thread that is in a call that may have blocked, or that goes on without us, is still there.
 */
static uint64_t end_of_open_calls_ns(const struct live *live, const struct rv_live_ring *slot, uint64_t still_ticks)
{
    const uint64_t end = rv_live_ring_ticks_at_end(slot), last_ns = slot->normalizer.last_ns;
    const struct rv_clock *clock = &live->map->clock;
    if (end || still_ticks)
        return rv_clock_later_ns(rv_normalize_time(clock, end ? end : still_ticks), last_ns);
    const uint64_t newest_ns = rv_clock_later_ns(live->newest_ns[slot->normalizer.process_idx], last_ns);
    return rv_clock_later_ns(rv_normalize_time(clock, slot->alive_ticks), newest_ns);
}

static void close_stream(struct live *live, struct rv_live_ring *slot, const struct rv_intake *intake)
{
    const uint64_t now = rv_clock_ticks(live->map->clock.kind);
    const bool is_still_there = rv_live_ring_send_open_wait(slot, now, intake) ||
                                (live->is_ending && rv_ownership_has_live_owner(live->map, slot->idx));
    live->is_loss_turn = true;
    account(live, slot, intake);
    intake->close_stream(intake->context, slot->stream, end_of_open_calls_ns(live, slot, is_still_there ? now : 0));
    slot->stream = NULL;
    rv_thread_switches_forget(&live->switches, slot);
    live->n_streams--;
}

/* ---- turns ---- */

/* A text whose event was refused is never read. At the visit after that which has seen it, its event would have come. */
static void settle_texts(struct rv_live_ring *slot)
{
    const uint64_t head = rv_texts_head(&slot->texts);
    const bool is_shortened = (int64_t)(head - slot->text_head) < 0;
    rv_texts_release(&slot->texts, is_shortened ? head : slot->text_head);
    slot->text_head = head;
}

/* Drain the events that wait in one ring now; later ones are left for the next turn. is_last: there are none. */
static void drain_ring(struct live *live, struct rv_live_ring *slot, bool is_last, const struct rv_intake *intake)
{
    uint64_t n_left = rv_ring_n_waiting(&slot->ring);
    live->is_busy |= n_left >= slot->ring.n_events / BUSY_SHARE;
    live->is_light &= n_left <= (live->params.interval_ns ? 0 : FEW_EVENTS);
    struct rv_batch *batch = n_left > 0 ? rv_live_ring_wait_for_batch(slot, intake) : NULL;
    while (n_left > 0) {
        struct rv_ring_read read = rv_ring_pop(&slot->ring, live->popped, POPPED_EVENTS);
        /* A module is published before its first event, so the table now has the modules of all popped events. */
        rv_module_watch_refresh(&live->modules);
        slot->n_lost_ahead += read.n_overwritten;
        if (slot->n_lost_ahead)
            batch = rv_live_ring_append_loss(slot, batch, intake);
        rv_arguments_translate(live->arguments, &slot->texts, &slot->arguments_place, live->popped, read.n, intake);
        rv_max_overhead_marks_count(live->marks, slot, live->popped, read.n);
        n_left = read.n && read.n < n_left ? n_left - read.n : 0;
        const uint64_t until = is_last && n_left == 0 ? rv_thread_switches_until(slot, live->turn_ticks) : 0;
        batch = rv_thread_switches_append(&live->switches, slot, batch, live->popped, read.n, until, intake);
    }
    if (batch)
        rv_live_ring_submit(slot, batch, intake);
    settle_texts(slot);
}

/* ---- rings ---- */

/* The next owner's events begin at another tail; until its claim is complete they must not look like events of nobody. */
static void reclaim_ring(struct rv_live_ring *slot)
{
    rv_ownership_reclaim(slot->map, slot->idx);
    slot->ring.tail = __atomic_load_n(&slot->ring.control->tail, __ATOMIC_RELAXED);
}

/* Read a ring with an open stream, for the last time where its owner is gone. Returns true when events moved. */
static bool read_stream(struct live *live, struct rv_live_ring *slot, bool check_liveness,
                        const struct rv_intake *intake)
{
    const bool is_last_turn = slot->is_owner_gone || is_at_end(live);
    if (rv_ring_settle(&slot->ring))
        rv_overwritten_words_warn(slot);
    follow_name(live, slot, intake);
    if (check_liveness)
        follow_title(live, slot, intake);
    if (is_read_at_end(live) && !is_last_turn)
        return false;
    bool has_events = rv_ring_n_waiting(&slot->ring) > 0;
    drain_ring(live, slot, is_last_turn, intake);
    if ((!has_events && check_liveness) || is_last_turn)
        rv_thread_switches_send(&live->switches, slot, rv_thread_switches_until(slot, live->turn_ticks), intake);
    if (check_liveness)
        account(live, slot, intake);
    const bool is_drained = is_last_turn && (live->is_ending || rv_ring_n_waiting(&slot->ring) == 0);
    live->n_drained += is_drained && !slot->is_drained;
    slot->is_drained |= is_drained;
    return has_events;
}

static void free_drained(struct live *live, struct rv_live_ring *slot)
{
    slot->is_drained = false;
    live->n_drained--;
    if (slot->is_owner_gone)
        reclaim_ring(slot);
}

/* The latest event of each process that has a stream, by its place in the table of processes. */
static void find_newest(struct live *live)
{
    memset(live->newest_ns, 0, live->map->geometry.n_processes * sizeof *live->newest_ns);
    for (uint32_t i = 0; i < live->rings.n; i++) {
        const struct rv_normalizer *normalizer = &live->rings.all[i].normalizer;
        if (live->rings.all[i].stream)
            live->newest_ns[normalizer->process_idx] =
                rv_clock_later_ns(live->newest_ns[normalizer->process_idx], normalizer->last_ns);
    }
}

/* Streams end when all rings have been visited: until then, what a killed process did last is not known. */
static void close_drained(struct live *live, const struct rv_intake *intake)
{
    if (live->n_drained == 0)
        return;
    find_newest(live);
    for (uint32_t i = 0; i < live->rings.n; i++)
        if (live->rings.all[i].is_drained)
            close_stream(live, &live->rings.all[i], intake);
    for (uint32_t i = 0; i < live->rings.n; i++)
        if (live->rings.all[i].is_drained)
            free_drained(live, &live->rings.all[i]);
}

/* A thread that has given its ring back may still make calls: the C library's, as it ends. What it did before is its first
 * ring's, which is read before another one is opened. */
static void read_former_ring(struct live *live, const struct rv_live_ring *slot, const struct rv_intake *intake)
{
    const uint32_t idx = rv_thread_switches_ring(&live->switches, slot->ring.control->owner_tid);
    struct rv_live_ring *former = idx < live->rings.n ? &live->rings.all[idx] : NULL;
    if (!former || former == slot || !former->stream ||
        __atomic_load_n(&former->ring.control->state, __ATOMIC_ACQUIRE) != RV_RING_EXITED) /* D2 <- D1 */
        return;
    former->is_owner_gone = true;
    (void)read_stream(live, former, true, intake);
    if (!former->is_drained)
        return;
    close_stream(live, former, intake);
    free_drained(live, former);
}

/* A ring without an open stream: open one for a new owner, or free a dead owner's ring. */
static bool adopt_ring(struct live *live, struct rv_live_ring *slot, uint32_t state, bool owner_is_gone,
                       const struct rv_intake *intake)
{
    const struct rv_wire_control *control = slot->ring.control;
    bool is_news = slot->generation != control->generation && __atomic_load_n(&control->has_pages, __ATOMIC_RELAXED);
    if (state == RV_RING_CLAIMED || !is_news) {
        if (owner_is_gone)
            reclaim_ring(slot);
        return false;
    }
    read_former_ring(live, slot, intake);
    rv_module_watch_refresh(&live->modules);
    open_stream(live, slot, intake);
    rv_max_overhead_marks_put_late(live->marks, &live->rings, slot, live->turn_ticks, intake);
    return true;
}

static bool has_live_owner(const struct live *live, uint32_t ring_idx)
{
    return live->has_live_owner[ring_idx / 64] >> ring_idx % 64 & 1 || rv_ownership_has_live_owner(live->map, ring_idx);
}

/* Returns true when events moved. */
static bool visit_ring(struct live *live, struct rv_live_ring *slot, bool check_liveness,
                       const struct rv_intake *intake)
{
    if (check_liveness && !is_at_end(live))
        rv_overwritten_words_repair_ring(slot);
    uint32_t state = __atomic_load_n(&slot->ring.control->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    if (state == RV_RING_FREE && !slot->stream)
        return false;
    bool owner_is_gone = state == RV_RING_EXITED || (check_liveness && !has_live_owner(live, slot->idx));
    slot->is_owner_gone = owner_is_gone;
    if (check_liveness && !owner_is_gone)
        slot->alive_ticks = live->turn_ticks;
    if (!slot->stream && !adopt_ring(live, slot, state, owner_is_gone, intake))
        return false;
    return read_stream(live, slot, check_liveness, intake);
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
        if (rv_process_liveness_is_running(process->pid, process->start))
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
    for (; live->rings.n < n_rings_used; live->rings.n++) {
        struct rv_live_ring *slot = &live->rings.all[live->rings.n];
        slot->map = live->map;
        slot->idx = live->rings.n;
        view_ring(slot);
    }
    if (!check_liveness)
        return;
    memset(live->has_live_owner, 0, n_words(live) * sizeof *live->has_live_owner);
    rv_ownership_find_live_owners(live->map, live->has_live_owner);
}

/* A thread that begins takes no page of the file then. */
static void prepare_rings(struct live *live)
{
    const uint32_t n_used = live->rings.n, n_more = n_used / 2;
    const uint32_t n_ready = n_used + (n_more < LEAST_READY ? LEAST_READY : n_more < MOST_READY ? n_more : MOST_READY);
    const uint32_t n_rings = live->map->geometry.n_rings, n = n_ready < n_rings ? n_ready : n_rings;
    for (; live->n_prepared < n; live->n_prepared++)
        if (live->n_prepared >= n_used && rv_file_pages_prepare(live->map, live->n_prepared) != 0)
            live->n_prepared = n_rings - 1;
}

static void change_capture(struct live *live)
{
    rv_capture_control_answer(&live->capture);
    rv_live_rings_use_capture(&live->rings, &live->capture);
    rv_max_overhead_marks_heed_filter(live->marks);
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
    const uint64_t now = live->turn_ns = rv_clock_mono_ns();
    bool check_liveness = now - live->last_liveness_ns >= LIVENESS_INTERVAL_NS;
    if (check_liveness)
        live->last_liveness_ns = now;
    live->is_loss_turn = now - live->last_loss_ns >= LOSS_INTERVAL_NS;
    if (live->is_loss_turn)
        live->last_loss_ns = now;
    live->is_ending = intake->is_stopping(intake->context);
    live->turn_ticks = rv_clock_ticks(live->map->clock.kind);
    live->n_new_rings = __atomic_load_n(&live->map->header->n_new_rings, __ATOMIC_RELAXED);
    rv_thread_switches_read(&live->switches, &live->map->clock);
    bool was_over = is_over(live);
    /* Answer a request when what was written before it has been read. */
    const bool is_capture_changing = rv_capture_control_is_asked(&live->capture);
    bool has_moved = false;
    live->is_busy = rv_thread_switches_is_busy(&live->switches);
    live->is_light = rv_thread_switches_is_light(&live->switches);
    rv_overwritten_words_repair_file(live->map, &live->is_damage_said);
    rv_module_watch_refresh(&live->modules);
    check_liveness |= was_over;
    look_at_rings(live, check_liveness);
    prepare_rings(live);
    for (uint32_t i = 0; i < live->rings.n; i++)
        has_moved |= visit_ring(live, &live->rings.all[i], check_liveness, intake);
    close_drained(live, intake);
    rv_ring_turn_done(live->map->header);
    rv_thread_switches_tell_wakers(&live->switches, intake);
    if (is_capture_changing)
        change_capture(live);
    rv_max_overhead_marks_put(live->marks, &live->rings, live->turn_ticks, intake);
    tell_verdicts(live);
    if (check_liveness)
        rv_silent_streams_turn(&live->silent, live->switches.read_ticks, intake);
    if (was_over && is_over(live)) {
        rv_silent_streams_end(&live->silent, live->turn_ticks, intake);
        return RV_SOURCE_ENDED;
    }
    live->n_light_turns = live->is_light ? live->n_light_turns + 1 : 0;
    if (!has_moved && intake->know_until)
        intake->know_until(intake->context, live->turn_ns);
    return has_moved ? RV_SOURCE_MOVED : RV_SOURCE_IDLE;
}

static uint64_t light_nap_ns(const struct live *live)
{
    if (!live->n_streams)
        return EMPTY_NAP_NS;
    if (!live->params.is_unattended || live->params.interval_ns || live->map->geometry.policy != RV_POLICY_BLOCK)
        return LIGHT_NAP_NS;
    const uint64_t nap_ns = (rv_clock_mono_ns() - live->opened_ns) / UNATTENDED_SHARE;
    return nap_ns < LIGHT_NAP_NS ? LIGHT_NAP_NS : nap_ns < UNATTENDED_NAP_NS ? nap_ns : UNATTENDED_NAP_NS;
}

static uint64_t nap_ns(const struct live *live)
{
    const uint64_t interval_ns = live->params.interval_ns ? live->params.interval_ns : DEFAULT_INTERVAL_NS;
    if (live->is_busy)
        return interval_ns / BUSY_SHARE;
    const uint64_t light_ns = live->n_light_turns > LIGHT_TURNS ? light_nap_ns(live) : 0;
    return interval_ns > light_ns ? interval_ns : light_ns;
}

/*
 * A producer wakes us when its ring fills up, and from a longer nap than usual for a new ring: thousands of threads that
 * start at once do not wake us thousands of times.
 */
static void nap_live(struct rv_source *source)
{
    struct live *live = (struct live *)source;
    struct rv_wire_header *header = live->map->header;
    const uint64_t nap = nap_ns(live);
    const uint32_t seen = __atomic_load_n(&header->consumer_wake, __ATOMIC_RELAXED);
    const bool is_long = nap > DEFAULT_INTERVAL_NS;
    __atomic_store_n(&header->consumer_is_asleep, 1 + is_long, __ATOMIC_SEQ_CST);                 /* W1 -> W2, */
    if (!is_long || __atomic_load_n(&header->n_new_rings, __ATOMIC_SEQ_CST) == live->n_new_rings) /* W3 -> W4 */
        rv_os_futex_wait(&header->consumer_wake, seen, nap);
    __atomic_store_n(&header->consumer_is_asleep, 0, __ATOMIC_RELAXED);
}

static void resolve_live(struct rv_source *source, const struct rv_intake *intake, bool is_final)
{
    rv_name_definitions_give(&((struct live *)source)->definitions, intake, is_final);
}

static void losses_of_live(const struct rv_source *source, struct rv_losses *losses)
{
    const struct live *live = (const struct live *)source;
    const struct rv_wire_header *header = live->map->header;
    losses->n[RV_LOSS_THREADS_WITHOUT_RING] += __atomic_load_n(&header->n_threads_without_ring, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_EVENTS_WITHOUT_RING] += __atomic_load_n(&header->n_events_without_ring, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_PROGRAMS_NOT_PRELOADED] += rv_not_preloaded_n(header);
    losses->n[RV_LOSS_NAMES] += __atomic_load_n(&header->n_names_lost, __ATOMIC_RELAXED);
    losses->n[RV_LOSS_SWITCHES] += rv_thread_switches_n_lost(&live->switches);
    losses->n[RV_LOSS_ARGUMENTS] += rv_arguments_n_lost(live->arguments);
    losses->n[RV_LOSS_RINGS_FULL] += is_stopped(live);
    losses->n[RV_LOSS_PARTS_WRITTEN_OVER] += live->is_damage_said;
    for (uint32_t i = 0; i < live->rings.n && live->arguments; i++)
        losses->n[RV_LOSS_ARGUMENTS] +=
            live->rings.all[i].normalizer.n_late +
            __atomic_load_n(&live->rings.all[i].ring.control->n_texts_refused, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < live->rings.n; i++)
        losses->n[RV_LOSS_PARTS_WRITTEN_OVER] += live->rings.all[i].is_damage_said;
}

static void silent_of_live(const struct rv_source *source, struct rv_silent_threads *silent)
{
    const struct live *live = (const struct live *)source;
    if (live->switches.reported)
        rv_context_switches_silent(live->switches.reported, silent);
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
    rv_max_overhead_marks_destroy(live->marks);
    free(live->rings.all);
    free(live->has_live_owner);
    free(live->newest_ns);
    free(live->popped);
    rv_silent_streams_fini(&live->silent);
    rv_thread_switches_fini(&live->switches);
    rv_name_definitions_fini(&live->definitions);
    free(live);
}

struct rv_source *rv_live_drain_open(struct rv_map *map, const struct rv_live_drain_params *params)
{
    if (rv_ownership_attach_consumer(map) != 0) {
        rv_err(EBUSY, "%s: another ringviz is reading this trace", map->path);
        rv_context_switches_close(params->switches);
        return NULL;
    }
    struct live *live = rv_alloc(1, sizeof *live);
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
    live->opened_ns = rv_clock_mono_ns();
    live->symbolizer = rv_symbolizer_create();
    live->arguments = rv_arguments_open(map, live->symbolizer);
    live->modules = (struct rv_module_watch){.map = map, .symbolizer = live->symbolizer};
    live->names = (struct rv_name_map){.map = map, .symbolizer = live->symbolizer};
    live->definitions.symbolizer = live->symbolizer;
    rv_thread_switches_report(&live->switches, params->switches);
    live->silent = (struct rv_silent_streams){.map = map, .symbolizer = live->symbolizer, .switches = params->switches};
    live->rings.all = rv_alloc_sparse(map->geometry.n_rings, sizeof *live->rings.all);
    live->popped = rv_alloc_scratch(POPPED_EVENTS, sizeof *live->popped);
    live->has_live_owner = rv_alloc(n_words(live), sizeof *live->has_live_owner);
    live->newest_ns = rv_alloc(map->geometry.n_processes, sizeof *live->newest_ns);
    live->capture = (struct rv_capture_control){.map = map, .symbolizer = live->symbolizer, .filter = params->filter};
    rv_capture_control_init(&live->capture, params->is_own);
    if (params->max_overhead > 0)
        live->marks = rv_max_overhead_marks_create(map, live->symbolizer, &live->capture, params->max_overhead);
    if (map->geometry.clock_kind == RV_CLOCK_TICK)
        live->ticker = rv_ticker_start(&map->header->tick);
    return &live->source;
}

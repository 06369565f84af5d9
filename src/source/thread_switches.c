#include "source/thread_switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

/* The longest nap adds some 5 % where a CPU changes its thread 50,000 times a second. */
enum { LIGHT_PERCENT = 12, BUSY_PERCENT = 25 };

static uint32_t owner_of(const struct rv_live_ring *slot)
{
    return slot->idx + 1;
}

static void say_missing(struct rv_thread_switches *switches)
{
    const int error = rv_context_switches_error(switches->reported);
    if (error && !switches->are_missing_said)
        rv_warn("the states of some threads are not known: perf_event_open: %s%s", strerror(-error),
                error == -EMFILE ? " (each takes one for each CPU: ulimit -n)" : "");
    switches->are_missing_said = error != 0;
}

void rv_thread_switches_read(struct rv_thread_switches *switches, const struct rv_clock *clock)
{
    if (!switches->reported)
        return;
    switches->read_ticks = rv_context_switches_read(switches->reported, clock);
    say_missing(switches);
}

void rv_thread_switches_report(struct rv_thread_switches *switches, struct rv_context_switches *reported)
{
    switches->reported = reported;
    switches->has_wakes = reported && rv_context_switches_has_wakes(reported);
}

void rv_thread_switches_tell_wakers(struct rv_thread_switches *switches, const struct rv_intake *intake)
{
    if (switches->has_wakes)
        rv_context_switches_tell_wakers(switches->reported, intake);
}

bool rv_thread_switches_is_busy(const struct rv_thread_switches *switches)
{
    return switches->reported && (rv_context_switches_is_opening(switches->reported) ||
                                  rv_context_switches_percent_full(switches->reported) >= BUSY_PERCENT);
}

bool rv_thread_switches_is_light(const struct rv_thread_switches *switches)
{
    return !switches->reported || rv_context_switches_percent_full(switches->reported) < LIGHT_PERCENT;
}

void rv_thread_switches_claim(struct rv_thread_switches *switches, const struct rv_live_ring *slot, uint64_t born_ticks)
{
    if (switches->reported)
        rv_context_switches_claim(switches->reported, slot->tid, owner_of(slot), born_ticks);
}

uint32_t rv_thread_switches_ring(const struct rv_thread_switches *switches, uint32_t tid)
{
    return (switches->reported ? rv_context_switches_owner(switches->reported, tid) : 0) - 1;
}

void rv_thread_switches_forget(struct rv_thread_switches *switches, const struct rv_live_ring *slot)
{
    if (switches->reported)
        rv_context_switches_forget(switches->reported, slot->tid, owner_of(slot));
}

uint64_t rv_thread_switches_n_lost(const struct rv_thread_switches *switches)
{
    return switches->reported ? rv_context_switches_n_lost(switches->reported) - switches->n_lost_told : 0;
}

/* Switches that were lost are counted by the next one that was not, of any thread: a recording has their number, too. */
static void tell_losses(struct rv_thread_switches *switches, struct rv_event *next)
{
    const uint64_t n_new = rv_thread_switches_n_lost(switches);
    next->id = n_new < UINT32_MAX ? (uint32_t)n_new : UINT32_MAX;
    switches->n_lost_told += next->id;
}

/* Put the wakes among the n that were taken to the popped waits that they end. Returns the number of switches, which are left. */
static size_t use_wakes(struct rv_thread_switches *switches, struct rv_live_ring *slot, size_t n,
                        struct rv_event *popped, size_t n_popped)
{
    const uint64_t first = (uint64_t)RV_EVENT_WAIT << RV_EVENT_KIND_SHIFT; /* and WOKEN, the last kind */
    struct rv_event *event = popped, *const end = popped + n_popped;
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++) {
        const struct rv_event *next = &switches->taken[i];
        if (next->aux != RV_CONTEXT_SWITCHES_WAKE) {
            switches->taken[n_left++] = *next;
            continue;
        }
        for (; event < end && (event->when < first || rv_event_ticks(event) < rv_event_ticks(next)); event++)
            if (event->when >= first)
                rv_kernel_wakes_follow(&slot->wakes, event);
        rv_kernel_wakes_add(&slot->wakes, next);
    }
    for (; event < end; event++)
        if (event->when >= first)
            rv_kernel_wakes_follow(&slot->wakes, event);
    return n_left;
}

/* Take the thread's switches until these ticks, behind n that were taken, and explain the popped waits. Returns the number
 * of all. */
static size_t take(struct rv_thread_switches *switches, struct rv_live_ring *slot, size_t n, uint64_t until,
                   struct rv_event *popped, size_t n_popped)
{
    enum { STEP = 64 };
    size_t n_taken;
    do {
        switches->taken = rv_vec_reserve(switches->taken, &switches->taken_capacity, n + STEP, sizeof *switches->taken);
        n_taken =
            rv_context_switches_take(switches->reported, slot->tid, owner_of(slot), until, switches->taken + n, STEP);
        n += n_taken;
    } while (n_taken == STEP);
    if (switches->has_wakes)
        n = use_wakes(switches, slot, n, popped, n_popped);
    return n;
}

/* As the first: the state is not known from these ticks on. Returns 1. */
static size_t take_unknown(struct rv_thread_switches *switches, uint64_t ticks)
{
    switches->taken = rv_vec_reserve(switches->taken, &switches->taken_capacity, 1, sizeof *switches->taken);
    switches->taken[0] =
        (struct rv_event){.when = (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | ticks, .aux = RV_THREAD_UNKNOWN};
    return 1;
}

/* What the thread did before its first event is not shown, but that its state is not known by then. Returns the number of
 * events that say so. */
static size_t skip(struct rv_thread_switches *switches, struct rv_live_ring *slot, uint64_t first_ticks)
{
    const size_t n = take(switches, slot, 0, first_ticks, NULL, 0);
    slot->has_called = true;
    return n && switches->taken[n - 1].aux == RV_THREAD_UNKNOWN ? take_unknown(switches, first_ticks) : 0;
}

/* Where its process is refused, the thread's state is not known until a switch of it is. */
static size_t take_refusal(struct rv_thread_switches *switches, struct rv_live_ring *slot, uint64_t ticks)
{
    if (slot->is_refused || !rv_context_switches_refuse(switches->reported, (pid_t)slot->ring.control->owner_pid))
        return 0;
    slot->is_refused = true;
    return take_unknown(switches, ticks);
}

static uint64_t last_ticks(const struct rv_event *events, size_t n)
{
    while (n-- > 0)
        if (rv_event_kind(&events[n]) != RV_EVENT_SYNC) /* describes the past */
            return rv_event_ticks(&events[n]);
    return 0;
}

/*
 * Take the thread's switches among its popped events. The kernel has written a switch before the thread makes its next
 * event, so all those before the last popped event are known; later ones, but until `until`, may precede events not popped
 * yet.
 */
static size_t take_among(struct rv_thread_switches *switches, struct rv_live_ring *slot, struct rv_event *popped,
                         size_t n_popped, uint64_t until)
{
    if (!switches->reported || !n_popped)
        return 0;
    const uint64_t last = last_ticks(popped, n_popped);
    if (until || last >= switches->read_ticks)
        rv_thread_switches_read(switches, &slot->map->clock);
    const uint64_t first = rv_event_ticks(&popped[0]);
    const size_t n_skipped = slot->has_called ? 0 : skip(switches, slot, first);
    const size_t n_unknown = n_skipped ? n_skipped : take_refusal(switches, slot, first);
    const size_t n_switches = take(switches, slot, n_unknown, last > until ? last : until, popped, n_popped);
    slot->n_added += n_switches;
    if (n_switches)
        tell_losses(switches, switches->taken);
    return n_switches;
}

/* Put the popped events and the switches that were taken in order of time. */
static void merge(struct rv_thread_switches *switches, const struct rv_event *popped, size_t n_popped,
                  size_t n_switches)
{
    const struct rv_event *event = popped, *end = event + n_popped;
    switches->merged =
        rv_vec_reserve(switches->merged, &switches->merged_capacity, n_popped + n_switches, sizeof *switches->merged);
    struct rv_event *to = switches->merged;
    for (size_t i = 0; i < n_switches; i++) {
        const struct rv_event *next = &switches->taken[i];
        while (event < end && (rv_event_ticks(event) < rv_event_ticks(next) || rv_event_kind(event) == RV_EVENT_SYNC))
            *to++ = *event++;
        *to++ = *next;
    }
    memcpy(to, event, (size_t)(end - event) * sizeof *event);
}

/* All at once: normalizing a few events takes as long as what surrounds them. */
struct rv_batch *rv_thread_switches_append(struct rv_thread_switches *switches, struct rv_live_ring *slot,
                                           struct rv_batch *batch, struct rv_event *popped, size_t n_popped,
                                           uint64_t until, const struct rv_intake *intake)
{
    const size_t n_switches = take_among(switches, slot, popped, n_popped, until);
    if (!n_switches)
        return rv_live_ring_append(slot, batch, popped, n_popped, intake);
    merge(switches, popped, n_popped, n_switches);
    return rv_live_ring_append(slot, batch, switches->merged, n_popped + n_switches, intake);
}

uint64_t rv_thread_switches_until(const struct rv_live_ring *slot, uint64_t turn_ticks)
{
    const uint64_t end = rv_live_ring_ticks_at_end(slot);
    return end && end < turn_ticks ? end : turn_ticks;
}

void rv_thread_switches_send(struct rv_thread_switches *switches, struct rv_live_ring *slot, uint64_t until,
                             const struct rv_intake *intake)
{
    const size_t n = switches->reported && slot->has_called ? take(switches, slot, 0, until, NULL, 0) : 0;
    if (!n)
        return;
    slot->n_added += n;
    tell_losses(switches, switches->taken);
    rv_live_ring_hand_over(slot, switches->taken, n, intake);
}

void rv_thread_switches_fini(struct rv_thread_switches *switches)
{
    rv_context_switches_close(switches->reported);
    free(switches->taken);
    free(switches->merged);
}

#include "source/kernel_wakes.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"

static void begin(struct rv_kernel_wakes *wakes, const struct rv_event *event)
{
    if (event->frame & RV_WAIT_RELEASE)
        return;
    wakes->began = rv_event_ticks(event);
    wakes->kind = event->frame & RV_WAIT_KIND_MASK;
    wakes->on = event->id;
}

/* May what is left for a softirq have come by a socket, from the thread that it ran in? */
static bool is_transfer(uint32_t kind)
{
    return kind == RV_WAIT_READ || kind == RV_WAIT_WRITE || kind == RV_WAIT_POLL || kind == RV_WAIT_ACCEPT ||
           kind == RV_WAIT_CONNECT;
}

/* Is the likely waker of such a wait a child whose end may have sent a signal? */
static bool is_signalled(const struct rv_kernel_wakes *wakes)
{
    return wakes->kind == RV_WAIT_SIGNAL || wakes->kind == RV_WAIT_PROCESS || wakes->kind == RV_WAIT_SLEEP ||
           (wakes->kind == RV_WAIT_POLL && wakes->on == RV_WAIT_ON_NOTHING);
}

/* Was the last wake in the wait that the WOKEN ends? */
static bool has_ended(const struct rv_kernel_wakes *wakes, const struct rv_event *woken)
{
    return wakes->waker && wakes->woke >= wakes->began && wakes->woke <= rv_event_ticks(woken);
}

static void set_word(struct rv_event *woken, uint32_t id, uint64_t since)
{
    rv_assert(id >> RV_EVENT_WAKE_SHIFT < RV_WAKE_COUNT);
    const uint64_t word = rv_event_word_woken(id, since);
    memcpy(&woken->id, &word, sizeof word);
}

static uint32_t waker_of(const struct rv_kernel_wakes *wakes)
{
    const bool is_likely = wakes->waker >> RV_EVENT_WAKE_SHIFT == RV_WAKE_LIKELY;
    return is_likely && !is_transfer(wakes->kind) ? RV_KERNEL_WAKES_INTERRUPT : wakes->waker;
}

/* A wait whose time ran out ended at the timer's interrupt, if that was the last wake. */
static void explain_timeout(const struct rv_kernel_wakes *wakes, struct rv_event *event)
{
    if (has_ended(wakes, event) && waker_of(wakes) == RV_KERNEL_WAKES_INTERRUPT && rv_event_since(event) == UINT32_MAX)
        set_word(event, event->id, rv_event_ticks(event) - wakes->woke);
}

/* That of a wait for room in the thread's ring is ringviz. */
static void explain(const struct rv_kernel_wakes *wakes, struct rv_event *event)
{
    if (has_ended(wakes, event) && wakes->kind != RV_WAIT_FULL_RING)
        set_word(event, waker_of(wakes), rv_event_ticks(event) - wakes->woke);
}

void rv_kernel_wakes_follow(struct rv_kernel_wakes *wakes, struct rv_event *event)
{
    if (rv_event_kind(event) == RV_EVENT_WAIT) {
        begin(wakes, event);
        return;
    }
    switch (event->id >> RV_EVENT_WAKE_SHIFT) {
    case RV_WAKE_BEGAN:
        wakes->began = rv_event_ticks(event) - rv_event_since_begin(event);
        return;
    case RV_WAKE_HELD:
        return;
    case RV_WAKE_UNKNOWN:
        explain(wakes, event);
        break;
    case RV_WAKE_LIKELY:
        if (is_signalled(wakes))
            explain(wakes, event);
        break;
    case RV_WAKE_TIMEOUT:
        explain_timeout(wakes, event);
        break;
    default:
        break;
    }
    wakes->began = rv_event_ticks(event);
}

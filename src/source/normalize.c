#include "source/normalize.h"

#include <string.h>

#include "source/verdicts.h"

/* Time of the first event other than SYNC, which describes the past. */
static uint64_t first_ticks(const struct rv_event *events, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (rv_event_kind(&events[i]) != RV_EVENT_SYNC)
            return rv_event_ticks(&events[i]);
    return 0;
}

static uint64_t at_most_60_bits(uint64_t ns)
{
    return ns < RV_EVENT_TICKS_MASK ? ns : RV_EVENT_TICKS_MASK;
}

/* A text's call was handed over at this time, perhaps by another batch and before a switch of the thread. */
static bool set_lag(struct rv_normalizer *normalizer, struct rv_event *event)
{
    const uint64_t lag = rv_event_ticks(event) - normalizer->last_call_ns;
    normalizer->n_late += lag > RV_EVENT_MOST_LAG;
    event->aux = (uint16_t)lag;
    event->frame = (uint16_t)((event->frame & RV_EVENT_IS_RESULT) | (lag >> 16));
    return lag <= RV_EVENT_MOST_LAG;
}

/* Of an event other than a call or return by its address. False: it is left out. */
static __attribute__((noinline)) bool sanitize_other(struct rv_normalizer *normalizer, struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    if (kind <= RV_EVENT_RETURN)
        normalizer->last_call_ns = rv_event_ticks(event);
    if (kind == RV_EVENT_ARGUMENTS && !set_lag(normalizer, event))
        return false;
    if (rv_event_has_name(event))
        event->id = event->id ? rv_name_map_lookup(normalizer->names, event->id) : 0;
    return true;
}

/* Convert kinds, times and name ids from popped to the end of the batch. Returns the number consumed. */
static uint32_t sanitize(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                         uint32_t n_popped)
{
    struct rv_event *out = batch->events + batch->n;
    uint64_t last = normalizer->last_ns, first = first_ticks(popped, n_popped);
    const struct rv_clock_stretch stretch = rv_clock_stretch(normalizer->clock, first);
    if (batch->n == 0) {
        uint64_t first_ns = at_most_60_bits(rv_clock_stretch_to_ns(stretch, first));
        batch->base_ns = first_ns > last ? first_ns : last;
    }
    uint64_t room = RV_EVENT_TICKS_MASK + 1 - batch->base_ns;
    uint64_t end = batch->base_ns + (room < RV_BATCH_NS ? room : RV_BATCH_NS);
    uint32_t i = 0;
    for (; i < n_popped; i++) {
        uint64_t words[2];
        memcpy(words, &popped[i], sizeof words);
        unsigned kind = (unsigned)(words[0] >> RV_EVENT_KIND_SHIFT);
        if (kind == RV_EVENT_ARGUMENTS && !(popped[i].id && normalizer->has_texts))
            continue;
        uint64_t ns = rv_clock_stretch_to_ns(stretch, words[0] & RV_EVENT_TICKS_MASK);
        if (kind == RV_EVENT_SYNC) {
            ns = at_most_60_bits(ns);
        } else {
            ns = ns < last ? last : ns;
            if (ns >= end && (ns = at_most_60_bits(ns)) >= end)
                break;
            last = ns;
        }
        words[0] = (uint64_t)kind << RV_EVENT_KIND_SHIFT | ns;
        memcpy(out, words, sizeof words);
        if (kind - RV_EVENT_CALL_AT <= RV_EVENT_RETURN_AT - RV_EVENT_CALL_AT)
            normalizer->last_call_ns = ns;
        else if (!sanitize_other(normalizer, out))
            continue;
        out++;
    }
    normalizer->last_ns = last;
    batch->n = (uint32_t)(out - batch->events);
    return i;
}

/*
 * The return of a call that may have been captured or not, since the verdict on its function has changed. Without an id it
 * ends the call of its tag, and is nothing where there is none.
 */
static bool ends_any_call(const struct rv_normalizer *normalizer, const struct rv_event *event)
{
    return rv_event_kind(event) == RV_EVENT_RETURN && rv_capture_filter_has_changed(normalizer->filter, event->id);
}

static bool is_call_site(const struct rv_event *event)
{
    return rv_event_kind(event) == RV_EVENT_LINE && event->frame == RV_LINE_AT_ADDRESS;
}

/* popped: the raw events, one for each event; NULL when they do not correspond. */
static uint32_t apply_filter(struct rv_normalizer *normalizer, struct rv_event *events, uint32_t n,
                             const struct rv_event *popped)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (normalizer->leaves_out && rv_event_kind(&events[i]) == RV_EVENT_ARGUMENTS)
            continue;
        bool is_call = rv_event_kind(&events[i]) <= RV_EVENT_RETURN || rv_event_kind(&events[i]) == RV_EVENT_SYNC;
        bool is_judged = is_call && events[i].id != 0;
        bool is_kept = !is_judged || rv_capture_filter_has(normalizer->filter, normalizer->symbolizer, events[i].id);
        if (is_judged && popped && normalizer->publisher)
            rv_verdict_publish(normalizer->publisher, normalizer->process_idx, &popped[i], events[i].id, is_kept);
        if (is_judged && ends_any_call(normalizer, &events[i])) {
            events[i].id = 0;
            is_kept = true;
        }
        normalizer->leaves_out = !is_kept;
        if (is_kept)
            events[written++] = events[i];
        else if (written && is_call_site(&events[written - 1]))
            written--;
    }
    return written;
}

uint64_t rv_normalize_time(const struct rv_clock *clock, uint64_t ticks)
{
    return at_most_60_bits(rv_clock_to_ns(clock, ticks & RV_EVENT_TICKS_MASK));
}

static uint64_t duration_ns(const struct rv_clock *clock, uint64_t ticks)
{
    return rv_clock_to_ns(clock, clock->ticks0 + ticks) - clock->mono0_ns;
}

/* Blocking calls tell what their file is, of some also which. */
static uint32_t object_of(const struct rv_normalizer *normalizer, const struct rv_event *wait)
{
    static const char *const NAMES[RV_WAIT_ON_COUNT] = {
        [RV_WAIT_ON_FILE] = "file",
        [RV_WAIT_ON_PIPE] = "pipe",
        [RV_WAIT_ON_UNIX_SOCKET] = "Unix socket",
        [RV_WAIT_ON_INTERNET_SOCKET] = "Internet socket",
        [RV_WAIT_ON_SOCKET] = "socket",
        [RV_WAIT_ON_TERMINAL] = "terminal",
        [RV_WAIT_ON_DEVICE] = "device",
        [RV_WAIT_ON_EVENTFD] = "eventfd",
        [RV_WAIT_ON_TIMERFD] = "timerfd",
        [RV_WAIT_ON_OTHER] = "other file",
    };
    const uint64_t address = rv_event_address(wait);
    if (wait->frame & RV_WAIT_NAMED)
        return rv_name_map_lookup(normalizer->names, wait->id);
    if ((wait->frame & RV_WAIT_KIND_MASK) < RV_WAIT_SLEEP)
        return address ? rv_symbolizer_object(normalizer->process, address, rv_event_ticks(wait)) : 0;
    return address < RV_WAIT_ON_COUNT && NAMES[address]
               ? rv_symbolizer_intern(normalizer->symbolizer, "", NAMES[address], "", 0)
               : 0;
}

static void translate_woken(const struct rv_normalizer *normalizer, struct rv_event *event)
{
    if (event->id >> RV_EVENT_WAKE_SHIFT == RV_WAKE_BEGAN) {
        const uint64_t word = rv_event_word_since_begin(duration_ns(normalizer->clock, rv_event_since_begin(event)));
        memcpy(&event->id, &word, sizeof word);
    } else if (rv_event_since(event) != UINT32_MAX) {
        const uint64_t ns = duration_ns(normalizer->clock, rv_event_since(event));
        const uint32_t since = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
        event->frame = (uint16_t)(since >> 16);
        event->aux = (uint16_t)since;
    }
}

static void translate_call_site(const struct rv_normalizer *normalizer, struct rv_event *event)
{
    event->id = rv_symbolizer_call_site(normalizer->process, rv_event_address(event), rv_event_ticks(event));
    event->frame = (uint16_t)(RV_LINE_OF_CALL >> 16);
    event->aux = (uint16_t)RV_LINE_OF_CALL;
}

/* Objects that are waited for and places of calls get ids, and times since become ns: in events from `first` on. */
static void translate_specials(struct rv_normalizer *normalizer, const struct rv_batch *batch, uint32_t first)
{
    for (uint32_t i = batch->n_specials; i-- > 0 && batch->specials[i] >= first;) {
        struct rv_event *event = &batch->events[batch->specials[i]];
        const unsigned kind = rv_event_kind(event);
        if (kind == RV_EVENT_WAIT) {
            event->id = object_of(normalizer, event);
            event->aux = 0;
        } else if (kind == RV_EVENT_WOKEN) {
            translate_woken(normalizer, event);
        } else if (is_call_site(event)) {
            translate_call_site(normalizer, event);
        }
    }
}

uint32_t rv_normalize(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                      uint32_t n_popped)
{
    uint32_t first = batch->n;
    uint32_t n_done = sanitize(normalizer, batch, popped, n_popped);
    rv_symbolizer_translate(normalizer->process, batch->events + first, batch->n - first);
    if (normalizer->filter)
        batch->n = first + apply_filter(normalizer, batch->events + first, batch->n - first,
                                        batch->n - first == n_done ? popped : NULL);
    rv_batch_seal(batch, first);
    translate_specials(normalizer, batch, first);
    return n_done;
}

void rv_normalize_loss(struct rv_normalizer *normalizer, struct rv_batch *batch, uint32_t n)
{
    batch->base_ns = normalizer->last_ns;
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | normalizer->last_ns, .id = n};
    rv_batch_seal(batch, 0);
}

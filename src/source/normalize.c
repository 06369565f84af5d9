#include "source/normalize.h"

#include <string.h>

#include "source/publish_rejected_functions.h"
#include "symbols/ids_by_address.h"

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

/* From the popped events to the end of the batch. */
struct conversion {
    const struct rv_event *popped, *popped_end;
    struct rv_event *out;
    struct rv_clock_stretch stretch;
    uint64_t last_ns; /* of the event before */
    uint64_t end_ns;  /* later events are the next batch's */
};

static bool has_address(const struct rv_event *event)
{
    return rv_event_kind(event) == RV_EVENT_CALL_AT || rv_event_kind(event) == RV_EVENT_RETURN_AT;
}

#define CALL_AT_BITS ((uint64_t)RV_EVENT_CALL_AT << RV_EVENT_KIND_SHIFT)
/* CALL_AT and RETURN_AT, CALL and RETURN differ in this bit. */
#define RETURN_BIT (1ull << RV_EVENT_KIND_SHIFT)

/*
 * Convert calls and returns by their address up to anything else: another event, an address not looked up before, a time
 * outside of the stretch or the batch. Nearly all events of native code are converted here.
 */
static void convert_calls(struct rv_normalizer *normalizer, struct conversion *conversion)
{
    const struct rv_ids_by_address *addresses = rv_symbolizer_addresses(normalizer->process);
    struct rv_address_slot *slots = addresses->slots;
    const uint64_t byte_mask = addresses->byte_mask, end = conversion->end_ns;
    const struct rv_clock_stretch stretch = conversion->stretch;
    const struct rv_event *popped = conversion->popped, *popped_end = conversion->popped_end;
    struct rv_event *out = conversion->out;
    uint64_t last = conversion->last_ns;
    for (; popped < popped_end; popped++, out++) {
        uint64_t words[2];
        memcpy(words, popped, sizeof words);
        /* Of every other kind this is far outside of the stretch. */
        const uint64_t when = words[0] - (CALL_AT_BITS | stretch.begin_ticks), since = when & ~RETURN_BIT;
        const uint64_t address = words[1] & RV_EVENT_ADDRESS_MASK;
        const struct rv_address_slot *home = rv_address_home(slots, byte_mask, address);
        if (since >= stretch.n_ticks || home->key != address)
            break;
        uint64_t ns = rv_clock_stretch_since(stretch, since);
        ns = ns < last ? last : ns;
        if (ns >= end)
            break;
        last = ns;
        words[0] = (when & RETURN_BIT) | ns;
        words[1] = (words[1] & ~RV_EVENT_ADDRESS_MASK) | home->id;
        memcpy(out, words, sizeof words);
    }
    if (popped > conversion->popped)
        normalizer->last_call_ns = last;
    conversion->popped = popped;
    conversion->out = out;
    conversion->last_ns = last;
}

/* Kind and id of an event whose time has been converted. False: it is left out. */
static bool convert_id(struct rv_normalizer *normalizer, struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    if (kind <= RV_EVENT_RETURN_AT)
        normalizer->last_call_ns = rv_event_ticks(event);
    if (has_address(event)) {
        event->when -= CALL_AT_BITS;
        event->id = rv_symbolizer_look_up(normalizer->process, rv_event_address(event), rv_event_ticks(event));
        event->aux = 0;
    } else if (rv_event_has_name(event)) {
        event->id = event->id ? rv_name_map_lookup(normalizer->names, event->id) : 0;
    }
    return kind != RV_EVENT_ARGUMENTS || set_lag(normalizer, event);
}

/* Convert one event of any kind. False: it is the next batch's. */
static bool convert_any(struct rv_normalizer *normalizer, struct conversion *conversion)
{
    const struct rv_event *popped = conversion->popped;
    const uint64_t kind_bits = popped->when & ~RV_EVENT_TICKS_MASK;
    uint64_t ns = rv_clock_stretch_to_ns(conversion->stretch, rv_event_ticks(popped));
    if (rv_event_kind(popped) == RV_EVENT_SYNC) {
        ns = at_most_60_bits(ns);
    } else {
        ns = ns < conversion->last_ns ? conversion->last_ns : ns;
        if (ns >= conversion->end_ns && (ns = at_most_60_bits(ns)) >= conversion->end_ns)
            return false;
        conversion->last_ns = ns;
    }
    conversion->popped++;
    *conversion->out = *popped;
    conversion->out->when = kind_bits | ns;
    conversion->out += convert_id(normalizer, conversion->out);
    return true;
}

static bool is_left_out(const struct rv_normalizer *normalizer, const struct rv_event *popped)
{
    return rv_event_kind(popped) == RV_EVENT_ARGUMENTS && !(popped->id && normalizer->has_texts);
}

/* Convert kinds, times and ids from popped to the end of the batch. Returns the number consumed. */
static uint32_t convert(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                        uint32_t n_popped)
{
    const uint64_t first = first_ticks(popped, n_popped);
    struct conversion conversion = {.popped = popped,
                                    .popped_end = popped + n_popped,
                                    .out = batch->events + batch->n,
                                    .stretch = rv_clock_stretch(normalizer->clock, first),
                                    .last_ns = normalizer->last_ns};
    if (batch->n == 0) {
        const uint64_t first_ns = at_most_60_bits(rv_clock_stretch_to_ns(conversion.stretch, first));
        batch->base_ns = first_ns > normalizer->last_ns ? first_ns : normalizer->last_ns;
    }
    const uint64_t room = RV_EVENT_TICKS_MASK + 1 - batch->base_ns;
    conversion.end_ns = batch->base_ns + (room < RV_BATCH_NS ? room : RV_BATCH_NS);
    while (conversion.popped < conversion.popped_end) {
        if (has_address(conversion.popped))
            convert_calls(normalizer, &conversion);
        if (conversion.popped == conversion.popped_end)
            break;
        if (is_left_out(normalizer, conversion.popped))
            conversion.popped++;
        else if (!convert_any(normalizer, &conversion))
            break;
    }
    normalizer->last_ns = conversion.last_ns;
    batch->n = (uint32_t)(conversion.out - batch->events);
    return (uint32_t)(conversion.popped - popped);
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

/* The place of the next call, which may be in a later batch, waits for the verdict on that call. */
static void hold_call_site(struct rv_normalizer *normalizer, const struct rv_event *event)
{
    normalizer->call_site = *event;
    normalizer->has_call_site = true;
}

/* Before the call that has been converted last, unless that is left out. Returns the number of events written. */
static uint32_t release_call_site(struct rv_normalizer *normalizer, struct rv_event *out, const struct rv_event *call,
                                  bool is_kept)
{
    const bool is_written = normalizer->has_call_site && is_kept;
    normalizer->has_call_site = false;
    if (!is_written)
        return 0;
    *out = normalizer->call_site;
    out->when = (out->when & ~RV_EVENT_TICKS_MASK) | rv_event_ticks(call);
    return 1;
}

/*
 * From events to out, which is the same place, or one event before it while a call site is held. popped: the raw events,
 * one for each event; NULL when they do not correspond.
 */
static uint32_t apply_filter(struct rv_normalizer *normalizer, struct rv_event *out, const struct rv_event *events,
                             uint32_t n, const struct rv_event *popped)
{
    uint32_t written = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct rv_event event = events[i];
        if (normalizer->leaves_out && rv_event_kind(&event) == RV_EVENT_ARGUMENTS)
            continue;
        if (is_call_site(&event)) {
            hold_call_site(normalizer, &event);
            continue;
        }
        if (rv_event_kind(&event) == RV_EVENT_LOST) /* the held place's call, maybe */
            normalizer->has_call_site = false;
        bool is_call = rv_event_kind(&event) <= RV_EVENT_RETURN || rv_event_kind(&event) == RV_EVENT_SYNC;
        bool is_judged = is_call && event.id != 0;
        bool is_kept = !is_judged || rv_capture_filter_has(normalizer->filter, normalizer->symbolizer, event.id);
        if (is_judged && popped && normalizer->publisher)
            rv_verdict_publish(normalizer->publisher, normalizer->process_idx, &popped[i], event.id, is_kept);
        if (is_judged && ends_any_call(normalizer, &event)) {
            event.id = 0;
            is_kept = true;
        }
        normalizer->leaves_out = !is_kept;
        if (rv_event_kind(&event) == RV_EVENT_CALL)
            written += release_call_site(normalizer, out + written, &event, is_kept);
        if (is_kept)
            out[written++] = event;
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

/* Convert behind the room for a call site that is held: its call may be the first that is kept. */
static uint32_t convert_filtered(struct rv_normalizer *normalizer, struct rv_batch *batch,
                                 const struct rv_event *popped, uint32_t n_popped)
{
    const uint32_t first = batch->n, n_held = normalizer->has_call_site, room = RV_BATCH_EVENTS - first - n_held;
    const uint32_t n_done = convert(normalizer, batch, popped, n_popped < room ? n_popped : room);
    const uint32_t n = batch->n - first;
    struct rv_event *out = batch->events + first;
    if (n_held)
        memmove(out + 1, out, n * sizeof *out);
    batch->n = first + apply_filter(normalizer, out, out + n_held, n, n == n_done ? popped : NULL);
    return n_done;
}

uint32_t rv_normalize(struct rv_normalizer *normalizer, struct rv_batch *batch, const struct rv_event *popped,
                      uint32_t n_popped)
{
    const uint32_t first = batch->n;
    const uint32_t n_done = normalizer->filter ? convert_filtered(normalizer, batch, popped, n_popped)
                                               : convert(normalizer, batch, popped, n_popped);
    rv_batch_seal(batch, first);
    translate_specials(normalizer, batch, first);
    return n_done;
}

void rv_normalize_loss(struct rv_normalizer *normalizer, struct rv_batch *batch, uint32_t n)
{
    normalizer->has_call_site = false; /* its call is lost */
    batch->base_ns = normalizer->last_ns;
    batch->events[batch->n++] =
        (struct rv_event){.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | normalizer->last_ns, .id = n};
    rv_batch_seal(batch, 0);
}

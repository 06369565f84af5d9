#include "stream/stack_preamble.h"

static uint64_t at(enum rv_event_kind kind, uint64_t at_ns)
{
    return (uint64_t)kind << RV_EVENT_KIND_SHIFT | at_ns;
}

struct rv_event rv_stack_preamble_stack(uint64_t at_ns, uint32_t stack)
{
    return (struct rv_event){.when = at(RV_EVENT_SWITCH, at_ns), .id = stack};
}

struct rv_event rv_stack_preamble_frame(uint64_t start_ns, uint32_t id, uint16_t tag)
{
    return (struct rv_event){.when = at(RV_EVENT_SYNC, start_ns), .id = id, .frame = tag};
}

struct rv_event rv_stack_preamble_children(uint64_t at_ns, uint64_t children_ns)
{
    return (struct rv_event){.when = at(RV_EVENT_LINE, at_ns),
                             .id = (uint32_t)children_ns,
                             .frame = (uint16_t)(children_ns >> 32),
                             .aux = (uint16_t)(children_ns >> 48)};
}

/* Of those of waits: one that has not ended. */
static bool is_of_preamble(const struct rv_event *event)
{
    const unsigned kind = rv_event_kind(event);
    if (kind == RV_EVENT_WAIT)
        return !(event->frame & RV_WAIT_RELEASE);
    if (kind == RV_EVENT_WOKEN)
        return event->id >> RV_EVENT_WAKE_SHIFT >= RV_WAKE_HELD;
    return kind == RV_EVENT_SWITCH || kind == RV_EVENT_SYNC || kind == RV_EVENT_LINE;
}

bool rv_stack_preamble_is_all(const struct rv_event *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_of_preamble(&events[i]))
            return false;
    return true;
}

bool rv_stack_preamble_read(struct rv_stack_preamble *preamble, const struct rv_event *event, uint64_t *children_ns)
{
    switch (rv_event_kind(event)) {
    case RV_EVENT_SWITCH:
        *preamble = (struct rv_stack_preamble){.stack = event->id};
        return false;
    case RV_EVENT_SYNC:
        preamble->n_frames++;
        return false;
    case RV_EVENT_LINE:
        *children_ns = event->id | (uint64_t)event->frame << 32 | (uint64_t)event->aux << 48;
        return preamble->n_frames > 0;
    default:
        return false;
    }
}

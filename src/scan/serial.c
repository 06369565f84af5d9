/*
 * The rule of stack reconstruction, stated once, as plainly as possible.
 *
 * Per stack, frames {key, id, start} in order of increasing keys. For an event with key k:
 *
 * - any event, after n lost ones: frames with a key of k - 3n or more are doubtful.
 *
 * - any event: frames with a key > k are closed: cut.
 *
 * - CALL: a frame with key k is a sibling whose RETURN was lost: cut. Then push.
 *
 * - RETURN: a frame with key k is finished as a span, unless the RETURN has an id that differs from the frame's: then
 *   the frame is cut. Without a frame, the RETURN is an orphan: a span whose CALL was never seen. A RETURN without an id
 *   leaves no orphan. An orphan below everything seen so far lowers the base depth by one.
 *
 * - SYNC: an open frame with its key and id stays. Otherwise frames above its key are cut at the time of the last CALL
 *   or RETURN, and the SYNC's frame is pushed with its own time.
 */
#include "scan/serial.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "scan/tag.h"

struct frame {
    int64_t key;
    uint64_t start;
    uint32_t id;
    uint32_t flags; /* RV_SPAN_DOUBTFUL or 0 */
};

struct stack {
    uint32_t stack;
    struct rv_tag_state tag;
    int64_t min_key;
    uint32_t base_depth; /* may go below 0: wraps */
    uint64_t first_ns;
    bool is_begun;
    struct frame *frames;
    size_t n, capacity;
};

struct span_sink {
    struct rv_span **spans;
    size_t *n, *capacity;
};

struct rv_serial {
    struct stack *stacks;
    size_t n_stacks, stack_capacity;
    size_t current;
    uint32_t current_stack;
    bool has_current;
    uint64_t last_ns; /* of the last CALL or RETURN */
    struct rv_block_join_counts counts;
    struct span_sink sink;
};

static void put_span(struct rv_serial *serial, const struct rv_span *span)
{
    struct span_sink *sink = &serial->sink;
    *sink->spans = rv_vec_reserve(*sink->spans, sink->capacity, *sink->n + 1, sizeof **sink->spans);
    (*sink->spans)[(*sink->n)++] = *span;
    serial->counts.n_cut += (span->flags & RV_SPAN_CUT) != 0;
    serial->counts.n_orphans += (span->flags & RV_SPAN_ORPHAN) != 0;
    serial->counts.n_doubtful += (span->flags & RV_SPAN_DOUBTFUL) != 0;
}

static void close_top(struct rv_serial *serial, struct stack *stack, uint64_t at_ns, uint32_t flags)
{
    const struct frame *frame = &stack->frames[--stack->n];
    put_span(serial, &(struct rv_span){
                         .start = frame->start,
                         .end = at_ns > frame->start ? at_ns : frame->start,
                         .id = frame->id,
                         .depth = stack->base_depth + (uint32_t)stack->n,
                         .stack = stack->stack,
                         .flags = frame->flags | flags,
                     });
}

static void push_frame(struct rv_serial *serial, struct stack *stack, const struct frame *frame)
{
    stack->frames = rv_vec_reserve(stack->frames, &stack->capacity, stack->n + 1, sizeof *stack->frames);
    stack->frames[stack->n++] = *frame;
    if (stack->n > serial->counts.max_depth)
        serial->counts.max_depth = (uint32_t)stack->n;
}

static bool has_top(const struct stack *stack, int64_t key)
{
    return stack->n && stack->frames[stack->n - 1].key == key;
}

static void close_above(struct rv_serial *serial, struct stack *stack, int64_t key, uint64_t at_ns)
{
    while (stack->n && stack->frames[stack->n - 1].key > key)
        close_top(serial, stack, at_ns, RV_SPAN_CUT);
}

static void on_call(struct rv_serial *serial, struct stack *stack, int64_t key, const struct rv_event *event)
{
    uint64_t at_ns = rv_event_ticks(event);
    serial->counts.n_calls++;
    if (has_top(stack, key))
        close_top(serial, stack, at_ns, RV_SPAN_CUT);
    push_frame(serial, stack, &(struct frame){.key = key, .start = at_ns, .id = event->id});
}

static void on_return(struct rv_serial *serial, struct stack *stack, int64_t key, const struct rv_event *event)
{
    uint64_t at_ns = rv_event_ticks(event);
    if (event->id && has_top(stack, key) && stack->frames[stack->n - 1].id != event->id)
        close_top(serial, stack, at_ns, RV_SPAN_CUT);
    if (has_top(stack, key)) {
        close_top(serial, stack, at_ns, 0);
        return;
    }
    if (!stack->n && key < stack->min_key)
        stack->base_depth--;
    if (!event->id)
        return;
    put_span(serial, &(struct rv_span){
                         .start = stack->first_ns,
                         .end = at_ns,
                         .id = event->id,
                         .depth = stack->base_depth + (uint32_t)stack->n,
                         .stack = stack->stack,
                         .flags = RV_SPAN_ORPHAN,
                     });
}

static bool has_frame(const struct stack *stack, int64_t key, uint32_t id)
{
    for (size_t i = 0; i < stack->n; i++)
        if (stack->frames[i].key == key)
            return stack->frames[i].id == id;
    return false;
}

static void on_sync(struct rv_serial *serial, struct stack *stack, int64_t key, const struct rv_event *event)
{
    if (has_frame(stack, key, event->id))
        return;
    close_above(serial, stack, key, serial->last_ns);
    if (has_top(stack, key))
        close_top(serial, stack, serial->last_ns, RV_SPAN_CUT);
    push_frame(serial, stack, &(struct frame){.key = key, .start = rv_event_ticks(event), .id = event->id});
}

static struct stack *current_stack(struct rv_serial *serial)
{
    if (serial->has_current)
        return &serial->stacks[serial->current];
    size_t i = 0;
    while (i < serial->n_stacks && serial->stacks[i].stack != serial->current_stack)
        i++;
    if (i == serial->n_stacks) {
        serial->stacks =
            rv_vec_reserve(serial->stacks, &serial->stack_capacity, serial->n_stacks + 1, sizeof *serial->stacks);
        serial->stacks[serial->n_stacks++] = (struct stack){.stack = serial->current_stack, .min_key = INT64_MAX};
    }
    serial->has_current = true;
    serial->current = i;
    return &serial->stacks[i];
}

static int64_t advance_key(struct stack *stack, const struct rv_event *event)
{
    uint64_t n_lost = stack->tag.n_lost;
    int64_t key = rv_tag_advance(&stack->tag, event->frame);
    for (size_t i = 0; n_lost && i < stack->n; i++)
        if (stack->frames[i].key >= rv_tag_doubtful(key, n_lost))
            stack->frames[i].flags = RV_SPAN_DOUBTFUL;
    return key;
}

static void on_plain(struct rv_serial *serial, const struct rv_event *event)
{
    struct stack *stack = current_stack(serial);
    int64_t key = advance_key(stack, event);
    if (!stack->is_begun) {
        stack->is_begun = true;
        stack->first_ns = rv_event_ticks(event);
    }
    close_above(serial, stack, key, rv_event_ticks(event));
    if (rv_event_kind(event) == RV_EVENT_CALL)
        on_call(serial, stack, key, event);
    else
        on_return(serial, stack, key, event);
    if (key < stack->min_key)
        stack->min_key = key;
    serial->last_ns = rv_event_ticks(event);
}

static void on_event(struct rv_serial *serial, const struct rv_event *event)
{
    switch (rv_event_kind(event)) {
    case RV_EVENT_CALL:
    case RV_EVENT_RETURN:
        on_plain(serial, event);
        break;
    case RV_EVENT_SWITCH:
        serial->current_stack = event->id;
        serial->has_current = false;
        break;
    case RV_EVENT_LOST:
        serial->counts.n_lost += event->id;
        rv_tag_lose(&current_stack(serial)->tag, event->id);
        break;
    case RV_EVENT_SYNC: {
        struct stack *stack = current_stack(serial);
        int64_t key = advance_key(stack, event);
        on_sync(serial, stack, key, event);
        if (key < stack->min_key)
            stack->min_key = key;
        break;
    }
    default:
        break;
    }
}

struct rv_serial *rv_serial_create(void)
{
    return rv_alloc(1, sizeof(struct rv_serial));
}

void rv_serial_destroy(struct rv_serial *serial)
{
    if (!serial)
        return;
    for (size_t i = 0; i < serial->n_stacks; i++)
        free(serial->stacks[i].frames);
    free(serial->stacks);
    free(serial);
}

void rv_serial_feed(struct rv_serial *serial, const struct rv_event *events, size_t n, struct rv_span **spans,
                    size_t *n_spans, size_t *capacity)
{
    serial->sink = (struct span_sink){spans, n_spans, capacity};
    for (size_t i = 0; i < n; i++)
        on_event(serial, &events[i]);
}

void rv_serial_finish(struct rv_serial *serial, uint64_t end_ns, struct rv_span **spans, size_t *n_spans,
                      size_t *capacity)
{
    serial->sink = (struct span_sink){spans, n_spans, capacity};
    for (size_t i = 0; i < serial->n_stacks; i++)
        while (serial->stacks[i].n)
            close_top(serial, &serial->stacks[i], end_ns, RV_SPAN_OPEN);
}

void rv_serial_counts(const struct rv_serial *serial, struct rv_block_join_counts *out)
{
    *out = serial->counts;
}

/*
 * A ring whose shared words anyone may write at any time: pop and peek stay inside ring and output, and the counts that
 * they return match the movement of tail.
 */
#include <stdlib.h>
#include <string.h>

#include "ring/ring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_EVENTS = 64 };

static const uint8_t *cursor, *end;

static uint64_t take(unsigned n_bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n_bytes && cursor < end; i++)
        value |= (uint64_t)*cursor++ << 8 * i;
    return value;
}

static void scribble(struct rv_wire_control *control)
{
    switch (take(1) % 9) {
    case 0:
        control->head = take(8);
        break;
    case 1:
        control->head += take(2);
        break;
    case 2:
        control->tail = take(8);
        break;
    case 3:
        control->tail += take(1);
        break;
    case 4:
        control->claim_head = take(8);
        break;
    case 5:
        control->n_overwritten = take(8);
        break;
    case 6:
        control->n_lost_marks = take(8);
        break;
    case 7:
        control->n_refused = take(8);
        break;
    default:
        control->state = (uint32_t)take(1);
        control->is_overwriting = (uint32_t)take(1);
        break;
    }
}

static void check(const struct rv_ring_read *read, size_t max, uint64_t moved)
{
    if (read->n > max || read->n > N_EVENTS || read->n + read->n_overwritten != moved)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cursor = data;
    end = data + size;
    struct rv_wire_control *control = calloc(1, sizeof *control);
    struct rv_event *events = calloc(N_EVENTS, sizeof *events);
    struct rv_ring ring = {
        .control = control, .events = events, .n_events = N_EVENTS, .policy = take(1) % RV_POLICY_COUNT};
    uint64_t seen = take(8);
    while (cursor < end) {
        size_t max = take(1) % (N_EVENTS + 8);
        struct rv_event *out = malloc(max * sizeof *out + 1);
        scribble(control);
        rv_ring_settle(&ring);
        uint64_t tail = ring.tail, before = seen;
        if (control->tail != tail || (int64_t)(control->head - tail) < 0)
            abort();
        struct rv_ring_read read = rv_ring_pop(&ring, out, max);
        check(&read, max, control->tail - tail);
        read = rv_ring_peek(&ring, &seen, out, max);
        check(&read, max, seen - before);
        if (rv_ring_n_waiting(&ring) > N_EVENTS)
            abort();
        rv_ring_account(&ring);
        free(out);
    }
    free(events);
    free(control);
    return 0;
}

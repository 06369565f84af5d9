#include "attached.h"

#include <stdlib.h>

#include "recorded.h"
#include "ringviz/recording.h"

enum { DEPTH = 300, IDS = 9, RAISED = 40, DIVE = 2000, BORDER = 30 };

struct attached {
    uint64_t now_ns;
    uint32_t stack, floor, depth[ATTACHED_STACKS];
    uint64_t start_ns[ATTACHED_STACKS][DEPTH + RAISED + DIVE];
    uint32_t ids[ATTACHED_STACKS][DEPTH + RAISED + DIVE];
    struct rv_event *out;
    size_t n;
};

static struct rv_event event_at(uint64_t now_ns, enum rv_event_kind kind, uint32_t id, uint32_t depth)
{
    return (struct rv_event){
        .when = (uint64_t)kind << RV_EVENT_KIND_SHIFT | now_ns, .id = id, .frame = (uint16_t)depth};
}

static void put(struct attached *attached, enum rv_event_kind kind, uint32_t id, uint32_t depth)
{
    attached->out[attached->n++] = event_at(attached->now_ns, kind, id, depth);
}

static void call(struct attached *attached, bool is_told)
{
    uint32_t stack = attached->stack, depth = attached->depth[stack]++;
    attached->start_ns[stack][depth] = attached->now_ns;
    attached->ids[stack][depth] = 1 + (uint32_t)recorded_draw(IDS);
    if (is_told)
        put(attached, RV_EVENT_CALL, attached->ids[stack][depth], depth);
}

static void come_back(struct attached *attached, bool is_told)
{
    uint32_t stack = attached->stack, depth = --attached->depth[stack];
    if (is_told)
        put(attached, RV_EVENT_RETURN, recorded_draw(4) ? attached->ids[stack][depth] : 0, depth);
}

static void walk(struct attached *attached, bool is_told)
{
    uint32_t depth = attached->depth[attached->stack];
    bool is_call = depth <= attached->floor || (depth < attached->floor + 20 && recorded_draw(2));
    if (is_call)
        call(attached, is_told);
    else
        come_back(attached, is_told);
}

/* Makes so many rows that only wide cells fit the budget: all but the longest calls are in pages. */
static void dive(struct attached *attached)
{
    while (attached->depth[attached->stack] < attached->floor + DIVE)
        call(attached, true);
    while (attached->depth[attached->stack] > attached->floor)
        come_back(attached, true);
}

static void lose(struct attached *attached)
{
    uint32_t n = 1 + (uint32_t)recorded_draw(6), depth;
    for (uint32_t i = 0; i < n; i++)
        walk(attached, false);
    put(attached, RV_EVENT_LOST, n, 0);
    depth = attached->depth[attached->stack];
    for (uint32_t i = recorded_draw(2) ? depth : depth - 3; i < depth; i++)
        attached->out[attached->n++] =
            event_at(attached->start_ns[attached->stack][i], RV_EVENT_SYNC, attached->ids[attached->stack][i], i);
}

/*
 * The floor, the depth below which returns do not go, sinks all the time. In every other stretch it is raised, so that
 * some calls stay open for a whole block and parts of its neighbours.
 */
static uint32_t floor_at(size_t i, size_t n)
{
    bool is_raised = (i + RV_REC_MAX_EVENTS / 2) / (2 * RV_REC_MAX_EVENTS) % 2;
    return (uint32_t)(DEPTH - i * (DEPTH - 20) / n) + (is_raised ? RAISED : 0);
}

size_t attached_make(struct rv_event *events, size_t n)
{
    struct attached *attached = calloc(1, sizeof *attached);
    *attached = (struct attached){.now_ns = 1000, .out = events};
    for (uint32_t i = 0; i < ATTACHED_STACKS; i++) {
        attached->depth[i] = DEPTH - 7 * i;
        for (uint32_t k = 0; k < DEPTH; k++)
            attached->ids[i][k] = 1 + k % IDS;
    }
    while (attached->n + 2 * DIVE + DEPTH < n) {
        attached->floor = floor_at(attached->n, n);
        attached->now_ns += recorded_draw(4) + (recorded_draw(2000) == 0 ? recorded_draw(20000) : 0);
        bool is_at_border = (attached->n + BORDER) % RV_REC_MAX_EVENTS < 2 * BORDER;
        uint64_t choice = recorded_draw(is_at_border ? 8 : 2000);
        if (choice == 0) {
            attached->stack = (uint32_t)recorded_draw(attached->n < n / 2 ? 2 : ATTACHED_STACKS);
            put(attached, RV_EVENT_SWITCH, attached->stack, 0);
        } else if (choice == 1) {
            lose(attached);
        } else if (recorded_draw(10000) == 0) {
            dive(attached);
        } else if (choice == 2 && attached->depth[attached->stack] > attached->floor + 3) {
            attached->depth[attached->stack] -= 3; /* a jump */
        } else {
            walk(attached, choice < 3 || choice > 5);
        }
    }
    walk(attached, true);
    size_t n_made = attached->n;
    free(attached);
    return n_made;
}

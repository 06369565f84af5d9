#include "producers/native/stack_for_monitors.h"

#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "ring/live_stack.h"

bool rv_stack_for_monitors_is_kept;

static bool has_slots(struct rv_live_stack *slots)
{
    int ring = rv_thread_ring();
    if (ring >= 0)
        rv_live_stack_view(slots, rv_process_map(), (uint32_t)ring);
    return ring >= 0;
}

void rv_stack_for_monitors_call(uint32_t id, uint64_t ticks)
{
    struct rv_live_stack slots;
    if (has_slots(&slots))
        rv_live_stack_push(&slots, "", id, ticks);
}

void rv_stack_for_monitors_return(void)
{
    struct rv_live_stack slots;
    if (has_slots(&slots))
        rv_live_stack_pop(&slots);
}

void rv_stack_for_monitors_line(uint32_t line, uint64_t ticks)
{
    struct rv_live_stack slots;
    if (has_slots(&slots))
        rv_live_stack_update(&slots, line, ticks);
}

void rv_stack_for_monitors_replay(uint32_t id, uint16_t depth, uint64_t ticks)
{
    struct rv_live_stack slots;
    if (has_slots(&slots) && (uint16_t)rv_live_stack_depth(&slots) == depth)
        rv_live_stack_push(&slots, "", id, ticks);
}

#include "producers/native/stack_mirror.h"

#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "ring/live_stack.h"

bool rv_shown_is_kept;

static bool has_slots(struct rv_slots *slots)
{
    int ring = rv_thread_ring();
    if (ring >= 0)
        rv_slots_view(slots, rv_process_map(), (uint32_t)ring);
    return ring >= 0;
}

void rv_shown_call(uint32_t id, uint64_t ticks)
{
    struct rv_slots slots;
    if (has_slots(&slots))
        rv_slots_push(&slots, "", id, ticks);
}

void rv_shown_return(void)
{
    struct rv_slots slots;
    if (has_slots(&slots))
        rv_slots_pop(&slots);
}

void rv_shown_line(uint32_t line, uint64_t ticks)
{
    struct rv_slots slots;
    if (has_slots(&slots))
        rv_slots_update(&slots, line, ticks);
}

void rv_shown_replay(uint32_t id, uint16_t depth, uint64_t ticks)
{
    struct rv_slots slots;
    if (has_slots(&slots) && (uint16_t)rv_slots_depth(&slots) == depth)
        rv_slots_push(&slots, "", id, ticks);
}

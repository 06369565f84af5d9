#include "producers/native/origin.h"

#include "base/clock.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"

static RV_THREAD_LOCAL struct rv_origin origin; /* of the calling thread, to be written */
static RV_THREAD_LOCAL uint64_t began;          /* ticks */

struct rv_origin rv_origin_announce(void)
{
    if (rv_thread_ring() < 0)
        return (struct rv_origin){0};
    const uint64_t ticks =
        rv_push(&rv_thread.pusher, RV_EVENT_WAIT, rv_event_word(0, RV_WAIT_START | RV_WAIT_RELEASE, 0),
                RV_ENTRY_STACK(), rv_thread_push_slow);
    return (struct rv_origin){rv_thread.pusher.state->ring.control->owner_tid, ticks};
}

void rv_origin_begin(const struct rv_origin *of)
{
    origin = *of;
    began = origin.creator ? rv_clock_ticks(rv_process_map()->clock.kind) : 0;
}

uint64_t rv_origin_created(void)
{
    return origin.created;
}

void rv_origin_write(void)
{
    const struct rv_origin of = origin;
    if (!of.creator)
        return;
    origin = (struct rv_origin){0};
    const uint64_t since = began - of.created < UINT32_MAX ? began - of.created : UINT32_MAX;
    rv_pusher_put_first(&rv_thread.pusher, RV_EVENT_WAIT, of.created, rv_event_word(0, RV_WAIT_START, 0));
    rv_pusher_put_first(&rv_thread.pusher, RV_EVENT_WOKEN, began,
                        rv_event_word(of.creator | (uint32_t)RV_WAKE_EXACT << RV_EVENT_WAKE_SHIFT,
                                      (uint16_t)(since >> 16), (uint16_t)since));
}

#include "producers/native/creator.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/own_syscalls.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "ring/ownership.h"

static RV_THREAD_LOCAL struct rv_creator origin; /* the calling thread's, not written yet */
static RV_THREAD_LOCAL uint64_t began;           /* ticks */

struct rv_creator rv_creator_announce(void)
{
    if (rv_thread_ring() < 0)
        return (struct rv_creator){0};
    const uint32_t creator = rv_thread_tid();
    const uint64_t ticks =
        rv_thread_push(RV_EVENT_WAIT, rv_event_word(0, RV_WAIT_START | RV_WAIT_RELEASE, 0), RV_ENTRY_STACK());
    return (struct rv_creator){creator, ticks, RV_WAKE_EXACT};
}

struct rv_creator rv_creator_announce_process(void)
{
    const struct rv_creator announced = rv_creator_announce();
    if (announced.creator && rv_thread_ring() >= 0)
        __atomic_store_n(&rv_thread.pusher.state->ring.control->creating, announced.created, __ATOMIC_RELAXED);
    return announced;
}

/* The last creation announced by a thread of the process with this pid and start. */
static struct rv_creator find_in(pid_t pid, uint64_t start, enum rv_wake wake)
{
    const struct rv_map *map = rv_process_map();
    struct rv_creator found = {.wake = wake};
    for (uint32_t i = 0; i < rv_ownership_n_rings_used(map); i++) {
        const struct rv_wire_control *control = rv_map_control(map, i);
        const uint64_t created = __atomic_load_n(&control->creating, __ATOMIC_RELAXED);
        if (created <= found.created || control->owner_pid != (uint32_t)pid ||
            control->process >= rv_ownership_n_processes(map) || rv_map_process(map, control->process)->start != start)
            continue;
        found.creator = control->owner_tid;
        found.created = created;
    }
    return found;
}

void rv_creator_find(void)
{
    static bool has_looked;
    if (has_looked || origin.creator || rv_os_own_tid() != rv_os_own_pid())
        return;
    has_looked = true;
    const int saved = errno;
    rv_os_begin_own();
    struct rv_creator found =
        find_in(rv_os_own_pid(), rv_map_process(rv_process_map(), rv_process_idx())->start, RV_WAKE_EXACT);
    if (!found.creator)
        found = find_in(getppid(), rv_os_process_start(getppid()), RV_WAKE_LIKELY);
    rv_os_end_own();
    rv_creator_begin(&found);
    errno = saved;
}

void rv_creator_begin(const struct rv_creator *of)
{
    origin = *of;
    began = origin.creator ? rv_clock_ticks(rv_process_map()->clock.kind) : 0;
}

uint64_t rv_creator_created(void)
{
    return origin.created;
}

void rv_creator_write(void)
{
    const struct rv_creator of = origin;
    if (!of.creator)
        return;
    origin = (struct rv_creator){0};
    const uint64_t since = began - of.created < UINT32_MAX ? began - of.created : UINT32_MAX;
    rv_pusher_put_first(&rv_thread.pusher, RV_EVENT_WAIT, of.created, rv_event_word(0, RV_WAIT_START, 0));
    rv_pusher_put_first(
        &rv_thread.pusher, RV_EVENT_WOKEN, began,
        rv_event_word(of.creator | (uint32_t)of.wake << RV_EVENT_WAKE_SHIFT, (uint16_t)(since >> 16), (uint16_t)since));
}

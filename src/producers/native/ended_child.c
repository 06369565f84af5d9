#include "producers/native/ended_child.h"

#include "base/own_syscalls.h"
#include "producers/native/process.h"
#include "ring/ownership.h"

struct rv_ended_child rv_ended_child_find(uint64_t since)
{
    const struct rv_map *map = rv_process_map();
    const uint32_t pid = (uint32_t)rv_os_own_pid();
    struct rv_ended_child found = {.pid = 0};
    for (uint32_t i = 0; i < rv_ownership_n_processes(map); i++) {
        const struct rv_wire_process *process = rv_map_process(map, i);
        const uint64_t ticks = __atomic_load_n(&process->ended_ticks, __ATOMIC_RELAXED);
        if (ticks >= since && ticks > found.ticks && process->parent_pid == pid)
            found = (struct rv_ended_child){process->pid, ticks};
    }
    return found;
}

#include "ring/run_state.h"

#include <errno.h>

#include "base/clock.h"
#include "base/os.h"
#include "ring/process_liveness.h"

enum { STATE_BITS = 2, STATE_MASK = (1 << STATE_BITS) - 1 };

static uint64_t monitors_byte(const struct rv_map *map)
{
    return 3ull + map->geometry.n_rings;
}

static uint64_t asker_byte(const struct rv_map *map, uint32_t ring_idx)
{
    return 4ull + map->geometry.n_rings + ring_idx;
}

void rv_run_state_request(struct rv_wire_control *control)
{
    __atomic_store_n(&control->attention, 1, __ATOMIC_RELEASE); /* A1 -> A2 */
    rv_os_futex_wake(&control->attention);
}

static struct rv_run_status read_word(uint32_t word)
{
    uint32_t state = word & STATE_MASK;
    return (struct rv_run_status){state < RV_RUN_STATE_COUNT ? (enum rv_run_state)state : RV_RUN_UNSTEERED,
                                  word >> STATE_BITS};
}

struct rv_run_status rv_run_state_read(const struct rv_wire_control *control)
{
    return read_word(__atomic_load_n(&control->run_state, __ATOMIC_ACQUIRE)); /* A4 <- A3 */
}

int rv_run_state_wait_stop(const struct rv_wire_control *control, uint32_t n_stops, uint64_t timeout_ns)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    for (;;) {
        uint32_t seen = __atomic_load_n(&control->run_state, __ATOMIC_ACQUIRE); /* A4 <- A3 */
        struct rv_run_status status = read_word(seen);
        if (status.state == RV_RUN_STOPPED && status.n_stops != n_stops)
            return 0;
        uint64_t waited_ns = rv_clock_mono_ns() - begin_ns;
        if (waited_ns >= timeout_ns)
            return timeout_ns ? -ETIMEDOUT : -EAGAIN;
        rv_os_futex_wait(&control->run_state, seen, timeout_ns - waited_ns);
    }
}

int rv_run_state_attach_monitor(struct rv_map *map)
{
    if (rv_map_own_fd(map))
        return -EBADF;
    return rv_process_liveness_lock_shared(map->fd, monitors_byte(map)) ? 0 : -EAGAIN;
}

void rv_run_state_detach_monitor(struct rv_map *map)
{
    if (rv_map_own_fd(map) == 0)
        rv_process_liveness_unlock(map->fd, monitors_byte(map));
}

int rv_run_state_begin_asking(struct rv_map *map, uint32_t ring_idx)
{
    if (rv_map_own_fd(map))
        return -EBADF;
    return rv_process_liveness_lock(map->fd, asker_byte(map, ring_idx)) ? 0 : -EBUSY;
}

void rv_run_state_end_asking(struct rv_map *map, uint32_t ring_idx)
{
    if (rv_map_own_fd(map) == 0)
        rv_process_liveness_unlock(map->fd, asker_byte(map, ring_idx));
}

bool rv_run_state_take_request(struct rv_wire_control *control)
{
    return __atomic_exchange_n(&control->attention, 0, __ATOMIC_ACQUIRE) != 0; /* A2 <- A1 */
}

void rv_run_state_wait_request(const struct rv_wire_control *control, uint64_t timeout_ns)
{
    rv_os_futex_wait(&control->attention, 0, timeout_ns);
}

void rv_run_state_set(struct rv_wire_control *control, enum rv_run_state state)
{
    uint32_t n_stops = __atomic_load_n(&control->run_state, __ATOMIC_RELAXED) >> STATE_BITS;
    n_stops += state == RV_RUN_STOPPED;
    __atomic_store_n(&control->run_state, n_stops << STATE_BITS | (uint32_t)state, __ATOMIC_RELEASE); /* A3 -> A4 */
    rv_os_futex_wake(&control->run_state);
}

bool rv_run_state_has_monitor(struct rv_map *map)
{
    return rv_map_own_fd(map) == 0 && rv_process_liveness_is_locked(map->fd, monitors_byte(map), 1);
}

/* The run control functions of include/ringviz/monitor.h. */
#include <errno.h>
#include <unistd.h>

#include "producers/native/monitor_file.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "ring/run_state.h"

_Static_assert((int)RINGVIZ_UNSTEERED == (int)RV_RUN_UNSTEERED && (int)RINGVIZ_RUNNING == (int)RV_RUN_RUNNING &&
                   (int)RINGVIZ_STOPPED == (int)RV_RUN_STOPPED,
               "the states are those of the wire");

/* This process's file, whose map is never unmapped. No lock, which a forking thread could leave held in its child. */
static struct ringviz_file own;

RV_EXPORT int ringviz_own_ring(struct ringviz_file **file, uint32_t *ring)
{
    int owned = rv_process_is_open() ? rv_thread_ring() : -ENOENT;
    if (owned < 0)
        return owned;
    __atomic_store_n(&own.map, rv_process_map(), __ATOMIC_RELAXED);
    __atomic_store_n(&own.pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
    *file = &own;
    *ring = (uint32_t)owned;
    return 0;
}

RV_EXPORT const uint32_t *ringviz_attention(const struct ringviz_file *file, uint32_t ring)
{
    return rv_monitor_file_has_ring(file, ring) ? &rv_map_control(file->map, ring)->attention : NULL;
}

RV_EXPORT bool ringviz_attention_take(struct ringviz_file *file, uint32_t ring)
{
    bool is_called =
        rv_monitor_file_check_owner(file, ring) == 0 && rv_run_state_take_request(rv_map_control(file->map, ring));
    if (is_called && file == &own)
        rv_thread_look(); /* tracing may have been switched off */
    return is_called;
}

RV_EXPORT int ringviz_attention_wait(const struct ringviz_file *file, uint32_t ring, uint64_t timeout_ns)
{
    int error = rv_monitor_file_check_owner(file, ring);
    if (!error)
        rv_run_state_wait_request(rv_map_control(file->map, ring), timeout_ns);
    return error;
}

RV_EXPORT int ringviz_state_set(struct ringviz_file *file, uint32_t ring, enum ringviz_state state)
{
    int error = rv_monitor_file_check_owner(file, ring);
    if (!error)
        rv_run_state_set(rv_map_control(file->map, ring), (enum rv_run_state)state);
    return error;
}

RV_EXPORT bool ringviz_has_monitor(struct ringviz_file *file)
{
    return rv_run_state_has_monitor(file->map);
}

RV_EXPORT int ringviz_monitor_attach(struct ringviz_file *file)
{
    return rv_run_state_attach_monitor(file->map);
}

RV_EXPORT void ringviz_monitor_detach(struct ringviz_file *file)
{
    rv_run_state_detach_monitor(file->map);
}

RV_EXPORT int ringviz_state_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_state *state,
                                uint32_t *n_stops)
{
    if (!rv_monitor_file_has_ring(file, ring))
        return -EINVAL;
    struct rv_run_status status = rv_run_state_read(rv_map_control(file->map, ring));
    *state = (enum ringviz_state)status.state;
    *n_stops = status.n_stops;
    return 0;
}

/*
 * include/ringviz/monitor.h over the ring library: checks permissions and arguments. A forked child gets locks and a
 * process entry of its own, for which all open files are listed.
 */
#include "ringviz/monitor.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "producers/native/monitor_file.h"
#include "producers/native/fork_mark.h"
#include "ring/file_pages.h"
#include "producers/native/ring_writer.h"
#include "ring/commands.h"
#include "ring/ownership.h"
#include "ring/global_message.h"
#include "ring/live_stack.h"
#include "ring/watches.h"

/* Ring size of files created here: 256 KiB per used ring. */
#define N_RING_EVENTS 16384u
#define N_NAMES 16384u
#define NAME_BYTES (8u << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ringviz_file *files;

/* ---- files ---- */

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* In a forked child. _Fork(), which runs no handlers, may have left out a thread that had the lock: a list of files is whole
 * at any time. */
static void follow_fork(void)
{
    if (!rv_fork_mark_is_gone(RV_FORK_MARK_FILES) || !rv_fork_mark_set(RV_FORK_MARK_FILES))
        return;
    pthread_mutex_init(&lock, NULL);
    for (struct ringviz_file *file = files; file; file = file->next) {
        rv_ownership_after_fork(file->map);
        file->process = -ENOENT;
        file->pid = (uint32_t)getpid();
    }
}

static void take_lock(void)
{
    follow_fork();
    pthread_mutex_lock(&lock);
}

static void before_fork(void)
{
    take_lock();
}

__attribute__((constructor)) static void start(void)
{
    (void)rv_fork_mark_set(RV_FORK_MARK_FILES);
    pthread_atfork(before_fork, after_fork, follow_fork);
}

static struct ringviz_file *make_file(void)
{
    struct ringviz_file *file = calloc(1, sizeof *file);
    if (file) {
        file->map = &file->opened;
        file->n_users = 1;
        file->process = -ENOENT;
        file->pid = (uint32_t)getpid();
    }
    return file;
}

static void free_file(struct ringviz_file *file)
{
    for (uint32_t i = 0; file->writers && i < file->map->geometry.n_rings; i++)
        rv_ring_writer_destroy(file->writers[i]);
    rv_map_close(file->map);
    free(file->writers);
    free(file);
}

/* Finish opening a file that was or was not mapped. */
static int list_file(struct ringviz_file *file, int error, struct ringviz_file **out)
{
    if (!error) {
        file->writers = calloc(file->map->geometry.n_rings, sizeof *file->writers);
        error = file->writers ? 0 : -ENOMEM;
    }
    if (error) {
        free_file(file);
        return error;
    }
    take_lock();
    file->next = files;
    files = file;
    pthread_mutex_unlock(&lock);
    *out = file;
    return 0;
}

RV_EXPORT int ringviz_file_create(struct ringviz_file **file, const char *path,
                                  const struct ringviz_file_params *params)
{
    const struct rv_map_params sizes = {
        .n_rings = params->n_rings ? params->n_rings : 20,
        .n_slots = params->n_slots ? params->n_slots : 10,
        .slot_bytes = params->slot_bytes ? params->slot_bytes : 200,
        .message_bytes = params->message_bytes ? params->message_bytes : 256,
        .global_bytes = params->global_bytes ? params->global_bytes : 16384,
        .n_processes = 65536,
        .ring_events = N_RING_EVENTS,
        .n_names = N_NAMES,
        .name_heap_bytes = NAME_BYTES,
        .policy = RV_POLICY_RING,
        .stop_on_create = params->stop_on_create,
        .trace_on_create = params->trace_on_create,
        .is_quiet = true,
    };
    struct ringviz_file *made = make_file();
    return made ? list_file(made, rv_map_create(made->map, path, &sizes), file) : -ENOMEM;
}

RV_EXPORT int ringviz_file_open(struct ringviz_file **file, const char *path)
{
    struct ringviz_file *made = make_file();
    if (!made)
        return -ENOMEM;
    int error = rv_map_open(made->map, path, RV_MAP_PRODUCER, true);
    if (error == -EACCES || error == -EROFS)
        error = rv_map_open(made->map, path, RV_MAP_OBSERVER, true);
    return list_file(made, error, file);
}

RV_EXPORT struct ringviz_file *ringviz_file_keep(struct ringviz_file *file)
{
    take_lock();
    file->n_users++;
    pthread_mutex_unlock(&lock);
    return file;
}

RV_EXPORT void ringviz_file_close(struct ringviz_file *file)
{
    if (!file)
        return;
    take_lock();
    bool is_last = --file->n_users == 0;
    struct ringviz_file **link = &files;
    while (is_last && *link != file)
        link = &(*link)->next;
    if (is_last)
        *link = file->next;
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    if (file->process >= 0)
        rv_ownership_leave_process(file->map, (uint32_t)file->process);
    free_file(file);
}

RV_EXPORT const char *ringviz_file_path(const struct ringviz_file *file)
{
    return file->map->path;
}

RV_EXPORT const void *ringviz_file_address(const struct ringviz_file *file)
{
    return file->map->base;
}

RV_EXPORT void ringviz_file_params(const struct ringviz_file *file, struct ringviz_file_params *params)
{
    const struct rv_wire_header *geometry = &file->map->geometry;
    *params = (struct ringviz_file_params){
        .n_rings = geometry->n_rings,
        .n_slots = geometry->n_slots,
        .slot_bytes = geometry->slot_bytes,
        .message_bytes = geometry->message_bytes,
        .global_bytes = (uint32_t)geometry->global_message.n_bytes,
        .stop_on_create = __atomic_load_n(&file->map->header->stop_on_create, __ATOMIC_RELAXED),
        .trace_on_create = __atomic_load_n(&file->map->header->trace_on_create, __ATOMIC_RELAXED),
    };
}

/* ---- who may do what ---- */

bool rv_monitor_file_has_ring(const struct ringviz_file *file, uint32_t ring)
{
    return ring < file->map->geometry.n_rings &&
           (file->map->mode == RV_MAP_OBSERVER || rv_file_pages_give_state(file->map, ring) == 0);
}

bool rv_monitor_file_has_pages(const struct ringviz_file *file, uint32_t ring)
{
    return __atomic_load_n(&rv_map_control(file->map, ring)->has_pages, __ATOMIC_RELAXED);
}

static int check_writing(const struct ringviz_file *file, uint32_t ring)
{
    if (!rv_monitor_file_has_ring(file, ring))
        return -EINVAL;
    return file->map->mode == RV_MAP_OBSERVER ? -EROFS : 0;
}

static int check_monitor(const struct ringviz_file *file, uint32_t ring)
{
    int error = check_writing(file, ring);
    if (error)
        return error;
    uint32_t state = __atomic_load_n(&rv_map_control(file->map, ring)->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    return state == RV_RING_LIVE && rv_monitor_file_has_pages(file, ring) ? 0 : -ENOENT;
}

int rv_monitor_file_check_owner(const struct ringviz_file *file, uint32_t ring)
{
    follow_fork();
    int error = check_monitor(file, ring);
    if (error)
        return error;
    return rv_map_control(file->map, ring)->owner_pid == file->pid ? 0 : -EPERM;
}

struct rv_ring_writer *rv_monitor_file_writer(const struct ringviz_file *file, uint32_t ring)
{
    return rv_monitor_file_check_owner(file, ring) == 0 && file->writers && rv_ownership_holds(file->map, ring)
               ? file->writers[ring]
               : NULL;
}

/* ---- flags ---- */

static uint32_t *flag_word(const struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag)
{
    struct rv_wire_header *header = file->map->header;
    switch (flag) {
    case RINGVIZ_SINGLE:
        return &header->single;
    case RINGVIZ_STOP_ON_CREATE:
        return &header->stop_on_create;
    case RINGVIZ_TRACE_ON_CREATE:
        return &header->trace_on_create;
    case RINGVIZ_TRACE:
        return rv_monitor_file_has_ring(file, ring) ? &rv_map_control(file->map, ring)->trace : NULL;
    case RINGVIZ_SIGNAL:
        return rv_monitor_file_has_ring(file, ring) ? &rv_map_control(file->map, ring)->signal : NULL;
    case RINGVIZ_MUTED:
        return rv_monitor_file_has_ring(file, ring) ? &rv_map_control(file->map, ring)->is_muted : NULL;
    case RINGVIZ_FLAG_COUNT:
        break;
    }
    return NULL;
}

RV_EXPORT int ringviz_flag_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t *value)
{
    const uint32_t *word = flag_word(file, ring, flag);
    if (!word)
        return -EINVAL;
    *value = (int32_t)__atomic_load_n(word, __ATOMIC_RELAXED);
    return 0;
}

RV_EXPORT int ringviz_flag_set(struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t value,
                               int32_t *before)
{
    uint32_t *word = flag_word(file, ring, flag);
    if (!word)
        return -EINVAL;
    if (file->map->mode == RV_MAP_OBSERVER)
        return -EROFS;
    *before = (int32_t)__atomic_exchange_n(word, (uint32_t)value, __ATOMIC_RELAXED);
    return 0;
}

/* ---- rings ---- */

static int enter_process(struct ringviz_file *file)
{
    take_lock();
    if (file->process < 0)
        file->process = rv_ownership_enter_process(file->map);
    int process = file->process;
    pthread_mutex_unlock(&lock);
    return process;
}

RV_EXPORT int ringviz_ring_claim(struct ringviz_file *file, uint32_t thread)
{
    if (file->map->mode == RV_MAP_OBSERVER)
        return -EROFS;
    if (!file->writers)
        return -EINVAL; /* ringviz_own_ring() */
    int process = enter_process(file);
    if (process < 0)
        return process;
    int ring = rv_ownership_claim(file->map, (uint32_t)process);
    if (ring < 0)
        return ring;
    struct rv_ring_writer **writer = &file->writers[ring];
    if (!*writer && !(*writer = rv_ring_writer_create())) {
        rv_ownership_release(file->map, (uint32_t)ring);
        return -ENOMEM;
    }
    rv_ring_writer_attach(*writer, file->map, (uint32_t)ring);
    rv_map_control(file->map, (uint32_t)ring)->thread_number = thread;
    return ring;
}

RV_EXPORT int ringviz_ring_free(struct ringviz_file *file, uint32_t ring)
{
    int error = check_writing(file, ring);
    if (error)
        return error;
    const struct rv_wire_control *control = rv_map_control(file->map, ring);
    if (__atomic_load_n(&control->state, __ATOMIC_ACQUIRE) == RV_RING_FREE) /* D2 <- D1 */
        return -ENOENT;
    if (rv_monitor_file_writer(file, ring)) {
        rv_ring_writer_detach(file->writers[ring]);
        rv_ownership_release(file->map, ring);
    } else if (rv_ownership_has_live_owner(file->map, ring)) {
        return -EBUSY;
    }
    rv_ownership_recycle_ring(file->map, ring);
    return 0;
}

RV_EXPORT bool ringviz_ring_is_free(const struct ringviz_file *file, uint32_t ring)
{
    if (!rv_monitor_file_has_ring(file, ring))
        return false;
    uint32_t state = __atomic_load_n(&rv_map_control(file->map, ring)->state, __ATOMIC_ACQUIRE); /* D2 <- D1 */
    if (state == RV_RING_FREE || state == RV_RING_EXITED)
        return true;
    return !rv_ownership_has_live_owner(file->map, ring);
}

RV_EXPORT int ringviz_ring_read(const struct ringviz_file *file, uint32_t ring, struct ringviz_ring *out)
{
    if (!rv_monitor_file_has_ring(file, ring))
        return -EINVAL;
    struct rv_live_stack slots;
    rv_live_stack_view(&slots, file->map, ring);
    *out = (struct ringviz_ring){slots.control->owner_pid, slots.control->thread_number, -1, 0};
    return rv_live_stack_position(&slots, &out->current_slot, &out->depth);
}

RV_EXPORT const void *ringviz_ring_address(const struct ringviz_file *file, uint32_t ring)
{
    return rv_monitor_file_has_ring(file, ring) ? rv_map_control(file->map, ring) : NULL;
}

static bool has_ring_at(const struct ringviz_file *file, uint64_t address, uint32_t *ring)
{
    const struct rv_wire_header *geometry = &file->map->geometry;
    uint64_t distance = address - (uint64_t)(uintptr_t)rv_map_control(file->map, 0);
    *ring = (uint32_t)(distance / geometry->control_bytes);
    return distance < geometry->controls.n_bytes && distance % geometry->control_bytes == 0 &&
           rv_monitor_file_has_ring(file, *ring);
}

RV_EXPORT int ringviz_ring_at(const void *address, struct ringviz_file **file, uint32_t *ring)
{
    take_lock();
    *file = files;
    while (*file && !has_ring_at(*file, (uint64_t)(uintptr_t)address, ring))
        *file = (*file)->next;
    pthread_mutex_unlock(&lock);
    return *file ? 0 : -ENOENT;
}

/* ---- commands ---- */

static size_t message_cut(const struct ringviz_file *file, const char *message, size_t n_bytes)
{
    return rv_text_whole(message, n_bytes, file->map->geometry.message_bytes);
}

RV_EXPORT int ringviz_command_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                                   size_t n_bytes)
{
    int error = check_monitor(file, ring);
    return error ? error : rv_commands_post(file->map, ring, code, message, message_cut(file, message, n_bytes));
}

RV_EXPORT int ringviz_response_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                                    size_t n_bytes)
{
    int error = rv_monitor_file_check_owner(file, ring);
    return error ? error : rv_commands_respond(file->map, ring, code, message, message_cut(file, message, n_bytes));
}

typedef int wait_fn(const struct rv_map *map, uint32_t ring_idx, struct rv_command *command, uint64_t timeout_ns);

static int wait_with(wait_fn *wait, struct ringviz_file *file, uint32_t ring, struct ringviz_command *command,
                     uint64_t timeout_ns)
{
    struct rv_command seen = {.message = command->message, .capacity = command->capacity};
    int error = wait(file->map, ring, &seen, timeout_ns);
    if (error)
        return error;
    memcpy(command->code, seen.code, sizeof command->code);
    command->n_bytes = seen.n_bytes;
    return 0;
}

RV_EXPORT int ringviz_command_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *command,
                                   uint64_t timeout_ns)
{
    int error = rv_monitor_file_check_owner(file, ring);
    return error ? error : wait_with(rv_commands_wait, file, ring, command, timeout_ns);
}

RV_EXPORT int ringviz_response_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *response,
                                    uint64_t timeout_ns)
{
    int error = check_monitor(file, ring);
    return error ? error : wait_with(rv_commands_wait_response, file, ring, response, timeout_ns);
}

/* ---- watches ---- */

static struct rv_wire_control *control_of(const struct ringviz_file *file, uint32_t ring)
{
    return rv_map_control(file->map, ring);
}

RV_EXPORT int ringviz_watch_add(struct ringviz_file *file, uint32_t ring, const char *expression)
{
    int error = check_monitor(file, ring);
    return error ? error : rv_watches_add(control_of(file, ring), expression);
}

RV_EXPORT int ringviz_watch_remove(struct ringviz_file *file, uint32_t ring, unsigned watch)
{
    int error = check_monitor(file, ring);
    return error ? error : rv_watches_remove(control_of(file, ring), watch);
}

RV_EXPORT int ringviz_watch_take(struct ringviz_file *file, uint32_t ring, unsigned first,
                                 char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1])
{
    int error = rv_monitor_file_check_owner(file, ring);
    return error ? error : rv_watches_take(control_of(file, ring), first, expression);
}

RV_EXPORT int ringviz_watch_set_result(struct ringviz_file *file, uint32_t ring, unsigned watch, const char *value,
                                       size_t n_bytes, bool is_error)
{
    int error = rv_monitor_file_check_owner(file, ring);
    if (error)
        return error;
    if (value)
        n_bytes = rv_text_whole(value, n_bytes, RINGVIZ_WATCH_RESULT_BYTES);
    return rv_watches_set_result(control_of(file, ring), watch, value, n_bytes, is_error);
}

RV_EXPORT int ringviz_watch_get_result(struct ringviz_file *file, uint32_t ring, unsigned watch,
                                       char result[RINGVIZ_WATCH_RESULT_BYTES], int32_t *n_bytes)
{
    int error = check_monitor(file, ring);
    return error ? error : rv_watches_get_result(control_of(file, ring), watch, result, n_bytes);
}

/* ---- the global message ---- */

RV_EXPORT int ringviz_message_post(struct ringviz_file *file, const char *message, size_t n_bytes, uint64_t timeout_ns)
{
    return file->map->mode == RV_MAP_OBSERVER ? -EROFS
                                              : rv_global_message_post(file->map, message, n_bytes, timeout_ns);
}

RV_EXPORT int ringviz_message_receive(struct ringviz_file *file, char *message, size_t capacity, size_t *n_bytes,
                                      uint64_t timeout_ns)
{
    *n_bytes = 0;
    return file->map->mode == RV_MAP_OBSERVER
               ? -EROFS
               : rv_global_message_receive(file->map, message, capacity, n_bytes, timeout_ns);
}

RV_EXPORT void ringviz_message_waiting(const struct ringviz_file *file, size_t *message_bytes, size_t *chunk_bytes)
{
    uint64_t n_bytes;
    uint32_t n_chunk;
    rv_global_message_waiting(file->map, &n_bytes, &n_chunk);
    *message_bytes = (size_t)n_bytes;
    *chunk_bytes = n_chunk;
}

#include "ring/commands.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "ring/file_pages.h"
#include "ring/run_state.h"

#define CODE_BYTES 4u
_Static_assert(sizeof((struct rv_wire_control *)0)->command == CODE_BYTES, "a ring's");
_Static_assert(sizeof((struct rv_wire_filter *)0)->request == CODE_BYTES, "the consumer's");

enum command_state { EMPTY, COMMAND_POSTED, RESPONSE_POSTED, FIRST_WRITER = 16 };

/* ---- words ---- */

uint32_t rv_commands_set_signal(const struct rv_map *map, uint32_t ring_idx, uint32_t value)
{
    return __atomic_exchange_n(&rv_map_control(map, ring_idx)->signal, value, __ATOMIC_RELAXED);
}

uint32_t rv_commands_set_single(const struct rv_map *map, uint32_t value)
{
    return __atomic_exchange_n(&map->header->single, value, __ATOMIC_RELAXED);
}

static uint32_t trace_of(const struct rv_map *map, uint32_t ring_idx)
{
    return __atomic_load_n(&rv_map_control(map, ring_idx)->trace, __ATOMIC_RELAXED);
}

uint32_t rv_commands_signal(const struct rv_map *map, uint32_t ring_idx)
{
    return __atomic_load_n(&rv_map_control(map, ring_idx)->signal, __ATOMIC_RELAXED);
}

uint32_t rv_commands_single(const struct rv_map *map)
{
    return __atomic_load_n(&map->header->single, __ATOMIC_RELAXED);
}

unsigned rv_commands_flags(const struct rv_map *map, uint32_t ring_idx)
{
    return (unsigned)(rv_commands_single(map) != 0) | (unsigned)(trace_of(map, ring_idx) != 0) << 1 |
           (unsigned)(rv_commands_signal(map, ring_idx) != 0) << 2;
}

/* ---- commands ---- */

/* A ring's, or the consumer's. */
struct channel {
    uint32_t *ready;
    char *code; /* CODE_BYTES */
    int32_t *message_bytes;
    char *message;
    uint32_t capacity;
};

static struct channel ring_channel(const struct rv_map *map, struct rv_wire_control *control)
{
    size_t slot_stride = sizeof(struct rv_wire_slot) + map->geometry.slot_bytes;
    return (struct channel){.ready = &control->command_ready,
                            .code = control->command,
                            .message_bytes = &control->message_bytes,
                            .message = (char *)(control + 1) + map->geometry.n_slots * slot_stride,
                            .capacity = map->geometry.message_bytes};
}

static struct channel channel_of(const struct rv_map *map, uint32_t ring_idx)
{
    if (ring_idx != RV_COMMANDS_CONSUMER)
        return ring_channel(map, rv_map_control(map, ring_idx));
    struct rv_wire_filter *filter = (struct rv_wire_filter *)(void *)(map->base + map->geometry.filter.offset);
    return (struct channel){.ready = &filter->request_ready,
                            .code = filter->request,
                            .message_bytes = &filter->request_bytes,
                            .message = filter->text,
                            .capacity = sizeof filter->text};
}

/* A ring's owner may sleep; the consumer looks at each of its turns. */
static void notify(const struct rv_map *map, uint32_t ring_idx)
{
    if (ring_idx != RV_COMMANDS_CONSUMER)
        rv_run_state_request(rv_map_control(map, ring_idx));
}

static bool is_dead_writer(uint32_t state)
{
    return state > FIRST_WRITER && kill((pid_t)(state - FIRST_WRITER), 0) != 0 && errno == ESRCH;
}

/* Become the writer, from state `from`, or from a writer that died. */
static bool begin_writing(uint32_t *word, uint32_t from)
{
    int saved = errno;
    uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    bool is_ours = (seen == from || is_dead_writer(seen)) &&
                   __atomic_compare_exchange_n(word, &seen, FIRST_WRITER + (uint32_t)getpid(), false, __ATOMIC_ACQUIRE,
                                               /* K6 <- K5 */ __ATOMIC_RELAXED);
    errno = saved;
    return is_ours;
}

static void write_message(const struct channel *channel, const char *code, const void *message, size_t n_bytes)
{
    memset(channel->code, 0, CODE_BYTES);
    memcpy(channel->code, code, strnlen(code, CODE_BYTES));
    n_bytes = n_bytes < channel->capacity ? n_bytes : channel->capacity;
    *channel->message_bytes = (int32_t)n_bytes;
    if (n_bytes)
        memcpy(channel->message, message, n_bytes);
}

static void read_message(const struct channel *channel, struct rv_command *command)
{
    memcpy(command->code, channel->code, CODE_BYTES);
    command->code[CODE_BYTES] = '\0';
    int32_t claimed = __atomic_load_n(channel->message_bytes, __ATOMIC_RELAXED);
    size_t n_bytes = claimed < 0 ? 0 : (size_t)claimed;
    n_bytes = n_bytes < channel->capacity ? n_bytes : channel->capacity;
    command->n_bytes = n_bytes < command->capacity ? n_bytes : command->capacity;
    if (command->n_bytes)
        memcpy(command->message, channel->message, command->n_bytes);
}

static int wait_for(uint32_t *word, uint32_t wanted, uint64_t timeout_ns)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    for (;;) {
        uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* K2 <- K1, K4 <- K3 */
        if (seen == wanted)
            return 0;
        uint64_t waited_ns = rv_clock_mono_ns() - begin_ns;
        if (waited_ns >= timeout_ns)
            return timeout_ns ? -ETIMEDOUT : -EAGAIN;
        rv_os_futex_wait(word, seen, timeout_ns - waited_ns);
    }
}

int rv_commands_post(struct rv_map *map, uint32_t ring_idx, const char *code, const void *message, size_t n_bytes)
{
    const struct channel channel = channel_of(map, ring_idx);
    if (ring_idx != RV_COMMANDS_CONSUMER && n_bytes && rv_file_pages_give_rest(map, ring_idx))
        return -ENOSPC;
    if (!begin_writing(channel.ready, EMPTY))
        return -EBUSY;
    write_message(&channel, code, message, n_bytes);
    __atomic_store_n(channel.ready, COMMAND_POSTED, __ATOMIC_RELEASE); /* K1 -> K2 */
    rv_os_futex_wake(channel.ready);
    notify(map, ring_idx);
    return 0;
}

int rv_commands_wait(const struct rv_map *map, uint32_t ring_idx, struct rv_command *command, uint64_t timeout_ns)
{
    const struct channel channel = channel_of(map, ring_idx);
    int error = wait_for(channel.ready, COMMAND_POSTED, timeout_ns);
    if (!error)
        read_message(&channel, command);
    return error;
}

int rv_commands_respond(struct rv_map *map, uint32_t ring_idx, const char *code, const void *message, size_t n_bytes)
{
    const struct channel channel = channel_of(map, ring_idx);
    if (ring_idx != RV_COMMANDS_CONSUMER && n_bytes && rv_file_pages_give_rest(map, ring_idx))
        return -ENOSPC;
    if (!begin_writing(channel.ready, COMMAND_POSTED))
        return -ECANCELED;
    write_message(&channel, code, message, n_bytes);
    __atomic_store_n(channel.ready, RESPONSE_POSTED, __ATOMIC_RELEASE); /* K3 -> K4 */
    rv_os_futex_wake(channel.ready);
    return 0;
}

int rv_commands_wait_response(const struct rv_map *map, uint32_t ring_idx, struct rv_command *response,
                              uint64_t timeout_ns)
{
    const struct channel channel = channel_of(map, ring_idx);
    int error = wait_for(channel.ready, RESPONSE_POSTED, timeout_ns);
    if (error)
        return error;
    read_message(&channel, response);
    __atomic_store_n(channel.ready, EMPTY, __ATOMIC_RELEASE); /* K5 -> K6 */
    rv_os_futex_wake(channel.ready);
    return 0;
}

void rv_commands_cancel(const struct rv_map *map, uint32_t ring_idx)
{
    const struct channel channel = channel_of(map, ring_idx);
    uint32_t *word = channel.ready;
    for (uint32_t state = COMMAND_POSTED; state <= RESPONSE_POSTED; state++) {
        uint32_t expected = state;
        if (__atomic_compare_exchange_n(word, &expected, EMPTY, false, __ATOMIC_RELEASE,
                                        /* K5 -> K6 */ __ATOMIC_RELAXED))
            rv_os_futex_wake(word);
    }
    notify(map, ring_idx);
}

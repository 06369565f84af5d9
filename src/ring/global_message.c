#include "ring/global_message.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "ring/process_liveness.h"

enum { IDLE = 0, CHUNK_THERE = 1, CHUNK_TAKEN = 2, STATE_MASK = 3, COUNT_STEP = 4 };

static const uint64_t POLL_NS = 1000000;
static const uint64_t LIVENESS_NS = 20000000;

/* The sender's or receiver's role, held by one thread: the lock byte excludes processes, the tid in *word our
 * threads. */
struct place {
    uint32_t *word;
    uint64_t byte;
};

static struct place sender_place(const struct rv_map *map)
{
    return (struct place){&map->header->message_owner, 1ull + map->geometry.n_rings};
}

static struct place receiver_place(const struct rv_map *map)
{
    return (struct place){&map->header->message_reader, 2ull + map->geometry.n_rings};
}

static bool is_our_thread(uint32_t tid)
{
    int saved = errno;
    bool is_ours = tid && tgkill(getpid(), (pid_t)tid, 0) == 0;
    errno = saved;
    return is_ours;
}

static bool try_place(struct rv_map *map, struct place place)
{
    if (rv_map_own_fd(map) || !rv_process_liveness_lock(map->fd, place.byte))
        return false;
    uint32_t holder = __atomic_load_n(place.word, __ATOMIC_RELAXED);
    if (is_our_thread(holder))
        return false;
    return __atomic_compare_exchange_n(place.word, &holder, (uint32_t)rv_os_tid(), false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Deadline of a wait that starts now. */
static uint64_t end_of(uint64_t timeout_ns)
{
    return rv_clock_after_ns(rv_clock_mono_ns(), timeout_ns);
}

/* Nanoseconds to the deadline; 0: passed. */
static uint64_t left_until(uint64_t end_ns)
{
    uint64_t now_ns = rv_clock_mono_ns();
    return now_ns < end_ns ? end_ns - now_ns : 0;
}

static int take_place(struct rv_map *map, struct place place, uint64_t end_ns)
{
    while (!try_place(map, place)) {
        if (left_until(end_ns) == 0)
            return -EBUSY;
        rv_os_sleep_ns(POLL_NS);
    }
    return 0;
}

static void leave_place(struct rv_map *map, struct place place)
{
    /* In this order: another thread of ours becomes the holder only after the word, another process after the lock. */
    if (rv_map_own_fd(map) == 0)
        rv_process_liveness_unlock(map->fd, place.byte);
    uint32_t own = (uint32_t)rv_os_tid();
    __atomic_compare_exchange_n(place.word, &own, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool is_place_held(const struct rv_map *map, struct place place)
{
    return rv_process_liveness_is_locked(map->fd, place.byte, 1) ||
           is_our_thread(__atomic_load_n(place.word, __ATOMIC_RELAXED));
}

static char *chunk_area(const struct rv_map *map)
{
    return (char *)(map->base + map->geometry.global_message.offset);
}

/* ---- send ---- */

/* Wait until the state differs from `from` or the deadline passes. Returns the last state seen. */
static uint32_t wait_while(uint32_t *word, uint32_t from, uint64_t end_ns)
{
    for (;;) {
        uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE); /* G2 <- G1, G4 <- G3 */
        uint64_t left_ns = left_until(end_ns);
        if (seen != from || left_ns == 0)
            return seen;
        rv_os_futex_wait(word, seen, left_ns);
    }
}

/* The count continues from a dead sender's value, so that no old chunk is taken for a new one. */
static uint32_t next_count(uint32_t state)
{
    return (state & ~(uint32_t)STATE_MASK) + COUNT_STEP;
}

static void set_idle(uint32_t *word)
{
    uint32_t state = __atomic_load_n(word, __ATOMIC_RELAXED);
    __atomic_store_n(word, next_count(state) | IDLE, __ATOMIC_RELEASE); /* G1 -> G2 */
    rv_os_futex_wake(word);
}

static uint32_t put_chunk(struct rv_map *map, const char *chunk, size_t n_bytes)
{
    struct rv_wire_header *header = map->header;
    uint32_t *word = &header->message_state;
    uint32_t there = next_count(__atomic_load_n(word, __ATOMIC_RELAXED)) | CHUNK_THERE;
    if (n_bytes)
        memcpy(chunk_area(map), chunk, n_bytes);
    header->message_chunk_bytes = (uint32_t)n_bytes;
    __atomic_store_n(word, there, __ATOMIC_RELEASE); /* G1 -> G2 */
    rv_os_futex_wake(word);
    return there;
}

static int wait_until_taken(struct rv_map *map, uint32_t there, uint64_t end_ns)
{
    uint32_t taken = (there & ~(uint32_t)STATE_MASK) | CHUNK_TAKEN;
    return wait_while(&map->header->message_state, there, end_ns) == taken ? 0 : -ETIMEDOUT;
}

/* The caller holds the sender's role. The last chunk stays. */
static int send_chunks(struct rv_map *map, const char *message, size_t n_bytes, uint64_t end_ns)
{
    struct rv_wire_header *header = map->header;
    size_t area_bytes = (size_t)map->geometry.global_message.n_bytes, sent = 0;
    set_idle(&header->message_state);
    header->message_serial++;
    header->message_total_bytes = n_bytes;
    for (;;) {
        size_t n = n_bytes - sent < area_bytes ? n_bytes - sent : area_bytes;
        header->message_offset = sent;
        uint32_t there = put_chunk(map, message + sent, n);
        sent += n;
        if (sent == n_bytes)
            return 0;
        int error = wait_until_taken(map, there, end_ns);
        if (error) {
            set_idle(&header->message_state);
            return error;
        }
    }
}

/* Is this the last chunk of a posted message, not the leftover of a sender that died? */
static bool is_last_chunk(const struct rv_wire_header *header)
{
    return header->message_offset + header->message_chunk_bytes == header->message_total_bytes;
}

int rv_global_message_post(struct rv_map *map, const void *message, size_t n_bytes, uint64_t timeout_ns)
{
    const uint64_t end_ns = end_of(timeout_ns);
    int error = take_place(map, sender_place(map), end_ns);
    if (error)
        return error;
    uint32_t there = __atomic_load_n(&map->header->message_state, __ATOMIC_ACQUIRE); /* G4 <- G3 */
    if ((there & STATE_MASK) == CHUNK_THERE && is_last_chunk(map->header))
        error = wait_until_taken(map, there, end_ns);
    if (!error)
        error = send_chunks(map, message, n_bytes, end_ns);
    leave_place(map, sender_place(map));
    return error;
}

/* ---- receive ---- */

struct chunk {
    uint32_t state, serial;
    uint64_t total_bytes, offset;
    size_t n_bytes;
};

static int wait_for_chunk(struct rv_map *map, struct chunk *chunk, bool is_midway, uint64_t end_ns)
{
    struct rv_wire_header *header = map->header;
    for (;;) {
        chunk->state = __atomic_load_n(&header->message_state, __ATOMIC_ACQUIRE); /* G2 <- G1 */
        if ((chunk->state & STATE_MASK) == CHUNK_THERE)
            break;
        if (left_until(end_ns) == 0)
            return -ETIMEDOUT;
        if (is_midway && !is_place_held(map, sender_place(map)))
            return -EPIPE;
        uint64_t look_ns = end_of(LIVENESS_NS);
        wait_while(&header->message_state, chunk->state, look_ns < end_ns ? look_ns : end_ns);
    }
    chunk->serial = header->message_serial;
    chunk->total_bytes = header->message_total_bytes;
    chunk->offset = header->message_offset;
    chunk->n_bytes = header->message_chunk_bytes;
    return 0;
}

static bool is_sane(const struct rv_map *map, const struct chunk *chunk)
{
    return chunk->n_bytes <= map->geometry.global_message.n_bytes && chunk->offset <= chunk->total_bytes &&
           chunk->n_bytes <= chunk->total_bytes - chunk->offset;
}

static bool acknowledge(struct rv_map *map, uint32_t state)
{
    uint32_t *word = &map->header->message_state;
    uint32_t taken = (state & ~(uint32_t)STATE_MASK) | CHUNK_TAKEN;
    if (!__atomic_compare_exchange_n(word, &state, taken, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) /* G3 -> G4 */
        return false;
    rv_os_futex_wake(word);
    return true;
}

/* Bytes received so far, and of which message. */
struct progress {
    uint32_t serial;
    uint64_t n_received;
    bool is_midway;
};

/* 1 when the message is complete, 0 to go on, or an error. */
static int receive_chunk(struct rv_map *map, void *out, size_t capacity, const struct chunk *chunk,
                         struct progress *progress)
{
    bool is_next = progress->is_midway && chunk->serial == progress->serial && chunk->offset == progress->n_received;
    if (!is_sane(map, chunk))
        return -EBADMSG;
    if (chunk->offset != 0 && !is_next) { /* a message whose start went to another receiver */
        acknowledge(map, chunk->state);
        *progress = (struct progress){0};
        return 0;
    }
    if (chunk->total_bytes > capacity)
        return -EMSGSIZE;
    if (chunk->n_bytes)
        memcpy((char *)out + chunk->offset, chunk_area(map), chunk->n_bytes);
    if (!acknowledge(map, chunk->state)) {
        *progress = (struct progress){0}; /* its sender gave up */
        return 0;
    }
    *progress = (struct progress){chunk->serial, chunk->offset + chunk->n_bytes, true};
    return progress->n_received == chunk->total_bytes;
}

int rv_global_message_receive(struct rv_map *map, void *out, size_t capacity, size_t *n_bytes, uint64_t timeout_ns)
{
    *n_bytes = 0;
    const uint64_t end_ns = end_of(timeout_ns);
    int result = take_place(map, receiver_place(map), end_ns);
    if (result)
        return result;
    struct progress progress = {0};
    while (result == 0) {
        struct chunk chunk;
        result = wait_for_chunk(map, &chunk, progress.is_midway, end_ns);
        if (result == 0) {
            *n_bytes = (size_t)chunk.total_bytes;
            result = receive_chunk(map, out, capacity, &chunk, &progress);
        }
        if (result == 0 && left_until(end_ns) == 0) /* a sender may restart without end */
            result = -ETIMEDOUT;
    }
    leave_place(map, receiver_place(map));
    return result > 0 ? 0 : result;
}

void rv_global_message_waiting(const struct rv_map *map, uint64_t *n_bytes, uint32_t *chunk_bytes)
{
    const struct rv_wire_header *header = map->header;
    uint32_t state = __atomic_load_n(&header->message_state, __ATOMIC_ACQUIRE); /* G2 <- G1 */
    bool is_there = (state & STATE_MASK) == CHUNK_THERE;
    *n_bytes = is_there ? header->message_total_bytes : 0;
    *chunk_bytes = is_there ? header->message_chunk_bytes : 0;
}

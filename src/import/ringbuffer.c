/*
 * A file of Perl's Devel::RingBuffer, read only. The stacks in its rings are sampled every few milliseconds while their
 * owners live, and once when they are gone. A slot has its frame's time of call, so calls begin at the right time; a
 * return is noticed at the next sample. Calls between two samples are not seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"
#include "import/formats.h"
#include "import/ringbuffer_file.h"

enum { LOOKS = 4, MOST_DEPTH = 4096 };

struct frame {
    uint32_t id;
    int64_t since_ns;
};

struct seen { /* last sample of one ring */
    struct frame *frames;
    size_t n, capacity;
    uint32_t thread; /* number in the event builder + 1; 0 = none */
    int32_t pid, tid;
    bool is_over; /* its owner was gone at the last sample */
};

struct ringbuffer {
    struct rv_import import; /* first */
    int fd;
    struct rv_ringbuffer_layout layout;
    unsigned char *look, *again, *free_map;
    struct seen *rings;
    struct frame frames[MOST_DEPTH];
    bool has_ended;
};

/* ---- the file ---- */

static bool read_layout(int fd, struct rv_ringbuffer_layout *layout)
{
    unsigned char header[RV_RINGBUFFER_HEADER_BYTES];
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           pread(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
           rv_ringbuffer_layout(header, (uint64_t)status.st_size, layout);
}

static bool matches_path(const char *path)
{
    struct rv_ringbuffer_layout layout;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool is_one = fd >= 0 && read_layout(fd, &layout);
    if (fd >= 0)
        close(fd);
    return is_one;
}

static int begin(struct rv_import *import)
{
    struct ringbuffer *buffer = (struct ringbuffer *)import;
    buffer->fd = open(import->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (buffer->fd < 0)
        return rv_err_sys("%s", import->path);
    if (!read_layout(buffer->fd, &buffer->layout))
        return rv_err(EBADMSG, "%s: not a file of Devel::RingBuffer", import->path);
    buffer->look = rv_alloc(buffer->layout.ring_bytes, 1);
    buffer->again = rv_alloc(buffer->layout.ring_bytes, 1);
    buffer->free_map = rv_alloc(buffer->layout.n_rings, 1);
    buffer->rings = rv_alloc(buffer->layout.n_rings, sizeof *buffer->rings);
    rv_event_builder_see_time(import->builder, (int64_t)rv_clock_real_ns());
    return 0;
}

/* A consistent copy of a ring: two equal reads. Its owner writes without a lock. */
static bool look_at(struct ringbuffer *buffer, uint32_t ring_idx)
{
    const struct rv_ringbuffer_layout *layout = &buffer->layout;
    off_t offset = (off_t)(layout->first_ring + ring_idx * layout->ring_bytes);
    ssize_t n_bytes = (ssize_t)layout->ring_bytes;
    if (pread(buffer->fd, buffer->look, layout->ring_bytes, offset) != n_bytes)
        return false;
    for (int i = 0; i < LOOKS; i++) {
        if (pread(buffer->fd, buffer->again, layout->ring_bytes, offset) != n_bytes)
            return false;
        unsigned char *latest = buffer->again;
        buffer->again = buffer->look;
        buffer->look = latest;
        if (memcmp(buffer->look, buffer->again, layout->ring_bytes) == 0)
            return true;
    }
    return false;
}

/* ---- stacks ---- */

static int64_t time_of(const struct rv_ringbuffer_slot *slot, int64_t now_ns)
{
    return slot->time > 0 && slot->time * 1e9 < (double)now_ns ? (int64_t)(slot->time * 1e9) : now_ns;
}

/* The stack, outermost first: frames overwritten by deeper ones are taken from the last sample, or unknown. */
static size_t read_stack(struct ringbuffer *buffer, const struct seen *seen, int64_t now_ns)
{
    struct rv_ringbuffer_ring ring = rv_ringbuffer_ring(buffer->look);
    size_t n = ring.depth < 0 ? 0 : ring.depth > MOST_DEPTH ? MOST_DEPTH : (size_t)ring.depth;
    struct rv_event_builder_text none = {0};
    for (size_t i = 0; i < n; i++) {
        bool is_there = n - i <= buffer->layout.n_slots;
        struct rv_ringbuffer_slot slot =
            rv_ringbuffer_slot(&buffer->layout, buffer->look, (uint32_t)(i % buffer->layout.n_slots));
        if (is_there)
            buffer->frames[i] = (struct frame){
                rv_event_builder_intern(buffer->import.builder, none, rv_import_text(slot.name, slot.n_name), none, 0),
                time_of(&slot, now_ns)};
        else if (i < seen->n)
            buffer->frames[i] = seen->frames[i];
        else
            buffer->frames[i] = (struct frame){
                rv_event_builder_intern(buffer->import.builder, none, rv_import_string("(overwritten)"), none, 0),
                now_ns};
    }
    return n;
}

static void emit_stack(struct ringbuffer *buffer, struct seen *seen, size_t n, int64_t now_ns)
{
    struct rv_event_builder *builder = buffer->import.builder;
    uint32_t thread = seen->thread - 1;
    size_t n_same = 0;
    while (n_same < n && n_same < seen->n && seen->frames[n_same].id == buffer->frames[n_same].id &&
           seen->frames[n_same].since_ns == buffer->frames[n_same].since_ns)
        n_same++;
    int64_t until_ns = n_same < n ? buffer->frames[n_same].since_ns : now_ns;
    for (; seen->n > n_same; seen->n--)
        rv_event_builder_return(builder, thread, until_ns);
    seen->frames = rv_vec_reserve(seen->frames, &seen->capacity, n, sizeof *seen->frames);
    for (; seen->n < n; seen->n++) {
        seen->frames[seen->n] = buffer->frames[seen->n];
        rv_event_builder_call(builder, thread, seen->frames[seen->n].since_ns, seen->frames[seen->n].id);
    }
}

static void end_ring(struct ringbuffer *buffer, struct seen *seen, int64_t now_ns)
{
    if (!seen->thread)
        return;
    rv_event_builder_end_thread(buffer->import.builder, seen->thread - 1, now_ns);
    seen->thread = 0;
    seen->n = 0;
}

static void begin_ring(struct ringbuffer *buffer, struct seen *seen, const struct rv_ringbuffer_ring *ring)
{
    struct rv_event_builder *builder = buffer->import.builder;
    uint32_t process = rv_event_builder_process(builder, (uint32_t)ring->pid);
    seen->pid = ring->pid;
    seen->tid = ring->tid;
    seen->is_over = false;
    seen->thread = rv_event_builder_thread(builder, process, (uint32_t)ring->tid, 0) + 1;
    rv_event_builder_name_process(builder, process, rv_import_string("perl"));
}

static bool is_alive(int32_t pid)
{
    char state = pid > 0 ? rv_os_process_state(pid) : '\0';
    return state && state != 'Z' && state != 'X';
}

/* A dead owner's stack was last valid at its last call. */
static void end_dead(struct ringbuffer *buffer, struct seen *seen, size_t n)
{
    int64_t end_ns = n ? buffer->frames[0].since_ns : 0;
    for (size_t i = 1; i < n; i++)
        end_ns = buffer->frames[i].since_ns > end_ns ? buffer->frames[i].since_ns : end_ns;
    end_ring(buffer, seen, end_ns);
    seen->is_over = true;
}

/* Returns whether its owner lives. */
static bool visit(struct ringbuffer *buffer, uint32_t ring_idx, int64_t now_ns)
{
    struct seen *seen = &buffer->rings[ring_idx];
    if (buffer->free_map[ring_idx] != 0) {
        end_ring(buffer, seen, now_ns);
        return false;
    }
    if (!look_at(buffer, ring_idx))
        return true;
    struct rv_ringbuffer_ring ring = rv_ringbuffer_ring(buffer->look);
    bool is_same = seen->pid == ring.pid && seen->tid == ring.tid, lives = is_alive(ring.pid);
    if (is_same && seen->is_over)
        return false;
    if (!is_same)
        end_ring(buffer, seen, now_ns);
    if (!seen->thread)
        begin_ring(buffer, seen, &ring);
    size_t n = read_stack(buffer, seen, now_ns);
    emit_stack(buffer, seen, n, now_ns);
    if (!lives)
        end_dead(buffer, seen, n);
    return lives;
}

static int step(struct rv_import *import)
{
    struct ringbuffer *buffer = (struct ringbuffer *)import;
    const struct rv_ringbuffer_layout *layout = &buffer->layout;
    int64_t now_ns = (int64_t)rv_clock_real_ns();
    bool has_owner = false;
    if (pread(buffer->fd, buffer->free_map, layout->n_rings, (off_t)layout->free_map) != (ssize_t)layout->n_rings)
        return rv_err(EBADMSG, "%s: was truncated while it was read", import->path);
    for (uint32_t i = 0; i < layout->n_rings; i++)
        has_owner |= visit(buffer, i, now_ns);
    buffer->has_ended = !has_owner;
    return 0;
}

/* State at the last sample. */
static bool has_ended(struct rv_import *import)
{
    return ((struct ringbuffer *)import)->has_ended;
}

static void fini(struct rv_import *import)
{
    struct ringbuffer *buffer = (struct ringbuffer *)import;
    for (uint32_t i = 0; i < buffer->layout.n_rings && buffer->rings; i++)
        free(buffer->rings[i].frames);
    if (buffer->fd >= 0)
        close(buffer->fd);
    free(buffer->rings);
    free(buffer->look);
    free(buffer->again);
    free(buffer->free_map);
}

const struct rv_import_format rv_import_ringbuffer = {.name = "ringbuffer",
                                                      .describe = "a Devel::RingBuffer file",
                                                      .bytes = sizeof(struct ringbuffer),
                                                      .matches_path = matches_path,
                                                      .begin = begin,
                                                      .step = step,
                                                      .has_ended = has_ended,
                                                      .fini = fini};

#include "stress/tracee.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../full_ring_wait.h"
#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"

#define BATCH 65536u
#define NAP_NS 1000000u

void tracee_open(struct tracee *tracee, const struct rv_map_params *params)
{
    static unsigned serial;
    char path[128];
    *tracee = (struct tracee){.keeps_events = true};
    snprintf(path, sizeof path, "/dev/shm/ringviz-test-%d-%u", (int)getpid(), serial++);
    unlink(path);
    if (rv_map_create(&tracee->map, path, params) || rv_ownership_attach_consumer(&tracee->map))
        exit(1);
    __atomic_store_n(&tracee->map.header->is_recording, 1, __ATOMIC_RELAXED);
}

void tracee_start(struct tracee *tracee, const char *const *argv, const char *preload, int out_fd)
{
    tracee->pid = fork();
    if (tracee->pid)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it is killed with its test */
    setenv("RINGVIZ_FILE", tracee->map.path, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:detect_leaks=0", 0);
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    if (out_fd >= 0)
        dup2(out_fd, STDOUT_FILENO);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static struct tracee_stream *stream_of(struct tracee *tracee, uint32_t ring_idx)
{
    const struct rv_wire_control *control = rv_map_control(&tracee->map, ring_idx);
    uint32_t generation = __atomic_load_n(&control->generation, __ATOMIC_RELAXED);
    for (size_t i = tracee->n_streams; i-- > 0;)
        if (tracee->streams[i].ring_idx == ring_idx && tracee->streams[i].generation == generation)
            return &tracee->streams[i];
    tracee->streams = realloc(tracee->streams, (tracee->n_streams + 1) * sizeof *tracee->streams);
    struct tracee_stream *stream = &tracee->streams[tracee->n_streams++];
    *stream = (struct tracee_stream){.ring_idx = ring_idx, .generation = generation, .process = control->process};
    return stream;
}

/* Returns how many of the events are left. */
static size_t leave_out_waits(struct tracee_stream *stream, struct rv_event *events, size_t n)
{
    size_t n_left = 0;
    for (size_t i = 0; i < n; i++)
        if (!full_ring_wait_has(&stream->n_wait_left, &events[i]))
            events[n_left++] = events[i];
    stream->n_of_waits += n - n_left;
    return n_left;
}

/* Read what is in the ring now; later events are for the next turn. Tell owners that the consumer lives. */
static size_t read_stream(struct tracee *tracee, struct tracee_stream *stream)
{
    static struct rv_event dropped[BATCH];
    struct rv_ring ring;
    struct rv_ring_read read;
    size_t n_read = 0, n_overwritten = 0;
    rv_ring_view(&ring, &tracee->map, stream->ring_idx);
    uint64_t n_waiting = rv_ring_n_waiting(&ring);
    do {
        struct rv_event *out = dropped;
        if (tracee->keeps_events) {
            stream->events =
                rv_vec_reserve(stream->events, &stream->capacity, stream->n + BATCH, sizeof *stream->events);
            out = stream->events + stream->n;
        }
        read = rv_ring_pop(&ring, out, BATCH);
        stream->n += leave_out_waits(stream, out, read.n);
        stream->n_overwritten += read.n_overwritten;
        n_read += read.n;
        n_overwritten += read.n_overwritten;
        rv_ring_turn_done(tracee->map.header); /* a turn may be long, above all under ThreadSanitizer */
    } while (read.n && n_read < n_waiting);
    return n_read + n_overwritten;
}

static size_t visit(struct tracee *tracee, uint32_t ring_idx, bool *is_live)
{
    uint32_t state = __atomic_load_n(&rv_map_control(&tracee->map, ring_idx)->state, __ATOMIC_ACQUIRE);
    if (state == RV_RING_FREE)
        return 0;
    *is_live = true;
    bool is_over = state == RV_RING_EXITED || (state != RV_RING_LIVE && tracee->has_ended) ||
                   (state == RV_RING_LIVE && !rv_ownership_has_live_owner(&tracee->map, ring_idx));
    if (state == RV_RING_CLAIMED) {
        if (is_over)
            rv_ownership_reclaim(&tracee->map, ring_idx);
        return 0;
    }
    struct tracee_stream *stream = stream_of(tracee, ring_idx);
    size_t n = read_stream(tracee, stream);
    if (is_over) {
        struct rv_ring ring;
        rv_ring_view(&ring, &tracee->map, ring_idx);
        n += read_stream(tracee, stream);
        stream->is_over = true;
        stream->account = rv_ring_last_account(&ring);
        stream->account.n_produced -= stream->n_of_waits;
        stream->account.n_consumed -= stream->n_of_waits;
        rv_ownership_thread_name(&tracee->map, ring_idx, stream->name);
        rv_ownership_reclaim(&tracee->map, ring_idx);
    }
    return n;
}

static bool turn(struct tracee *tracee, size_t *n)
{
    bool is_live = false;
    if (!tracee->has_ended && tracee->pid > 0 && waitpid(tracee->pid, &tracee->status, WNOHANG) == tracee->pid)
        tracee->has_ended = true;
    bool had_ended = tracee->has_ended;
    for (uint32_t i = 0; i < tracee->map.geometry.n_rings; i++)
        *n += visit(tracee, i, &is_live);
    rv_ring_turn_done(tracee->map.header);
    return is_live || !had_ended;
}

size_t tracee_turn(struct tracee *tracee)
{
    size_t n = 0;
    turn(tracee, &n);
    return n;
}

bool tracee_drain(struct tracee *tracee, uint64_t timeout_ms)
{
    struct rv_wire_header *header = tracee->map.header;
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ms * 1000000u;
    for (;;) {
        size_t n = 0;
        if (!turn(tracee, &n))
            return true;
        if (rv_clock_mono_ns() > end_ns)
            return false;
        uint32_t seen = __atomic_load_n(&header->consumer_wake, __ATOMIC_RELAXED);
        __atomic_store_n(&header->consumer_is_asleep, 1, __ATOMIC_SEQ_CST);
        rv_os_futex_wait(&header->consumer_wake, seen, NAP_NS);
        __atomic_store_n(&header->consumer_is_asleep, 0, __ATOMIC_RELAXED);
    }
}

void tracee_close(struct tracee *tracee)
{
    for (size_t i = 0; i < tracee->n_streams; i++)
        free(tracee->streams[i].events);
    free(tracee->streams);
    unlink(tracee->map.path);
    rv_map_close(&tracee->map);
    *tracee = (struct tracee){0};
}

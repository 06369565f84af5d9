/* A small trace file for one test, and a second view of it as another process would have. */
#ifndef RV_TESTS_RING_FIXTURE_H
#define RV_TESTS_RING_FIXTURE_H

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ring/ownership.h"
#include "ring/map.h"
#include "ring/ring.h"

struct fixture {
    char folder[64], path[128];
    struct rv_map map;   /* the viewer's */
    struct rv_map other; /* a producer's: its own open file description */
};

/* A child that goes with its test, which may be ended while the child has no end of its own. */
static inline pid_t fork_child(void)
{
    pid_t pid = fork();
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static inline struct rv_map_params small_params(void)
{
    return (struct rv_map_params){
        .n_rings = 4,
        .ring_events = 64,
        .n_slots = 4,
        .slot_bytes = 40,
        .message_bytes = 32,
        .global_bytes = 100,
        .n_processes = 64,
        .n_modules = 64,
        .n_names = 1000,
        .name_heap_bytes = 1 << 16,
        .clock_kind = RV_CLOCK_MONOTONIC,
    };
}

static inline void make_folder(struct fixture *fixture)
{
    strcpy(fixture->folder, "/tmp/ringviz-test-XXXXXX");
    cr_assert_not_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/trace", fixture->folder);
}

static inline void remove_folder(const struct fixture *fixture)
{
    unlink(fixture->path);
    rmdir(fixture->folder);
}

static inline void open_fixture(struct fixture *fixture, const struct rv_map_params *params)
{
    memset(fixture, 0, sizeof *fixture);
    make_folder(fixture);
    struct rv_map_params small = small_params();
    cr_assert_eq(rv_map_create(&fixture->map, fixture->path, params ? params : &small), 0);
    cr_assert_eq(rv_map_open(&fixture->other, fixture->path, RV_MAP_PRODUCER, false), 0);
}

static inline void close_fixture(struct fixture *fixture)
{
    rv_map_close(&fixture->other);
    rv_map_close(&fixture->map);
    remove_folder(fixture);
}

/* Exit status of a child, -signal when it was killed. */
static inline int reap(pid_t pid)
{
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A pipe for "I got this far". */
static inline void say_ready(const int ends[2])
{
    if (write(ends[1], "r", 1) != 1)
        abort();
}

static inline void wait_ready(const int ends[2])
{
    char byte;
    cr_assert_eq(read(ends[0], &byte, 1), 1);
}

/* As a producer does, without any policy. The event's number is its id. */
static inline void push(struct rv_ring *ring, uint32_t n)
{
    uint64_t head = ring->control->head;
    for (uint32_t i = 0; i < n; i++, head++) {
        ring->events[head & (ring->n_events - 1)] = (struct rv_event){.when = head, .id = (uint32_t)head};
        __atomic_store_n(&ring->control->head, head + 1, __ATOMIC_RELEASE);
    }
}

#endif

/* Runs a program under a producer and reads its rings to the end: the smallest possible viewer, for tests. */
#ifndef RV_TESTS_STRESS_TRACEE_H
#define RV_TESTS_STRESS_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/ownership.h"
#include "ring/map.h"
#include "ring/ring.h"

/* One owner of one ring, from claim to reclaim. */
struct tracee_stream {
    uint32_t ring_idx, generation;
    uint32_t process;
    char name[64];
    struct rv_event *events; /* without those of tests/full_ring_wait.h, nor are they in the account */
    size_t n, capacity;
    uint64_t n_overwritten, n_of_waits;
    unsigned n_wait_left;
    bool is_over;
    struct rv_ring_account account; /* when it is over */
};

struct tracee {
    struct rv_map map;
    pid_t pid;
    int status; /* of waitpid */
    bool has_ended;
    struct tracee_stream *streams;
    size_t n_streams;
    bool keeps_events; /* else they are only counted */
};

/* A trace file of its own and the consumer's lock. Exits on failure. */
void tracee_open(struct tracee *tracee, const struct rv_map_params *params);

/* Start it with RINGVIZ_FILE, and LD_PRELOAD where `preload` is not NULL. out_fd: its stdout, or -1. */
void tracee_start(struct tracee *tracee, const char *const *argv, const char *preload, int out_fd);

/* One turn over all rings; reaps the child. Returns events moved. */
size_t tracee_turn(struct tracee *tracee);

/* Turns until the child and all owners of rings are gone; false after timeout_ms. */
bool tracee_drain(struct tracee *tracee, uint64_t timeout_ms);

/* Unlinks the file. */
void tracee_close(struct tracee *tracee);

#endif

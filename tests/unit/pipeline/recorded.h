/*
 * A recording of random calls: several threads, each with several stacks, jumps out of calls, marks, pauses.
 */
#ifndef RV_TEST_PIPELINE_RECORDED_H
#define RV_TEST_PIPELINE_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "sink/recording_writer.h"

enum { RECORDED_STREAMS = 4, RECORDED_STACKS = 3, RECORDED_IDS = 30, RECORDED_DEPTH = 40 };

struct recorded_params { /* by thread */
    size_t n_events[RECORDED_STREAMS];
    uint64_t step_ns[RECORDED_STREAMS]; /* between two events, on average */
    uint64_t tick_ns;                   /* times are multiples of this; 0 = 1 */
    uint64_t waits_every;               /* one event in so many begins a wait or releases an object; 0 = none */
    struct rv_record_limit limit;       /* zero = none */
    size_t block_events;                /* in a full block; 0 = as many as there may be */
    uint32_t n_names;                   /* so many subroutines in turns have one each; 0 = each its own */
};

extern uint64_t recorded_seed; /* seed of all random numbers */
/* Random turns of a test: a sanitizer makes each some ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define RECORDED_TURNS(n) ((n) / 4)
#else
#define RECORDED_TURNS(n) (n)
#endif

uint64_t recorded_draw(uint64_t below);

/* Write a recording into an existing file; ends the program when that fails. Subroutine i is called f<i>; the last
 * one is rare. */
void recorded_make(const char *path, const struct recorded_params *params);

/* Likewise, a recording of these events of one thread, in ns; the last one must not be a SYNC. */
void recorded_write(const char *path, const struct rv_event *events, size_t n);

/* Make the file like one of an older recorder, whose indexes do not have the calls open at a block's begin. */
void recorded_age(const char *path);

/* Damage one block of events; blocks are numbered from 0 in the order of the file. */
void recorded_damage(const char *path, unsigned block);

#endif

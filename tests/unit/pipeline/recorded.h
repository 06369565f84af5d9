/*
 * A recording of random calls: several threads, each with several stacks, jumps out of calls, marks, pauses.
 */
#ifndef RV_TEST_PIPELINE_RECORDED_H
#define RV_TEST_PIPELINE_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "sink/record.h"

enum { RECORDED_STREAMS = 4, RECORDED_STACKS = 3, RECORDED_IDS = 30, RECORDED_DEPTH = 40 };

struct recorded_params { /* by thread */
    size_t n_events[RECORDED_STREAMS];
    uint64_t step_ns[RECORDED_STREAMS]; /* between two events, at the mean */
    uint64_t tick_ns;                   /* times are multiples of this; 0 = 1 */
    uint64_t waits_every;               /* one event in so many begins a wait or releases an object; 0 = none */
    struct rv_record_limit limit;       /* zero = none */
};

extern uint64_t recorded_seed; /* of all that is drawn */
uint64_t recorded_draw(uint64_t below);

/* Write one into a file that is there already; ends the program when that fails. Subroutine i is called f<i>; the last
 * one is rare. */
void recorded_make(const char *path, const struct recorded_params *params);

/* Likewise, of one thread's events, in ns; the last one is no SYNC. */
void recorded_write(const char *path, const struct rv_event *events, size_t n);

/* Make the file like one of an older recorder, whose indexes do not have the calls open at a block's begin. */
void recorded_age(const char *path);

/* Damage a block of events, in the file's order from 0. */
void recorded_damage(const char *path, unsigned block);

#endif

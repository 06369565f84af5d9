/*
 * A thread that answers monitors, without a program: it is at a statement, numbered from 1, and a step takes it to the
 * next. `finish` ends when tracee_arrive() is called, never by itself.
 */
#ifndef RV_TESTS_CONTROL_TRACEE_H
#define RV_TESTS_CONTROL_TRACEE_H

#include <stdbool.h>
#include <stdint.h>

struct tracee;

struct tracee_params {
    bool is_deaf;  /* never answers */
    bool is_plain; /* has no debugger */
    bool is_shy;   /* does not answer the first question for its stack after a stop */
};

/* The thread has claimed a ring of the file when this returns. It answers "tell" without end, and "wild" by a
 * code that would be a terminal's command. */
struct tracee *tracee_start(const char *path, const struct tracee_params *params);
uint32_t tracee_tid(const struct tracee *tracee);
void tracee_arrive(struct tracee *tracee);
void tracee_end(struct tracee *tracee);

#endif

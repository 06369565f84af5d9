/*
 * A thread that monitors steer. It looks at its ring's call to attention at each call of a sub and each turn of a loop;
 * at statements only while it is to stop at one. What it does for a monitor is not traced.
 */
#ifndef RV_PRODUCERS_PERL_DEBUGGER_H
#define RV_PRODUCERS_PERL_DEBUGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/perl/perl_api.h"

struct rv_debugger {
    const uint32_t *attention; /* the ring's word; one that is always 0 while there is none */
    bool is_serving;           /* a monitor's requests run, and code of the program that they call */
    bool wants_statements;     /* a step, or a breakpoint at a line */
    bool wants_entries;        /* that, or a breakpoint at a sub */
};

extern _Thread_local struct rv_debugger rv_debugger __attribute__((tls_model("initial-exec")));

/* A monitor wants something. */
void rv_debugger_serve(pTHX);

/* wants_statements: one begins, PL_curcop. */
void rv_debugger_stop_at_statement(pTHX);

/* wants_entries: the sub has been entered, or is about to be where it is an XS sub. */
void rv_debugger_look_at_entry(pTHX_ const CV *cv);

/* The calling thread has got a ring. */
void rv_debugger_on_ring(void);

/* Once, before any thread is served. */
void rv_debugger_start(void);

static inline void rv_debugger_poll(pTHX)
{
    if (__builtin_expect(__atomic_load_n(rv_debugger.attention, __ATOMIC_RELAXED) != 0, 0))
        rv_debugger_serve(aTHX);
}

static inline void rv_debugger_statement(pTHX)
{
    if (rv_debugger.wants_statements && !rv_debugger.is_serving)
        rv_debugger_stop_at_statement(aTHX);
}

static inline void rv_debugger_entry(pTHX_ const CV *cv)
{
    if (__builtin_expect(rv_debugger.wants_entries, 0))
        rv_debugger_look_at_entry(aTHX_ cv);
}

#endif

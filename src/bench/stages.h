/* What tracing costs one program, stage by stage, each run a process of its own. */
#ifndef RV_BENCH_STAGES_H
#define RV_BENCH_STAGES_H

#include <stdbool.h>

#include "bench/bench.h"

enum { RV_STAGES_MOST_PEERS = 8 };

/* Another tracer, or another level of ours; measured where it is installed. */
struct rv_stages_peer {
    const char *name;
    const char *front[12]; /* its command; the program's follows */
    const char *variables[3];
    bool is_on_plain;     /* it traces the program without hooks */
    const char *workload; /* the one that it sees the same calls of as we do; NULL: all */
    const char *result;   /* a file that it leaves when it has traced something, or NULL */
};

/* Commands and variables ("NAME=VALUE") end with NULL. */
struct rv_stages {
    const char *name;
    bool is_whole; /* it prints no times: a run takes what it takes by the clock on the wall; else as in workloads.c */
    const char *const *plain, *const *traced;
    const char *const *variables; /* of the traced one; the trace file is added */
    const char *const *empty;     /* where its hooks are to do nothing; NULL: none */
    const struct rv_stages_peer *peers;
    unsigned n_peers;
};

/*
 * Measure all stages by turns, and print a row for each and for each workload.
 *   returns  0, or negative errno, said; peers that cannot be run have no rows
 */
int rv_stages_measure(struct rv_bench_out *out, const struct rv_stages *stages);

#endif

/* What tracing costs a program, stage by stage; each run is a process. */
#ifndef RV_BENCH_STAGES_H
#define RV_BENCH_STAGES_H

#include <stdbool.h>

#include "bench/bench.h"

enum { RV_STAGES_MOST_PEERS = 10 };

/* Another tracer, or another level of ours; measured where it is installed. */
struct rv_stages_peer {
    const char *name;
    const char *front[12]; /* its command; the program's follows */
    const char *variables[3];
    bool is_on_plain;     /* it traces the program without hooks */
    const char *workload; /* the only workload in which it sees the same calls as we do; NULL: all */
    const char *result;   /* a file that it leaves when it has traced something, or NULL */
};

/* Commands and variables ("NAME=VALUE") end with NULL. */
struct rv_stages {
    const char *name;
    bool is_whole; /* a run is measured by the wall clock; else it prints lines as workloads.c does */
    const char *const *plain, *const *traced;
    const char *const *variables; /* of the traced program; the trace file is added */
    const char *const *empty;     /* of the program whose hooks do nothing; NULL: there is none */
    const struct rv_stages_peer *peers;
    unsigned n_peers;
};

/*
 * Measure all stages in turns, and print a row for each stage and workload.
 *   returns  0, or negative errno with one line printed; peers that cannot be run have no rows
 */
int rv_stages_measure(struct rv_bench_out *out, const struct rv_stages *stages);

#endif

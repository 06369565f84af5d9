/* What the hooks of -finstrument-functions cost: runs bench/traced.c with them, and with uftrace. */
#ifndef RV_BENCH_HOOKED_H
#define RV_BENCH_HOOKED_H

#include "bench/bench.h"

/* Rows ring.cyg, ring.cyg_tick and ring.cyg_uftrace, as far as the program, the hooks and uftrace are found. */
int rv_bench_hooked(struct rv_bench_out *out);

#endif

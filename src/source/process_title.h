/*
 * Titles that processes give themselves by writing over their arguments, as PostgreSQL, nginx and $0 of Perl and Ruby
 * do: what ps and top show of them. Nothing tells when one changes, so processes are asked, the less often the longer
 * they run.
 */
#ifndef RV_SOURCE_PROCESS_TITLE_H
#define RV_SOURCE_PROCESS_TITLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ringviz/wire.h"

#define RV_PROCESS_TITLE_BYTES 64u

struct rv_process_title { /* zeroed: of a process that begins */
    char text[RV_PROCESS_TITLE_BYTES]; /* fit for display; "": none so far */
    uint64_t next_ns, wait_ns;         /* by CLOCK_MONOTONIC: when it is asked next */
};

/*
 * Ask, if it is time to.
 *   returns  whether the process has a new title; one whose program has a plain name has none
 *   thread   drain
 *   source   /proc/PID/cmdline of proc(5)
 */
bool rv_process_title_follow(struct rv_process_title *title, const struct rv_wire_process *process, uint64_t now_ns);

#endif

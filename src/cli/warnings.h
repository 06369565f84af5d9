/* What is printed on stderr at the end of a run, before its outputs: losses, why there are no calls, what was not
 * traced. */
#ifndef RV_CLI_WARNINGS_H
#define RV_CLI_WARNINGS_H

#include <stdbool.h>

#include "cli/options.h"
#include "launch/launch.h"
#include "pipeline/session.h"

struct rv_warnings {
    const struct rv_options *options;
    struct rv_session *session;     /* that has ended */
    const struct rv_map *map;       /* zeroed: the source is not a live trace file */
    const struct rv_launch *launch; /* NULL: no command */
    const struct rv_losses *losses;
    const struct rv_session_counts *counts;
    bool is_silence_said; /* before its end */
};

/*
 * Why has no call come so far? One line, as soon as it is known: of a command, or a process that was attached to, of
 * which nothing is traced.
 *   returns  false where calls may come
 *   thread   main
 */
bool rv_warnings_why_silent(const struct rv_options *options, const struct rv_map *map, char *out, size_t out_bytes);

/* Main thread. */
void rv_warnings_print(const struct rv_warnings *run);

/* One line, if some were for a time, of an output of a file that does not list them. Main thread. */
void rv_warnings_not_traced(const char *file, struct rv_session *session);

/* With --fail-on-loss: true, with one line printed, if anything is known to be missing. Main thread. */
bool rv_warnings_fail_on_loss(const struct rv_warnings *run);

#endif

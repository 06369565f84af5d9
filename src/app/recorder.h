/* --record: where the recording goes, and what is said of it at the end. */
#ifndef RV_APP_RECORDER_H
#define RV_APP_RECORDER_H

#include <sys/types.h>

#include "app/options.h"
#include "base/clock.h"
#include "sink/record.h"

struct rv_recorder { /* zeroed = nothing is recorded */
    struct rv_record *record;
    char path[4096];
    bool is_unnamed; /* the default name wants a process id that is not known yet */
};

/*
 * Open what the options ask for.
 *   pid      of a running program, or 0
 *   clock    of the source
 *   returns  0, or negative errno with one line printed
 */
int rv_recorder_open(struct rv_recorder *recorder, const struct rv_options *options, uint32_t pid,
                     const struct rv_clock *clock);

/* The command runs: the default name can be given. */
void rv_recorder_name(struct rv_recorder *recorder, const struct rv_options *options, pid_t pid);

/* After the session's end. 0, or the negative errno of what failed, which has been said. */
int rv_recorder_close(struct rv_recorder *recorder);

#endif

/* --record and the window's key for it: where recordings go, and what is said of each at its end. */
#ifndef RV_CLI_RECORDER_H
#define RV_CLI_RECORDER_H

#include <sys/types.h>

#include "cli/options.h"
#include "sink/record.h"
#include "source/source.h"

struct rv_recorder { /* zeroed = nothing can be recorded */
    struct rv_record *record;
    const struct rv_options *options;
    uint32_t pid;              /* of what is recorded; 0 where unknown */
    uint64_t mono_ns, real_ns; /* as its source has them */
    uint64_t n_hits_before;    /* of the trigger, when the file began */
    char path[4096];
    bool is_on;      /* a file is being written */
    bool is_unnamed; /* the default name wants a process id that is not known yet */
};

/*
 * Be ready to record where --record or the window may want it, and begin what --record wants.
 *   pid      of a running program, or 0
 *   source   what will be recorded; used for the call
 *   returns  0, or negative errno with one line printed
 */
int rv_recorder_open(struct rv_recorder *recorder, const struct rv_options *options, uint32_t pid,
                     const struct rv_source *source);

/* The command runs: the default name can be given. */
void rv_recorder_name(struct rv_recorder *recorder, pid_t pid);

/* Begin or end a recording while the session runs; says where it is. Returns whether one is being written. */
bool rv_recorder_switch(struct rv_recorder *recorder, bool is_on);

/* After the session's end. 0, or the negative errno of what failed, which has been said. */
int rv_recorder_close(struct rv_recorder *recorder);

#endif

/* --record and the window's record key: names of recordings, and the summary at their ends. */
#ifndef RV_CLI_RECORDER_H
#define RV_CLI_RECORDER_H

#include <sys/types.h>

#include "cli/options.h"
#include "sink/recording_writer.h"
#include "source/source.h"

struct rv_recorder { /* zeroed = recording impossible */
    struct rv_recording_writer *record;
    const struct rv_options *options;
    uint32_t pid;              /* of the recorded program; 0 = unknown */
    uint64_t mono_ns, real_ns; /* of its source */
    uint64_t n_hits_before;    /* of the trigger, before the file began */
    char path[4096];
    int error;       /* of the last file that could not be written to its end */
    bool is_on;      /* a file is being written */
    bool is_later;   /* the last file was begun during the session */
    bool is_unnamed; /* the default name needs a process id that is unknown yet */
};

/*
 * Prepare recording if --record or the window may need it, and start for --record.
 *   pid      of a running program, or 0
 *   source   the recorded source; borrowed for the call
 *   returns  0, or negative errno with one line printed
 */
int rv_recorder_open(struct rv_recorder *recorder, const struct rv_options *options, uint32_t pid,
                     const struct rv_source *source);

/* Set the default name, now that the command runs. */
void rv_recorder_name(struct rv_recorder *recorder, pid_t pid);

/* Start or stop a recording during the session; prints its path. Returns whether one is being written. */
bool rv_recorder_switch(struct rv_recorder *recorder, bool is_on);

/* The file that is being written, if it was begun during the session; NULL: none. */
const char *rv_recorder_later_path(const struct rv_recorder *recorder);

/* After the session's end. 0, or the negative errno of a failure of any file, which was printed. */
int rv_recorder_close(struct rv_recorder *recorder);

#endif

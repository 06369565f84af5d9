/* Descriptions of streams and subroutines that a source gives to the pipeline and its sinks. */
#ifndef RV_STREAM_STREAM_INFO_H
#define RV_STREAM_STREAM_INFO_H

#include <stdint.h>

#include "ringviz/wire.h"

/* A stream is one ring generation, that is one thread of one process image. */
struct rv_stream_info {
    uint32_t pid, parent_pid, tid;
    uint64_t process_key;                   /* distinguishes images and reused pids */
    const char *process_name, *thread_name; /* borrowed for the call; thread_name may be "" */
    uint64_t born_ns;
    uint32_t number; /* in a recording: the file's */
    uint32_t ring;   /* index in the file, for messages */
    struct rv_wire_instrumentation instrumentation;
};

/* Exact event counts of a stream so far. */
struct rv_stream_account {
    uint64_t n_produced, n_consumed, n_dropped;
};

/* A subroutine's definition. Strings are borrowed for the call. */
struct rv_definition {
    uint32_t id;                       /* dense, from 1 */
    const char *package, *name, *file; /* "" where unknown */
    uint32_t line_form;                /* ringviz/wire.h */
};

#endif

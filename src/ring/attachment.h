/*
 * What ringviz and the library that it has loaded into a running process share: variables of the library, which ringviz
 * reads and writes from outside. Either is input to the other.
 */
#ifndef RV_RING_ATTACHMENT_H
#define RV_RING_ATTACHMENT_H

#include <stdint.h>

#define RV_ATTACHMENT_LIBRARY "libringviz-attach.so"
#define RV_ATTACHMENT_PLANNER "libringviz-patch.so" /* beside it and beside the preload library: both load it */
#define RV_ATTACHMENT "ringviz_attachment"          /* struct rv_attachment */
#define RV_ATTACHMENT_PLAN                                                                                             \
    "ringviz_attach_plan" /* (const char *trace file, const char *patches): a negative errno, or 0 */
#define RV_ATTACHMENT_WRITE "ringviz_attach_write" /* (): jumps, while all threads stand still; -ESTALE: plan again */
#define RV_ATTACHMENT_APPLY                                                                                            \
    "ringviz_attach_apply" /* (uint64_t are sites clear): verdicts, while all threads stand still: 0; -EAGAIN: not at  \
                              this moment; RV_ATTACHMENT_TO_CLEAR */
#define RV_ATTACHMENT_REMOVE "ringviz_attach_remove" /* (): the same; -EAGAIN: not at this moment */

#define RV_ATTACHMENT_CALLED 1
#define RV_ATTACHMENT_TO_CLEAR 2 /* there are jumps to be written: again, with the sites cleared */

#define RV_ATTACHMENT_THREADS 65536u
#define RV_ATTACHMENT_OBJECTS 256u
#define RV_ATTACHMENT_SITES (1u << 22) /* more are not plausible */

enum rv_attachment_state { RV_ATTACHMENT_NONE, RV_ATTACHMENT_PLANNING, RV_ATTACHMENT_PLANNED, RV_ATTACHMENT_PATCHED };

struct rv_attachment_object {
    uint64_t sites; /* address of struct rv_patch_site */
    uint64_t n_sites;
};

struct rv_attachment {
    uint32_t state;     /* [atomic] enum rv_attachment_state */
    int32_t error;      /* of planning: a negative errno, with RV_ATTACHMENT_NONE */
    uint32_t is_loaded; /* [atomic] the library's other functions may be called */
    uint32_t
        result; /* [atomic] of the last call, a negative errno or 0: RV_ATTACHMENT_CALLED, set by ringviz, until it is
                   done */
    uint32_t owner_pid;   /* ringviz's, set by it, */
    uint32_t n_changes;   /* [atomic] changes of the objects; odd: they are being changed */
    uint64_t owner_start; /* and ringviz's start time: both identify a running ringviz */
    uint64_t is_leaving;  /* [atomic] set by ringviz, before it removes patches: objects change no more */
    uint64_t n_objects;
    struct rv_attachment_object objects[RV_ATTACHMENT_OBJECTS];
    uint64_t n_threads;                              /* written by ringviz: */
    uint64_t thread_pointers[RV_ATTACHMENT_THREADS]; /* fs_base of each thread that stands still */
};

#endif

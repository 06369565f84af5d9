/*
 * The table of this process's objects that are planned: their sites, and what is there if they are. It changes under
 * the process lock; it is read by who changes it, and while nothing else runs.
 */
#ifndef RV_PRODUCERS_NATIVE_PATCHED_OBJECTS_H
#define RV_PRODUCERS_NATIVE_PATCHED_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "producers/native/jump_writer.h"
#include "producers/native/visibility.h"
#include "ring/attachment.h"

RV_HIDDEN extern struct rv_patched_objects {
    struct rv_patcher_object all[RV_ATTACHMENT_OBJECTS];
    size_t n;
} rv_patched_objects;

struct rv_patched_object_origin {
    char *name;           /* malloc'ed; "" is the program */
    struct stat file;     /* of that name when it was planned */
    uint64_t fingerprint; /* rv_image_fingerprint(), as its functions were read */
    bool is_of_syscalls;  /* its sites are system calls, not functions */
    bool is_late;         /* threads may have run it before: it has no jumps, and is planned anew when asked to */
};

/* Under the process lock, while the table has room: take one, with its name. Returns the one in the table. */
RV_HIDDEN struct rv_patcher_object *rv_patched_objects_take(const struct rv_patcher_object *object,
                                                            const struct rv_patched_object_origin *origin);

/* Is an object in the table, by its name and by what its addresses are above those in its file? */
RV_HIDDEN bool rv_patched_objects_have(const char *name, uint64_t base, bool is_of_syscalls);

/* Is it loaded still, and no other in its place? Without a lock. */
RV_HIDDEN bool rv_patched_objects_is_there(size_t idx);

/* Is it the program, with its functions? */
RV_HIDDEN bool rv_patched_objects_is_program(size_t idx);

/* Mark those that are not loaded, while none is loaded or unloaded; those whose files have changed. */
RV_HIDDEN void rv_patched_objects_mark_unloaded(void);
RV_HIDDEN void rv_patched_objects_mark_replaced(void);

/* Drop those that are marked, or all. 0; -EAGAIN: the process lock was taken for too long. */
RV_HIDDEN int rv_patched_objects_drop(bool are_all);

/* Are any sites of system calls? */
RV_HIDDEN bool rv_patched_objects_have_syscalls(void);

/* Are the instructions at an address displaced by a jump at the begin of a function? */
RV_HIDDEN bool rv_patched_objects_displace(uint64_t address);

/* What is patched of all of them together. */
RV_HIDDEN struct rv_wire_instrumentation rv_patched_objects_counts(void);

#endif

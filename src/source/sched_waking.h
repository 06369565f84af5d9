/*
 * The kernel's tracepoint sched:sched_waking, as its tracing file system describes it: one record each time that a
 * thread, or the kernel in an interrupt, wakes a thread.
 */
#ifndef RV_SOURCE_SCHED_WAKING_H
#define RV_SOURCE_SCHED_WAKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rv_sched_waking_field { /* bytes of a record */
    size_t from, n;
};

struct rv_sched_waking {
    uint64_t id;                               /* perf_event_attr.config */
    struct rv_sched_waking_field flags, woken; /* common_flags, and the tid of the thread that is woken */
};

/*
 * Find out where its fields are.
 *   returns  0, or a negative errno: -EACCES where its files may not be read, -ENOENT where the kernel has no
 *            tracepoints or the file system is not mounted, -EBADMSG for fields of other kinds, -EXDEV in another
 *            namespace of process ids than the kernel's first, by which the record numbers threads; nothing is printed
 */
int rv_sched_waking_find(struct rv_sched_waking *waking);

/* Read the fields from the text of the tracepoint's `format`. False: one is missing, or is no integer of 1 to 4
 * bytes. */
bool rv_sched_waking_read_format(struct rv_sched_waking *waking, const char *format);

enum rv_sched_waking_context { /* in which the kernel woke the thread */
                               RV_WAKING_IN_THREAD,
                               RV_WAKING_IN_SOFTIRQ, /* when a thread, or an interrupt, had left work for it */
                               RV_WAKING_IN_INTERRUPT
};

/* A record's thread and context. False: it is too short. */
bool rv_sched_waking_decode(const struct rv_sched_waking *waking, const void *record, size_t n_bytes, uint32_t *woken,
                            enum rv_sched_waking_context *context);

#endif

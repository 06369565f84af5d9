/* The time of a lane in order, each stretch of it with the call that was the innermost one. */
#ifndef RV_EXPORT_INNERMOST_CALLS_H
#define RV_EXPORT_INNERMOST_CALLS_H

#include "export/preorder.h"

struct rv_innermost_calls_visitor {
    /* id: of the call's subroutine; UINT32_MAX: there was none. Stretches follow each other without gaps, from 0 on. */
    void (*pass)(void *context, uint32_t id, uint64_t from_ns, uint64_t to_ns);
    /* Called for each call, when the time before it, or up to its end, was passed. May be NULL. */
    void (*begin)(void *context, uint32_t id);
    void (*end)(void *context, uint32_t id);
    void *context;
};

/* Up to the end of the lane's last call. 0, or a negative errno with one line printed. */
int rv_innermost_calls_read(struct rv_preorder *preorder, const struct rv_lane *lane,
                            const struct rv_innermost_calls_visitor *visitor);

#endif

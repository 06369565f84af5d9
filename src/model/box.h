/* A box of the picture: a call, or a cell that stands for short ones. */
#ifndef RV_MODEL_BOX_H
#define RV_MODEL_BOX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

#define RV_BOX_EXACT 65535u
#define RV_BOX_CLIPPED 0x2000u /* in flags, set by the view: of the call, only this part is shown */
#define RV_BOX_DIMMED 0x4000u  /* in flags, set by the view: drawn faint */
#define RV_BOX_HIT 0x8000u     /* drawn highlighted */

struct rv_box {
    uint64_t start_ns;
    uint64_t duration_ns;
    uint32_t id;    /* subroutine; in a cell: the majority's */
    uint32_t count; /* 1 for an exact span; for a cell, calls that ended in it (0: one ends later) */
    uint32_t depth;
    uint16_t coverage; /* of a cell: covered share of its width, 0..65534; else RV_BOX_EXACT */
    uint16_t flags;    /* enum rv_span_flag (scan/span.h), RV_BOX_CLIPPED, RV_BOX_DIMMED, RV_BOX_HIT */
};

/* Saturates. */
static inline uint64_t rv_box_end_ns(const struct rv_box *box)
{
    return rv_clock_after_ns(box->start_ns, box->duration_ns);
}

/* Does the box begin before to_ns and end after from_ns, or, as an empty one may, begin there? */
static inline bool rv_box_overlaps(const struct rv_box *box, uint64_t from_ns, uint64_t to_ns)
{
    return box->start_ns < to_ns && (box->start_ns >= from_ns || rv_box_end_ns(box) > from_ns);
}

#endif

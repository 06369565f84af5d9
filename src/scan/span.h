/* A finished call: what the scan produces and the model stores. */
#ifndef RV_SCAN_SPAN_H
#define RV_SCAN_SPAN_H

#include <stddef.h>
#include <stdint.h>

enum rv_span_flag {
    RV_SPAN_CUT = 1,     /* closed by something other than its own RETURN: longjmp, exception, a lost event */
    RV_SPAN_ORPHAN = 2,  /* its CALL was never seen: start unknown, given as the stream's first time */
    RV_SPAN_OPEN = 4,    /* still open when the stream ended */
    RV_SPAN_DOUBTFUL = 8 /* enough events were lost while it was open for it to have ended and another call of its
                            subroutine to have begun: its children may belong to that call */
};

struct rv_span {
    uint64_t start; /* ns: in the scan as in the events, in the model relative to the trace */
    uint64_t end;
    uint32_t id;    /* subroutine, 0 = unknown */
    uint32_t depth; /* 0 = outermost */
    uint32_t stack; /* the stream's stack key; 0 = the stream's first */
    uint32_t flags; /* enum rv_span_flag, or'ed */
};

struct rv_span_piece { /* of a stack's time */
    uint64_t from_ns, to_ns;
    /* Calls that overlap it in closing order; those that are open at its end have that for theirs, and the flag
     * OPEN. */
    const struct rv_span *spans;
    size_t n;
};

#endif

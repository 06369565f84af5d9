/* A call of the kernel that a program makes by syscall(). */
#ifndef RV_PRODUCERS_NATIVE_RAW_CALL_H
#define RV_PRODUCERS_NATIVE_RAW_CALL_H

#include "producers/native/visibility.h"

struct rv_raw_call {
    long number, a, b, c, d, e, f;
};

/* As syscall(). */
RV_HIDDEN long rv_raw_call_next(const struct rv_raw_call *call);

#endif

/*
 * Futexes that a program asks the kernel for by syscall(): those of C++20 (std::latch, counting_semaphore,
 * atomic::wait), of Rust and of locks of a program's own. Those of the C library are within its functions
 * (lock_functions.c).
 */
#ifndef RV_PRODUCERS_NATIVE_FUTEX_H
#define RV_PRODUCERS_NATIVE_FUTEX_H

#include "producers/native/raw_call.h"

/* As rv_raw_call_next(), of SYS_futex. */
RV_HIDDEN long rv_futex_call(const struct rv_raw_call *call);

#endif

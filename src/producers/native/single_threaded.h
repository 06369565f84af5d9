/* Whether other threads run in the process. */
#ifndef RV_PRODUCERS_NATIVE_SINGLE_THREADED_H
#define RV_PRODUCERS_NATIVE_SINGLE_THREADED_H

#include <stdbool.h>

extern char __libc_single_threaded __attribute__((weak));

/* No other thread runs, of those that the C library has made. Known of glibc 2.32 and later. */
static inline bool rv_is_single_threaded(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

#endif

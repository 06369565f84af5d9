/*
 * A section of the producer that the traced program must not leave half-way: no signal handlers, no thread
 * cancellation, errno restored. Only for rare operations: claims, module lists, thread ends.
 */
#ifndef RV_NATIVE_SIGNAL_GUARD_H
#define RV_NATIVE_SIGNAL_GUARD_H

#include <stdint.h>

struct rv_signal_guard {
    uint64_t signals; /* the mask to restore */
    int cancel_state;
    int error;
};

/* Block signals and cancellation. The end restores both, and errno; guards may nest. */
void rv_signal_guard_begin(struct rv_signal_guard *guard);
void rv_signal_guard_end(const struct rv_signal_guard *guard);

#endif

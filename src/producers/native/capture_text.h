/* What the operations of a capture copy (wire.h), as texts of the calling thread's ring. */
#ifndef RV_PRODUCERS_NATIVE_CAPTURE_TEXT_H
#define RV_PRODUCERS_NATIVE_CAPTURE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

#define RV_CAPTURE_NO_TEXT UINT64_MAX

/* Before the others. */
RV_HIDDEN void rv_capture_text_init(void);

/* Up to n bytes of this process: as far as memory can be read. Returns how many were. */
RV_HIDDEN size_t rv_capture_text_read(void *to, uint64_t from, size_t n);

/*
 * Do the operations of a call or of its return.
 *   number   the capture's (capture_operations.h)
 *   values   RV_CAPTURE_VALUES of them; those that are loaded are changed
 *   returns  the text's position, or RV_CAPTURE_NO_TEXT
 *   thread   a push is under way: who takes the file away leaves its pages until that has ended
 */
RV_HIDDEN uint64_t rv_capture_text_copy(uint32_t number, bool is_result, uint64_t *values);

/* The rest of a push that has begun: behind the event at these ticks. next, stack: as for rv_push_behind(). */
RV_HIDDEN void rv_capture_text_push(uint64_t next, uint64_t stack, uint64_t position, uint64_t ticks);

/* Count a text that could not be copied. */
RV_HIDDEN void rv_capture_text_refuse(void);

#endif

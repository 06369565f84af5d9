/*
 * The parallel half of stack reconstruction: one block of one stream, from an empty stack, on any worker.
 *
 * A RETURN whose CALL is in the block becomes a finished span at once. Events that refer to frames opened before the
 * block become reaches, frames still open at its end are kept; scan/block_join.h merges both in stream order. The rule,
 * which is exactly associative, is stated in scan/serial.c, the oracle of the tests.
 */
#ifndef RV_SCAN_BLOCK_H
#define RV_SCAN_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"
#include "scan/span.h"

#define RV_BLOCK_EVENTS 16384u /* the largest and usual capacity */
#define RV_BLOCK_PADDING 8u    /* readable events a kernel may touch past the last one */

/*
 * Input of a scan, made by the drain. Invariants: times never fall and lie in [base_ns, base_ns + 2^31), kinds are CALL
 * or RETURN except at the indices in specials, ids are dense and known, events[n .. n + PADDING) are readable.
 */
struct rv_block_input {
    const struct rv_event *events;
    uint32_t n;
    const uint32_t *specials; /* increasing indices of every event that is not CALL or RETURN */
    uint32_t n_specials;
    uint64_t base_ns;
    uint32_t entry_stack; /* stack key in force at events[0] */
};

enum rv_scan_kernel { RV_SCAN_SCALAR, RV_SCAN_AVX2, RV_SCAN_AVX512, RV_SCAN_KERNEL_COUNT };

/* Does this CPU support the kernel? */
bool rv_scan_kernel_is_supported(enum rv_scan_kernel kernel);
const char *rv_scan_kernel_name(enum rv_scan_kernel kernel);
enum rv_scan_kernel rv_scan_best_kernel(void);

struct rv_block; /* opaque; reused; all arrays allocated at creation for `capacity` events */

struct rv_block *rv_block_create(uint32_t capacity);
void rv_block_destroy(struct rv_block *block);

/*
 * Scan. input->n <= capacity. Any one thread at a time; no allocation, no locks, cannot fail on any input. SWITCH and
 * THREAD (resumed: id is the stack) select another stack; SYNC and LOST take effect at their place; other specials are
 * ignored.
 */
void rv_block_scan(struct rv_block *block, const struct rv_block_input *input, enum rv_scan_kernel kernel);

/* The stack selected at the end of this input, which is the next block's entry_stack. Pure. */
uint32_t rv_block_exit_stack(const struct rv_block_input *input);

#endif

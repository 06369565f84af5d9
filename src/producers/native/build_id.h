/* The build id of an object, among the notes that are mapped with it. */
#ifndef RV_PRODUCERS_NATIVE_BUILD_ID_H
#define RV_PRODUCERS_NATIVE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/*
 * Find it in the notes of one segment, whatever they hold.
 *   notes    n_bytes of them
 *   out      room for `most` bytes
 *   returns  how many it has; 0: it is not there, or longer
 */
RV_HIDDEN uint32_t rv_build_id_find(const uint8_t *notes, size_t n_bytes, uint8_t *out, size_t most);

#endif

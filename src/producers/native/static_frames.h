/* The index of a statically linked program's unwind table (.eh_frame_hdr), with one entry more: that of trampolines.
 * Its unwinder looks into the program's own tables only. */
#ifndef RV_PRODUCERS_NATIVE_STATIC_FRAMES_H
#define RV_PRODUCERS_NATIVE_STATIC_FRAMES_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "producers/native/visibility.h"

/* Of the program with these headers. Returns where it is, within reach of the program, and its length; 0: none could be
 * made. It stays. */
RV_HIDDEN uint64_t rv_static_frames_make(const ElfW(Phdr) * headers, size_t n_headers, uint64_t bias, size_t *n_bytes);

#endif

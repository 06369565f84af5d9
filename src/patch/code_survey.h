/*
 * All code of an image, read once: the ranges of its unwind table, what leads into the first bytes of each, and what
 * its instructions do.
 */
#ifndef RV_PATCH_CODE_SURVEY_H
#define RV_PATCH_CODE_SURVEY_H

#include "patch/decode_instruction.h"
#include "patch/image.h"
#include "patch/parts.h"
#include "patch/unwind_table.h"

#define RV_PATCH_NEAR_ENTRY 32u /* bytes of a range into which branches matter: endbr64, a sled and a host's are 25 */

struct rv_patch_range {
    uint64_t start, end;
    const struct rv_patch_unwind_frame *frame;
    uint32_t targets;   /* bit n: a branch or pointer leads to the n-th byte */
    uint32_t landings;  /* the same for landing pads of exceptions */
    uint8_t n_in_front; /* bytes in front of a function's own code: endbr64, */
    bool has_sled;      /* and what XRay's runtime writes to while the program runs */
    bool is_unknown, uses_return_address, calls, loops, leaves;
    uint64_t jumps_to; /* where its last jump out of it leads; 0: it has none */
};

struct rv_patch_survey {
    const struct rv_patch_image *image;
    struct rv_patch_decoder decoder;
    struct rv_patch_unwind_frame *frames;
    struct rv_patch_range *ranges; /* by rising start */
    size_t n_ranges;
    uint32_t *counts; /* by step of addresses from the first range on: number of ranges that begin before it */
    unsigned step_shift;
    uint64_t first, last; /* all code lies between them */
};

/*
 * Read the code of an image, which is borrowed.
 *   survey   zeroed; to be ended with rv_patch_survey_end(), also after an error
 *   share    how the work is shared; NULL: it is not. The result is the same
 *   returns  0; as rv_patch_unwind_frames_read()
 *   thread   any; allocates
 */
int rv_patch_survey_read(struct rv_patch_survey *survey, const struct rv_patch_image *image, rv_patch_share_fn *share);

void rv_patch_survey_end(struct rv_patch_survey *survey);

/* The range whose first bytes an address may be in; NULL: none. */
struct rv_patch_range *rv_patch_survey_find(const struct rv_patch_survey *survey, uint64_t address);

#endif

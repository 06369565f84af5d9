/*
 * Which functions of an image can be patched: found and examined, with nothing written. The result is valid for any
 * writer, in the process itself or from outside.
 */
#ifndef RV_PATCH_PATCHABLE_FUNCTIONS_H
#define RV_PATCH_PATCHABLE_FUNCTIONS_H

#include "patch/image.h"
#include "patch/move_instructions.h"
#include "patch/parts.h"

struct rv_patch_function {
    uint64_t address;
    uint32_t n_bytes;
    uint8_t n_padding; /* unused, behind it */
    uint8_t skipped;   /* bytes in front of the jump: endbr64, a sled of XRay */
    uint8_t n_written; /* from there: one of the three numbers of move_instructions.h; RV_PATCH_SHORT_BYTES: */
    int8_t to_island;  /* a short jump, to an island so far behind its end */
    uint8_t refusal;   /* enum rv_patch_refusal */
    bool is_trivial;   /* calls nothing, jumps nowhere outside, has no loop, and is short: tracing it would only cost */
};

struct rv_patch_functions {
    struct rv_patch_function *functions; /* by rising address */
    size_t n_functions;
    size_t n_refused[RV_PATCH_REFUSAL_COUNT]; /* by reason; [RV_PATCH_FITS]: those that fit */
};

/*
 * Functions are the ranges of the unwind table at whose first instruction the stack pointer points to the return
 * address: parts that a compiler split off do not, nor do signal frames.
 *   all      the caller's, to be freed with rv_patch_functions_free(), also after an error
 *   share    how the work is shared; NULL: it is not. The result is the same
 *   returns  0; as rv_patch_unwind_frames_read()
 *   thread   any; allocates
 */
int rv_patch_functions_find(struct rv_patch_functions *all, const struct rv_patch_image *image,
                            rv_patch_share_fn *share);

/* Free the list; it is empty then. */
void rv_patch_functions_free(struct rv_patch_functions *all);

/* Where the jump of a function goes, and what can be moved from there. False: not in the image. */
bool rv_patch_function_code(const struct rv_patch_image *image, const struct rv_patch_function *function,
                            struct rv_patch_code *code);

#endif

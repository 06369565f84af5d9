/*
 * The unwind table of an image (.eh_frame, by its index where it has one): its ranges of code, which of them begin as
 * functions do, and where the return address lies at each instruction.
 */
#ifndef RV_PATCH_UNWIND_TABLE_H
#define RV_PATCH_UNWIND_TABLE_H

#include "patch/image.h"

struct rv_patch_unwind_frame { /* an FDE, with what is needed of its CIE */
    uint64_t start, end;
    uint64_t rows, rows_end;          /* addresses of its program, */
    uint64_t common_rows, common_end; /* and of its CIE's, which comes first */
    uint64_t landing_table;           /* of exceptions; 0: none */
    uint32_t code_factor;
    int32_t data_factor;
    bool is_signal;
    bool is_function; /* at its first instruction the stack pointer points to the return address */
};

/* Where the return address lies: `offset` below the frame's address, which is a register and a number. */
struct rv_patch_unwind_row {
    uint32_t base; /* the register, as DWARF counts; RV_PATCH_UNWIND_ROW_UNKNOWN: an expression, or no return address */
    int64_t offset;
};
#define RV_PATCH_UNWIND_ROW_UNKNOWN UINT32_MAX
#define RV_PATCH_UNWIND_ROW_RSP 7u
#define RV_PATCH_UNWIND_ROW_RBP 6u

/*
 * All ranges, by rising start, each start once.
 *   frames   *frames is the caller's to free()
 *   returns  0; -ENOENT: there is no table; -EBADMSG; -E2BIG: ranges lie upon one another, which is more to read than a
 *            linker makes; -ENOMEM
 */
int rv_patch_unwind_frames_read(const struct rv_patch_image *image, struct rv_patch_unwind_frame **frames,
                                size_t *n_frames);

#define RV_PATCH_UNWIND_ROW_DEPTH 8u

/* The rows of one range, in order of their addresses. */
struct rv_patch_unwind_rows {
    const struct rv_patch_image *image;
    const struct rv_patch_unwind_frame *frame;
    uint64_t at, end;                      /* what is left of the program */
    uint64_t next;                         /* address at which the row after this one begins */
    struct rv_patch_unwind_row row, first; /* first: as the CIE leaves it */
    struct rv_patch_unwind_row kept[RV_PATCH_UNWIND_ROW_DEPTH];
    uint32_t n_kept;
};

/* Begin to read the rows of a range; the image is borrowed. */
void rv_patch_unwind_rows_begin(struct rv_patch_unwind_rows *rows, const struct rv_patch_image *image,
                                const struct rv_patch_unwind_frame *frame);

/* The row of an address in the range; addresses must not fall from call to call. */
struct rv_patch_unwind_row rv_patch_unwind_rows_at(struct rv_patch_unwind_rows *rows, uint64_t address);

#endif

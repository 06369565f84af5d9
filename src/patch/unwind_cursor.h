/* Reads the numbers of unwind tables in an image, within bounds. */
#ifndef RV_PATCH_UNWIND_CURSOR_H
#define RV_PATCH_UNWIND_CURSOR_H

#include "patch/image.h"

/* A read beyond the end returns 0, and the cursor has failed for good. */
struct rv_patch_unwind_cursor {
    const uint8_t *bytes;
    size_t n_bytes; /* left */
    uint64_t address;
    bool has_failed;
};

/* From an address up to another, which may be UINT64_MAX: the segment's end. */
struct rv_patch_unwind_cursor rv_patch_unwind_cursor_at(const struct rv_patch_image *image, uint64_t address,
                                                        uint64_t end);

/* The functions below move the cursor. Beyond its end, has_failed is set, and a number is 0. */
static inline uint8_t rv_patch_unwind_cursor_byte(struct rv_patch_unwind_cursor *cursor)
{
    if (cursor->has_failed || !cursor->n_bytes) {
        cursor->has_failed = true;
        return 0;
    }
    cursor->n_bytes--;
    cursor->address++;
    return *cursor->bytes++;
}

/* Move past n bytes; the cursor fails where it has not so many. */
void rv_patch_unwind_cursor_skip(struct rv_patch_unwind_cursor *cursor, uint64_t n);
uint64_t rv_patch_unwind_cursor_number(struct rv_patch_unwind_cursor *cursor, unsigned n_bytes); /* 1, 2, 4, 8 */
uint64_t rv_patch_unwind_cursor_uleb(struct rv_patch_unwind_cursor *cursor);
int64_t rv_patch_unwind_cursor_sleb(struct rv_patch_unwind_cursor *cursor);

/*
 * A pointer as a DW_EH_PE encoding has it.
 *   relative_to  what data-relative ones count from
 *   returns      its value; 0 for DW_EH_PE_omit. An indirect one's slot is not followed.
 */
uint64_t rv_patch_unwind_cursor_pointer(struct rv_patch_unwind_cursor *cursor, uint8_t encoding, uint64_t relative_to);

#endif

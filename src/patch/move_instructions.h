/*
 * Moves the first instructions of a function to another address: relative operands are adjusted, short branches become
 * long, and a call pushes its original return address.
 */
#ifndef RV_PATCH_MOVE_INSTRUCTIONS_H
#define RV_PATCH_MOVE_INSTRUCTIONS_H

#include "patch/decode_instruction.h"
#include "ringviz/wire.h"

#define RV_PATCH_JUMP_BYTES 5u
#define RV_PATCH_SHORT_BYTES 2u                       /* a jump of 8 bits */
#define RV_PATCH_HOST_BYTES (2 * RV_PATCH_JUMP_BYTES) /* a function's own jump, and an island: another's */
#define RV_PATCH_MOVED_BYTES 96u                      /* at most */

struct rv_patch_code {
    const uint8_t *bytes; /* where the jump is to be written, */
    uint64_t address;     /* and its address */
    size_t n_function;    /* bytes from there, */
    size_t n_padding;     /* and unused bytes behind it */
    size_t n_written;     /* bytes to be overwritten: one of the three numbers above */
};

struct rv_patch_moved {
    uint8_t bytes[RV_PATCH_MOVED_BYTES]; /* the instructions, and the jump back where they do not end with one */
    uint8_t n_bytes;
    uint8_t n_displaced; /* bytes of the function that they replace: the overwritten ones, or more */
    uint8_t pushes_at;   /* the low half of a return address that they push, four bytes before the high one; 0: none */
};

/*
 * Move what a jump displaces.
 *   to       the address that moved->bytes will have
 *   returns  RV_PATCH_FITS or why that cannot be done
 */
enum rv_patch_refusal rv_patch_move(const struct rv_patch_decoder *decoder, const struct rv_patch_code *code,
                                    uint64_t to, struct rv_patch_moved *moved);

/* The displacement of a jump or call between two addresses, from the end of its instruction; false: too far. */
bool rv_patch_reach(uint64_t end, uint64_t target, int32_t *displacement);

#endif

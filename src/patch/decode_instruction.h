/* One x86-64 instruction: its length, its control flow, and which of its operands depend on its address. */
#ifndef RV_PATCH_DECODE_INSTRUCTION_H
#define RV_PATCH_DECODE_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_patch_flow {
    RV_PATCH_NEXT,          /* the next instruction, and nowhere else */
    RV_PATCH_BRANCH,        /* the next one or the target */
    RV_PATCH_COUNTED,       /* the same, of loop and jrcxz: there is no long form */
    RV_PATCH_JUMP,          /* the target */
    RV_PATCH_CALL,          /* the target, and back */
    RV_PATCH_INDIRECT_JUMP, /* an address in a register or memory */
    RV_PATCH_INDIRECT_CALL,
    RV_PATCH_RETURN,
    RV_PATCH_STOP,   /* nowhere: int3, ud2, hlt */
    RV_PATCH_STRANGE /* far transfers, transactions, branches of 16 bits: not to be moved */
};

/* Where a memory operand is, so far as it matters here. */
enum rv_patch_base { RV_PATCH_ELSEWHERE, RV_PATCH_RIP, RV_PATCH_RSP, RV_PATCH_RBP };

struct rv_patch_instruction {
    enum rv_patch_flow flow;
    uint8_t n_bytes;
    uint8_t opcode;     /* of the flow: its last byte */
    uint8_t modrm_at;   /* offset; 0: none */
    uint8_t operand_at; /* of the displacement of a RIP operand */
    bool is_nop, is_lea, is_pop, is_endbr;
    enum rv_patch_base base;
    int64_t displacement; /* from base */
    uint64_t target;      /* of a branch, jump or call; of a RIP operand: its address */
};

struct rv_patch_decoder {
    uint64_t words[4]; /* of Zydis, which no other file includes */
};

void rv_patch_decoder_init(struct rv_patch_decoder *decoder);

/*
 * The instruction at the first of n bytes.
 *   address  where it stands
 *   returns  false: none that is known, or it is cut short
 */
bool rv_patch_decode(const struct rv_patch_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
                     struct rv_patch_instruction *out);

#endif

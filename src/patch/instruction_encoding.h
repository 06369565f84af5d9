/* The parts of an instruction as it is encoded: found by tables of opcodes, or, where they have no entry, by Zydis. */
#ifndef RV_PATCH_INSTRUCTION_ENCODING_H
#define RV_PATCH_INSTRUCTION_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rv_patch_map { RV_PATCH_ONE_BYTE, RV_PATCH_0F, RV_PATCH_OTHER_MAP /* and all of VEX, EVEX and XOP */ };

struct rv_patch_encoding {
    enum rv_patch_map map;
    uint8_t n_bytes, opcode;
    uint8_t modrm_at, modrm, sib; /* modrm_at: offset; 0: there is none */
    uint8_t displacement_at, n_displacement;
    int64_t displacement; /* 0: none */
    int64_t immediate;    /* of relative branches */
    bool is_legacy;       /* not VEX, EVEX or XOP */
    bool has_base_bit;    /* REX.B */
    bool has_operand_prefix, has_address_prefix;
};

/*
 * By tables: a tenth of Zydis's time.
 *   returns  false: not in the tables. Where Zydis finds an instruction, they find the same or none; they also accept
 *            some that no processor does
 */
bool rv_patch_encoding_read(struct rv_patch_encoding *out, const uint8_t *bytes, size_t n);

#endif

/*
 * Control flow and relative operands of an instruction, by its opcode. Tables (instruction_encoding.c) decode most, Zydis the
 * rest.
 */
#include "patch/decode_instruction.h"

#include <Zydis/Zydis.h>

#include "patch/instruction_encoding.h"

_Static_assert(sizeof(ZydisDecoder) <= sizeof(struct rv_patch_decoder), "the decoder has its place");

#define RSP 4
#define RBP 5

void rv_patch_decoder_init(struct rv_patch_decoder *decoder)
{
    ZydisDecoder *zydis = (ZydisDecoder *)decoder;
    ZydisDecoderInit(zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
}

static enum rv_patch_flow flow_of_one_byte(const struct rv_patch_encoding *in)
{
    static const enum rv_patch_flow GROUP_FF[8] = {RV_PATCH_NEXT,    RV_PATCH_NEXT,          RV_PATCH_INDIRECT_CALL,
                                                   RV_PATCH_STRANGE, RV_PATCH_INDIRECT_JUMP, RV_PATCH_STRANGE,
                                                   RV_PATCH_NEXT,    RV_PATCH_STRANGE};
    if (in->opcode >= 0x70 && in->opcode <= 0x7f)
        return RV_PATCH_BRANCH;
    switch (in->opcode) {
    case 0xe0:
    case 0xe1:
    case 0xe2:
    case 0xe3:
        return RV_PATCH_COUNTED;
    case 0xe8:
        return RV_PATCH_CALL;
    case 0xe9:
    case 0xeb:
        return RV_PATCH_JUMP;
    case 0xc2:
    case 0xc3:
        return RV_PATCH_RETURN;
    case 0xca: /* far and interrupt returns, int, xbegin */
    case 0xcb:
    case 0xcd:
    case 0xcf:
        return RV_PATCH_STRANGE;
    case 0xc7:
        return in->modrm >> 6 == 3 && (in->modrm >> 3 & 7) == 7 ? RV_PATCH_STRANGE : RV_PATCH_NEXT;
    case 0xcc:
    case 0xf1:
    case 0xf4:
        return RV_PATCH_STOP;
    case 0xff:
        return GROUP_FF[in->modrm >> 3 & 7];
    default:
        return RV_PATCH_NEXT;
    }
}

static enum rv_patch_flow flow_of(const struct rv_patch_encoding *in)
{
    if (in->map == RV_PATCH_ONE_BYTE)
        return flow_of_one_byte(in);
    if (in->map != RV_PATCH_0F)
        return RV_PATCH_NEXT;
    if (in->opcode >= 0x80 && in->opcode <= 0x8f)
        return RV_PATCH_BRANCH;
    if (in->opcode == 0x0b || in->opcode == 0xb9 || in->opcode == 0xff)
        return RV_PATCH_STOP;
    return in->opcode == 0x07 || in->opcode == 0x34 || in->opcode == 0x35 ? RV_PATCH_STRANGE : RV_PATCH_NEXT;
}

static bool is_relative(enum rv_patch_flow flow)
{
    return flow == RV_PATCH_BRANCH || flow == RV_PATCH_COUNTED || flow == RV_PATCH_JUMP || flow == RV_PATCH_CALL;
}

static void find_operand(const struct rv_patch_encoding *in, uint64_t next, struct rv_patch_instruction *out)
{
    const unsigned mod = in->modrm >> 6, number = in->modrm & 7;
    const bool has_sib = mod != 3 && number == RSP;
    out->modrm_at = in->modrm_at;
    out->displacement = in->displacement;
    if (mod == 0 && number == RBP && in->n_displacement == 4) {
        out->base = RV_PATCH_RIP;
        out->operand_at = in->displacement_at;
        out->target = next + (uint64_t)out->displacement;
        if (in->has_address_prefix)
            out->flow = RV_PATCH_STRANGE;
    } else if (!in->is_legacy || in->has_base_bit) {
        out->base = RV_PATCH_ELSEWHERE; /* r12, r13; vectors hold no return address */
    } else if (has_sib && (in->sib & 7) == RSP) {
        out->base = RV_PATCH_RSP;
    } else if (!has_sib && mod != 3 && number == RBP) {
        out->base = RV_PATCH_RBP;
    }
}

static void find_kind(const struct rv_patch_encoding *in, struct rv_patch_instruction *out)
{
    const bool is_short = in->map == RV_PATCH_ONE_BYTE, is_long = in->map == RV_PATCH_0F;
    out->is_lea = is_short && in->opcode == 0x8d;
    out->is_pop = is_short && ((in->opcode >= 0x58 && in->opcode <= 0x5f) || in->opcode == 0x8f);
    out->is_nop = (is_short && in->opcode == 0x90) || (is_long && in->opcode == 0x1f);
    out->is_endbr = is_long && in->opcode == 0x1e && in->n_bytes == 4 && in->modrm >> 6 == 3;
}

static enum rv_patch_map map_of(const ZydisDecodedInstruction *in)
{
    if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return RV_PATCH_OTHER_MAP;
    return in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? RV_PATCH_ONE_BYTE
           : in->opcode_map == ZYDIS_OPCODE_MAP_0F    ? RV_PATCH_0F
                                                      : RV_PATCH_OTHER_MAP;
}

static bool has_prefix(const ZydisDecodedInstruction *in, uint8_t prefix)
{
    for (size_t i = 0; i < in->raw.prefix_count; i++)
        if (in->raw.prefixes[i].value == prefix)
            return true;
    return false;
}

static bool read_by_zydis(const struct rv_patch_decoder *decoder, const uint8_t *bytes, size_t n,
                          struct rv_patch_encoding *out)
{
    ZydisDecodedInstruction in;
    const size_t longest = n < ZYDIS_MAX_INSTRUCTION_LENGTH ? n : ZYDIS_MAX_INSTRUCTION_LENGTH;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction((const ZydisDecoder *)decoder, NULL, bytes, longest, &in)))
        return false;
    *out = (struct rv_patch_encoding){.map = map_of(&in),
                                      .n_bytes = in.length,
                                      .opcode = in.opcode,
                                      .modrm_at = in.raw.modrm.offset,
                                      .displacement_at = in.raw.disp.offset,
                                      .n_displacement = (uint8_t)(in.raw.disp.size / 8),
                                      .displacement = in.raw.disp.size ? in.raw.disp.value : 0,
                                      .immediate = in.raw.imm[0].value.s,
                                      .is_legacy = in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY,
                                      .has_base_bit = in.raw.rex.B,
                                      .has_operand_prefix = has_prefix(&in, 0x66),
                                      .has_address_prefix = in.address_width != 64};
    if (out->modrm_at)
        out->modrm = bytes[out->modrm_at];
    if (in.raw.sib.offset)
        out->sib = bytes[in.raw.sib.offset];
    return true;
}

bool rv_patch_decode(const struct rv_patch_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
                     struct rv_patch_instruction *out)
{
    struct rv_patch_encoding in;
    if (!rv_patch_encoding_read(&in, bytes, n) && !read_by_zydis(decoder, bytes, n, &in))
        return false;
    *out = (struct rv_patch_instruction){.flow = flow_of(&in), .n_bytes = in.n_bytes, .opcode = in.opcode};
    find_kind(&in, out);
    if (in.modrm_at)
        find_operand(&in, address + in.n_bytes, out);
    if (is_relative(out->flow)) {
        out->target = address + in.n_bytes + (uint64_t)in.immediate;
        if (in.has_operand_prefix) /* processors do not agree on what it does to a branch */
            out->flow = RV_PATCH_STRANGE;
    }
    return true;
}

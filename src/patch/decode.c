/* Zydis finds an instruction's parts; which of them matter is decided by opcode, since its short mode knows no more. */
#include "patch/decode.h"

#include <Zydis/Zydis.h>

_Static_assert(sizeof(ZydisDecoder) <= sizeof(struct rv_patch_decoder), "the decoder has its place");

#define RSP 4
#define RBP 5

void rv_patch_decoder_init(struct rv_patch_decoder *decoder)
{
    ZydisDecoder *zydis = (ZydisDecoder *)decoder;
    ZydisDecoderInit(zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZydisDecoderEnableMode(zydis, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
}

static enum rv_patch_flow flow_of_one_byte(uint8_t opcode, const ZydisDecodedInstruction *in)
{
    static const enum rv_patch_flow GROUP_FF[8] = {RV_PATCH_NEXT,    RV_PATCH_NEXT,          RV_PATCH_INDIRECT_CALL,
                                                   RV_PATCH_STRANGE, RV_PATCH_INDIRECT_JUMP, RV_PATCH_STRANGE,
                                                   RV_PATCH_NEXT,    RV_PATCH_STRANGE};
    if (opcode >= 0x70 && opcode <= 0x7f)
        return RV_PATCH_BRANCH;
    switch (opcode) {
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
        return in->raw.modrm.mod == 3 && in->raw.modrm.reg == 7 ? RV_PATCH_STRANGE : RV_PATCH_NEXT;
    case 0xcc:
    case 0xf1:
    case 0xf4:
        return RV_PATCH_STOP;
    case 0xff:
        return GROUP_FF[in->raw.modrm.reg];
    default:
        return RV_PATCH_NEXT;
    }
}

static enum rv_patch_flow flow_of(const ZydisDecodedInstruction *in)
{
    if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
        return RV_PATCH_NEXT;
    if (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        return flow_of_one_byte(in->opcode, in);
    if (in->opcode_map != ZYDIS_OPCODE_MAP_0F)
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

/* Processors do not agree on what it does to a branch. */
static bool has_operand_prefix(const ZydisDecodedInstruction *in)
{
    for (size_t i = 0; i < in->raw.prefix_count; i++)
        if (in->raw.prefixes[i].value == 0x66)
            return true;
    return false;
}

static void find_operand(const ZydisDecodedInstruction *in, uint64_t next, struct rv_patch_instruction *out)
{
    const bool has_sib = in->raw.modrm.mod != 3 && in->raw.modrm.rm == RSP;
    out->displacement = in->raw.disp.size ? in->raw.disp.value : 0;
    if (in->raw.modrm.mod == 0 && in->raw.modrm.rm == RBP && in->raw.disp.size == 32) {
        out->base = RV_PATCH_RIP;
        out->operand_at = in->raw.disp.offset;
        out->target = next + (uint64_t)out->displacement;
        if (in->address_width != 64)
            out->flow = RV_PATCH_STRANGE;
    } else if (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY || in->raw.rex.B) {
        out->base = RV_PATCH_ELSEWHERE; /* r12, r13; vectors hold no return address */
    } else if (has_sib && in->raw.sib.base == RSP) {
        out->base = RV_PATCH_RSP;
    } else if (!has_sib && in->raw.modrm.mod != 3 && in->raw.modrm.rm == RBP) {
        out->base = RV_PATCH_RBP;
    }
}

static void find_kind(const ZydisDecodedInstruction *in, struct rv_patch_instruction *out)
{
    const bool is_legacy = in->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY;
    const bool is_short = is_legacy && in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
    const bool is_long = is_legacy && in->opcode_map == ZYDIS_OPCODE_MAP_0F;
    out->is_lea = is_short && in->opcode == 0x8d;
    out->is_pop = is_short && ((in->opcode >= 0x58 && in->opcode <= 0x5f) || in->opcode == 0x8f);
    out->is_nop = (is_short && in->opcode == 0x90) || (is_long && in->opcode == 0x1f);
    out->is_endbr = is_long && in->opcode == 0x1e && in->length == 4 && in->raw.modrm.mod == 3;
}

bool rv_patch_decode(const struct rv_patch_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t address,
                     struct rv_patch_instruction *out)
{
    ZydisDecodedInstruction in;
    const ZydisDecoder *zydis = (const ZydisDecoder *)decoder;
    const size_t longest = n < ZYDIS_MAX_INSTRUCTION_LENGTH ? n : ZYDIS_MAX_INSTRUCTION_LENGTH;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(zydis, NULL, bytes, longest, &in)))
        return false;
    *out = (struct rv_patch_instruction){.flow = flow_of(&in), .n_bytes = in.length, .opcode = in.opcode};
    find_kind(&in, out);
    if (in.raw.modrm.offset) {
        out->modrm_at = in.raw.modrm.offset;
        find_operand(&in, address + in.length, out);
    }
    if (is_relative(out->flow)) {
        out->target = address + in.length + (uint64_t)in.raw.imm[0].value.s;
        if (has_operand_prefix(&in) || !in.raw.imm[0].is_relative)
            out->flow = RV_PATCH_STRANGE;
    }
    return true;
}

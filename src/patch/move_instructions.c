#include "patch/move_instructions.h"

#include <string.h>

struct mover {
    const struct rv_patch_code *code;
    struct rv_patch_moved *moved;
    uint64_t to;
};

bool rv_patch_reach(uint64_t end, uint64_t target, int32_t *displacement)
{
    const int64_t distance = (int64_t)(target - end);
    *displacement = (int32_t)distance;
    return *displacement == distance;
}

static void put(struct mover *mover, const void *bytes, size_t n)
{
    memcpy(mover->moved->bytes + mover->moved->n_bytes, bytes, n);
    mover->moved->n_bytes = (uint8_t)(mover->moved->n_bytes + n);
}

/* An opcode of one or two bytes, and where it goes. */
static bool put_jump(struct mover *mover, const void *opcode, size_t n_opcode, uint64_t target)
{
    int32_t displacement;
    put(mover, opcode, n_opcode);
    bool is_near = rv_patch_reach(mover->to + mover->moved->n_bytes + sizeof displacement, target, &displacement);
    put(mover, &displacement, sizeof displacement);
    return is_near;
}

static bool put_plain_jump(struct mover *mover, uint64_t target)
{
    return put_jump(mover, "\xe9", 1, target);
}

/* Changes no register and no flag. */
static void put_push(struct mover *mover, uint64_t value)
{
    const uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
    put(mover, "\x68", 1);
    mover->moved->pushes_at = mover->moved->n_bytes;
    put(mover, &low, sizeof low);
    put(mover, "\xc7\x44\x24\x04", 4);
    put(mover, &high, sizeof high);
}

static bool move_branch(struct mover *mover, const struct rv_patch_instruction *in)
{
    const uint8_t opcode[2] = {0x0f, (uint8_t)(0x80 | (in->opcode & 0x0f))};
    return put_jump(mover, opcode, sizeof opcode, in->target);
}

/* The branch, if taken, skips a short jump that skips the long jump. */
static bool move_counted(struct mover *mover, const struct rv_patch_instruction *in, const uint8_t *bytes)
{
    put(mover, bytes, in->n_bytes - 1u);
    put(mover, "\x02\xeb\x05", 3);
    return put_plain_jump(mover, in->target);
}

/* Copied, with its relative operand adjusted. */
static bool move_plain(struct mover *mover, const struct rv_patch_instruction *in, const uint8_t *bytes)
{
    uint8_t *moved = mover->moved->bytes + mover->moved->n_bytes;
    int32_t displacement;
    put(mover, bytes, in->n_bytes);
    if (in->base != RV_PATCH_RIP)
        return true;
    bool is_near = rv_patch_reach(mover->to + mover->moved->n_bytes, in->target, &displacement);
    memcpy(moved + in->operand_at, &displacement, sizeof displacement);
    return is_near;
}

/* call *X becomes a push and jmp *X: the same but for three bits. */
static bool move_indirect_call(struct mover *mover, const struct rv_patch_instruction *in, const uint8_t *bytes,
                               uint64_t next)
{
    put_push(mover, next);
    uint8_t *modrm = mover->moved->bytes + mover->moved->n_bytes + in->modrm_at;
    bool is_near = move_plain(mover, in, bytes);
    *modrm = (uint8_t)((*modrm & ~0x38) | 0x20);
    return is_near;
}

static bool move_one(struct mover *mover, const struct rv_patch_instruction *in, const uint8_t *bytes, uint64_t next)
{
    switch (in->flow) {
    case RV_PATCH_BRANCH:
        return move_branch(mover, in);
    case RV_PATCH_COUNTED:
        return move_counted(mover, in, bytes);
    case RV_PATCH_JUMP:
        return put_plain_jump(mover, in->target);
    case RV_PATCH_CALL:
        put_push(mover, next);
        return put_plain_jump(mover, in->target);
    case RV_PATCH_INDIRECT_CALL:
        return move_indirect_call(mover, in, bytes, next);
    default:
        return move_plain(mover, in, bytes);
    }
}

/* A call through the stack pointer would read the pushed return address. */
static bool is_through_stack(const struct rv_patch_instruction *in, const uint8_t *bytes)
{
    return in->flow == RV_PATCH_INDIRECT_CALL && (in->base == RV_PATCH_RSP || (bytes[in->modrm_at] & 0xc7) == 0xc4);
}

static bool is_relative(enum rv_patch_flow flow)
{
    return flow == RV_PATCH_BRANCH || flow == RV_PATCH_COUNTED || flow == RV_PATCH_JUMP || flow == RV_PATCH_CALL;
}

/* Nothing may branch or return into the written bytes but to their first. Displaced instructions behind them stay
 * whole. */
static bool is_within(const struct mover *mover, uint64_t address)
{
    return address > mover->code->address && address - mover->code->address < mover->code->n_written;
}

static enum rv_patch_refusal check(const struct mover *mover, const struct rv_patch_instruction *in,
                                   const uint8_t *bytes, uint64_t next)
{
    if (in->flow == RV_PATCH_STRANGE || is_through_stack(in, bytes))
        return RV_PATCH_STRANGE_INSTRUCTION;
    if ((in->flow == RV_PATCH_CALL || in->flow == RV_PATCH_INDIRECT_CALL) && is_within(mover, next))
        return RV_PATCH_CALL_WITHIN;
    return is_relative(in->flow) && is_within(mover, in->target) ? RV_PATCH_BRANCH_INTO : RV_PATCH_FITS;
}

static bool ends(enum rv_patch_flow flow)
{
    return flow == RV_PATCH_JUMP || flow == RV_PATCH_INDIRECT_JUMP || flow == RV_PATCH_RETURN || flow == RV_PATCH_STOP;
}

/* Nothing behind the function's last instruction is ever run. */
static bool is_padding(const struct rv_patch_decoder *decoder, const struct rv_patch_code *code, size_t at)
{
    struct rv_patch_instruction in;
    while (at < code->n_written) {
        if (at >= code->n_function + code->n_padding ||
            !rv_patch_decode(decoder, code->bytes + at, code->n_function + code->n_padding - at, 0, &in) ||
            !(in.is_nop || code->bytes[at] == 0xcc))
            return false;
        at += in.n_bytes;
    }
    return true;
}

enum rv_patch_refusal rv_patch_move(const struct rv_patch_decoder *decoder, const struct rv_patch_code *code,
                                    uint64_t to, struct rv_patch_moved *moved)
{
    struct mover mover = {code, moved, to};
    struct rv_patch_instruction in = {0};
    size_t at = 0;
    bool has_ended = false;
    moved->n_bytes = moved->pushes_at = 0;
    while (at < code->n_written && !has_ended) {
        const uint8_t *bytes = code->bytes + at;
        if (at >= code->n_function)
            return RV_PATCH_TOO_SHORT;
        if (!rv_patch_decode(decoder, bytes, code->n_function - at, code->address + at, &in))
            return RV_PATCH_UNKNOWN_INSTRUCTION;
        enum rv_patch_refusal refusal = check(&mover, &in, bytes, code->address + at + in.n_bytes);
        if (refusal)
            return refusal;
        at += in.n_bytes;
        if (!move_one(&mover, &in, bytes, code->address + at))
            return RV_PATCH_TOO_FAR;
        has_ended = ends(in.flow);
    }
    if (at < code->n_written && !is_padding(decoder, code, at))
        return RV_PATCH_TOO_SHORT;
    moved->n_displaced = (uint8_t)(at < code->n_written ? code->n_written : at);
    if (!has_ended && !put_plain_jump(&mover, code->address + at))
        return RV_PATCH_TOO_FAR;
    return RV_PATCH_FITS;
}

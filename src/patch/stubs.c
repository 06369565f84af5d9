#include "patch/stubs.h"

#include <string.h>

#define ALIGN 16u
#define CAPTURE_HOOK_AT 8u
#define CALL_AT 8u /* from a stub's begin */

_Static_assert(CALL_AT + 6 == RV_PATCH_FUNCTION_BEFORE_RESUME, "a call through memory has six bytes");
_Static_assert(ALIGN + RV_PATCH_FUNCTION_BEFORE_RESUME + RV_PATCH_MOVED_BYTES <= RV_PATCH_STUB_BYTES,
               "a stub has room");

/* The hooks' addresses are the first two words. */
void rv_patch_stubs_begin(struct rv_patch_stubs *stubs, uint64_t hook, uint64_t capture_hook)
{
    rv_patch_decoder_init(&stubs->decoder);
    memcpy(stubs->bytes, &hook, sizeof hook);
    memcpy(stubs->bytes + CAPTURE_HOOK_AT, &capture_hook, sizeof capture_hook);
    stubs->n_used = ALIGN;
}

static void write_jump(uint8_t opcode, int32_t displacement, uint8_t jump[RV_PATCH_JUMP_BYTES])
{
    jump[0] = opcode;
    memcpy(jump + 1, &displacement, sizeof displacement);
}

enum rv_patch_refusal rv_patch_stubs_add(struct rv_patch_stubs *stubs, const struct rv_patch_image *image,
                                         const struct rv_patch_function *function, bool is_captured,
                                         struct rv_patch_site *site)
{
    struct rv_patch_code code;
    struct rv_patch_moved moved;
    int32_t to_stub, to_hook;
    uint8_t *stub = stubs->bytes + stubs->n_used;
    const uint64_t address = stubs->address + stubs->n_used, resume = address + RV_PATCH_FUNCTION_BEFORE_RESUME;
    if (stubs->n_bytes - stubs->n_used < RV_PATCH_STUB_BYTES)
        return RV_PATCH_TOO_FAR;
    if (!rv_patch_function_code(image, function, &code))
        return RV_PATCH_NOT_CODE;
    if (!rv_patch_reach(code.address + RV_PATCH_JUMP_BYTES, address + CALL_AT, &to_stub) ||
        !rv_patch_reach(resume, stubs->address + (is_captured ? CAPTURE_HOOK_AT : 0), &to_hook))
        return RV_PATCH_TOO_FAR;
    enum rv_patch_refusal refusal = rv_patch_move(&stubs->decoder, &code, resume, &moved);
    if (refusal)
        return refusal;
    memcpy(stub, &function->address, sizeof function->address);
    memcpy(stub + CALL_AT, "\xff\x15", 2);
    memcpy(stub + CALL_AT + 2, &to_hook, sizeof to_hook);
    memcpy(stub + RV_PATCH_FUNCTION_BEFORE_RESUME, moved.bytes, moved.n_bytes);
    *site = (struct rv_patch_site){.address = code.address, .function = function->address};
    memcpy(site->original, code.bytes, sizeof site->original);
    write_jump(0xe9, to_stub, site->jump);
    stubs->n_used += (RV_PATCH_FUNCTION_BEFORE_RESUME + moved.n_bytes + ALIGN - 1u) / ALIGN * ALIGN;
    return RV_PATCH_FITS;
}

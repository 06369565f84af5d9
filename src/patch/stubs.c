#include "patch/stubs.h"

#include <string.h>

#include "patch/imports.h"

#define ALIGN 16u
#define CAPTURE_HOOK_AT 8u
#define RESUMES_AT 8u    /* from the function's address, */
#define CALL_AT 16u      /* as is the stub's begin */
#define PUSH_BYTES 6u    /* push word(%rip) */
#define LINK_BYTES 8u    /* in front of an import's */
#define THROUGH_BYTES 6u /* jmp *word(%rip) */

_Static_assert(CALL_AT + RV_PATCH_CALL_BYTES == RV_PATCH_FUNCTION_BEFORE_RESUME, "");
_Static_assert(PUSH_BYTES + THROUGH_BYTES == RV_PATCH_CALL_BYTES, "");
_Static_assert((LINK_BYTES + RV_PATCH_FUNCTION_BEFORE_RESUME + THROUGH_BYTES + ALIGN - 1) / ALIGN * ALIGN ==
                   sizeof(struct rv_patch_link),
               "links are an array");
_Static_assert(RV_PATCH_JUMP_BYTES == RV_PATCH_USE_BYTES - 1, "one byte in front of the displacement stays");
_Static_assert((RV_PATCH_FUNCTION_BEFORE_RESUME + RV_PATCH_MOVED_BYTES + ALIGN - 1) / ALIGN * ALIGN <=
                   RV_PATCH_STUB_BYTES,
               "a stub has room");

/* The hooks' addresses are the first two words. */
void rv_patch_stubs_begin(struct rv_patch_stubs *stubs, uint64_t hook, uint64_t capture_hook)
{
    rv_patch_decoder_init(&stubs->decoder);
    memcpy(stubs->bytes, &hook, sizeof hook);
    memcpy(stubs->bytes + CAPTURE_HOOK_AT, &capture_hook, sizeof capture_hook);
    stubs->n_used = RV_PATCH_LINKS_AT;
}

static void write_jump(uint8_t opcode, int32_t displacement, uint8_t *jump)
{
    jump[0] = opcode;
    memcpy(jump + 1, &displacement, sizeof displacement);
}

static void write_through(const char opcode[2], int32_t displacement, uint8_t *instruction)
{
    memcpy(instruction, opcode, 2);
    memcpy(instruction + 2, &displacement, sizeof displacement);
}

/* And in front of it what the hook reads, and what is pushed. */
static void write_call(uint8_t *stub, uint64_t function, uint64_t resume, int32_t to_hook)
{
    const int32_t to_resumes = (int32_t)RESUMES_AT - (int32_t)(CALL_AT + PUSH_BYTES);
    memcpy(stub, &function, sizeof function);
    memcpy(stub + RESUMES_AT, &resume, sizeof resume);
    write_through("\xff\x35", to_resumes, stub + CALL_AT);
    write_through("\xff\x25", to_hook, stub + CALL_AT + PUSH_BYTES);
}

static uint64_t hook_of(const struct rv_patch_stubs *stubs, bool is_captured)
{
    return stubs->address + (is_captured ? CAPTURE_HOOK_AT : 0);
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
    const bool is_guest = function->n_written == RV_PATCH_SHORT_BYTES;
    if (stubs->n_bytes - stubs->n_used < RV_PATCH_STUB_BYTES)
        return RV_PATCH_TOO_FAR;
    if (!rv_patch_function_code(image, function, &code))
        return RV_PATCH_NOT_CODE;
    const uint64_t jump =
        is_guest ? code.address + RV_PATCH_SHORT_BYTES + (uint64_t)(int64_t)function->to_island : code.address;
    if (!rv_patch_reach(jump + RV_PATCH_JUMP_BYTES, address + CALL_AT, &to_stub) ||
        !rv_patch_reach(resume, hook_of(stubs, is_captured), &to_hook))
        return RV_PATCH_TOO_FAR;
    enum rv_patch_refusal refusal = rv_patch_move(&stubs->decoder, &code, resume, &moved);
    if (refusal)
        return refusal;
    write_call(stub, function->address, resume, to_hook);
    memcpy(stub + RV_PATCH_FUNCTION_BEFORE_RESUME, moved.bytes, moved.n_bytes);
    *site = (struct rv_patch_site){
        .address = code.address,
        .function = function->address,
        .n_bytes = is_guest ? RV_PATCH_SHORT_BYTES : RV_PATCH_JUMP_BYTES,
        .n_displaced = moved.n_displaced,
        .pushes_at = moved.pushes_at ? RV_PATCH_CALL_BYTES + moved.pushes_at : 0,
        .jump = {0xeb, (uint8_t)function->to_island},
    };
    memcpy(site->original, code.bytes, function->n_written);
    write_jump(0xe9, to_stub, site->jump + (is_guest ? RV_PATCH_SHORT_BYTES : 0));
    stubs->n_used += (RV_PATCH_FUNCTION_BEFORE_RESUME + moved.n_bytes + ALIGN - 1u) / ALIGN * ALIGN;
    return RV_PATCH_FITS;
}

enum rv_patch_refusal rv_patch_stubs_add_import(struct rv_patch_stubs *stubs, uint64_t import, bool is_captured,
                                                uint64_t *link)
{
    int32_t to_hook, to_word;
    uint8_t *stub = stubs->bytes + stubs->n_used + LINK_BYTES;
    const uint64_t address = stubs->address + stubs->n_used + LINK_BYTES, called = address + CALL_AT,
                   resume = address + RV_PATCH_FUNCTION_BEFORE_RESUME;
    if (stubs->n_bytes - stubs->n_used < RV_PATCH_STUB_BYTES ||
        !rv_patch_reach(resume, hook_of(stubs, is_captured), &to_hook) ||
        !rv_patch_reach(resume + THROUGH_BYTES, import, &to_word))
        return RV_PATCH_TOO_FAR;
    memcpy(stub - LINK_BYTES, &called, sizeof called);
    write_call(stub, import, resume, to_hook);
    write_through("\xff\x25", to_word, stub + RV_PATCH_FUNCTION_BEFORE_RESUME);
    *link = address - LINK_BYTES;
    stubs->n_used += (LINK_BYTES + RV_PATCH_FUNCTION_BEFORE_RESUME + THROUGH_BYTES + ALIGN - 1u) / ALIGN * ALIGN;
    return RV_PATCH_FITS;
}

enum rv_patch_refusal rv_patch_stubs_divert(const struct rv_patch_image *image, uint64_t use, uint64_t link,
                                            struct rv_patch_site *site)
{
    int32_t to_link;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(image, use, &n_bytes);
    if (!bytes || n_bytes < RV_PATCH_USE_BYTES || !rv_patch_reach(use + RV_PATCH_USE_BYTES, link, &to_link))
        return RV_PATCH_TOO_FAR;
    site->address = use + 1;
    site->function = use;
    site->is_use = true;
    site->is_left_out = false;
    site->n_bytes = RV_PATCH_JUMP_BYTES;
    memcpy(site->original, bytes + 1, RV_PATCH_JUMP_BYTES);
    write_jump(bytes[1], to_link, site->jump);
    return RV_PATCH_FITS;
}

void rv_patch_stubs_divert_moved(struct rv_patch_stubs *stubs, const struct rv_patch_site *site, uint64_t import,
                                 uint64_t link)
{
    int32_t displacement;
    const uint64_t stub = rv_patch_site_stub(site) - CALL_AT, resume = stub + RV_PATCH_FUNCTION_BEFORE_RESUME;
    for (size_t i = 0; i + RV_PATCH_USE_BYTES <= RV_PATCH_MOVED_BYTES; i++) {
        uint8_t *bytes = stubs->bytes + (resume + i - stubs->address);
        const uint64_t end = resume + i + RV_PATCH_USE_BYTES;
        memcpy(&displacement, bytes + 2, sizeof displacement);
        if (rv_patch_import_is_used(bytes) && end + (uint64_t)(int64_t)displacement == import &&
            rv_patch_reach(end, link, &displacement))
            memcpy(bytes + 2, &displacement, sizeof displacement);
    }
}

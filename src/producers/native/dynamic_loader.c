/*
 * The function is `ret`, at an address that is a multiple of 16, so that what follows is padding. With `endbr64` before
 * it, it has five bytes.
 */
#include "producers/native/dynamic_loader.h"

#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "producers/native/near_pages.h"

#define ALIGN 16u
#define STUB_BYTES 14u

static bool is_known(uint64_t address, const uint8_t *function)
{
    static const uint8_t ENDBR_RET[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
    return address % ALIGN == 0 && (function[0] == ENDBR_RET[4] || memcmp(function, ENDBR_RET, sizeof ENDBR_RET) == 0);
}

/* jmp *0(%rip), and where to */
static void write_stub(uint8_t *stub, uint64_t to)
{
    static const uint8_t JUMP[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(stub, JUMP, sizeof JUMP);
    memcpy(stub + sizeof JUMP, &to, sizeof to);
}

int rv_loader_prepare(const struct rv_patch_image *image, void (*changed)(void), struct rv_patch_prepared *prepared)
{
    const uint64_t address = _r_debug.r_brk;
    size_t n_there;
    const uint8_t *function = rv_patch_image_at(image, address, &n_there);
    *prepared = (struct rv_patch_prepared){0};
    if (!function || n_there < ALIGN || !is_known(address, function))
        return -ENOTSUP;
    prepared->stubs = rv_near_pages_map(address, address + ALIGN, STUB_BYTES);
    prepared->sites = calloc(1, sizeof *prepared->sites);
    if (!prepared->stubs || !prepared->sites)
        return -ENOMEM;
    write_stub(prepared->stubs, (uint64_t)(uintptr_t)changed);
    prepared->n_stub_bytes = STUB_BYTES;
    prepared->n_sites = 1;
    prepared->sites->address = address;
    prepared->sites->n_bytes = RV_PATCH_JUMP_BYTES;
    memcpy(prepared->sites->original, function, RV_PATCH_JUMP_BYTES);
    const int32_t displacement = (int32_t)((intptr_t)prepared->stubs - (intptr_t)(address + RV_PATCH_JUMP_BYTES));
    prepared->sites->jump[0] = 0xe9;
    memcpy(prepared->sites->jump + 1, &displacement, sizeof displacement);
    return 0;
}

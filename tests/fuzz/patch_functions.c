/* Any bytes as an ELF file: what is found lies in the file, as do the places of its system calls. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patch/functions.h"
#include "patch/syscalls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t stub[RV_PATCH_SYSCALL_STUB_BYTES];

static uint8_t *take_stub(uint64_t site)
{
    (void)site;
    return stub;
}

static void find_syscalls(const struct rv_patch_image *image)
{
    const struct rv_patch_syscalls_request request = {.image = *image, .take_stub = take_stub};
    struct rv_patch_prepared prepared;
    (void)rv_patch_syscalls_prepare(&request, &prepared);
    for (size_t i = 0; i < prepared.n_sites; i++) {
        size_t n_bytes;
        if (!rv_patch_image_at(image, prepared.sites[i].address, &n_bytes) || n_bytes < RV_PATCH_JUMP_BYTES)
            abort();
    }
    free(prepared.sites);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rv_patch_image image;
    struct rv_patch_functions all;
    uint8_t *file = malloc(size ? size : 1); /* aligned, and its end guarded */
    if (!file)
        abort();
    memcpy(file, data, size);
    if (rv_patch_image_file(&image, file, size) == 0) {
        (void)rv_patch_functions_find(&all, &image);
        for (size_t i = 0; i < all.n_functions; i++) {
            struct rv_patch_code code;
            if (all.functions[i].refusal == RV_PATCH_FITS &&
                (!rv_patch_function_code(&image, &all.functions[i], &code) || code.bytes < file ||
                 code.n_function + code.n_padding > size - (size_t)(code.bytes - file)))
                abort();
        }
        rv_patch_functions_free(&all);
        find_syscalls(&image);
    }
    free(file);
    return 0;
}

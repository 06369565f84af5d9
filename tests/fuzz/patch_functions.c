/* Any bytes as an ELF file: all functions, system calls and imports that are found are inside the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patch/dynamic_section.h"
#include "patch/patchable_functions.h"
#include "patch/imports.h"
#include "patch/syscall_stubs.h"

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

static void look_at_imports(const struct rv_patch_image *image, const uint8_t *file, size_t size)
{
    struct rv_patch_imports imports;
    (void)rv_patch_imports_find(&imports, image);
    for (size_t i = 0; i < imports.n_uses; i++) {
        size_t n_bytes;
        const struct rv_patch_import *import = &imports.all[imports.uses[i].import];
        const uint8_t *bytes = rv_patch_image_at(image, imports.uses[i].address, &n_bytes);
        if (imports.uses[i].import >= imports.n || !bytes || n_bytes < RV_PATCH_USE_BYTES || bytes < file ||
            RV_PATCH_USE_BYTES > size - (size_t)(bytes - file))
            abort();
        (void)rv_patch_dynamic_section_exports(image, import->name);
        (void)rv_patch_import_may_be_called(import->name);
    }
    (void)rv_patch_dynamic_section_exports(image, "main");
    rv_patch_imports_end(&imports);
}

/* Each guest has an island of its own: the second jump of one host, which no other guest uses. */
static void look_at_islands(const struct rv_patch_functions *all)
{
    size_t n_guests = 0, n_hosts = 0;
    for (size_t i = 0; i < all->n_functions; i++) {
        const struct rv_patch_function *guest = &all->functions[i];
        n_hosts += guest->n_written == RV_PATCH_HOST_BYTES;
        if (guest->n_written != RV_PATCH_SHORT_BYTES)
            continue;
        n_guests++;
        const uint64_t island =
            guest->address + guest->skipped + RV_PATCH_SHORT_BYTES + (uint64_t)(int64_t)guest->to_island;
        size_t n = 0;
        for (size_t k = 0; k < all->n_functions; k++)
            n += all->functions[k].n_written == RV_PATCH_HOST_BYTES && all->functions[k].refusal == RV_PATCH_FITS &&
                 all->functions[k].address + all->functions[k].skipped + RV_PATCH_JUMP_BYTES == island;
        if (n != 1 || guest->refusal != RV_PATCH_FITS)
            abort();
    }
    if (n_guests != n_hosts)
        abort();
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
        (void)rv_patch_functions_find(&all, &image, NULL);
        for (size_t i = 0; i < all.n_functions; i++) {
            struct rv_patch_code code;
            if (all.functions[i].refusal == RV_PATCH_FITS &&
                (!rv_patch_function_code(&image, &all.functions[i], &code) || code.bytes < file ||
                 code.n_function + code.n_padding > size - (size_t)(code.bytes - file)))
                abort();
        }
        look_at_islands(&all);
        rv_patch_functions_free(&all);
        find_syscalls(&image);
        look_at_imports(&image, file, size);
    }
    free(file);
    return 0;
}

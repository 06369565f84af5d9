/* Finds the imports of this program, in each form in which compilers and linkers call imports. */
#include "patch/imports.h"

#include <criterion/criterion.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "patch/dynamic_section.h"
#include "patch/stubs.h"

TestSuite(imports, .timeout = 60);

static struct rv_patch_image image, libc;
static struct rv_patch_imports imports;

static pid_t (*volatile taken)(void) = NULL;

static int find_images(struct dl_phdr_info *info, size_t n, void *unused)
{
    (void)n;
    (void)unused;
    struct rv_patch_image *to = !*info->dlpi_name ? &image : strstr(info->dlpi_name, "/libc.so") ? &libc : NULL;
    if (to)
        cr_assert_eq(rv_patch_image_mapped(to, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr), 0);
    return 0;
}

static void find_all(void)
{
    dl_iterate_phdr(find_images, NULL);
    cr_assert_eq(rv_patch_imports_find(&imports, &image), 0);
}

static const struct rv_patch_import *find(const char *name)
{
    for (size_t i = 0; i < imports.n; i++)
        if (strcmp(imports.all[i].name, name) == 0)
            return &imports.all[i];
    return NULL;
}

static size_t count_uses(const struct rv_patch_import *import)
{
    size_t n = 0;
    for (size_t i = 0; i < imports.n_uses; i++)
        n += import && &imports.all[imports.uses[i].import] == import;
    return n;
}

Test(imports, functions_that_are_called_have_a_word_and_uses)
{
    find_all();
    cr_expect(getppid() > 0);
    const struct rv_patch_import *import = find("getppid");
    cr_assert(import);
    cr_expect_gt(count_uses(import), 0);
    cr_expect(rv_patch_image_segment(&image, import->address)->is_writable);
    rv_patch_imports_end(&imports);
}

Test(imports, a_function_whose_address_is_taken_alone_has_no_use)
{
    find_all();
    taken = getpgrp;
    cr_expect(taken() > 0);
    cr_expect_eq(count_uses(find("getpgrp")), 0);
    cr_expect_null(find("environ"), "data is no function");
    rv_patch_imports_end(&imports);
}

Test(imports, each_use_leads_to_its_word_and_can_be_diverted)
{
    find_all();
    cr_assert_gt(imports.n_uses, 0);
    for (size_t i = 0; i < imports.n_uses; i++) {
        const struct rv_patch_use *use = &imports.uses[i];
        const uint64_t link = use->address + 0x1000;
        struct rv_patch_site site;
        int32_t displacement;
        cr_assert(i == 0 || use->address > imports.uses[i - 1].address);
        memcpy(&displacement, (const uint8_t *)(uintptr_t)use->address + 2, sizeof displacement);
        cr_expect_eq(use->address + RV_PATCH_USE_BYTES + (uint64_t)(int64_t)displacement,
                     imports.all[use->import].address);
        cr_assert_eq(rv_patch_stubs_divert(&image, use->address, link, &site), RV_PATCH_FITS);
        cr_expect_eq(site.address, use->address + 1);
        cr_expect_eq(memcmp(site.original, (const void *)(uintptr_t)site.address, site.n_bytes), 0);
        cr_expect_eq(site.jump[0], site.original[0]);
        memcpy(&displacement, site.jump + 1, sizeof displacement);
        cr_expect_eq(displacement, 0x1000 - (int32_t)RV_PATCH_USE_BYTES);
    }
    rv_patch_imports_end(&imports);
}

static size_t count_at_each_byte(const struct rv_patch_segment *segment)
{
    size_t n = 0;
    for (uint64_t at = segment->start; at + RV_PATCH_USE_BYTES <= segment->end; at++) {
        const uint8_t *bytes = segment->bytes + (at - segment->start);
        int32_t displacement;
        memcpy(&displacement, bytes + 2, sizeof displacement);
        for (size_t i = 0; i < imports.n && rv_patch_import_is_used(bytes); i++)
            n += imports.all[i].address == at + RV_PATCH_USE_BYTES + (uint64_t)(int64_t)displacement;
    }
    return n;
}

Test(imports, every_use_is_found)
{
    size_t n = 0;
    find_all();
    for (size_t i = 0; i < image.n_segments; i++)
        n += image.segments[i].is_code ? count_at_each_byte(&image.segments[i]) : 0;
    cr_expect_eq(imports.n_uses, n);
    rv_patch_imports_end(&imports);
}

Test(imports, exports_are_found_by_their_names)
{
    find_all();
    cr_expect(rv_patch_dynamic_section_exports(&libc, "getppid"));
    cr_expect(rv_patch_dynamic_section_exports(&libc, "memcpy"), "an IFUNC");
    cr_expect_not(rv_patch_dynamic_section_exports(&libc, "environ"), "data");
    cr_expect_not(rv_patch_dynamic_section_exports(&libc, "getppid_"));
    cr_expect_not(rv_patch_dynamic_section_exports(&libc, ""));
    cr_expect_not(rv_patch_dynamic_section_exports(&image, "getppid"), "one that it calls");
    rv_patch_imports_end(&imports);
}

Test(imports, functions_that_use_their_return_address_are_not_called)
{
    static const char *const LEFT[] = {"setjmp",  "_setjmp",    "__sigsetjmp", "vfork",
                                       "__vfork", "dlsym",      "getcontext",  "swapcontext",
                                       "dlopen",  "__fentry__", "mcount",      "ringviz_call"},
                             *const CALLED[] = {"longjmp", "fork", "dlclose", "main", "setcontext", "x_dlopen"};
    for (size_t i = 0; i < sizeof LEFT / sizeof *LEFT; i++)
        cr_expect_not(rv_patch_import_may_be_called(LEFT[i]), "%s", LEFT[i]);
    for (size_t i = 0; i < sizeof CALLED / sizeof *CALLED; i++)
        cr_expect(rv_patch_import_may_be_called(CALLED[i]), "%s", CALLED[i]);
}

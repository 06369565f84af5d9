/* An image is known again, and told from one that is mapped in its place later. */
#include "producers/native/image_facts.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

TestSuite(image_facts, .timeout = 30);

enum { PAGE = 4096 };

static struct file {
    Elf64_Ehdr header;
    Elf64_Phdr headers[2];
    char build_id[20];
} * mapped;

static struct rv_patch_image image;

static void map(void)
{
    mapped = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(mapped, MAP_FAILED);
    mapped->header.e_phoff = offsetof(struct file, headers);
    mapped->header.e_phentsize = sizeof(Elf64_Phdr);
    mapped->header.e_phnum = 2;
    mapped->headers[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = PAGE};
    mapped->headers[1] = (Elf64_Phdr){
        .p_type = PT_NOTE, .p_offset = offsetof(struct file, build_id), .p_filesz = sizeof mapped->build_id};
    const uint64_t start = (uint64_t)(uintptr_t)mapped;
    image = (struct rv_patch_image){.segments = {{.start = start, .end = start + PAGE}}, .n_segments = 1};
}

Test(image_facts, tell_a_library_that_was_built_anew_from_the_one_that_was_there, .init = map)
{
    const uint64_t before = rv_image_fingerprint(&image);
    cr_assert_neq(before, 0);
    cr_assert_eq(rv_image_fingerprint(&image), before);
    mapped->build_id[3] = 'x';
    cr_assert_neq(rv_image_fingerprint(&image), before, "another build id");
    mapped->build_id[3] = 0;
    mapped->headers[0].p_filesz = PAGE / 2;
    cr_assert_neq(rv_image_fingerprint(&image), before, "another size");
}

Test(image_facts, read_nothing_that_is_not_mapped, .init = map)
{
    munmap(mapped, PAGE);
    cr_assert_eq(rv_image_fingerprint(&image), 0);
}

Test(image_facts, read_no_headers_beyond_the_first_page, .init = map)
{
    const Elf64_Off offsets[] = {PAGE, UINT64_MAX & ~7ull, PAGE - 8};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        mapped->header.e_phoff = offsets[i];
        cr_assert_eq(rv_image_fingerprint(&image), 0);
    }
    mapped->header.e_phoff = offsetof(struct file, headers);
    mapped->headers[1].p_offset = UINT64_MAX;
    cr_assert_neq(rv_image_fingerprint(&image), 0);
}

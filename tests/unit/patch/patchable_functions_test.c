/* The planner run on this program: assembler and compiled functions, whose names say what the planner must find. */
#include "patch/patchable_functions.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/instrumentation_text.h"

TestSuite(functions, .timeout = 60);

extern const char fits_plain[], fits_behind_endbr[], fits_behind_sled[], fits_behind_endbr_and_sled[], fits_leaf[],
    fits_loop_to_its_entry[], fits_jump_table[], fits_short[], fits_as_guest[], refuses_branch[],
    refuses_loop_behind_sled[], refuses_table[], refuses_pointer[], refuses_setjmp[], refuses_jump_to_setjmp[],
    refuses_frame_pointer[], refuses_vfork[], refuses_short[], refuses_data[], no_function[];

static struct rv_patch_image image;
static struct rv_patch_functions all;

static int find_image(struct dl_phdr_info *info, size_t n, void *unused)
{
    (void)n;
    (void)unused;
    cr_assert_eq(rv_patch_image_mapped(&image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr), 0);
    image.entry = getauxval(AT_ENTRY);
    return 1; /* the program comes first */
}

static void make_plan(void)
{
    dl_iterate_phdr(find_image, NULL);
    cr_assert_eq(rv_patch_functions_find(&all, &image, NULL), 0);
}

static const struct rv_patch_function *find(uint64_t address)
{
    for (size_t i = 0; i < all.n_functions; i++)
        if (all.functions[i].address == address)
            return &all.functions[i];
    return NULL;
}

static const struct rv_patch_function *find_code(const char *code)
{
    return find((uint64_t)(uintptr_t)code);
}

Test(functions, each_function_is_patched_or_refused_with_its_reason)
{
    const struct {
        const char *name, *code;
        enum rv_patch_refusal refusal;
    } functions[] = {
        {"plain", fits_plain, RV_PATCH_FITS},
        {"behind endbr64", fits_behind_endbr, RV_PATCH_FITS},
        {"behind a sled", fits_behind_sled, RV_PATCH_FITS},
        {"behind endbr64 and a sled", fits_behind_endbr_and_sled, RV_PATCH_FITS},
        {"leaf", fits_leaf, RV_PATCH_FITS},
        {"loop to its entry", fits_loop_to_its_entry, RV_PATCH_FITS},
        {"jump table", fits_jump_table, RV_PATCH_FITS},
        {"short", fits_short, RV_PATCH_FITS},
        {"branch, but behind two bytes", fits_as_guest, RV_PATCH_FITS},
        {"branch", refuses_branch, RV_PATCH_BRANCH_INTO},
        {"loop behind a sled", refuses_loop_behind_sled, RV_PATCH_BRANCH_INTO},
        {"jump table into", refuses_table, RV_PATCH_BRANCH_INTO},
        {"pointer into", refuses_pointer, RV_PATCH_BRANCH_INTO},
        {"setjmp", refuses_setjmp, RV_PATCH_RETURN_ADDRESS},
        {"jump to setjmp", refuses_jump_to_setjmp, RV_PATCH_RETURN_ADDRESS},
        {"return address by rbp", refuses_frame_pointer, RV_PATCH_RETURN_ADDRESS},
        {"vfork", refuses_vfork, RV_PATCH_RETURN_ADDRESS},
        {"one byte", refuses_short, RV_PATCH_TOO_SHORT},
        {"data", refuses_data, RV_PATCH_UNKNOWN_INSTRUCTION},
    };
    make_plan();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct rv_patch_function *function = find_code(functions[i].code);
        cr_assert_not_null(function, "%s", functions[i].name);
        cr_expect_eq(function->refusal, functions[i].refusal, "%s: %s", functions[i].name,
                     rv_refusal_text(function->refusal));
    }
    cr_expect_null(find_code(no_function));
    const struct rv_patch_function *entry = find(getauxval(AT_ENTRY));
    cr_expect(!entry || entry->refusal == RV_PATCH_IS_ENTRY);
    rv_patch_functions_free(&all);
}

Test(functions, skips_endbr64_and_sleds_and_marks_what_is_trivial)
{
    make_plan();
    cr_expect_eq(find_code(fits_behind_endbr)->skipped, 4);
    cr_expect_eq(find_code(fits_behind_sled)->skipped, 11);
    cr_expect_eq(find_code(fits_behind_endbr_and_sled)->skipped, 15);
    cr_expect_eq(find_code(fits_plain)->skipped, 0);
    cr_expect(find_code(fits_leaf)->is_trivial);
    cr_expect(!find_code(fits_plain)->is_trivial);
    cr_expect(!find_code(fits_loop_to_its_entry)->is_trivial);
    cr_expect(!find_code(fits_jump_table)->is_trivial);
    rv_patch_functions_free(&all);
}

/* The host of an island; NULL: no function's displaced bytes are there. */
static const struct rv_patch_function *find_host(uint64_t island)
{
    for (size_t i = 0; i < all.n_functions; i++)
        if (all.functions[i].n_written == RV_PATCH_HOST_BYTES &&
            all.functions[i].address + all.functions[i].skipped + RV_PATCH_JUMP_BYTES == island)
            return &all.functions[i];
    return NULL;
}

Test(functions, each_guest_has_an_island_of_its_own)
{
    size_t n_guests = 0, n_hosts = 0;
    make_plan();
    cr_expect_eq(find_code(fits_short)->n_written, RV_PATCH_SHORT_BYTES);
    cr_expect_eq(find_code(fits_as_guest)->n_written, RV_PATCH_SHORT_BYTES);
    for (size_t i = 0; i < all.n_functions; i++) {
        const struct rv_patch_function *guest = &all.functions[i];
        n_hosts += guest->n_written == RV_PATCH_HOST_BYTES;
        if (guest->n_written != RV_PATCH_SHORT_BYTES)
            continue;
        const uint64_t end = guest->address + guest->skipped + RV_PATCH_SHORT_BYTES;
        const struct rv_patch_function *host = find_host(end + (uint64_t)(int64_t)guest->to_island);
        cr_assert(host && host->refusal == RV_PATCH_FITS && !host->is_trivial);
        n_guests++;
    }
    cr_expect_eq(n_guests, n_hosts);
    rv_patch_functions_free(&all);
}

Test(functions, refused_functions_are_counted)
{
    size_t n[RV_PATCH_REFUSAL_COUNT] = {0};
    make_plan();
    for (size_t i = 0; i < all.n_functions; i++) {
        n[all.functions[i].refusal]++;
        cr_assert(i == 0 || all.functions[i].address > all.functions[i - 1].address);
    }
    cr_assert_arr_eq(all.n_refused, n, sizeof n);
    rv_patch_functions_free(&all);
}

static const uint8_t *map_file(size_t *n_bytes)
{
    struct stat status;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert(fd >= 0 && fstat(fd, &status) == 0);
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    cr_assert_neq(file, MAP_FAILED);
    close(fd);
    *n_bytes = (size_t)status.st_size;
    return file;
}

static void expect_same(const struct rv_patch_functions *others)
{
    make_plan();
    cr_assert_eq(others->n_functions, all.n_functions);
    uint64_t bias = all.functions[0].address - others->functions[0].address;
    for (size_t i = 0; i < all.n_functions; i++) {
        cr_assert_eq(all.functions[i].address, others->functions[i].address + bias);
        cr_expect_eq(all.functions[i].refusal, others->functions[i].refusal);
    }
    rv_patch_functions_free(&all);
}

/* A file's data has no addresses yet where it is position-independent: its relocations tell them. */
Test(functions, functions_of_the_file_equal_those_of_the_mapping)
{
    size_t n_bytes;
    const uint8_t *file = map_file(&n_bytes);
    struct rv_patch_image of_file;
    struct rv_patch_functions in_file;
    cr_assert_eq(rv_patch_image_file(&of_file, file, n_bytes), 0);
    cr_assert_eq(rv_patch_functions_find(&in_file, &of_file, NULL), 0);
    expect_same(&in_file);
    rv_patch_functions_free(&in_file);
}

static volatile uint64_t number = 1; /* of the program's data; no instruction has the sum's address */

/* In a file that is not relocated yet, words that look like addresses are not. */
Test(functions, a_small_number_in_a_file_is_no_address)
{
    size_t n_bytes;
    uint8_t *copy;
    const uint8_t *file = map_file(&n_bytes);
    struct rv_patch_image of_file;
    struct rv_patch_functions in_file;
    make_plan();
    cr_assert_eq(posix_memalign((void **)&copy, 16, n_bytes), 0);
    memcpy(copy, file, n_bytes);
    const Elf64_Ehdr *header = (const void *)copy;
    const Elf64_Phdr *segments = (const void *)(copy + header->e_phoff);
    const uint64_t at = (uint64_t)(uintptr_t)&number - image.bias,
                   within = (uint64_t)(uintptr_t)fits_plain - image.bias + number;
    cr_assert_eq(header->e_type, ET_DYN);
    for (size_t i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && at - segments[i].p_vaddr < segments[i].p_filesz)
            memcpy(copy + segments[i].p_offset + (at - segments[i].p_vaddr), &within, sizeof within);
    cr_assert_eq(rv_patch_image_file(&of_file, copy, n_bytes), 0);
    cr_assert_eq(rv_patch_functions_find(&in_file, &of_file, NULL), 0);
    expect_same(&in_file);
    rv_patch_functions_free(&in_file);
    free(copy);
}

/* Programs of gcc -static have no .eh_frame_hdr: .eh_frame is found by its section, and read in order. */
Test(functions, functions_of_a_file_without_an_index_are_the_same)
{
    size_t n_bytes;
    uint8_t *copy;
    const uint8_t *file = map_file(&n_bytes);
    struct rv_patch_image of_file;
    struct rv_patch_functions in_file;
    cr_assert_eq(posix_memalign((void **)&copy, 16, n_bytes), 0);
    memcpy(copy, file, n_bytes);
    const Elf64_Ehdr *header = (const void *)copy;
    Elf64_Phdr *segments = (void *)(copy + header->e_phoff);
    for (size_t i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_GNU_EH_FRAME)
            segments[i].p_type = PT_NULL;
    cr_assert_eq(rv_patch_image_file(&of_file, copy, n_bytes), 0);
    cr_assert_eq(of_file.unwind_table, 0);
    cr_assert_eq(rv_patch_functions_find(&in_file, &of_file, NULL), 0);
    expect_same(&in_file);
    rv_patch_functions_free(&in_file);
    free(copy);
}

/* As the loader maps a library, before it writes addresses into its data. */
Test(functions, functions_of_an_image_before_relocation_are_the_same)
{
    size_t n_bytes;
    const uint8_t *file = map_file(&n_bytes);
    const Elf64_Ehdr *header = (const void *)file;
    const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
    uint8_t *base = mmap(NULL, 2 * n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct rv_patch_image of_copy;
    struct rv_patch_functions in_copy;
    cr_assert_neq(base, MAP_FAILED);
    for (size_t i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            memcpy(base + segments[i].p_vaddr, file + segments[i].p_offset, segments[i].p_filesz);
    cr_assert_eq(rv_patch_image_mapped(&of_copy, segments, header->e_phnum, (uint64_t)(uintptr_t)base), 0);
    of_copy.entry = (uint64_t)(uintptr_t)base + header->e_entry;
    cr_assert_eq(rv_patch_functions_find(&in_copy, &of_copy, NULL), 0);
    expect_same(&in_copy);
    rv_patch_functions_free(&in_copy);
}

Test(functions, refuses_an_image_without_an_unwind_table)
{
    uint8_t code[16] = {0xc3};
    struct rv_patch_image none = {
        .segments = {{.start = 0x1000, .end = 0x1010, .bytes = code, .is_code = true, .is_readable = true}},
        .n_segments = 1};
    cr_assert_eq(rv_patch_functions_find(&all, &none, NULL), -ENOENT);
    none.unwind_table = 0x1000;
    cr_assert_eq(rv_patch_functions_find(&all, &none, NULL), -EBADMSG);
    rv_patch_functions_free(&all);
}

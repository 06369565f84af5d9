/* Code runs as expected once jumps are written into it: calls of imports, through the hook or not, and a function whose
 * jump lies among the bytes of another function. */
#include "producers/native/jump_writer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u

static uint64_t call_of(const struct rv_patch_link *link)
{
    return (uint64_t)(uintptr_t)link->call;
}

static uint64_t jump_of(const struct rv_patch_link *link)
{
    return (uint64_t)(uintptr_t)link->jump;
}

Test(patch_sites, an_import_that_is_off_leads_past_the_hook_until_it_is_on_again, .timeout = 60)
{
    uint8_t *stubs = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stubs, MAP_FAILED);
    struct rv_patch_link *links = (struct rv_patch_link *)(void *)(stubs + RV_PATCH_LINKS_AT);
    for (size_t i = 0; i < 2; i++)
        links[i] = (struct rv_patch_link){.leads_to = call_of(&links[i]), .import = 0x2000 - i};
    cr_assert_eq(mprotect(stubs, PAGE, PROT_READ | PROT_EXEC), 0);
    const struct rv_patcher_object object = {.prepared = {.stubs = stubs, .counts = {.n_imports = 2}}};

    cr_assert(rv_jumps_turn_import(&object, 0x1fff, false));
    cr_assert_eq(links[1].leads_to, jump_of(&links[1]));
    cr_assert_eq(links[0].leads_to, call_of(&links[0]), "the other one stays");
    cr_assert_not(rv_jumps_turn_import(&object, 0x3000, false), "there is none");
    cr_assert(rv_jumps_turn_import(&object, 0x1fff, true));
    cr_assert_eq(links[1].leads_to, call_of(&links[1]));

    cr_assert(rv_jumps_turn_import(&object, 0x2000, false));
    rv_jumps_judge_by_names(&object);
    cr_assert_eq(links[0].leads_to, call_of(&links[0]), "whatever was decided before");
    munmap(stubs, PAGE);
}

/* ---- a host and its guest ---- */

extern uint32_t island_host_calls, island_guest_calls;
uint32_t island_host(uint32_t n), island_guest(void);
void island_none(void), island_hook(void);

struct calls {
    uint32_t of_host, of_guest;
};

static int find_program(struct dl_phdr_info *info, size_t n, void *image)
{
    (void)n;
    cr_assert_eq(rv_patch_image_mapped(image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr), 0);
    /* All of it is read, the gaps that a sanitizer leaves between its globals, too. */
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            ASAN_UNPOISON_MEMORY_REGION((void *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                                        info->dlpi_phdr[i].p_memsz);
    return 1; /* the program comes first */
}

static void *map_near(uint64_t first, uint64_t last, size_t n_bytes)
{
    for (uint64_t at = first & ~(PAGE - 1ull); at > PAGE; at -= PAGE) {
        void *pages = mmap((void *)(uintptr_t)at, n_bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (pages != MAP_FAILED)
            return last - at < INT32_MAX ? pages : NULL;
    }
    return NULL;
}

static void prepare(struct rv_patcher_object *object, const char *pattern)
{
    struct rv_patch_request request = {.hook = (uint64_t)(uintptr_t)island_hook,
                                       .capture_hook = (uint64_t)(uintptr_t)island_hook,
                                       .has_functions = true,
                                       .has_trivial = true,
                                       .pattern = pattern,
                                       .path = "/proc/self/exe",
                                       .map_near = map_near};
    dl_iterate_phdr(find_program, &request.image);
    *object = (struct rv_patcher_object){.image = request.image};
    cr_assert_eq(rv_patch_prepare(&request, &object->prepared), 0);
}

static struct rv_patch_site *site_of(const struct rv_patcher_object *object, const void *function)
{
    struct rv_patch_site *site = rv_jumps_find(object, (uint64_t)(uintptr_t)function);
    cr_assert_not_null(site);
    return site;
}

/* What is expected of 2 calls of the host, each of which calls the guest, and of one of the guest. */
static void expect_calls(struct calls expected, const char *when)
{
    island_host_calls = island_guest_calls = 0;
    cr_expect_eq(island_host(20), 142, "%s", when);
    cr_expect_eq(island_host(21), 143, "%s", when);
    (void)island_guest();
    cr_expect_eq(island_host_calls, expected.of_host, "%s: %u calls of the host", when, island_host_calls);
    cr_expect_eq(island_guest_calls, expected.of_guest, "%s: %u calls of the guest", when, island_guest_calls);
}

static void write_as_wanted(const struct rv_patcher_object *object, bool is_host_off, bool is_guest_off)
{
    site_of(object, (const void *)island_host)->is_off = is_host_off;
    site_of(object, (const void *)island_guest)->is_off = is_guest_off;
    cr_assert_eq(rv_jumps_write(object, RV_JUMPS_AS_WANTED), 0);
}

Test(patch_sites, a_guest_is_traced_whether_its_host_is_or_not, .timeout = 60)
{
    uint8_t original[64];
    struct rv_patcher_object object;
    memcpy(original, (const void *)island_host, sizeof original);
    prepare(&object, "^island_(host|guest|none)$");
    cr_assert_eq(object.prepared.n_sites, 2);
    cr_expect_eq(object.prepared.counts.n_refused[RV_PATCH_TOO_SHORT], 1, "one byte has no room for a short jump");
    for (unsigned round = 0; round < 2; round++) {
        write_as_wanted(&object, false, false);
        expect_calls((struct calls){2, 3}, "both");
        write_as_wanted(&object, true, false);
        expect_calls((struct calls){0, 3}, "guest");
        write_as_wanted(&object, true, true);
        expect_calls((struct calls){0, 0}, "none");
        write_as_wanted(&object, false, true);
        expect_calls((struct calls){2, 0}, "host");
        cr_assert_eq(rv_jumps_write(&object, RV_JUMPS_ALL_OUT), 0);
        expect_calls((struct calls){0, 0}, "out");
        cr_expect_arr_eq((const void *)island_host, original, sizeof original);
    }
    free(object.prepared.sites);
}

static void expect_at_first(const struct rv_patcher_object *object, bool is_host_off, bool is_guest_off,
                            struct calls expected)
{
    site_of(object, (const void *)island_host)->is_off = is_host_off;
    site_of(object, (const void *)island_guest)->is_off = is_guest_off;
    cr_assert_eq(rv_jumps_write(object, RV_JUMPS_AT_FIRST), 0);
    expect_calls(expected, "at first");
    cr_assert_eq(rv_jumps_write(object, RV_JUMPS_ALL_OUT), 0);
}

Test(patch_sites, at_first_only_those_that_are_wanted_are_written, .timeout = 60)
{
    uint8_t original[64];
    struct rv_patcher_object object;
    memcpy(original, (const void *)island_host, sizeof original);
    prepare(&object, "^island_(host|guest)$");
    expect_at_first(&object, false, false, (struct calls){2, 3});
    expect_at_first(&object, true, false, (struct calls){0, 3});
    expect_at_first(&object, false, true, (struct calls){2, 0});
    expect_at_first(&object, true, true, (struct calls){0, 0});
    cr_expect_arr_eq((const void *)island_host, original, sizeof original);
    free(object.prepared.sites);
}

/* Earlier processes have rejected the function. */
Test(patch_sites, what_was_rejected_before_is_off, .timeout = 60)
{
    struct rv_patcher_object object;
    prepare(&object, "^island_(host|guest)$");
    uint64_t address = (uint64_t)(uintptr_t)island_guest - object.image.bias;
    object.earlier = (struct rv_earlier_verdicts){&address, 1};
    rv_jumps_judge_by_names(&object);
    cr_expect(site_of(&object, (const void *)island_guest)->is_off);
    cr_expect_not(site_of(&object, (const void *)island_host)->is_off);
    free(object.prepared.sites);
}

Test(patch_sites, a_guest_waits_for_its_host_and_outlives_one_that_a_thread_is_in, .timeout = 60)
{
    uint8_t original[64];
    struct rv_patcher_object object;
    memcpy(original, (const void *)island_host, sizeof original);
    prepare(&object, "^island_(host|guest)$");
    struct rv_patch_site *host = site_of(&object, (const void *)island_host);
    struct rv_patch_site *guest = site_of(&object, (const void *)island_guest);

    host->is_left_out = true;
    cr_assert_eq(rv_jumps_write(&object, RV_JUMPS_AS_WANTED), 0);
    expect_calls((struct calls){0, 0}, "a thread is in the host");
    cr_expect_not(rv_jumps_is_missing(guest), "it could not be written now");
    rv_jumps_expect_clearing(&object);
    struct rv_patch_site *sites[] = {guest, host};
    cr_assert_eq(rv_jumps_write_some(&object, sites, 2, RV_JUMPS_AS_WANTED), 0);
    expect_calls((struct calls){2, 3}, "it has left");

    host->is_left_out = true;
    cr_assert_eq(rv_jumps_write(&object, RV_JUMPS_ALL_OUT), 0);
    expect_calls((struct calls){0, 0}, "a thread goes on at the island");
    cr_expect_eq(memcmp((const uint8_t *)(uintptr_t)island_host + RV_PATCH_JUMP_BYTES, host->jump + RV_PATCH_JUMP_BYTES,
                        RV_PATCH_JUMP_BYTES),
                 0, "it finds its jump");
    rv_jumps_expect_clearing(&object);
    cr_assert_eq(rv_jumps_write(&object, RV_JUMPS_ALL_OUT), 0);
    cr_expect_arr_eq((const void *)island_host, original, sizeof original);
    free(object.prepared.sites);
}

/* Is the page of this the file's still? As /proc/self/pagemap has it, in 8 bytes a page. */
static bool is_of_file(const void *address)
{
    enum { OF_FILE = 61 };
    uint64_t entry;
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    cr_assert_eq(pread(fd, &entry, sizeof entry, (off_t)((uintptr_t)address / PAGE * sizeof entry)), sizeof entry);
    close(fd);
    return entry >> OF_FILE & 1;
}

Test(patch_sites, pages_are_the_process_s_own_once_touched, .timeout = 60)
{
    uint8_t original[64];
    struct rv_patcher_object object;
    memcpy(original, (const void *)island_host, sizeof original);
    prepare(&object, "^island_(host|guest)$");
    cr_assert(is_of_file((const void *)island_host));
    rv_jumps_touch(&object, RV_JUMPS_AS_WANTED);
    cr_expect_not(is_of_file((const void *)island_host));
    cr_expect_arr_eq((const void *)island_host, original, sizeof original);
    expect_calls((struct calls){0, 0}, "nothing is written");
    write_as_wanted(&object, false, false);
    expect_calls((struct calls){2, 3}, "written");
    free(object.prepared.sites);
}

Test(patch_sites, a_guest_without_its_host_is_refused, .timeout = 60)
{
    struct rv_patcher_object object;
    prepare(&object, "^island_guest$");
    cr_expect_eq(object.prepared.n_sites, 0);
    cr_expect_eq(object.prepared.counts.n_refused[RV_PATCH_TOO_SHORT], 1);
    free(object.prepared.sites);
}

/* ---- some of an image's sites ---- */

static struct rv_patch_site site_at(const uint8_t *address)
{
    return (struct rv_patch_site){.address = (uint64_t)(uintptr_t)address,
                                  .jump = {0xe9, 1, 2, 3, 4},
                                  .original = {0x90, 0x90, 0x90, 0x90, 0x90},
                                  .n_bytes = RV_PATCH_JUMP_BYTES};
}

/* The page between is not readable: it would be if its protection had been changed with the others'. */
Test(patch_sites, pages_far_from_sites_are_left_alone, .timeout = 60)
{
    enum { N_PAGES = 200, BETWEEN = 100 };
    uint8_t *code = mmap(NULL, N_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(code, MAP_FAILED);
    memset(code, 0x90, N_PAGES * PAGE);
    cr_assert_eq(mprotect(code, N_PAGES * PAGE, PROT_READ | PROT_EXEC), 0);
    cr_assert_eq(mprotect(code + BETWEEN * PAGE, PAGE, PROT_NONE), 0);
    struct rv_patch_site near = site_at(code), next = site_at(code + 64), far = site_at(code + (N_PAGES - 1) * PAGE);
    struct rv_patch_site *sites[] = {&far, &next, &near};
    const struct rv_patcher_object object = {.image = {.n_segments = 1,
                                                       .segments = {{.start = (uint64_t)(uintptr_t)code,
                                                                     .end = (uint64_t)(uintptr_t)code + N_PAGES * PAGE,
                                                                     .bytes = code,
                                                                     .is_code = true}}}};
    cr_assert_eq(rv_jumps_write_some(&object, sites, 3, RV_JUMPS_AS_WANTED), 0);
    for (size_t i = 0; i < 3; i++)
        cr_expect_arr_eq((const void *)(uintptr_t)sites[i]->address, near.jump, RV_PATCH_JUMP_BYTES);
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_expect_eq(write(ends[1], code + BETWEEN * PAGE, 1), -1);
    cr_expect_eq(errno, EFAULT);
    close(ends[0]);
    close(ends[1]);
    munmap(code, N_PAGES * PAGE);
}

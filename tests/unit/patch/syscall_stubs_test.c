/* All system calls in this process's own libraries are found, and their stubs lead where they should. */
#include <criterion/criterion.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "patch/syscall_stubs.h"

#define N_STUBS 4096u

static uint8_t *stubs;
static size_t n_stubs;

static uint8_t *take_stub(uint64_t site)
{
    (void)site;
    return n_stubs == N_STUBS ? NULL : stubs + n_stubs++ * RV_PATCH_SYSCALL_STUB_BYTES;
}

static int find_libc(struct dl_phdr_info *info, size_t n_bytes, void *image)
{
    (void)n_bytes;
    return strstr(info->dlpi_name, "libc.so") &&
           rv_patch_image_mapped(image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) == 0;
}

static uint64_t target_of(const uint8_t *jump, uint64_t address)
{
    int32_t distance;
    memcpy(&distance, jump + 1, sizeof distance);
    return address + RV_PATCH_JUMP_BYTES + (uint64_t)(int64_t)distance;
}

static void check(bool spares_calls, size_t least)
{
    struct rv_patch_syscalls_request request = {
        .enter = 1, .leave = 2, .take_stub = take_stub, .spares_calls = spares_calls};
    struct rv_patch_prepared prepared;
    cr_assert(dl_iterate_phdr(find_libc, &request.image));
    stubs =
        mmap(NULL, N_STUBS * RV_PATCH_SYSCALL_STUB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    n_stubs = 0;
    cr_assert_eq(rv_patch_syscalls_prepare(&request, &prepared), 0);
    cr_assert_geq(prepared.n_sites * 1000, n_stubs * least, "%zu of %zu", prepared.n_sites, n_stubs);
    cr_assert_gt(prepared.n_sites, 300);
    for (size_t i = 0; i < prepared.n_sites; i++) {
        const struct rv_patch_site *site = &prepared.sites[i];
        const uint64_t at = target_of(site->jump, site->address) - (uint64_t)(uintptr_t)stubs;
        uint64_t goes_on;
        cr_assert_lt(at, n_stubs * RV_PATCH_SYSCALL_STUB_BYTES);
        memcpy(&goes_on, stubs + at / RV_PATCH_SYSCALL_STUB_BYTES * RV_PATCH_SYSCALL_STUB_BYTES, sizeof goes_on);
        const uint8_t *call = (const uint8_t *)(uintptr_t)goes_on - 2;
        cr_assert(call[0] == 0x0f && call[1] == 0x05);
        cr_assert_eq(memcmp(site->original, (const void *)(uintptr_t)site->address, RV_PATCH_JUMP_BYTES), 0);
        cr_assert(!spares_calls || site->address + RV_PATCH_JUMP_BYTES <= goes_on - 2);
        cr_assert(i == 0 || site->address >= prepared.sites[i - 1].address + RV_PATCH_JUMP_BYTES);
    }
    munmap(stubs, N_STUBS * RV_PATCH_SYSCALL_STUB_BYTES);
    free(prepared.sites);
}

Test(syscalls, system_calls_of_libc_are_found, .timeout = 60)
{
    check(false, 995);
}

/* After a signal the kernel restarts a system call at its old address: no jump may cover it. */
Test(syscalls, no_jump_covers_a_call_that_is_spared, .timeout = 60)
{
    check(true, 980);
}

/* Two functions alike, but for a table that leads to behind the first instruction of one. */
#define CALLER(name)                                                                                                   \
    ".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\nmov %ecx, %ecx\n" name                     \
    "_behind: mov %ecx, %eax\nsyscall\nret\nnop\nnop\nnop\nnop\n.cfi_endproc\n.size " name ", . - " name "\n"
__asm__(".text\n" CALLER("led_into") CALLER("not_led_into") ".data\n.balign 8\n.quad led_into_behind\n.text\n");
extern const char led_into[], not_led_into[];

static int find_program(struct dl_phdr_info *info, size_t n_bytes, void *image)
{
    (void)n_bytes;
    return rv_patch_image_mapped(image, info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr) == 0;
}

static bool is_patched(const struct rv_patch_prepared *prepared, const char *function)
{
    for (size_t i = 0; i < prepared->n_sites; i++)
        if (prepared->sites[i].address == (uint64_t)(uintptr_t)function)
            return true;
    return false;
}

Test(syscalls, no_jump_covers_what_a_table_leads_to, .timeout = 60)
{
    struct rv_patch_syscalls_request request = {.enter = 1, .leave = 2, .take_stub = take_stub};
    struct rv_patch_prepared prepared;
    void *near = (void *)(((uintptr_t)led_into & ~(uintptr_t)0xffff) + (64u << 20));
    cr_assert(dl_iterate_phdr(find_program, &request.image));
    stubs =
        mmap(near, N_STUBS * RV_PATCH_SYSCALL_STUB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    n_stubs = 0;
    cr_assert_eq(rv_patch_syscalls_prepare(&request, &prepared), 0);
    cr_expect(is_patched(&prepared, not_led_into));
    cr_expect_not(is_patched(&prepared, led_into));
    munmap(stubs, N_STUBS * RV_PATCH_SYSCALL_STUB_BYTES);
    free(prepared.sites);
}

static uint8_t *find_stub(uint64_t site, const uint8_t *after)
{
    for (size_t i = after ? (size_t)(after - stubs) / RV_PATCH_SYSCALL_STUB_BYTES + 1 : 0; i < n_stubs; i++)
        if (memcmp(stubs + i * RV_PATCH_SYSCALL_STUB_BYTES, &site, sizeof site) == 0)
            return stubs + i * RV_PATCH_SYSCALL_STUB_BYTES;
    return NULL;
}

static size_t count_sites(const struct rv_patch_syscalls_request *request)
{
    struct rv_patch_prepared prepared;
    cr_assert_eq(rv_patch_syscalls_prepare(request, &prepared), 0);
    free(prepared.sites);
    return prepared.n_sites;
}

/* Threads may be running the stubs of an earlier preparation, whose memory is read-only. */
Test(syscalls, stubs_that_are_there_are_not_written_again, .timeout = 60)
{
    const size_t n_bytes = 2 * N_STUBS * RV_PATCH_SYSCALL_STUB_BYTES;
    struct rv_patch_syscalls_request request = {
        .enter = 1, .leave = 2, .take_stub = take_stub, .find_stub = find_stub, .spares_calls = true};
    cr_assert(dl_iterate_phdr(find_libc, &request.image));
    stubs = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    n_stubs = 0;
    const size_t n_sites = count_sites(&request), n_taken = n_stubs;
    n_stubs = N_STUBS / 2;
    cr_assert_leq(n_taken, n_stubs);
    cr_assert_eq(mprotect(stubs, n_stubs * RV_PATCH_SYSCALL_STUB_BYTES, PROT_READ), 0);
    cr_expect_eq(count_sites(&request), n_sites);
    cr_expect_eq(n_stubs - N_STUBS / 2, n_taken - n_sites, "only the refused ones take room");
    request.leave = 3;
    n_stubs = N_STUBS / 2;
    cr_expect_eq(count_sites(&request), n_sites);
    cr_expect_eq(n_stubs - N_STUBS / 2, n_taken, "others than before are built anew");
    munmap(stubs, n_bytes);
}

/* The loader's list, as a signal's handler finds it that interrupts the loader. */
#include "producers/native/loaded_objects.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#if defined(__x86_64__)

#define LIBRARY "libBrokenLocale.so.1"

static bool is_at_unmapping, looks_everywhere;
static int n_looks, n_refused, n_objects, n_libraries;

static int look(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    (void)n_bytes;
    (void)unused;
    cr_assert_gt(info->dlpi_phnum, 0);
    n_objects += info->dlpi_phdr[0].p_type != PT_NULL;
    n_libraries += strstr(info->dlpi_name, LIBRARY) != NULL;
    return 0;
}

/* Comes behind each instruction. */
static void step(int number, siginfo_t *info, void *context)
{
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    (void)number;
    (void)info;
    if (is_at_unmapping || looks_everywhere) {
        const bool can_be_read = rv_loaded_objects_can_be_read();
        n_looks += can_be_read;
        n_refused += !can_be_read;
        if (can_be_read)
            (void)rv_loaded_objects_each(look, NULL);
    }
    is_at_unmapping =
        registers[REG_RAX] == SYS_munmap && memcmp((const void *)(uintptr_t)registers[REG_RIP], "\x0f\x05", 2) == 0;
}

static inline void set_stepping(bool is_stepping)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n"
                     "pushfq\n"
                     "andq $~0x100, (%%rsp)\n"
                     "orq %0, (%%rsp)\n"
                     "popfq\n"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "r"(is_stepping ? UINT64_C(0x100) : 0)
                     : "memory", "cc");
}

Test(loaded_objects, are_read_where_a_handler_has_interrupted_the_loader_behind_an_unmapping, .timeout = 60)
{
    const struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(library);
    (void)rv_loaded_objects_each(look, NULL);
    cr_assert_eq(n_libraries, 1);
    sigaction(SIGTRAP, &action, NULL);
    set_stepping(true);
    dlclose(library);
    set_stepping(false);
    cr_assert_gt(n_looks, 0);
    cr_assert_gt(n_objects, 1);
    cr_assert_eq(n_libraries, 1);
}

Test(loaded_objects, are_not_read_where_a_handler_has_interrupted_the_loader_about_its_lock, .timeout = 100)
{
    const struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    cr_assert(rv_loaded_objects_can_be_read());
    sigaction(SIGTRAP, &action, NULL);
    looks_everywhere = true;
    set_stepping(true);
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    dlclose(library);
    set_stepping(false);
    cr_assert(rv_loaded_objects_can_be_read());
    cr_assert_gt(n_libraries, 0);
    cr_assert_gt(n_refused, 0);
    cr_assert_gt(n_looks, 100 * n_refused);
}

#endif

/*
 * handlers_in_loader PLUGIN.so N: loads and unloads a library N times, one instruction at a time, and has a signal's handler
 * call at each. The C library's own dlopen() and dlclose() do so: what stands before them blocks signals, as this one cannot
 * be. After a dlopen() that loads nothing, calls look at the list of libraries until it has changed.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "count.h"
#include "single_step.h"

typedef void *open_fn(const char *path, int flags);
typedef int close_fn(void *handle);

DEFINE_COUNT(handle)
DEFINE_COUNT(handle_inner)
static unsigned sum;

KEPT static void handle_inner(unsigned i)
{
    COUNTED(handle_inner);
    sum += i;
}

KEPT static void handle(int signal_number)
{
    COUNTED(handle);
    handle_inner((unsigned)signal_number);
    sum++;
}

QUIET static void *open_libc(void)
{
    return dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
}

QUIET int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = handle};
    void *libc = open_libc();
    open_fn *load = libc ? (open_fn *)(uintptr_t)dlsym(libc, "dlopen") : NULL;
    close_fn *unload = libc ? (close_fn *)(uintptr_t)dlsym(libc, "dlclose") : NULL;
    if (argc < 3 || !load || !unload)
        return 2;
    handle(0);
    sigaction(SIGTRAP, &action, NULL);
    for (int i = atoi(argv[2]); i > 0; i--) {
        (void)open_libc();
        set_stepping(true);
        void *library = load(argv[1], RTLD_NOW);
        set_stepping(false);
        (void)open_libc();
        set_stepping(true);
        unload(library);
        set_stepping(false);
    }
    REPORT_COUNT(handle);
    REPORT_COUNT(handle_inner);
    return 0;
}

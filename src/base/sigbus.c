/*
 * The mapped file is shared, and anyone who may write to it may also truncate it. No check before a read prevents a
 * race, so truncation is detected by SIGBUS.
 */
#include "base/sigbus.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rv_sigbus_region caught; /* zeroed: none */
static atomic_bool has_come;

static void print(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

static bool is_whole(void)
{
    struct stat status;
    return fstat(caught.fd, &status) == 0 && (uint64_t)status.st_size >= caught.n_bytes;
}

static void say(void)
{
    print("ringviz: ");
    print(caught.path);
    print(is_whole() ? ": no space left for its pages\n" : ": was truncated while it was read\n");
}

/* For faults outside the region restore the default action, which the repeated access then triggers. mmap() is a system
 * call and nothing more. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if ((uintptr_t)info->si_addr - (uintptr_t)caught.base >= caught.n_bytes) {
        signal(signal_number, SIG_DFL);
        return;
    }
    if (!atomic_exchange_explicit(&has_come, true, memory_order_relaxed))
        say();
    if (mmap(caught.base, caught.n_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(EXIT_FAILURE);
}

void rv_sigbus_catch(const struct rv_sigbus_region *region)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    caught = *region;
    atomic_store_explicit(&has_come, false, memory_order_relaxed);
    sigaction(SIGBUS, &action, NULL);
}

void rv_sigbus_release(void)
{
    signal(SIGBUS, SIG_DFL);
    caught = (struct rv_sigbus_region){0};
}

bool rv_sigbus_has_come(void)
{
    return atomic_load_explicit(&has_come, memory_order_relaxed);
}

/*
 * The trace file is shared, and anyone who may write to it may also truncate it. No check before a read prevents a
 * race, so truncation is detected by SIGBUS.
 */
#include "cli/sigbus.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct rv_map *caught;
static atomic_bool has_come;

static void print(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

static void say(void)
{
    print("ringviz: ");
    print(caught->path);
    print(rv_map_is_whole(caught) ? ": no space left for its pages\n" : ": was truncated while it was read\n");
}

/* For faults outside our map restore the default action, which the repeated access then triggers.
 * mmap() is a system call and nothing more. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    size_t offset = caught ? (size_t)((const uint8_t *)info->si_addr - caught->base) : SIZE_MAX;
    if (!caught || offset >= caught->n_bytes) {
        signal(signal_number, SIG_DFL);
        return;
    }
    if (!atomic_exchange_explicit(&has_come, true, memory_order_relaxed))
        say();
    if (mmap(caught->base, caught->n_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        _exit(EXIT_FAILURE);
}

void rv_sigbus_catch(const struct rv_map *map)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    caught = map;
    atomic_store_explicit(&has_come, false, memory_order_relaxed);
    sigaction(SIGBUS, &action, NULL);
}

void rv_sigbus_release(void)
{
    signal(SIGBUS, SIG_DFL);
    caught = NULL;
}

bool rv_sigbus_has_come(void)
{
    return atomic_load_explicit(&has_come, memory_order_relaxed);
}

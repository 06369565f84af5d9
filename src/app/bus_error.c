/*
 * The trace file is shared, and whoever may write to it may also truncate it. No check before a read helps against
 * that, so the signal is where it is noticed.
 */
#include "app/bus_error.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct rv_map *caught;

static void print(const char *text)
{
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

/* Anything else than our map is somebody else's fault: back to the default action, which the same access then meets. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    size_t offset = caught ? (size_t)((const uint8_t *)info->si_addr - caught->base) : SIZE_MAX;
    if (!caught || offset >= caught->n_bytes) {
        signal(signal_number, SIG_DFL);
        return;
    }
    print("ringviz: ");
    print(caught->path);
    print(": was cut short while it was read\n");
    _exit(EXIT_FAILURE);
}

void rv_bus_error_catch(const struct rv_map *map)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    caught = map;
    sigaction(SIGBUS, &action, NULL);
}

void rv_bus_error_release(void)
{
    signal(SIGBUS, SIG_DFL);
    caught = NULL;
}

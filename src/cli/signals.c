#include "cli/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/err.h"

static const int ENDS[] = {SIGTERM, SIGHUP};
#define N_ENDS (sizeof ENDS / sizeof *ENDS)

/* Set by handlers, on any thread. */
static atomic_uint n_interrupts;
static atomic_bool has_end;
static atomic_int ignored_pid; /* sender of the last signal that the source ignored; 0: reported, or none */
static const struct rv_source *_Atomic asked_source;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    atomic_fetch_add_explicit(&n_interrupts, 1, memory_order_relaxed);
}

void rv_signals_catch_interrupts(int flags)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART | flags};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGQUIT, &action, NULL);
}

unsigned rv_signals_n_interrupts(void)
{
    return atomic_load_explicit(&n_interrupts, memory_order_relaxed);
}

void rv_signals_end(int signal_number)
{
    (void)signal_number;
    atomic_store_explicit(&has_end, true, memory_order_relaxed);
}

static void on_end(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int saved_errno = errno;
    const struct rv_source *source = atomic_load_explicit(&asked_source, memory_order_relaxed);
    if (source->heeds && !source->heeds(source, info->si_pid))
        atomic_store_explicit(&ignored_pid, info->si_pid, memory_order_relaxed);
    else
        rv_signals_end(signal_number);
    errno = saved_errno;
}

/* Signals ignored by nohup stay ignored. */
static void set_ends(const struct sigaction *action)
{
    struct sigaction now;
    for (size_t i = 0; i < N_ENDS; i++)
        if (sigaction(ENDS[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaction(ENDS[i], action, NULL);
}

static void mask_ends(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < N_ENDS; i++)
        sigaddset(&set, ENDS[i]);
    pthread_sigmask(how, &set, NULL);
}

void rv_signals_hold_ends(void)
{
    mask_ends(SIG_BLOCK);
}

void rv_signals_catch_ends(const struct rv_source *source)
{
    atomic_store_explicit(&asked_source, source, memory_order_relaxed);
    set_ends(&(struct sigaction){.sa_sigaction = on_end, .sa_flags = SA_RESTART | SA_SIGINFO});
    mask_ends(SIG_UNBLOCK);
}

void rv_signals_release_ends(void)
{
    set_ends(&(struct sigaction){.sa_handler = SIG_DFL});
}

bool rv_signals_has_end(void)
{
    int pid = atomic_exchange_explicit(&ignored_pid, 0, memory_order_relaxed);
    if (pid)
        rv_warn("SIGTERM of process %d ignored: a forked copy of the program has ended, the program runs on", pid);
    return atomic_load_explicit(&has_end, memory_order_relaxed);
}

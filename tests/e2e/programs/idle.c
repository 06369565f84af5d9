/*
 * idle [MOST]: counts the instructions of a call's hooks while nobody traces, or of one that is left out. It is made
 * again and again, until they are MOST or fewer, none of which reads a clock.
 */
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define TRAP_FLAG 0x100ull
#define MOST "12" /* a load, a test, two branches and a return, twice; and what aligns the branches */
#define N_TRIES 2000
#define TRY_US 10000

static uintptr_t start, end;
static unsigned n_instructions, n_clock_reads;

__attribute__((noinline)) static unsigned stepped(unsigned i)
{
    return i ^ 9;
}

QUIET static int find_hooks(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    (void)n_bytes;
    (void)context;
    for (unsigned i = 0; strstr(info->dlpi_name, "libringviz-cyg") && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            end = start + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

QUIET static void step(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (at < start || at >= end)
        return;
    n_instructions++;
    n_clock_reads += memcmp((const void *)at, "\x0f\x31", 2) == 0; /* rdtsc */
}

__attribute__((noinline)) static unsigned count(unsigned i)
{
    n_instructions = n_clock_reads = 0;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    i = stepped(i);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
    return i;
}

QUIET int main(int n_arguments, char **arguments)
{
    const unsigned long most = strtoul(n_arguments > 1 ? arguments[1] : MOST, NULL, 10);
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    dl_iterate_phdr(find_hooks, NULL);
    unsigned sum = stepped(1) + count(2);
    for (int i = 0; (n_clock_reads || n_instructions > most) && i < N_TRIES; i++) {
        usleep(TRY_US);
        sum += count(2);
    }
    printf("%u instructions, %u clock reads\n", n_instructions, n_clock_reads);
    return n_instructions == 0 || n_instructions > most || n_clock_reads || sum == 1;
}

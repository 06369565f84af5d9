/*
 * steps calls|jumps: single-steps through a traced function, hooks and all, as often as that has instructions; after
 * its first, its second and so on a handler calls, or leaves by siglongjmp. Tells how many pushes were begun: as many
 * must be accounted for.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "count.h"

#define TRAP_FLAG 0x100ull

/* After a push was abandoned so many are made by the slow path; the fast one is to be stepped through. */
enum { N_CALMING = 4096, MOST_STEPS = 2000 };

DEFINE_COUNT(calm)
DEFINE_COUNT(handle)
DEFINE_COUNT(attempt)

static sigjmp_buf way_out;
static bool leaves, was_reached;
static unsigned n_steps, stop_after, n_begun;
static const unsigned char *next;

KEPT static unsigned calm(unsigned i)
{
    COUNTED(calm);
    return i ^ 3;
}

KEPT static void handle(void)
{
    COUNTED(handle);
}

KEPT static unsigned stepped(unsigned i)
{
    return i ^ 9;
}

/* xadd of 64 bits without a lock, of thread-local memory or not: a push begins. */
QUIET static bool is_begin(const unsigned char *code)
{
    code += code[0] == 0x64;
    return (code[0] & 0xf8) == 0x48 && code[1] == 0x0f && code[2] == 0xc1;
}

QUIET static void step(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal_number;
    (void)info;
    n_begun += next && is_begin(next);
    next = (const unsigned char *)registers[REG_RIP];
    if (++n_steps < stop_after)
        return;
    was_reached = true;
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (leaves)
        siglongjmp(way_out, 1);
    handle();
}

KEPT static unsigned attempt(unsigned i)
{
    COUNTED(attempt);
    if (sigsetjmp(way_out, 1) != 0)
        return 0;
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    i = stepped(i);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
    return i;
}

QUIET int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    uint64_t n_pushes = 0;
    unsigned sum = stepped(1); /* binds the hooks */
    leaves = argc > 1 && strcmp(argv[1], "jumps") == 0;
    sigaction(SIGTRAP, &action, NULL);
    do {
        for (unsigned i = 0; i < N_CALMING; i++)
            sum += calm(i);
        was_reached = false;
        next = NULL;
        n_steps = n_begun = 0;
        stop_after++;
        sum += attempt(sum);
        n_pushes += was_reached && leaves ? n_begun : 2;
    } while (was_reached && stop_after < MOST_STEPS);
    n_pushes += 2 * (1 + *n_calm + *n_handle + *n_attempt);
    REPORT_COUNT(calm);
    REPORT_COUNT(handle);
    REPORT_COUNT(attempt);
    printf("PUSHES %llu\nSTEPS %u\n", (unsigned long long)n_pushes, stop_after);
    return was_reached || sum == 1;
}

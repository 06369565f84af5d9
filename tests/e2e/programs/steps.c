/*
 * steps calls|jumps|forks|closes [low|slow]: single-steps through a traced function with its hooks, as often as that
 * has instructions; after its first, its second and so on a handler calls, leaves by siglongjmp, forks, and the child
 * continues as well, or, in a child, ends the tracing. Prints the number of pushes begun, unless children push, too: as
 * many must be accounted for. low: on a stack in the lowest 4 GiB; slow: through the hook's slow path.
 *
 * A step is a signal, and the number of steps grows with the square of the instructions. So once the way is known, the
 * program runs to a breakpoint in the hooks shortly before the last step; where it takes another way, it is
 * single-stepped from the beginning.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "count.h"

#define TRAP_FLAG 0x100ull

/* Number of slow pushes after an abandoned one; the fast path is to be stepped through. */
enum { N_CALMING = 4096, MOST_STEPS = 2000, STACK_BYTES = 1 << 18, BREAKPOINT = 0xcc };

DEFINE_COUNT(calm)
DEFINE_COUNT(handle)
DEFINE_COUNT(attempt)
DEFINE_COUNT(reached) /* 1 when the last attempt was stepped through as far as it was to be */

extern void ringviz_close(void) __attribute__((weak)); /* the hooks' */

static sigjmp_buf way_out;
static ucontext_t outside, inside;
static bool leaves, forks, closes, is_slow, is_child;
static unsigned n_steps, stop_after, n_begun, n_failed, sum;
static uint64_t n_pushes;
static unsigned char *next;

struct reached {
    unsigned char *next;
    unsigned n_begun;
};
static struct reached *way; /* after so many steps; shared with children */
static unsigned start_at;   /* the step where the breakpoint is; 0: there is none */
static unsigned char replaced;

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

/* In the parent, the child has ended when this returns. Without waitpid(), which would push an event of its own when it
 * waits. */
QUIET static void fork_here(bool goes_on)
{
    int status = 0;
    n_pushes++; /* of its origin */
    pid_t pid = fork();
    is_child |= pid == 0;
    if (pid == 0 && !goes_on)
        _exit(0);
    if (pid != 0 && (syscall(SYS_wait4, pid, &status, 0, NULL) != pid || status != 0))
        n_failed++;
}

/* xadd of 64 bits to memory, thread-local or not: a push begins. */
QUIET static bool is_begin(const unsigned char *code)
{
    code += code[0] == 0x64;
    return (code[0] & 0xf8) == 0x48 && code[1] == 0x0f && code[2] == 0xc1 && code[3] >> 6 != 3;
}

QUIET static void write_code(unsigned char *code, unsigned char byte)
{
    const uintptr_t page = (uintptr_t)code & ~4095ull;
    if (syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        _exit(3);
    *code = byte;
    (void)syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

/* Is this step in the hooks, and its address on the known way only once? */
QUIET static bool is_landmark(unsigned step, unsigned n_known)
{
    Dl_info hooks, its;
    for (unsigned i = 1; i < n_known; i++)
        if (i != step && way[i].next == way[step].next)
            return false;
    return dladdr((void *)ringviz_close, &hooks) && dladdr(way[step].next, &its) && its.dli_fbase == hooks.dli_fbase;
}

/* The last landmark before so many steps, all of which but the last were taken before. */
QUIET static unsigned landmark_before(unsigned n)
{
    unsigned step = ringviz_close && n > 1 ? n - 1 : 0;
    while (step && !is_landmark(step, n))
        step--;
    return step;
}

/* At the breakpoint: set the state that single-stepping to it would have left. */
QUIET static void begin_steps(greg_t *registers)
{
    next = way[start_at].next;
    n_begun = way[start_at].n_begun;
    n_steps = start_at;
    write_code(next, replaced);
    start_at = 0;
    registers[REG_RIP] = (greg_t)next;
    registers[REG_EFL] |= (greg_t)TRAP_FLAG;
}

QUIET static void step(int signal_number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    (void)signal_number;
    (void)info;
    if (start_at) {
        begin_steps(registers);
        return;
    }
    n_begun += next && is_begin(next);
    next = (unsigned char *)registers[REG_RIP];
    n_steps++;
    way[n_steps] = (struct reached){next, n_begun};
    if (n_steps < stop_after)
        return;
    *n_reached = 1;
    registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (leaves)
        siglongjmp(way_out, 1);
    if (forks)
        fork_here(true);
    else if (closes)
        ringviz_close();
    else
        handle();
}

QUIET static void set_breakpoint(void)
{
    replaced = *way[start_at].next;
    write_code(way[start_at].next, BREAKPOINT);
}

KEPT static unsigned attempt(unsigned i)
{
    COUNTED(attempt);
    if (sigsetjmp(way_out, 1) != 0)
        return 0;
    if (closes) {
        fork_here(true);
        if (!is_child)
            return i;
        i = calm(i); /* on a ring of its own */
    }
    if (is_slow)
        fork_here(false); /* the push after a fork is slow */
    if (start_at)
        set_breakpoint();
    else
        __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
    i = stepped(i);
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() & ~TRAP_FLAG);
    if (start_at)
        write_code(way[start_at].next, replaced);
    if (is_child)
        _exit(n_failed != 0);
    return i;
}

QUIET static void run(void)
{
    bool is_again = false; /* without a breakpoint */
    do {
        for (unsigned i = 0; i < (leaves ? N_CALMING : 1); i++)
            sum += calm(i);
        *n_reached = 0;
        next = NULL;
        n_steps = n_begun = 0;
        stop_after += !is_again;
        const unsigned landmark = is_again ? 0 : landmark_before(stop_after);
        start_at = landmark;
        sum += attempt(sum);
        n_pushes += *n_reached && leaves ? n_begun : 2;
        is_again = landmark && !*n_reached;
    } while (is_again || (*n_reached && stop_after < MOST_STEPS));
}

QUIET static void run_low(void)
{
    void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (stack == MAP_FAILED)
        exit(2);
    getcontext(&inside);
    inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = STACK_BYTES};
    inside.uc_link = &outside;
    makecontext(&inside, run, 0);
    n_pushes += 2; /* to its stack and back */
    swapcontext(&outside, &inside);
}

QUIET int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    leaves = argc > 1 && strcmp(argv[1], "jumps") == 0;
    forks = argc > 1 && strcmp(argv[1], "forks") == 0;
    closes = argc > 1 && strcmp(argv[1], "closes") == 0;
    is_slow = argc > 2 && strcmp(argv[2], "slow") == 0;
    way = mmap(NULL, (MOST_STEPS + 1) * sizeof *way, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (way == MAP_FAILED)
        exit(2);
    sigaction(SIGTRAP, &action, NULL);
    sum = stepped(1); /* binds the hooks */
    if (argc > 2 && !is_slow)
        run_low();
    else
        run();
    n_pushes += 2 * (1 + *n_calm + *n_handle + *n_attempt);
    REPORT_COUNT(calm);
    REPORT_COUNT(handle);
    REPORT_COUNT(attempt);
    if (!forks && !closes)
        printf("PUSHES %llu\n", (unsigned long long)n_pushes);
    printf("STEPS %u\n", stop_after);
    return *n_reached || n_failed || sum == 1;
}

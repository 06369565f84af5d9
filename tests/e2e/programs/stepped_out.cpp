// stepped_out WAY: each of N_THREADS threads makes a call one instruction at a time, up to another instruction. There a signal's
// handler waits, and then leaves by WAY: return, throw or jump. The commands are on the standard input:
//   p  wait until the functions are patched
//   s  have all threads step, and wait until each is in its handler, or behind its call
//   g  have them go on, and wait for their ends
// Each is answered by its number. Prints at the end how many results were wrong, and where threads were.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

#include "count.h"
#include "single_step.h"

#define N_THREADS 400u
#define STACK_BYTES 0x40000u
#define DEPTH 100u
#define DEEP_SUM 5057u

enum way { RETURN, THROW, JUMP };

static way chosen;
static int beginning[2], leaving[2]; // pipes, whose other ends are open until threads may go on
static pthread_t threads[N_THREADS];
static unsigned n_there, n_over, n_at_trampoline, n_wrong;
static thread_local volatile unsigned n_steps_left;
static thread_local sigjmp_buf way_out;

static void count(unsigned *n, unsigned more)
{
    __atomic_fetch_add(n, more, __ATOMIC_SEQ_CST);
}

static void wait_at(const int *ends)
{
    char byte;
    while (read(ends[0], &byte, 1) < 0) {
    }
}

// The call with which a trampoline begins.
static bool is_trampoline(const void *at)
{
    return memcmp(at, "\xff\x54\x24\xf0", 4) == 0;
}

// What lies in no file has no unwind information.
static void leave(const void *at)
{
    Dl_info file;
    if (chosen == JUMP)
        siglongjmp(way_out, 1);
    if (chosen == THROW && dladdr(at, &file))
        throw 1;
}

static void step(int, siginfo_t *, void *context)
{
    greg_t *registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    const void *at = reinterpret_cast<const void *>(registers[REG_RIP]);
    if (n_steps_left == 0)
        return;
    n_steps_left = n_steps_left - 1;
    if (n_steps_left > 0)
        return;
    registers[REG_EFL] &= ~TRAP_FLAG;
    count(&n_at_trampoline, is_trampoline(at));
    count(&n_there, 1);
    wait_at(leaving);
    leave(at);
}

extern "C" KEPT unsigned last(unsigned n)
{
    return n * 7;
}

extern "C" KEPT unsigned tail(unsigned n)
{
    return last(n + 1);
}

extern "C" KEPT unsigned deep(unsigned n)
{
    volatile unsigned here[40] = {n};
    return n ? deep(n - 1) + here[0] : last(1);
}

KEPT static unsigned step_through(unsigned n)
{
    set_stepping(true);
    const unsigned result = tail(n);
    set_stepping(false);
    return result;
}

// A compiler that knew what is called would find that it does not throw.
static unsigned (*volatile stepping)(unsigned) = step_through;

KEPT static bool is_right(unsigned n)
{
    if (sigsetjmp(way_out, 1) != 0)
        return chosen == JUMP;
    try {
        return stepping(n) == 7 * (n + 1);
    } catch (int) {
        return chosen == THROW;
    }
}

// What the first calls need is done with signals blocked, as this one cannot be: these are not stepped through.
static void *run(void *context)
{
    const unsigned number = unsigned(reinterpret_cast<uintptr_t>(context));
    wait_at(beginning);
    unsigned n = deep(DEPTH) != DEEP_SUM;
    n_steps_left = number + 1;
    n += !is_right(number);
    if (n_steps_left > 0) {
        n_steps_left = 0;
        count(&n_over, 1);
        count(&n_there, 1);
        wait_at(leaving);
    }
    n += deep(DEPTH) != DEEP_SUM;
    count(&n_wrong, n);
    return nullptr;
}

static bool is_patched()
{
    const volatile uint8_t *code = reinterpret_cast<const uint8_t *>(last);
    const uint8_t jump = 0xe9;
    return code[0] == jump || code[4] == jump; // behind endbr64
}

static void obey(char command)
{
    while (command == 'p' && !is_patched())
        usleep(1000);
    if (command == 's')
        close(beginning[1]);
    while (command == 's' && __atomic_load_n(&n_there, __ATOMIC_SEQ_CST) < N_THREADS)
        usleep(1000);
    if (command == 'g')
        close(leaving[1]);
    for (unsigned i = 0; command == 'g' && i < N_THREADS; i++)
        pthread_join(threads[i], nullptr);
}

static bool start()
{
    pthread_attr_t attributes;
    struct sigaction action = {};
    action.sa_sigaction = step;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGTRAP, &action, nullptr);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    bool is_started = pipe(beginning) == 0 && pipe(leaving) == 0;
    for (uintptr_t i = 0; is_started && i < N_THREADS; i++)
        is_started = pthread_create(&threads[i], &attributes, run, reinterpret_cast<void *>(i)) == 0;
    return is_started;
}

int main(int argc, char **argv)
{
    char command;
    if (argc != 2 || !start())
        return 2;
    chosen = strcmp(argv[1], "throw") == 0 ? THROW : strcmp(argv[1], "jump") == 0 ? JUMP : RETURN;
    for (unsigned n = 1; read(STDIN_FILENO, &command, 1) == 1; n++) {
        obey(command);
        printf("%u\n", n);
        fflush(stdout);
    }
    printf("wrong %u, %s at a trampoline's call, %s behind the call\n", n_wrong, n_at_trampoline ? "some" : "none",
           n_over ? "some" : "none");
    return 0;
}

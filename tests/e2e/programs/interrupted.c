/*
 * interrupted N: makes N rounds of calls one instruction at a time, and has a signal's handler take a backtrace at each, as a
 * thread is unwound that is cancelled there. Prints at how many instructions the frames of main() and its callers were
 * not found as they are: addresses, stack pointers, kept registers. Those that lie in no file have no unwind information; they
 * are counted apart.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "count.h"
#include "single_step.h"

#define MOST_FRAMES 64
#define N_REGISTERS 6

struct frame {
    uint64_t address, stack, registers[N_REGISTERS];
};

struct frames {
    int n;
    struct frame at[MOST_FRAMES];
};

static struct frames outer; /* main's, and those of its callers */
static int n_steps, n_wrong, n_in_no_file;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *to)
{
    static const int kept[N_REGISTERS] = {3, 6, 12, 13, 14, 15};
    struct frames *frames = to;
    if (frames->n == MOST_FRAMES)
        return _URC_END_OF_STACK;
    struct frame *frame = &frames->at[frames->n++];
    frame->address = _Unwind_GetIP(context);
    frame->stack = _Unwind_GetCFA(context);
    for (int i = 0; i < N_REGISTERS; i++)
        frame->registers[i] = _Unwind_GetGR(context, kept[i]);
    return _URC_NO_REASON;
}

static bool ends_with_outer(const struct frames *frames)
{
    return frames->n >= outer.n &&
           memcmp(&frames->at[frames->n - outer.n], outer.at, (size_t)outer.n * sizeof *outer.at) == 0;
}

static void look(int number, siginfo_t *info, void *context)
{
    const void *at = (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    struct frames frames = {0};
    Dl_info file;
    (void)number;
    (void)info;
    n_steps++;
    _Unwind_Backtrace(add_frame, &frames);
    if (ends_with_outer(&frames))
        return;
    if (!dladdr(at, &file)) {
        n_in_no_file++;
        return;
    }
    n_wrong++;
    fprintf(stderr, "%s+%#tx: %d frames\n", file.dli_fname, (const char *)at - (const char *)file.dli_fbase, frames.n);
}

KEPT static unsigned last(unsigned n)
{
    return n * 7;
}

KEPT static unsigned tail(unsigned n, const unsigned *more)
{
    return last(n + *more);
}

KEPT static unsigned deep(unsigned n)
{
    volatile unsigned here[40] = {n};
    return n ? deep(n - 1) + here[0] : last(1);
}

KEPT static unsigned call_all(unsigned n)
{
    const unsigned more = n;
    return deep(3) + tail(n, &more) + last(n);
}

/* Keep the frames of callers only. */
static void keep_outer(const void *returns_to)
{
    int first = 0;
    while (first < outer.n && outer.at[first].address != (uint64_t)(uintptr_t)returns_to)
        first++;
    outer.n -= first;
    memmove(outer.at, outer.at + first, (size_t)outer.n * sizeof *outer.at);
}

/* What the first calls need is done with signals blocked, as this one cannot be: these are not stepped through. */
KEPT static unsigned run(int n)
{
    unsigned sum = 0;
    _Unwind_Backtrace(add_frame, &outer);
    keep_outer(__builtin_return_address(0));
    for (int i = 0; i < n; i++) {
        sum += deep(100);
        set_stepping(true);
        sum += call_all((unsigned)i);
        set_stepping(false);
    }
    return sum;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    const unsigned sum = run(argc > 1 ? atoi(argv[1]) : 3);
    printf("sum %u, %s frames, %s steps, wrong %d\n", sum, outer.n > 2 ? "some" : "no", n_steps > 100 ? "some" : "no", n_wrong);
    fprintf(stderr, "%d steps, %d of them in no file\n", n_steps, n_in_no_file);
    return 0;
}

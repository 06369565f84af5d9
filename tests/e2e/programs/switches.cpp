// switches context|marked|coroutine N: calls that are open on several stacks in turns, and their counts. Exit status 77:
// this compiler or machine has no such switch.
#ifdef __cpp_impl_coroutine
#include <coroutine>
#endif
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

#include "count.h"
#include "ringviz/producer.h"

DEFINE_COUNT(deep)
DEFINE_COUNT(leaf)

enum { STACKS = 4, STACK_BYTES = 64 << 10, DEPTH = 5 };

static unsigned n_turns;

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i * 3;
}

// Turns are taken within calls, each time at another depth.
KEPT static unsigned deep(unsigned depth, void (*turn)())
{
    COUNTED(deep);
    const unsigned below = depth ? deep(depth - 1, turn) : 1;
    turn();
    return below + leaf(depth);
}

// ---- contexts of the C library ----

static ucontext_t main_context, contexts[STACKS];
alignas(64) static char stacks[STACKS][STACK_BYTES];
static unsigned current;

QUIET static void turn_context()
{
    swapcontext(&contexts[current], &main_context);
}

QUIET static void run_context()
{
    for (unsigned i = 0; i < n_turns; i++)
        deep(DEPTH, turn_context);
}

KEPT static void resume_context(unsigned i)
{
    current = i;
    leaf(i);
    swapcontext(&main_context, &contexts[i]);
    leaf(i);
}

// Each ends by its link; its stack is then another's.
QUIET static void run_contexts()
{
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < STACKS; i++) {
            getcontext(&contexts[i]);
            contexts[i].uc_stack.ss_sp = stacks[i];
            contexts[i].uc_stack.ss_size = STACK_BYTES;
            contexts[i].uc_link = &main_context;
            makecontext(&contexts[i], run_context, 0);
        }
        for (unsigned k = 0; k <= n_turns * (DEPTH + 1); k++)
            for (unsigned i = 0; i < STACKS; i++)
                resume_context(i);
    }
}

// ---- stacks switched by hand, and told ----

#ifdef __x86_64__
extern "C" void switch_stack(void **from, void *to);
asm(".text\n"
    "switch_stack:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n");

static void *main_stack, *others[STACKS];

QUIET static void switch_to(void **from, void *to, unsigned stack)
{
    ringviz_stack_switch(stack);
    switch_stack(from, to);
}

QUIET static void turn_by_hand()
{
    switch_to(&others[current], main_stack, 0);
}

QUIET static void run_by_hand()
{
    for (unsigned i = 0; i < n_turns; i++)
        deep(DEPTH, turn_by_hand);
    for (;;)
        turn_by_hand();
}

KEPT static void resume_by_hand(unsigned i)
{
    current = i;
    leaf(i);
    switch_to(&main_stack, others[i], i + 1);
    leaf(i);
}

QUIET static void run_hands()
{
    for (unsigned i = 0; i < STACKS; i++) {
        void **top = reinterpret_cast<void **>(stacks[i] + STACK_BYTES) - 2;
        *top = reinterpret_cast<void *>(run_by_hand);
        others[i] = top - 6;
    }
    for (unsigned k = 0; k <= n_turns * (DEPTH + 1); k++)
        for (unsigned i = 0; i < STACKS; i++)
            resume_by_hand(i);
}
#else
QUIET static void run_hands()
{
    std::exit(77);
}
#endif

// ---- coroutines of the language, which have no stack of their own ----

#ifdef __cpp_impl_coroutine
struct task {
    struct promise_type {
        QUIET task get_return_object()
        {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        QUIET std::suspend_always initial_suspend() noexcept
        {
            return {};
        }
        QUIET std::suspend_always final_suspend() noexcept
        {
            return {};
        }
        QUIET void return_void()
        {
        }
        QUIET void unhandled_exception()
        {
            std::abort();
        }
    };
    std::coroutine_handle<promise_type> handle;
};

QUIET static void no_turn()
{
}

static task count(unsigned i)
{
    for (unsigned k = 0; k < n_turns; k++) {
        deep(DEPTH, no_turn);
        co_await std::suspend_always{};
        leaf(i);
    }
}

QUIET static void run_coroutines()
{
    task tasks[STACKS];
    for (unsigned i = 0; i < STACKS; i++)
        tasks[i] = count(i);
    for (unsigned k = 0; k <= n_turns; k++)
        for (task &one : tasks)
            one.handle.resume();
    for (task &one : tasks)
        one.handle.destroy();
}
#else
QUIET static void run_coroutines()
{
    std::exit(77);
}
#endif

QUIET int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "context";
    n_turns = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 100;
    if (std::strcmp(how, "context") == 0)
        run_contexts();
    else if (std::strcmp(how, "coroutine") == 0)
        run_coroutines();
    else
        run_hands();
    REPORT_COUNT(deep);
    REPORT_COUNT(leaf);
    return 0;
}

/*
 * swapcontext() and setcontext(), in front of the C library: what is called on the stack of a context is on a stack of its
 * own. A thread that returns from swapcontext() is on the stack that called it, also at the end of a context with a link.
 * Programs that tell their stacks by ringviz_stack_switch() are left to it.
 */
#include <stdint.h>
#include <ucontext.h>

#include "producers/native/next_function.h"
#include "producers/native/thread.h"

#if defined __x86_64__
#define STACK_POINTER(context) ((uint64_t)(context)->uc_mcontext.gregs[REG_RSP])
#elif defined __aarch64__
#define STACK_POINTER(context) ((uint64_t)(context)->uc_mcontext.sp)
#endif

#ifdef STACK_POINTER
#define MOST_STACKS 16384u /* calls on further stacks nest on those of the thread's own */
#define FIRST_STACK 65536u /* programs' own numbers are below */
#define HASH_FACTOR 0x9e3779b97f4a7c15ull

static struct rv_next_function next_swap = {.name = "swapcontext"}, next_set = {.name = "setcontext"};
static uint64_t stacks[MOST_STACKS]; /* [atomic] begins of stacks by their hash; never removed. No ordering needed */

#define NEXT(function, entry) ((__typeof__(&function))(uintptr_t)rv_next_function(&entry))

__attribute__((constructor)) static void start(void)
{
    (void)rv_next_function(&next_swap);
    (void)rv_next_function(&next_set);
}

static uint32_t number_of(uint64_t begin)
{
    const uint64_t hash = begin * HASH_FACTOR >> 32;
    for (uint32_t i = 0; i < MOST_STACKS; i++) {
        uint64_t *slot = &stacks[(hash + i) % MOST_STACKS], known = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!known && __atomic_compare_exchange_n(slot, &known, begin, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            known = begin;
        if (known == begin)
            return FIRST_STACK + (uint32_t)(slot - stacks);
    }
    return 0;
}

/* 0: the thread's own, or one that is not known. */
static uint32_t stack_of(const ucontext_t *context)
{
    const uint64_t begin = (uint64_t)(uintptr_t)context->uc_stack.ss_sp;
    return begin && STACK_POINTER(context) - begin <= context->uc_stack.ss_size ? number_of(begin) : 0;
}

static void go_to(uint32_t stack, uint64_t here)
{
    if (rv_thread_ring() >= 0 && !rv_thread_has_marked_stacks && rv_thread_stack() != stack)
        rv_thread_switch_stack(stack, here);
}

RV_EXPORT int swapcontext(ucontext_t *from, const ucontext_t *to)
{
    const uint32_t own = rv_thread_stack();
    go_to(stack_of(to), RV_ENTRY_STACK());
    const int result = NEXT(swapcontext, next_swap)(from, to);
    go_to(own, RV_ENTRY_STACK());
    return result;
}

RV_EXPORT int setcontext(const ucontext_t *to)
{
    go_to(stack_of(to), RV_ENTRY_STACK());
    return NEXT(setcontext, next_set)(to);
}
#endif

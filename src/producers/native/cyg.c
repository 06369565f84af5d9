/*
 * The hooks of -finstrument-functions. A frame's tag must be the same in both. It is the stack pointer with which the
 * function calls its hooks, unless alloca or an array of variable length may have moved that in between: such a
 * function keeps its frame in the frame pointer, which is then the tag.
 */
#include <stdint.h>

#include "producers/native/process.h"
#include "producers/native/thread.h"

/* Farther up the frame pointer is not looked at: where there is none, its register may hold any address. */
#define NEAR_BYTES 65536u

#if defined(__x86_64__) && !defined(__clang__)
#define CALLER_FRAME(out) __asm__("mov %%rbp, %0" : "=r"(out))
#elif defined(__x86_64__)
#define CALLER_FRAME(out) ((out) = *(const uint64_t *)__builtin_frame_address(0))
#else
#define CALLER_FRAME(out) ((out) = 0)
#endif

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/* Is this the frame pointer of the function that returns to call_site? Then its return address lies above it. */
static inline bool is_its_frame(uint64_t frame, uint64_t stack, const void *call_site)
{
    return frame - stack < NEAR_BYTES && ((void *const *)(uintptr_t)frame)[1] == call_site;
}

/*
 * Built without -fno-optimize-sibling-calls the function has left its frame and jumped to the hook, which then returns
 * to the function's caller, and stands where only the caller's tag is known: close what lies one unit beneath it.
 */
__attribute__((noinline)) static void exit_by_sibling_call(uint64_t stack)
{
    rv_process_flag_sibling_calls();
    rv_push(&rv_thread_pusher, RV_EVENT_RETURN, 0, stack - (1u << RV_PUSH_TAG_SHIFT), rv_thread_push_slow);
}

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    uint64_t frame, stack = (uint64_t)(uintptr_t)__builtin_dwarf_cfa();
    CALLER_FRAME(frame);
    rv_push(&rv_thread_pusher, RV_EVENT_CALL_AT, (uint64_t)(uintptr_t)function,
            is_its_frame(frame, stack, call_site) ? frame : stack, rv_thread_push_slow);
}

RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    uint64_t frame, stack = (uint64_t)(uintptr_t)__builtin_dwarf_cfa();
    CALLER_FRAME(frame);
    if (__builtin_expect(__builtin_return_address(0) == call_site, 0)) {
        exit_by_sibling_call(stack);
        return;
    }
    rv_push(&rv_thread_pusher, RV_EVENT_RETURN_AT, (uint64_t)(uintptr_t)function,
            is_its_frame(frame, stack, call_site) ? frame : stack, rv_thread_push_slow);
}

/*
 * The hooks of -finstrument-functions. Enter and exit hook are called from the function's own frame, so the address
 * above the hook's return address is the same in both: that is the frame's tag.
 */
#include <stdint.h>

#include "producers/native/process.h"
#include "producers/native/thread.h"

#define CALLER_STACK() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

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
    (void)call_site;
    rv_push(&rv_thread_pusher, RV_EVENT_CALL_AT, (uint64_t)(uintptr_t)function, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    if (__builtin_expect(__builtin_return_address(0) == call_site, 0)) {
        exit_by_sibling_call(CALLER_STACK());
        return;
    }
    rv_push(&rv_thread_pusher, RV_EVENT_RETURN_AT, (uint64_t)(uintptr_t)function, CALLER_STACK(), rv_thread_push_slow);
}

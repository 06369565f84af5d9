/* The hooks of -finstrument-functions. What is not simple is a tail call with all in registers: no stack frame here. */
#include "producers/native/calls.h"

RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site);
RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site);

/* Of the function that calls a hook. */
#define STACK() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())
#define SITE() __builtin_return_address(0)

#define FRAME(stack_, function_, call_site_, site_)                                                                    \
    {                                                                                                                  \
        .stack = (stack_)-RV_SHADOW_BENEATH, .function = (uint64_t)(uintptr_t)(function_),                             \
        .call_site = (uint64_t)(uintptr_t)(call_site_), .site = (uint64_t)(uintptr_t)(site_)                           \
    }

#if defined(__x86_64__)
#define PLACED __attribute__((aligned(64), patchable_function_entry(48, 48)))
#else
#define PLACED
#endif

__attribute__((noinline)) static void enter_slow(void *function, void *call_site, void *site, uint64_t stack,
                                                 uint64_t old)
{
    const struct rv_shadow_frame *frame = NULL;
    if (old < RV_PUSH_POISON && rv_shadow_has_room(&rv_thread.shadow))
        frame = rv_shadow_push(&rv_thread.shadow, stack, function, call_site, site);
    if (frame) {
        rv_calls_push(RV_EVENT_CALL_AT, frame, stack, old);
        return;
    }
    const struct rv_shadow_frame call = FRAME(stack, function, call_site, site);
    rv_calls_push_slow(RV_EVENT_CALL_AT, &call, stack, old);
}

__attribute__((noinline)) static void exit_slow(void *function, void *call_site, void *site, uint64_t stack,
                                                uint64_t old)
{
    const struct rv_shadow_frame *frame = NULL;
    if (old < RV_PUSH_POISON)
        frame = rv_shadow_pop(&rv_thread.shadow, stack, function);
    if (frame) {
        rv_calls_push(RV_EVENT_RETURN_AT, frame, stack, old);
        return;
    }
    const struct rv_shadow_frame call = FRAME(stack, function, call_site, site);
    rv_calls_push_slow(RV_EVENT_RETURN_AT, &call, stack, old);
}

/*
 * Both hooks are bound by how fast a core takes in their instructions: a clock read lets none behind it begin before it
 * is done. Where they lie in their 64-byte lines makes 5 %; 48 bytes that are never run put them where it was least.
 */
PLACED RV_EXPORT void __cyg_profile_func_enter(void *function, void *call_site)
{
    uint64_t stack = STACK(), old = rv_push_begin(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (__builtin_expect(old < rv_thread.pusher.limit, 1))
        frame = rv_shadow_push(&rv_thread.shadow, stack, function, call_site, SITE());
    if (__builtin_expect(frame != NULL, 1)) {
        rv_push_fetch_ahead(old);
        rv_push_commit(&rv_thread.pusher, old, RV_EVENT_CALL_AT, (uint64_t)(uintptr_t)function, rv_shadow_tag(frame));
    } else {
        enter_slow(function, call_site, SITE(), stack, old);
    }
}

RV_EXPORT void __cyg_profile_func_exit(void *function, void *call_site)
{
    uint64_t stack = STACK(), old = rv_push_begin(&rv_thread.pusher, stack);
    const struct rv_shadow_frame *frame = NULL;
    if (__builtin_expect(old < rv_thread.pusher.limit, 1))
        frame = rv_shadow_pop(&rv_thread.shadow, stack, function);
    if (__builtin_expect(frame != NULL, 1))
        rv_push_commit(&rv_thread.pusher, old, RV_EVENT_RETURN_AT, (uint64_t)(uintptr_t)function, rv_shadow_tag(frame));
    else
        exit_slow(function, call_site, SITE(), stack, old);
}

/* include/ringviz/producer.h, on the calling thread's pusher. */
#include "ringviz/producer.h"

#include <string.h>

#include "producers/native/guard.h"
#include "producers/native/process.h"
#include "producers/native/thread.h"
#include "ring/names.h"

/* Equal for two calls made by one activation of one function, since neither takes arguments on the stack. */
#define CALLER_STACK() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa())

static uint16_t tag_of(uint64_t stack)
{
    return (uint16_t)(stack >> RV_PUSH_TAG_SHIFT);
}

RV_EXPORT int ringviz_open(const char *path)
{
    struct rv_guard guard;
    rv_guard_begin(&guard);
    int error = rv_process_open(path);
    rv_guard_end(&guard);
    return error;
}

RV_EXPORT void ringviz_close(void)
{
    struct rv_guard guard;
    rv_guard_begin(&guard);
    rv_thread_release();
    rv_process_close();
    rv_guard_end(&guard);
}

RV_EXPORT bool ringviz_is_active(void)
{
    if (!rv_process_is_open() && !rv_process_is_closed())
        ringviz_open(NULL);
    return rv_process_is_open();
}

RV_EXPORT uint32_t ringviz_intern(const char *package, const char *name, const char *file, uint32_t line)
{
    struct rv_name subroutine = {RV_NAME_SUBROUTINE, package ? package : "", name ? name : "", file ? file : "", line};
    struct rv_guard guard;
    if (!ringviz_is_active())
        return 0;
    rv_guard_begin(&guard);
    uint32_t id = rv_names_intern(rv_process_map(), &subroutine);
    rv_guard_end(&guard);
    return id;
}

RV_EXPORT void(ringviz_enter)(uint32_t id)
{
    rv_push(&rv_thread_pusher, RV_EVENT_CALL, id, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void(ringviz_leave)(uint32_t id)
{
    rv_push(&rv_thread_pusher, RV_EVENT_RETURN, id, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void ringviz_mark(uint32_t id)
{
    rv_push(&rv_thread_pusher, RV_EVENT_MARK, id, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void ringviz_value(uint32_t id, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rv_push_rare(&rv_thread_pusher, RV_EVENT_VALUE, rv_event_word(id, (uint16_t)bits, (uint16_t)(bits >> 16)),
                 CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void ringviz_thread_name(const char *name)
{
    rv_thread_rename(name ? name : "", true);
}

RV_EXPORT void ringviz_gc_begin(void)
{
    rv_push(&rv_thread_pusher, RV_EVENT_GC_START, 0, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void ringviz_gc_end(void)
{
    rv_push(&rv_thread_pusher, RV_EVENT_GC_END, 0, CALLER_STACK(), rv_thread_push_slow);
}

RV_EXPORT void ringviz_stack_switch(uint32_t stack)
{
    uint64_t here = CALLER_STACK();
    rv_push_rare(&rv_thread_pusher, RV_EVENT_SWITCH, rv_event_word(stack, tag_of(here), 0), here, rv_thread_push_slow);
}

RV_EXPORT uint64_t ringviz_call(uint32_t id, uint32_t depth, uint32_t line)
{
    return rv_push_tagged(&rv_thread_pusher, RV_EVENT_CALL, (uint64_t)line << 32 | id, (uint16_t)depth, CALLER_STACK(),
                          rv_thread_push_slow_depth);
}

RV_EXPORT void ringviz_return(uint32_t id, uint32_t depth)
{
    rv_push_tagged(&rv_thread_pusher, RV_EVENT_RETURN, id, (uint16_t)depth, CALLER_STACK(), rv_thread_push_slow_depth);
}

RV_EXPORT void ringviz_line(uint32_t line)
{
    rv_push_tagged(&rv_thread_pusher, RV_EVENT_LINE, line, 0, CALLER_STACK(), rv_thread_push_slow_depth);
}

RV_EXPORT void ringviz_on_ring(ringviz_replay_fn *replay)
{
    rv_thread_on_ring(replay);
}

RV_EXPORT void ringviz_replay(uint32_t id, uint32_t depth, uint64_t called)
{
    rv_thread_replay(called, rv_event_word(id, (uint16_t)depth, 0));
}

/* include/ringviz/producer.h, on the calling thread's pusher. */
#include "ringviz/producer.h"

#include <string.h>

#include "base/clock.h"
#include "producers/native/call_events.h"
#include "producers/native/file_names.h"
#include "producers/native/runtime_threads.h"
#include "producers/native/signal_guard.h"
#include "producers/native/process.h"
#include "producers/native/stack_for_monitors.h"
#include "producers/native/thread.h"
#include "ring/commands.h"
#include "ring/names.h"

RV_EXPORT int ringviz_open(const char *path)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    int error = rv_process_open(path);
    rv_signal_guard_end(&guard);
    return error;
}

RV_EXPORT void ringviz_close(void)
{
    struct rv_signal_guard guard;
    rv_signal_guard_begin(&guard);
    rv_thread_release();
    rv_process_close();
    rv_signal_guard_end(&guard);
}

RV_EXPORT bool ringviz_is_active(void)
{
    if (!rv_process_is_open() && !rv_process_is_closed())
        ringviz_open(NULL);
    return rv_process_is_open();
}

RV_EXPORT bool ringviz_is_private(void)
{
    return rv_process_is_open() && rv_process_map()->geometry.is_private;
}

RV_EXPORT uint32_t ringviz_intern_form(const char *package, const char *name, const char *file, uint32_t line,
                                       uint32_t form)
{
    struct rv_name subroutine = {RV_NAME_SUBROUTINE, package ? package : "", name ? name : "", file ? file : "",
                                 rv_name_line_form(line, form)};
    struct rv_signal_guard guard;
    if (!ringviz_is_active())
        return 0;
    rv_signal_guard_begin(&guard);
    uint32_t id = rv_names_intern(rv_process_map(), &subroutine);
    rv_signal_guard_end(&guard);
    return id;
}

RV_EXPORT uint32_t ringviz_intern(const char *package, const char *name, const char *file, uint32_t line)
{
    return ringviz_intern_form(package, name, file, line, 0);
}

/* The shadow stack's frame of a call by the API. */
static struct rv_shadow_frame frame_of(uint32_t id, uint64_t stack)
{
    return (struct rv_shadow_frame){.stack = stack, .word = id};
}

RV_EXPORT void ringviz_enter(uint32_t id)
{
    const uint64_t stack = RV_ENTRY_STACK();
    const struct rv_shadow_frame *frame = NULL, call = frame_of(id, stack);
    const uint64_t next = rv_call_events_begin(stack);
    if (next != RV_PUSH_NESTED)
        frame = rv_shadow_push_id(&rv_thread.shadow, stack, id);
    if (frame)
        rv_call_events_push(RV_EVENT_CALL, frame, stack, next);
    else
        rv_call_events_push_slow(RV_EVENT_CALL, &call, stack, next);
}

RV_EXPORT void ringviz_leave(uint32_t id)
{
    const uint64_t stack = RV_ENTRY_STACK();
    const struct rv_shadow_frame *frame = NULL, call = frame_of(id, stack);
    const uint64_t next = rv_call_events_begin(stack);
    if (next != RV_PUSH_NESTED)
        frame = rv_shadow_pop_id(&rv_thread.shadow, id);
    if (frame)
        rv_call_events_push(RV_EVENT_RETURN, frame, stack, next);
    else
        rv_call_events_push_slow(RV_EVENT_RETURN, &call, stack, next);
}

RV_EXPORT void ringviz_mark(uint32_t id)
{
    rv_thread_push(RV_EVENT_MARK, rv_event_word(id, 0, 0), RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_value(uint32_t id, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    rv_thread_push(RV_EVENT_VALUE, rv_event_word(id, (uint16_t)bits, (uint16_t)(bits >> 16)), RV_ENTRY_STACK());
}

static void push_step(enum rv_step_kind kind, uint64_t id, uint32_t name, uint64_t stack)
{
    if ((id & RV_STEP_ID_MASK) >> RV_STEP_LOW_BITS)
        rv_thread_push(RV_EVENT_MARK, rv_event_word_of_high(id), stack);
    rv_thread_push(RV_EVENT_MARK, rv_event_word_of_step(kind, id, name), stack);
}

_Static_assert((int)RINGVIZ_FLOW_END - (int)RINGVIZ_FLOW_BEGIN == (int)RV_STEP_FLOW_END - (int)RV_STEP_FLOW_BEGIN,
               "the same order");

RV_EXPORT void ringviz_flow(uint64_t id, uint32_t name, enum ringviz_flow_phase phase)
{
    push_step((enum rv_step_kind)((unsigned)RV_STEP_FLOW_BEGIN + (unsigned)phase), id, name, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_task_begin(uint64_t id, uint32_t name)
{
    push_step(RV_STEP_TASK_BEGIN, id, name, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_task_switch(uint64_t id)
{
    push_step(RV_STEP_TASK_SWITCH, id, 0, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_task_end(uint64_t id)
{
    push_step(RV_STEP_TASK_END, id, 0, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_runtime(const char *text)
{
    rv_process_set_runtime(text ? text : "");
}

RV_EXPORT void ringviz_thread_name(const char *name)
{
    rv_thread_rename(name ? name : "", true);
}

RV_EXPORT void ringviz_thread_end(void)
{
    rv_thread_forget();
}

RV_EXPORT struct ringviz_thread *ringviz_thread_attach(void)
{
    return rv_runtime_threads_create();
}

RV_EXPORT struct ringviz_thread *ringviz_thread_use(struct ringviz_thread *thread)
{
    return rv_runtime_threads_use(thread);
}

RV_EXPORT void ringviz_thread_detach(struct ringviz_thread *thread)
{
    if (thread)
        rv_runtime_threads_destroy(thread);
}

_Static_assert((int)RINGVIZ_STARTED == RV_THREAD_STARTED && (int)RINGVIZ_EXITED == RV_THREAD_EXITED, "the same order");

RV_EXPORT void ringviz_thread_state(enum ringviz_thread_state state)
{
    rv_thread_push(RV_EVENT_THREAD, rv_event_word(0, 0, (uint16_t)state), RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_thread_state_since(enum ringviz_thread_state state, uint64_t ticks)
{
    const uint64_t stack = RV_ENTRY_STACK(), word = rv_event_word(0, 0, (uint16_t)state);
    const uint64_t when = (uint64_t)RV_EVENT_THREAD << RV_EVENT_KIND_SHIFT | ticks;
    if (ticks && rv_thread_gate())
        rv_push_behind(&rv_thread.pusher, rv_push_begin(&rv_thread.pusher, stack), when, word, stack);
}

RV_EXPORT void ringviz_objects(uint32_t n)
{
    rv_thread_push(RV_EVENT_THREAD, rv_event_word(n, 0, (uint16_t)RV_THREAD_MADE), RV_ENTRY_STACK());
}

RV_EXPORT uint64_t ringviz_ticks(void)
{
    return rv_process_is_open() ? rv_clock_ticks(rv_process_map()->clock.kind) : 0;
}

RV_EXPORT void ringviz_gc_begin(void)
{
    rv_thread_push(RV_EVENT_GC_START, 0, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_gc_end(void)
{
    rv_thread_push(RV_EVENT_GC_END, 0, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_stack_switch(uint32_t stack)
{
    rv_thread_has_marked_stacks = true;
    rv_thread_switch_stack(stack, RV_ENTRY_STACK());
}

/* Of a thread that has called hooked functions: the runtime's frames and theirs are one stack. */
static __attribute__((noinline)) uint64_t push_nesting(enum rv_event_kind kind, uint32_t id, uint32_t depth,
                                                       uint32_t line, uint64_t stack)
{
    const struct rv_shadow_frame *frame = NULL, call = rv_shadow_runtime_call(stack, id, depth, line);
    const uint64_t next = rv_call_events_begin(stack);
    if (next != RV_PUSH_NESTED)
        frame = kind == RV_EVENT_CALL ? rv_shadow_push_runtime(&rv_thread.shadow, &call)
                                      : rv_shadow_pop_runtime(&rv_thread.shadow, &call);
    if (!frame)
        return rv_call_events_push_slow(kind, &call, stack, next);
    struct rv_shadow_frame event = *frame;
    event.word = rv_event_word_at(call.word, rv_shadow_tag(frame));
    return rv_call_events_push(kind, &event, stack, next);
}

/* Of a thread that has none of hooked functions, as most: by the quick way alone. */
static inline bool is_plain(void)
{
    return __builtin_expect(!rv_thread.shadow.region && !rv_stack_for_monitors_is_kept && rv_process_gate(), 1);
}

/* One event of a runtime, at its depth there. */
static uint64_t push_runtime(enum rv_event_kind kind, uint32_t id, uint32_t depth, uint32_t line, uint64_t stack)
{
    if (!rv_thread.shadow.region)
        return rv_thread_push(kind, rv_event_word(id, (uint16_t)depth, (uint16_t)line), stack);
    const uint64_t ticks = push_nesting(kind, id, depth, line, stack);
    if (kind == RV_EVENT_RETURN)
        rv_call_events_push_returned(stack);
    return ticks;
}

static __attribute__((noinline)) uint64_t call_otherwise(uint32_t id, uint32_t depth, uint32_t line, uint64_t stack)
{
    const uint64_t called = push_runtime(RV_EVENT_CALL, id, depth, line, stack);
    if (rv_stack_for_monitors_is_kept)
        rv_stack_for_monitors_call(id, called);
    return called;
}

static __attribute__((noinline)) void return_otherwise(uint32_t id, uint32_t depth, uint64_t stack)
{
    (void)push_runtime(RV_EVENT_RETURN, id, depth, 0, stack);
    if (rv_stack_for_monitors_is_kept)
        rv_stack_for_monitors_return();
}

/* Slow ways come last: no register is saved for them. */
RV_EXPORT uint64_t ringviz_call(uint32_t id, uint32_t depth, uint32_t line)
{
    const uint64_t stack = RV_ENTRY_STACK(), word = rv_event_word(id, (uint16_t)depth, (uint16_t)line);
    return is_plain() ? rv_push(&rv_thread.pusher, RV_EVENT_CALL, word, stack, rv_thread_push_slow)
                      : call_otherwise(id, depth, line, stack);
}

RV_EXPORT void ringviz_return(uint32_t id, uint32_t depth)
{
    const uint64_t stack = RV_ENTRY_STACK(), word = rv_event_word(id, (uint16_t)depth, 0);
    if (is_plain())
        (void)rv_push(&rv_thread.pusher, RV_EVENT_RETURN, word, stack, rv_thread_push_slow);
    else
        return_otherwise(id, depth, stack);
}

RV_EXPORT void ringviz_return_at_once(uint32_t id, uint32_t depth, uint64_t called)
{
    const uint64_t stack = RV_ENTRY_STACK(), word = rv_event_word(id, (uint16_t)depth, 0);
    if (!is_plain()) {
        return_otherwise(id, depth, stack);
        return;
    }
    struct rv_pusher *pusher = &rv_thread.pusher;
    const uint64_t next = rv_push_begin(pusher, stack);
    const bool has_slot = next < pusher->limit || next < pusher->slow_limit;
    if (__builtin_expect(has_slot && rv_push_follows_call(rv_push_slot(next), called), 1))
        rv_push_commit_return(pusher, next, called, word);
    else if (next < pusher->limit)
        (void)rv_push_commit(pusher, next, RV_EVENT_RETURN, word);
    else
        (void)rv_thread_push_slow(pusher, stack, RV_EVENT_RETURN, word);
}

static inline void push_line(uint64_t word, uint32_t line, uint64_t stack)
{
    uint64_t ticks = rv_thread_push(RV_EVENT_LINE, word, stack);
    if (rv_stack_for_monitors_is_kept)
        rv_stack_for_monitors_line(line, ticks);
}

RV_EXPORT void ringviz_line(uint32_t line)
{
    push_line(rv_event_word(line, 0, 0), line, RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_line_in(const char *file, uint32_t line)
{
    const uint32_t id = line ? rv_file_names_id(file) : 0;
    push_line(id ? rv_event_word(id, (uint16_t)(line >> 16), (uint16_t)line) : rv_event_word(line, 0, 0), line,
              RV_ENTRY_STACK());
}

RV_EXPORT void ringviz_on_ring(ringviz_replay_fn *replay)
{
    rv_thread_on_ring(replay);
}

RV_EXPORT void ringviz_replay(uint32_t id, uint32_t depth, uint64_t called)
{
    if (rv_thread_replay(id, depth, called) && rv_stack_for_monitors_is_kept)
        rv_stack_for_monitors_replay(id, (uint16_t)depth, called);
}

RV_EXPORT void ringviz_keep_stacks(void)
{
    rv_stack_for_monitors_is_kept = true;
}

RV_EXPORT void ringviz_thread_number(uint32_t number)
{
    rv_thread_set_number(number);
}

RV_EXPORT bool ringviz_is_wanted(void)
{
    int ring = rv_thread_ring();
    return ring < 0 || rv_commands_flags(rv_process_map(), (uint32_t)ring) != 0;
}

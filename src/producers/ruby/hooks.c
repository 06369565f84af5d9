/*
 * One hook for all events of the program: each further hook would cost every event. A return is matched with the call
 * in its frame.
 */
#include "producers/ruby/hooks.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "producers/ruby/collection_hooks.h"
#include "producers/ruby/collections.h"
#include "producers/ruby/debugger.h"
#include "producers/ruby/chosen_methods.h"
#include "producers/ruby/fast_dispatch.h"
#include "producers/ruby/gvl_states.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/object_counts.h"
#include "producers/ruby/ractors.h"
#include "producers/ruby/fiber_stacks.h"
#include "producers/ruby/thread_names.h"
#include "producers/ruby/traced_instructions.h"

#define MOST_FRAMES 100

static rb_event_flag_t events;
static struct rv_hooks_params params;

/* A method made of a block is one call in one frame, although Ruby reports both. */
static bool begins_in_call(const char *frame)
{
    struct rv_open_call *top = rv_fiber_stacks_top();
    if (!top || top->frame != frame || !top->method.is_of_block || top->is_in_block)
        return false;
    return top->is_in_block = true;
}

static void tell_line(void)
{
    const char *file = rb_sourcefile();
    if (file)
        ringviz_line_in(file, (uint32_t)rb_sourceline());
}

/* At a call of a function the current frame is its caller's, at its return, too. */
static __attribute__((noinline)) void open_function(const struct rv_method *method, const char *frame)
{
    rv_fiber_stacks_open(method, frame - 1, true);
}

/* Of code in Ruby. */
static __attribute__((noinline)) void open_entry(const struct rv_method *method, const char *frame)
{
    if (!method->is_left_out)
        rv_fiber_stacks_open(method, frame, false);
}

/* At an unwinding the current frame is the function's own. */
static __attribute__((noinline)) void close_function(const char *frame)
{
    const struct rv_open_call *top = rv_fiber_stacks_close_below(frame - 1);
    if (top && top->is_function)
        rv_fiber_stacks_close_top();
}

static __attribute__((noinline)) void write_function_return(const char *frame)
{
    const struct rv_open_call *top = rv_fiber_stacks_top();
    if (__builtin_expect(top && top->frame == frame - 1 && top->is_function, 1))
        rv_fiber_stacks_close_top();
    else
        close_function(frame);
}

static __attribute__((noinline)) void write_method_return(const char *frame)
{
    rv_fiber_stacks_close(frame);
}

static __attribute__((noinline)) void write_block_return(const char *frame)
{
    struct rv_open_call *top = rv_fiber_stacks_top();
    if (top && top->frame == frame && top->is_in_block)
        top->is_in_block = false;
    else
        rv_fiber_stacks_close(frame);
}

static void write_other(rb_event_flag_t event)
{
    switch (event) {
    case RUBY_EVENT_LINE:
        tell_line();
        break;
    case RUBY_EVENT_FIBER_SWITCH:
        rv_fiber_stacks_switch(rv_context());
        rv_debugger_change_fiber();
        break;
    case RUBY_EVENT_THREAD_BEGIN:
        rv_debugger_begin_thread();
        rv_fiber_stacks_begin_thread();
        if (!(events & RUBY_EVENT_FIBER_SWITCH))
            rv_fiber_stacks_know_first();
        rv_gvl_begin_thread();
        rv_thread_names_tell();
        break;
    case RUBY_EVENT_THREAD_END:
        rv_thread_names_tell();
        rv_debugger_end_thread();
        rv_gvl_end_thread();
        rv_fiber_stacks_give_back(); /* before the thread that joins it goes on */
        break;
    default:
        break;
    }
}

static void write_function_call(const char *frame, ID id, VALUE owner)
{
    const struct rv_method *known = rv_methods_known_function(owner, id);
    const struct rv_method method = known ? *known : rv_methods_learn_function(owner, id);
    open_function(&method, frame);
}

static void write_method_call(const struct rv_control_frame *current)
{
    const struct rv_method *known = rv_methods_known(current), method = known ? *known : rv_methods_learn(current);
    open_entry(&method, (const char *)current);
}

static void write_block_call(const struct rv_control_frame *current)
{
    if (begins_in_call((const char *)current))
        return;
    const struct rv_method *known = rv_methods_known_block(current);
    const struct rv_method method = known ? *known : rv_methods_learn_block(current);
    open_entry(&method, (const char *)current);
}

static void write_event(rb_event_flag_t event, const struct rv_control_frame *current, ID id, VALUE owner)
{
    const char *frame = (const char *)current;
    switch (event) {
    case RUBY_EVENT_CALL:
        write_method_call(current);
        break;
    case RUBY_EVENT_RETURN:
        write_method_return(frame);
        break;
    case RUBY_EVENT_C_CALL:
        write_function_call(frame, id, owner);
        break;
    case RUBY_EVENT_C_RETURN:
        write_function_return(frame);
        break;
    case RUBY_EVENT_B_CALL:
        write_block_call(current);
        break;
    case RUBY_EVENT_B_RETURN:
        write_block_return(frame);
        break;
    default:
        write_other(event);
    }
}

static void on_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)data;
    (void)self;
    rv_traced_instructions.has_called_hook = true;
    if (__builtin_expect(rv_commands.is_serving, 0))
        return;
    write_event(event, rv_context()->frame, id, owner);
    if (event & (RUBY_EVENT_CALL | RUBY_EVENT_B_CALL))
        rv_debugger_entry();
}

/* ---- instead of Ruby's functions that call hooks ---- */

/* Of a method or block that is known: no code of Ruby runs, nothing is raised or allocated. False: not written. */
static inline bool write_known_method_call(const struct rv_control_frame *current)
{
    const struct rv_method *method = rv_debugger_is_busy() ? NULL : rv_methods_known(current);
    if (method)
        open_entry(method, (const char *)current);
    return method;
}

static inline bool write_known_block_call(const struct rv_control_frame *current)
{
    const struct rv_method *method;
    if (rv_debugger_is_busy())
        return false;
    if (begins_in_call((const char *)current))
        return true;
    if ((method = rv_methods_known_block(current)))
        open_entry(method, (const char *)current);
    return method;
}

/* What is done last returns to Ruby, so that few registers are saved. */
static __attribute__((noinline)) void dispatch_block_call(struct rv_raw_event *event, struct rv_hook_list *hooks,
                                                          int is_end)
{
    if (!write_known_block_call(rv_context()->frame))
        rv_fast_dispatch.original(event, hooks, is_end);
}

static __attribute__((noinline)) void dispatch_method_call(struct rv_raw_event *event, struct rv_hook_list *hooks,
                                                           int is_end)
{
    if (!write_known_method_call(rv_context()->frame))
        rv_fast_dispatch.original(event, hooks, is_end);
}

static __attribute__((noinline)) void dispatch_function_call(struct rv_raw_event *event, struct rv_hook_list *hooks,
                                                             int is_end)
{
    const struct rv_control_frame *current = rv_context()->frame;
    const struct rv_method *method = rv_commands.is_serving ? NULL : rv_methods_known_function(event->owner, event->id);
    if (method)
        open_function(method, (const char *)current);
    else
        rv_fast_dispatch.original(event, hooks, is_end);
}

/* A reader, a look into an array, what is made of numbers that are no objects, or a conversion to the same object: others may
 * take long. */
static bool is_instant(const struct rv_method *method, const struct rv_raw_event *event)
{
    return method->is_reader || event->data == event->self ||
           (RB_SPECIAL_CONST_P(event->data) &&
            (RB_SPECIAL_CONST_P(event->self) || RB_BUILTIN_TYPE(event->self) == RUBY_T_ARRAY));
}

static __attribute__((noinline)) void dispatch_function_return(const struct rv_raw_event *event, const char *frame)
{
    const struct rv_open_call *top = rv_fiber_stacks_top();
    if (__builtin_expect(!(top && top->frame == frame - 1 && top->is_function), 0))
        close_function(frame);
    else if (top->method.may_be_instant && is_instant(&top->method, event))
        rv_fiber_stacks_close_top_at_once();
    else
        rv_fiber_stacks_close_top();
}

static void dispatch_return(const struct rv_raw_event *event)
{
    const char *frame = (const char *)rv_context()->frame;
    if (rv_commands.is_serving)
        return;
    if (event->event == RUBY_EVENT_C_RETURN)
        dispatch_function_return(event, frame);
    else if (event->event == RUBY_EVENT_RETURN)
        write_method_return(frame);
    else
        write_block_return(frame);
}

static void trace(struct rv_execution_context *context, struct rv_control_frame *frame);

static void dispatch(struct rv_raw_event *event, struct rv_hook_list *hooks, int is_end)
{
    const rb_event_flag_t returns = RUBY_EVENT_RETURN | RUBY_EVENT_B_RETURN | RUBY_EVENT_C_RETURN;
    rv_traced_instructions_see(event, hooks);
    if (!rv_fast_dispatch_is_hook_alone(event, hooks))
        rv_fast_dispatch.original(event, hooks, is_end);
    else if (event->event & returns)
        dispatch_return(event);
    else if (event->event == RUBY_EVENT_C_CALL)
        dispatch_function_call(event, hooks, is_end);
    else if (event->event == RUBY_EVENT_CALL) {
        rv_traced_instructions_start(event, __builtin_return_address(0), trace);
        dispatch_method_call(event, hooks, is_end);
    } else if (event->event == RUBY_EVENT_B_CALL)
        dispatch_block_call(event, hooks, is_end);
    else
        rv_fast_dispatch.original(event, hooks, is_end);
}

static __attribute__((noinline)) void trace_method_call(struct rv_execution_context *context,
                                                        struct rv_control_frame *frame,
                                                        struct rv_traced_instruction *place)
{
    const struct rv_method *method = rv_debugger_is_busy() ? NULL : rv_traced_instructions_method(place, frame);
    if (method)
        open_entry(method, (const char *)frame);
    else
        rv_traced_instructions.original(context, frame);
}

static __attribute__((noinline)) void trace_block_call(struct rv_execution_context *context,
                                                       struct rv_control_frame *frame)
{
    if (!write_known_block_call(frame))
        rv_traced_instructions.original(context, frame);
}

static inline void write_traced(struct rv_execution_context *context, struct rv_control_frame *frame,
                                struct rv_traced_instruction *place)
{
    if (place->event == RUBY_EVENT_CALL)
        trace_method_call(context, frame, place);
    else if (place->event == RUBY_EVENT_B_CALL)
        trace_block_call(context, frame);
    else if (rv_commands.is_serving)
        return;
    else if (place->event == RUBY_EVENT_RETURN)
        write_method_return((const char *)frame);
    else
        write_block_return((const char *)frame);
}

static __attribute__((noinline)) void trace_among_hooks(struct rv_execution_context *context,
                                                        struct rv_control_frame *frame,
                                                        struct rv_traced_instruction *place)
{
    if (!rv_fast_dispatch_is_in_hook(context) && rv_fast_dispatch_look(place->event, rv_fast_dispatch.hooks))
        write_traced(context, frame, place);
    else
        rv_traced_instructions.original(context, frame);
}

static void trace(struct rv_execution_context *context, struct rv_control_frame *frame)
{
    struct rv_traced_instruction *place = rv_traced_instructions_place(frame->next_instruction);
    if (__builtin_expect(!rv_traced_instructions_is_of(place, frame->next_instruction), 0) ||
        !rv_traced_instructions_holds(frame))
        rv_traced_instructions_learn(context, frame);
    else if (!place->event)
        return;
    else if (rv_fast_dispatch_is_in_hook(context) || !rv_fast_dispatch_is_alone(rv_fast_dispatch.hooks))
        trace_among_hooks(context, frame, place);
    else
        write_traced(context, frame, place);
}

static void on_counted_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    rv_object_counts_tell();
    on_event(event, data, self, id, owner);
    rv_object_counts_skip();
}

static rb_event_hook_func_t hook(void)
{
    return params.has_objects ? on_counted_event : on_event;
}

/* Are collections written? Where few methods are chosen, the rest should not pay for it. */
static bool has_collections(void)
{
    return !params.targets || params.allocations;
}

static void add_hook(void)
{
    rb_add_event_hook(hook(), events, Qnil);
}

static void ignore_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)event;
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
}

/* Ruby takes the events of the Ractor whose hooks changed last for those of all: those that the program has in the main one
 * are asked for here, too. */
static void keep_other_events(void)
{
    const rb_event_flag_t others = rv_fast_dispatch.hooks ? rv_fast_dispatch.hooks->events & ~events : 0;
    const rb_event_flag_t internal = others & RUBY_INTERNAL_EVENT_MASK; /* a hook has such or others */
    if (internal)
        rb_add_event_hook(ignore_event, internal, Qnil);
    if (others != internal)
        rb_add_event_hook(ignore_event, others - internal, Qnil);
}

/* Ours comes first: no Ractor misses calls meanwhile. */
static void begin_ractor(void)
{
    rv_debugger_begin_thread();
    add_hook();
    keep_other_events();
    if (has_collections())
        rv_collections_begin_ractor();
}

static bool has_begun, is_paused;

/* Of code whose method may be a chosen one. */
static void on_target(rb_event_flag_t event)
{
    if (!has_begun || is_paused)
        return;
    if (!(events & RUBY_EVENT_FIBER_SWITCH))
        rv_fiber_stacks_follow();
    hook()(event, Qnil, Qnil, 0, Qnil);
}

static void begin(void)
{
    has_begun = true;
    if (params.targets)
        rv_fiber_stacks_know_first();
    rv_ractors_start(rv_traced_instructions_stop, begin_ractor);
    if (has_collections())
        rv_collections_start(params.allocations);
    add_hook(); /* Ruby calls the last one first */
    rv_collection_hooks_spare();
    if (params.has_objects)
        rv_object_counts_start();
    rv_gvl_start();
}

/* ---- until the main script begins ---- */

/* Ruby names the script it was started with, and that of -e, <main>. So it does the outermost frame, which Ruby 3.1 lists, too: it has
 * no file at first, and the script's while libraries of RUBYOPT are loaded. */
#define N_OUTERMOST (RUBY_API_VERSION_CODE < 30200)

static bool is_main(VALUE text)
{
    return RB_TYPE_P(text, T_STRING) && strcmp(RSTRING_PTR(text), "<main>") == 0;
}

/* A frame of the script, or of a block in it. */
static bool is_of_main(VALUE frame)
{
    return is_main(rb_profile_frame_base_label(frame)) && !is_main(rb_profile_frame_path(frame));
}

static bool has_main_begun(void)
{
    VALUE frames[MOST_FRAMES];
    int n, first = 0, n_scripts = 0;
    if (rb_thread_current() != rb_thread_main())
        return true;
    do {
        n = rb_profile_frames(first, MOST_FRAMES, frames, NULL);
        for (int i = 0; i < n; i++)
            if (is_of_main(frames[i]) && (!is_main(rb_profile_frame_label(frames[i])) || ++n_scripts > N_OUTERMOST))
                return true;
        first += n;
    } while (n == MOST_FRAMES);
    return false;
}

static void on_early_event(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    if (event == RUBY_EVENT_FIBER_SWITCH) /* the main script's first call may be a fiber's, which has no frame yet */
        rv_fiber_stacks_switch(rv_context());
    if (!has_main_begun())
        return;
    rb_remove_event_hook(on_early_event);
    begin();
    hook()(event, data, self, id, owner);
}

/* slow: why events take Ruby's way to the hook, or NULL; said where there is room. */
static void say_level(const char *slow)
{
    static const char *const levels[] = {"methods", "methods, when it asks", "methods and blocks",
                                         "methods, blocks, C calls"};
    char text[64], all[64];
    snprintf(text, sizeof text, "Ruby %s: %s%s%s", ruby_version, params.targets ? "chosen " : "", levels[params.level],
             params.has_yjit && !params.targets ? "; YJIT is off (1.1-5x)" : "");
    const int n = slow ? snprintf(all, sizeof all, "%s; slow events: %s", text, slow) : 0;
    ringviz_runtime(n > 0 && (size_t)n < sizeof all ? all : text);
}

/*
 * Events by code: code without chosen methods has none, and stays as it is. An event at each change of fibers would
 * cost as much as a call: the fiber is looked up in each event instead.
 */
static void start_filter(void)
{
    const rb_event_flag_t of_threads = RUBY_EVENT_FIBER_SWITCH | RUBY_EVENT_THREAD_BEGIN | RUBY_EVENT_THREAD_END;
    rv_chosen_methods_start(params.targets, events & ~(of_threads | RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN),
                            on_target);
    events = has_collections() ? of_threads : of_threads & ~RUBY_EVENT_FIBER_SWITCH;
}

void rv_hooks_start(const struct rv_hooks_params *given)
{
    params = *given;
    rv_collections_prepare();
    say_level(params.has_objects || params.targets ? NULL : rv_fast_dispatch_start(on_event, dispatch));
    events =
        RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_FIBER_SWITCH | RUBY_EVENT_THREAD_BEGIN | RUBY_EVENT_THREAD_END;
    if (params.level >= RV_HOOKS_BLOCKS)
        events |= RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN;
    if (params.level >= RV_HOOKS_ALL)
        events |= RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN;
    if (params.has_lines)
        events |= RUBY_EVENT_LINE;
    if (params.targets)
        start_filter();
    if (params.level == RV_HOOKS_OFF)
        return;
    rv_ractors_start(rv_traced_instructions_stop, begin_ractor); /* Ractor.new may be the main script's first call */
    if (params.is_at_once || params.targets)
        begin();
    else
        rb_add_event_hook(on_early_event, events, Qnil);
}

void rv_hooks_pause(void)
{
    if (!has_begun || is_paused)
        return;
    is_paused = true;
    rv_fast_dispatch_forget();
    rb_remove_event_hook(hook());
    rv_fiber_stacks_close_to_span();
}

void rv_hooks_resume(void)
{
    if (!has_begun) {
        rb_remove_event_hook(on_early_event);
        begin();
    } else if (is_paused) {
        add_hook();
    }
    rv_fiber_stacks_follow(); /* this may be another fiber than the first, or the last */
    is_paused = false;
}

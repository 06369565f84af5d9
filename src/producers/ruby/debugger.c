/*
 * Events of one line may come several times, once for each target that it belongs to: the first handles it. Ruby makes
 * no events while one is handled, so an expression that is evaluated there is not traced.
 */
#include "producers/ruby/debugger.h"

#include <limits.h>
#include <unistd.h>

#include "producers/ruby/backtrace.h"
#include "producers/ruby/breakpoints.h"
#include "producers/ruby/code_events.h"
#include "producers/ruby/evaluate.h"
#include "producers/ruby/request_poller.h"
#include "producers/ruby/ruby_api.h"
#include "ringviz/monitor.h"

/* Targets that are no breakpoint's: numbers of those begin at 1. */
#define STEPS 0u
#define WAKING UINT_MAX

static bool has_blocks;

static _Thread_local struct rv_debugger_thread thread __attribute__((tls_model("initial-exec")));

static struct rv_debugger_seen here(VALUE tracepoint)
{
    const struct rv_control_frame *frame = rv_context()->frame;
    return (struct rv_debugger_seen){rv_context(), frame, frame->next_instruction, tracepoint};
}

static bool is_same(const struct rv_debugger_seen *a, const struct rv_debugger_seen *b)
{
    return a->context == b->context && a->frame == b->frame && a->next_instruction == b->next_instruction;
}

/* Is this event handled already, by another tracepoint? */
static bool is_again(struct rv_debugger_seen *last, VALUE tracepoint)
{
    struct rv_debugger_seen now = here(tracepoint);
    if (is_same(&now, last) && tracepoint != last->tracepoint && rv_code_events_has(last->tracepoint))
        return true;
    *last = now;
    return false;
}

/* ---- what it wants to see ---- */

static void on_block(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)event;
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
    rv_debugger_entry();
}

static void look_at_line(VALUE tracepoint);

static void on_any_line(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)event;
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
    look_at_line(Qnil);
}

/* A hook of the calling thread, which slows others a little. */
static void set_hook(bool is_wanted, bool *is_set, rb_event_hook_func_t hook, rb_event_flag_t event)
{
    if (is_wanted && !*is_set)
        rb_thread_add_event_hook(rb_thread_current(), hook, event, Qnil);
    else if (!is_wanted && *is_set)
        rb_thread_remove_event_hook(rb_thread_current(), hook);
    *is_set = is_wanted;
}

static bool has_watch(void)
{
    for (unsigned i = 0; i < rv_breakpoint_list.n; i++)
        if (rv_breakpoint_list.points[i].kind == RV_BREAKPOINT_WATCH)
            return true;
    return false;
}

/* All that is on the stack: blocks belong to the code that they are written in. */
static void want_lines_of_stack(unsigned number)
{
    VALUE all = rv_backtrace_code();
    rv_code_events_begin_thread();
    for (long i = 0; i < RARRAY_LEN(all); i++)
        rv_code_events_add_lines(rv_code_events_owner(number), rb_ary_entry(all, i), 0);
    RB_GC_GUARD(all);
}

static void set_hooks(void)
{
    set_hook(rv_commands.pace == RV_COMMANDS_STEP && !has_blocks, &thread.has_block_hook, on_block, RUBY_EVENT_B_CALL);
    set_hook(has_watch(), &thread.has_line_hook, on_any_line, RUBY_EVENT_LINE);
    if (rv_commands.pace == RV_COMMANDS_RUN)
        rv_code_events_release(rv_code_events_owner(STEPS));
    else
        want_lines_of_stack(STEPS);
}

static void want(void)
{
    thread.has_changed = true;
    set_hooks();
}

static void keep_fiber(void)
{
    const VALUE fiber = rv_commands.pace == RV_COMMANDS_RUN ? 0 : rb_fiber_current();
    if (fiber && fiber != thread.fiber)
        rv_code_events_keep(rv_code_events_owner(STEPS), fiber);
    thread.fiber = fiber;
}

static void go_on(void)
{
    thread.context = rv_context();
    thread.frame = rv_context()->frame;
    thread.code = thread.frame->code;
    set_hooks();
    keep_fiber();
}

static const char *why_not(enum rv_commands_pace pace)
{
    if (pace == RV_COMMANDS_START)
        return "its main program has already begun";
    return pace == RV_COMMANDS_FINISH && RARRAY_LEN(rv_backtrace_code()) < 2 ? "it is in no method" : NULL;
}

/* ---- waiting ---- */

struct wait {
    struct ringviz_file *file;
    uint32_t ring;
    uint64_t timeout_ns;
};

static void *wait_without_gvl(void *context)
{
    const struct wait *wait = context;
    ringviz_attention_wait(wait->file, wait->ring, wait->timeout_ns);
    return NULL;
}

static void wait_for_attention(uint64_t timeout_ns)
{
    struct wait wait = {.timeout_ns = timeout_ns};
    if (ringviz_own_ring(&wait.file, &wait.ring) == 0)
        rb_thread_call_without_gvl(wait_without_gvl, &wait, RUBY_UBF_IO, NULL);
}

struct protected_body {
    void (*body)(const void *context);
    const void *context;
};

static VALUE run_body(VALUE given)
{
    const struct protected_body *protected = (const struct protected_body *)given; /* NOLINT */
    protected->body(protected->context);
    return Qnil;
}

static VALUE end_body(VALUE unused)
{
    rv_code_events_end();
    rv_commands_end();
    return unused;
}

static void protect(void (*body)(const void *context), const void *context)
{
    struct protected_body protected = {body, context};
    rv_code_events_begin();
    rb_ensure(run_body, (VALUE) & protected, end_body, Qnil);
}

static const struct rv_commands_runtime runtime = {
    .evaluate = rv_evaluate,
    .show_stack = rv_backtrace_show,
    .why_not = why_not,
    .go_on = go_on,
    .want = want,
    .add_breakpoint = rv_breakpoints_add,
    .watch = rv_breakpoints_watch,
    .protect = protect,
    .wait = wait_for_attention,
};

/* ---- events ---- */

static bool are_due(const void *place, struct rv_text *why)
{
    return rv_breakpoints_are_due(place, why);
}

static bool is_break(const struct rv_breakpoints_place *place)
{
    return rv_breakpoint_list.n > 0 && rv_breakpoints_is_any_met(place) &&
           rv_commands_look_at_breakpoints(are_due, place);
}

/* A clause that rescues in the frame that it goes on in has a frame of its own; one of the caller may take its place. */
static bool has_come_back(const struct rv_control_frame *frame, bool has_left)
{
    if (rv_context() != thread.context)
        return false;
    if (frame == thread.frame)
        return !has_left || frame->code != thread.code;
    if (frame < thread.frame)
        return !has_left && rv_control_frame_rescues(frame, thread.frame->environment);
    return true;
}

static bool is_due(void)
{
    switch (rv_commands.pace) {
    case RV_COMMANDS_RUN:
    case RV_COMMANDS_START:
        return false;
    case RV_COMMANDS_STEP:
        return true;
    case RV_COMMANDS_NEXT:
        return has_come_back(rv_context()->frame, false);
    case RV_COMMANDS_FINISH:
        return has_come_back(rv_context()->frame, true);
    }
    return false;
}

static void take_ring(void)
{
    static pid_t pid;
    if (pid && pid != getpid())
        rv_code_events_fork();
    pid = getpid();
    thread.has_new_ring = false;
    rv_commands_on_ring();
    rv_request_poller_begin_thread();
}

static void poll(void)
{
    if (!rv_commands_are_there())
        return;
    thread.is_woken = false;
    rv_code_events_release(rv_code_events_owner(WAKING));
    rv_commands_serve();
}

/* A thread that stopped where a method or block was entered is before its first statement, whose event often follows. It may be on
 * another native thread since. */
static __attribute__((noinline)) void keep_stopped(bool is_step)
{
    thread.stopped = here(Qnil);
    thread.is_stopped_by_step = is_step;
    thread.is_line_due = thread.has_changed && rv_commands.pace == RV_COMMANDS_RUN;
}

static bool has_stopped_here(void)
{
    struct rv_debugger_seen now = here(Qnil), last = thread.stopped;
    thread.stopped = (struct rv_debugger_seen){0};
    return is_same(&now, &last);
}

static void look_at_line(VALUE tracepoint)
{
    const struct rv_breakpoints_place place = {.kind = RV_BREAKPOINT_LINE};
    if (rv_commands.is_serving) /* ours, such as a look for Ractors, after which this would be looked for again */
        return;
    if (thread.has_new_ring)
        take_ring();
    if (is_again(&thread.line, tracepoint) || (has_stopped_here() && !thread.is_line_due))
        return;
    if (is_break(&place) || is_due())
        rv_commands_stop();
    else
        poll();
}

static void on_line(VALUE tracepoint, void *unused)
{
    (void)unused;
    look_at_line(tracepoint);
}

void rv_debugger_look_at_entry(void)
{
    unsigned n_stops = rv_commands.n_stops;
    if (thread.has_new_ring)
        take_ring();
    thread.has_changed = false;
    if (rv_commands.pace != RV_COMMANDS_STEP)
        poll();
    else if (!has_stopped_here() || !thread.is_stopped_by_step)
        rv_commands_stop();
    if (rv_commands.n_stops != n_stops)
        keep_stopped(true);
}

/* A step goes on in every fiber, the others in their own until that has ended. */
void rv_debugger_look_at_fiber(void)
{
    if (rv_commands.pace == RV_COMMANDS_START ||
        (rv_commands.pace != RV_COMMANDS_STEP && RTEST(rb_fiber_alive_p(thread.fiber))))
        return;
    rv_commands.pace = RV_COMMANDS_STEP;
    set_hooks();
}

static void on_entry(VALUE tracepoint, void *unused)
{
    const struct rv_breakpoints_place place = {.kind = RV_BREAKPOINT_SUB};
    (void)unused;
    if (is_again(&thread.entry, tracepoint) || (has_stopped_here() && thread.is_stopped_by_step))
        return;
    thread.has_changed = false;
    if (!is_break(&place))
        return;
    rv_commands_stop();
    keep_stopped(false);
}

static void on_raise(VALUE tracepoint, void *unused)
{
    struct rv_breakpoints_place place = {.kind = RV_BREAKPOINT_RAISE};
    (void)unused;
    if (is_again(&thread.raise, tracepoint))
        return;
    place.exception = rb_tracearg_raised_exception(rb_tracearg_from_tracepoint(tracepoint));
    if (is_break(&place))
        rv_commands_stop();
}

static void on_loaded(VALUE tracepoint, void *unused)
{
    (void)unused;
    rv_breakpoints_load(rb_funcall(tracepoint, rb_intern("instruction_sequence"), 0));
}

/* A thread that makes no calls looks at its requests where its next statement begins; where none does, at once. */
static void wake(void)
{
    if (!rv_commands_are_there() || rv_commands.is_serving || thread.has_new_ring)
        return;
    if (thread.is_woken) {
        poll();
        return;
    }
    rv_commands.is_serving = true; /* what is called for this is not traced */
    want_lines_of_stack(WAKING);
    rv_commands.is_serving = false;
    thread.is_woken = true;
}

/* ---- threads ---- */

static void end_thread(void)
{
    rv_code_events_end_thread();
    rv_request_poller_end_thread();
    thread = (struct rv_debugger_thread){0};
}

void rv_debugger_swap(struct rv_debugger_put_away *other)
{
    const struct rv_debugger_thread before = thread;
    thread = other->thread;
    other->thread = before;
    rv_commands_swap(&other->commands);
    rv_code_events_swap(&other->code_events);
    rv_request_poller_swap(&other->poller);
    rv_evaluate_swap(&other->output);
}

void rv_debugger_on_ring(void)
{
    static const uint32_t somebody = 1;
    thread.has_new_ring = true;
    rv_commands.attention = &somebody;
}

void rv_debugger_begin_thread(void)
{
    rv_commands_end_thread();
    rv_debugger_on_ring(); /* it may have one by now */
}

void rv_debugger_end_thread(void)
{
    struct ringviz_file *file;
    uint32_t ring;
    if (ringviz_own_ring(&file, &ring) == 0)
        ringviz_state_set(file, ring, RINGVIZ_UNSTEERED);
    rv_commands_end_thread();
}

void rv_debugger_start(bool is_with_blocks)
{
    static const struct rv_code_events_handlers handlers = {on_line, on_entry, on_raise, on_loaded};
    has_blocks = is_with_blocks;
    rv_code_events_start(&handlers);
    rv_breakpoints_start();
    rv_evaluate_start();
    rv_request_poller_start(wake);
    rv_commands_start(&runtime, end_thread);
}

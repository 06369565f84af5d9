/*
 * A Ruby extension of what does nothing, by RINGVIZ_BENCH_TRACER: four TracePoints for calls and returns of methods in Ruby
 * and in C, or one hook. A tracer that uses them cannot cost less.
 */
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wundef"
#include <ruby.h>
#include <ruby/debug.h>
#pragma GCC diagnostic pop

static void do_nothing(VALUE point, void *unused)
{
    (void)point;
    (void)unused;
}

static void ignore(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    (void)event;
    (void)data;
    (void)self;
    (void)id;
    (void)owner;
}

static void enable_points(void)
{
    static const rb_event_flag_t events[] = {RUBY_EVENT_CALL, RUBY_EVENT_RETURN, RUBY_EVENT_C_CALL,
                                             RUBY_EVENT_C_RETURN};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rb_tracepoint_enable(rb_tracepoint_new(Qnil, events[i], do_nothing, NULL));
}

RUBY_FUNC_EXPORTED void Init_ringviz_bench_tracepoints(void);

void Init_ringviz_bench_tracepoints(void)
{
    const rb_event_flag_t ruby = RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_FIBER_SWITCH;
    const char *tracer = getenv("RINGVIZ_BENCH_TRACER");
    if (strcmp(tracer, "hook") == 0)
        rb_add_event_hook(ignore, ruby, Qnil);
    else if (strcmp(tracer, "hook_all") == 0)
        rb_add_event_hook(
            ignore, ruby | RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN | RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN, Qnil);
    else
        enable_points();
}

/*
 * A Ruby extension: four TracePoints that do nothing, for calls and returns of methods in Ruby and in C. A tracer that
 * uses TracePoints cannot cost less.
 */
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

RUBY_FUNC_EXPORTED void Init_ringviz_bench_tracepoints(void);

void Init_ringviz_bench_tracepoints(void)
{
    static const rb_event_flag_t events[] = {RUBY_EVENT_CALL, RUBY_EVENT_RETURN, RUBY_EVENT_C_CALL,
                                             RUBY_EVENT_C_RETURN};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rb_tracepoint_enable(rb_tracepoint_new(Qnil, events[i], do_nothing, NULL));
}

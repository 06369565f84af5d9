/*
 * A Ruby extension of what does nothing, by RINGVIZ_BENCH_TRACER: four TracePoints for calls and returns of methods in Ruby
 * and in C, or one hook, also one that reads a clock. A tracer that uses them cannot cost less.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec;
#endif
}

static void read_clock(rb_event_flag_t event, VALUE data, VALUE self, ID id, VALUE owner)
{
    ignore(event, data, self, id, owner);
    (void)clock_ticks();
}

static void enable_points(void)
{
    static const rb_event_flag_t events[] = {RUBY_EVENT_CALL, RUBY_EVENT_RETURN, RUBY_EVENT_C_CALL,
                                             RUBY_EVENT_C_RETURN};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        rb_tracepoint_enable(rb_tracepoint_new(Qnil, events[i], do_nothing, NULL));
}

static const struct hook {
    const char *tracer;
    rb_event_hook_func_t function;
    bool has_all; /* events of level `all` */
} hooks[] = {
    {"hook", ignore, false},
    {"hook_all", ignore, true},
    {"hook_clock", read_clock, false},
    {"hook_clock_all", read_clock, true},
};

static void add_hook(const struct hook *hook)
{
    const rb_event_flag_t ruby = RUBY_EVENT_CALL | RUBY_EVENT_RETURN | RUBY_EVENT_FIBER_SWITCH;
    const rb_event_flag_t others = RUBY_EVENT_B_CALL | RUBY_EVENT_B_RETURN | RUBY_EVENT_C_CALL | RUBY_EVENT_C_RETURN;
    rb_add_event_hook(hook->function, hook->has_all ? ruby | others : ruby, Qnil);
}

RUBY_FUNC_EXPORTED void Init_ringviz_bench_tracepoints(void);

void Init_ringviz_bench_tracepoints(void)
{
    const char *tracer = getenv("RINGVIZ_BENCH_TRACER");
    if (strcmp(tracer, "tracepoints") == 0)
        enable_points();
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (strcmp(tracer, hooks[i].tracer) == 0)
            add_hook(&hooks[i]);
}

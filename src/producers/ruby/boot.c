/* Init function of the library, which lib/ringviz.rb loads if it was built for this Ruby. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producers/ruby/api.h"
#include "producers/ruby/debugger.h"
#include "producers/ruby/gvl_states.h"
#include "producers/ruby/hooks.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/ractors.h"
#include "producers/ruby/fiber_stacks.h"
#include "producers/ruby/thread_names.h"
#include "ringviz/producer.h"

static bool is_set_to(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

static enum rv_hooks_level level(void)
{
    static const struct {
        const char *name;
        enum rv_hooks_level level;
    } levels[] = {{"ruby", RV_HOOKS_RUBY}, {"blocks", RV_HOOKS_BLOCKS}, {"all", RV_HOOKS_ALL}, {"off", RV_HOOKS_OFF}};
    const char *text = getenv("RINGVIZ_RUBY");
    for (size_t i = 0; text && i < sizeof levels / sizeof *levels; i++) {
        if (strcmp(text, levels[i].name) == 0)
            return levels[i].level;
    }
    if (text && *text)
        fprintf(stderr, "ringviz: RINGVIZ_RUBY=%s: not ruby, blocks, all or off; taken as ruby\n", text);
    return RV_HOOKS_RUBY;
}

/* 0 where the variable has no number. */
static uint32_t number(const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : 0;
    if (text && (*end || value < 0 || value >= INT32_MAX)) {
        fprintf(stderr, "ringviz: %s=%s: not a number of objects; ignored\n", name, text);
        return 0;
    }
    return (uint32_t)value;
}

/* Hooks on all methods make Ruby throw compiled code away, for good. */
static bool is_compiling(void)
{
    int error = 0;
    VALUE answer = rb_eval_string_protect("defined?(RubyVM::YJIT.enabled?) && RubyVM::YJIT.enabled?", &error);
    if (error)
        rb_set_errinfo(Qnil);
    return !error && RTEST(answer);
}

static void on_ring(void)
{
    rv_fiber_stacks_replay();
    rv_debugger_on_ring();
}

/* A file that is no longer there belonged to a ringviz that has ended. */
static void say_refused(int error)
{
    if (error == -EBADMSG || error == -EPROTONOSUPPORT)
        fprintf(stderr, "ringviz: %s: not a trace file of this version; this Ruby is not traced\n",
                getenv("RINGVIZ_FILE"));
}

RUBY_FUNC_EXPORTED void Init_ringviz(void);

void Init_ringviz(void)
{
    rb_provide("ringviz.rb"); /* for programs that require "ringviz" */
    const int error = ringviz_open(NULL);
    if (error) {
        say_refused(error);
        return;
    }
    if (!rv_context_start()) {
        fprintf(stderr, "ringviz: Ruby %s is not traced: it is not known where it keeps its frames\n", ruby_version);
        return;
    }
    if (RUBY_API_VERSION_CODE >= 30300 && !rv_ractors_is_single()) { /* where threads' own data need be made before */
        fprintf(stderr, "ringviz: this Ruby is not traced: it was running Ractors when ringviz was loaded\n");
        return;
    }
    struct rv_hooks_params params = {
        .level = level(),
        .is_at_once = is_set_to("RINGVIZ_RUBY_BOOT", "1"),
        .has_lines = is_set_to("RINGVIZ_RUBY_LINES", "1"),
        .has_yjit = is_compiling(),
        .has_objects = is_set_to("RINGVIZ_RUBY_OBJECTS", "1"),
        .targets = getenv("RINGVIZ_RUBY_TARGETS"),
        .allocations = number("RINGVIZ_RUBY_ALLOC"),
    };
    rb_ext_ractor_safe(true);
    rv_api_start();
    rv_thread_names_start();
    rv_ractors_prepare();
    rv_methods_start();
    rv_fiber_stacks_start();
    rv_gvl_prepare();
    rv_debugger_start(params.level >= RV_HOOKS_BLOCKS);
    ringviz_on_ring(on_ring);
    if (params.has_yjit && !params.targets)
        fputs("ringviz: a traced Ruby program is interpreted: YJIT is off in it from now on, which alone takes 1.1 to "
              "5 times the time; RINGVIZ_RUBY_TARGETS leaves it on\n",
              stderr);
    rv_hooks_start(&params);
}

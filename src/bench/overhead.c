/* Which programs are measured with and without tracing: ours, in C, Perl and Ruby, or the user's. */
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/child.h"
#include "bench/stages.h"
#include "launch/environment.h"
#include "launch/launch.h"

enum { PATH_BYTES = 4096 };

#define UFTRACE(folder) "uftrace", "record", "--no-pager", "--no-libcall", "--libmcount-single", "-d", folder
#define RINGVIZ "/proc/self/exe", "--report=json", "--force", "--output=/dev/null", "--"
#define TRACER(name) "RINGVIZ_BENCH_TRACER=" name
#define RESULTS "/tmp/ringviz-bench-XXXXXX"

/*
 * Hooks that do nothing are libc's own, those of a Perl module or a preloaded library that finds no trace file.
 *
 * ltrace sees calls through the procedure linkage table only: the same calls as the hooks in one workload only.
 */
static int measure_c(struct rv_bench_out *out)
{
    char plain[PATH_BYTES], hooked[PATH_BYTES], hooks[PATH_BYTES], preload[PATH_BYTES + 16];
    char folder[] = RESULTS, calls[64];
    if (rv_launch_find_file("ringviz-bench-plain", plain, sizeof plain) != 0 ||
        rv_launch_find_file("ringviz-bench-hooked", hooked, sizeof hooked) != 0 ||
        rv_launch_find_file("libringviz-cyg.so", hooks, sizeof hooks) != 0 || !mkdtemp(folder))
        return 0;
    snprintf(calls, sizeof calls, "%s/uftrace", folder); /* not there yet: uftrace puts away what is */
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", hooks);
    const struct rv_stages_peer peers[] = {
        {.name = "uftrace", .front = {UFTRACE(calls)}},
        {.name = "ltrace",
         .front = {"ltrace", "-o", "/dev/null", "-e", "ringviz_bench_step"},
         .is_on_plain = true,
         .workload = "library"},
    };
    const char *const plain_argv[] = {plain, NULL}, *const hooked_argv[] = {hooked, NULL};
    const char *const variables[] = {preload, NULL};
    int error = rv_stages_measure(out, &(struct rv_stages){.name = "c",
                                                           .plain = plain_argv,
                                                           .traced = hooked_argv,
                                                           .variables = variables,
                                                           .peers = peers,
                                                           .n_peers = sizeof peers / sizeof *peers});
    rv_child_remove_folder(folder);
    return error;
}

static int measure_perl(struct rv_bench_out *out)
{
    char script[PATH_BYTES], module[PATH_BYTES], library[PATH_BYTES + 16], results[64];
    char folder[] = RESULTS;
    if (rv_launch_find_file("ringviz-bench.pl", script, sizeof script) != 0 ||
        rv_launch_find_file("perl/Devel/RingViz.pm", module, sizeof module) != 0 || !mkdtemp(folder))
        return 0;
    snprintf(library, sizeof library, "PERL5LIB=%.*s", (int)(strlen(module) - strlen("/Devel/RingViz.pm")), module);
    snprintf(results, sizeof results, "NYTPROF=stmts=0:slowops=0:file=%s/out", folder);
    const struct rv_stages_peer peer = {.name = "nytprof", .variables = {"PERL5OPT=-d:NYTProf", results}};
    const char *const argv[] = {"perl", script, NULL};
    const char *const variables[] = {library, "PERL5OPT=-d:RingViz", NULL};
    int error = rv_stages_measure(out, &(struct rv_stages){.name = "perl",
                                                           .plain = argv,
                                                           .traced = argv,
                                                           .variables = variables,
                                                           .empty = variables,
                                                           .peers = &peer,
                                                           .n_peers = 1});
    rv_child_remove_folder(folder);
    return error;
}

struct ruby {
    char script[PATH_BYTES], options[PATH_BYTES + 16];
};

static bool find_ruby(struct ruby *ruby)
{
    char library[PATH_BYTES];
    if (rv_launch_find_file("ringviz-bench.rb", ruby->script, sizeof ruby->script) != 0 ||
        rv_launch_find_file("ruby/ringviz.rb", library, sizeof library) != 0)
        return false;
    snprintf(ruby->options, sizeof ruby->options, "RUBYOPT=-r%s", library);
    return true;
}

/* Peers: our other levels, hooks and TracePoints that do nothing, and profilers; the script starts them itself. */
static int measure_ruby(struct rv_bench_out *out)
{
    struct ruby ruby;
    if (!find_ruby(&ruby))
        return 0;
    const struct rv_stages_peer peers[] = {
        {.name = "blocks", .front = {RINGVIZ}, .variables = {"RINGVIZ_RUBY=blocks"}},
        {.name = "all", .front = {RINGVIZ}, .variables = {"RINGVIZ_RUBY=all"}},
        {.name = "hook_c", .variables = {TRACER("hook")}},
        {.name = "hook_c_all", .variables = {TRACER("hook_all")}},
        {.name = "hook_c_clock", .variables = {TRACER("hook_clock")}},
        {.name = "hook_c_clock_all", .variables = {TRACER("hook_clock_all")}},
        {.name = "tracepoint_c", .variables = {TRACER("tracepoints")}},
        {.name = "tracepoint_rb", .variables = {TRACER("tracepoint")}},
        {.name = "ruby_prof", .variables = {TRACER("ruby-prof")}},
        {.name = "stackprof", .variables = {TRACER("stackprof")}},
    };
    const char *const argv[] = {"ruby", ruby.script, NULL};
    const char *const variables[] = {ruby.options, NULL};
    return rv_stages_measure(out, &(struct rv_stages){.name = "ruby",
                                                      .plain = argv,
                                                      .traced = argv,
                                                      .variables = variables,
                                                      .empty = variables,
                                                      .peers = peers,
                                                      .n_peers = sizeof peers / sizeof *peers});
}

/* Compiled by YJIT, which a hook on all methods turns off: how much of that speed is left, and with ten chosen methods,
 * which are interpreted. */
static int measure_compiled(struct rv_bench_out *out)
{
    struct ruby ruby;
    if (!find_ruby(&ruby))
        return 0;
    const struct rv_stages_peer chosen = {
        .name = "chosen",
        .front = {RINGVIZ},
        .variables = {
            "RINGVIZ_RUBY_TARGETS=Unroll#run,Web#request,Web#route,Web#parse,Web#index,Web#show,Fibers#numbers,"
            "Fibers#doubled,Console#run,Console#draw"}};
    const char *const argv[] = {"ruby", "--yjit", ruby.script, NULL};
    const char *const variables[] = {ruby.options, NULL};
    return rv_stages_measure(out, &(struct rv_stages){.name = "ruby_yjit",
                                                      .plain = argv,
                                                      .traced = argv,
                                                      .variables = variables,
                                                      .peers = &chosen,
                                                      .n_peers = 1});
}

/* Without ltrace: at 0.1 ms a call most programs would take hours. */
static int measure_command(struct rv_bench_out *out, const char *const *command)
{
    char folder[] = RESULTS, calls[64], info[64], profile[64], options[96];
    if (!mkdtemp(folder))
        return 0;
    snprintf(profile, sizeof profile, "%s/nytprof", folder);
    snprintf(options, sizeof options, "NYTPROF=stmts=0:slowops=0:file=%s", profile);
    snprintf(calls, sizeof calls, "%s/uftrace", folder);
    snprintf(info, sizeof info, "%s/uftrace/info", folder);
    char **environment = rv_environment_create(&(struct rv_launch_params){.trace_path = "", .argv = command});
    const struct rv_stages_peer peers[] = {
        {.name = "uftrace", .front = {UFTRACE(calls)}, .result = info},
        {.name = "nytprof", .variables = {"PERL5OPT=-d:NYTProf", options}, .result = profile},
    };
    int error = rv_stages_measure(out, &(struct rv_stages){.name = "command",
                                                           .is_whole = true,
                                                           .plain = command,
                                                           .traced = command,
                                                           .variables = (const char *const *)environment,
                                                           .empty = (const char *const *)environment,
                                                           .peers = peers,
                                                           .n_peers = sizeof peers / sizeof *peers});
    rv_environment_destroy(environment);
    rv_child_remove_folder(folder);
    return error;
}

int rv_bench_overhead(struct rv_bench_out *out)
{
    const char *const *command = rv_bench_command(out);
    if (command)
        return measure_command(out, command);
    int error = measure_c(out);
    error = error ? error : measure_perl(out);
    error = error ? error : measure_ruby(out);
    return error ? error : measure_compiled(out);
}

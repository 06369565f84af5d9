/*
 * Explains why a command made no traced call, from its file and name alone. The first reason that applies is reported; for a
 * command that only runs another, that of the other.
 */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch/program.h"

#define HOOK "__cyg_profile_func_enter"

static const char SHELL_FUNCTIONS[] =
    "shell functions are not traced, but the programs that it starts are; none ran that could be";

static const char SCRIPT_FUNCTIONS[] =
    "functions in the language that it runs are not traced yet; perf script and folded stacks of a profiler can be "
    "opened: ringviz FILE";

static const char REBUILD[] = "build it with -g -finstrument-functions -fno-optimize-sibling-calls";

/* ---- interpreters ---- */

struct interpreter {
    const char *name; /* possibly followed by a version */
    const char *what; /* what ringviz does not trace, and the alternative */
};

static const struct interpreter INTERPRETERS[] = {
    {"python",
     "Python functions are not traced yet; VizTracer writes what ringviz opens: viztracer -o trace.json SCRIPT, "
     "then ringviz trace.json"},
    {"pypy",
     "Python functions are not traced yet; VizTracer writes what ringviz opens: viztracer -o trace.json SCRIPT, "
     "then ringviz trace.json"},
    {"node", "JavaScript functions are not traced yet; node --cpu-prof SCRIPT writes what ringviz opens: ringviz "
             "CPU.*.cpuprofile"},
    {"java", "Java methods are not traced yet; async-profiler writes what ringviz opens: asprof -d 30 -o collapsed -f "
             "stacks.txt PID, then ringviz stacks.txt"},
    {"php", SCRIPT_FUNCTIONS},
    {"lua", SCRIPT_FUNCTIONS},
    {"tclsh", SCRIPT_FUNCTIONS},
    {"R", SCRIPT_FUNCTIONS},
    {"guile", SCRIPT_FUNCTIONS},
    {"swipl", SCRIPT_FUNCTIONS},
    {"beam.smp", SCRIPT_FUNCTIONS},
    {"bash", SHELL_FUNCTIONS},
    {"sh", SHELL_FUNCTIONS},
    {"dash", SHELL_FUNCTIONS},
    {"zsh", SHELL_FUNCTIONS},
    {"ksh", SHELL_FUNCTIONS},
    {"busybox", SHELL_FUNCTIONS},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "python3.11" is python, "shuf" is not sh. */
static const struct interpreter *find_by_name(const char *path)
{
    const char *name = base_name(path);
    for (size_t i = 0; i < sizeof INTERPRETERS / sizeof *INTERPRETERS; i++) {
        size_t n_bytes = strlen(INTERPRETERS[i].name);
        if (strncmp(name, INTERPRETERS[i].name, n_bytes) == 0 &&
            name[n_bytes + strspn(name + n_bytes, "0123456789.-")] == '\0')
            return &INTERPRETERS[i];
    }
    return NULL;
}

/* By the name it is called by, and by the target of links. */
static const struct interpreter *find_by_path(const char *path)
{
    char real[PATH_MAX];
    const struct interpreter *found = find_by_name(path);
    return found || !realpath(path, real) ? found : find_by_name(real);
}

/* Some scripts choose a version, and have its name; others are known by their interpreter. */
static const struct interpreter *find_interpreter(const struct rv_program *program)
{
    if (program->is_script && !find_by_name(program->path))
        return find_by_name(*program->interpreter ? program->interpreter : "sh");
    return find_by_path(program->path);
}

/* ---- commands that run another ---- */

enum way { AS_IT_IS, AS_ANOTHER_USER, IN_ANOTHER_ROOT };

static const struct runner {
    const char *name;
    enum way way;
} RUNNERS[] = {
    {"env", AS_IT_IS},
    {"nice", AS_IT_IS},
    {"nohup", AS_IT_IS},
    {"timeout", AS_IT_IS},
    {"time", AS_IT_IS},
    {"setsid", AS_IT_IS},
    {"taskset", AS_IT_IS},
    {"stdbuf", AS_IT_IS},
    {"ionice", AS_IT_IS},
    {"chrt", AS_IT_IS},
    {"prlimit", AS_IT_IS},
    {"numactl", AS_IT_IS},
    {"catchsegv", AS_IT_IS},
    {"xvfb-run", AS_IT_IS},
    {"setarch", AS_IT_IS},
    {"setpriv", AS_ANOTHER_USER},
    {"su", AS_ANOTHER_USER},
    {"sudo", AS_ANOTHER_USER},
    {"runuser", AS_ANOTHER_USER},
    {"gosu", AS_ANOTHER_USER},
    {"doas", AS_ANOTHER_USER},
    {"pkexec", AS_ANOTHER_USER},
    {"chroot", IN_ANOTHER_ROOT},
    {"unshare", IN_ANOTHER_ROOT},
    {"nsenter", IN_ANOTHER_ROOT},
    {"bwrap", IN_ANOTHER_ROOT},
    {"firejail", IN_ANOTHER_ROOT},
    {"docker", IN_ANOTHER_ROOT},
    {"podman", IN_ANOTHER_ROOT},
    {"systemd-run", IN_ANOTHER_ROOT},
};

static const struct runner *find_runner(const char *command)
{
    for (size_t i = 0; i < sizeof RUNNERS / sizeof *RUNNERS; i++)
        if (strcmp(base_name(command), RUNNERS[i].name) == 0)
            return &RUNNERS[i];
    return NULL;
}

/* The program that it runs: the first argument that is one. */
static const char *const *find_run(const char *const *argv)
{
    struct rv_program program;
    while (*++argv)
        if (**argv != '-' && rv_program_read(*argv, &program) == 0 && (program.is_elf || program.is_script))
            return argv;
    return NULL;
}

static bool explain_runner(const char *const *argv, const char *unfit, char *out, size_t out_bytes)
{
    const struct runner *runner = find_runner(*argv);
    const char *const *run = runner ? find_run(argv) : NULL;
    if (!runner || (runner->way == AS_IT_IS && !run))
        return false;
    if (runner->way == AS_IT_IS)
        rv_launch_explain_silence(run, unfit, out, out_bytes);
    else
        snprintf(out, out_bytes,
                 "%s made no traced call: it runs a program %s; put ringviz behind it: %s ... ringviz ... -- PROGRAM",
                 *argv,
                 runner->way == AS_ANOTHER_USER
                     ? "as another user, without our LD_PRELOAD or without the right to open the trace file"
                     : "with another root or in another container, where neither our library nor the trace file are",
                 base_name(*argv));
    return true;
}

/* ---- programs ---- */

static bool has_hooks(const struct rv_program *program)
{
    return program->needs_hook || program->needs_profile_hook;
}

static bool can_be_patched(const struct rv_program *program)
{
    return program->is_script || (program->is_elf && program->is_executable && program->is_our_machine &&
                                  !program->is_go && (program->has_interpreter || program->is_program) &&
                                  !program->is_privileged && !rv_program_stack_walker(program) &&
                                  !rv_program_makes_threads(program) && !rv_program_throws_by_libunwind(program));
}

static void explain_image(const struct rv_program *program, char *out, size_t out_bytes)
{
    const char *walker = program->is_elf ? rv_program_stack_walker(program) : NULL;
    if (!program->is_elf)
        snprintf(out, out_bytes, "it is neither an ELF program nor a script");
    else if (!program->is_executable || !program->is_our_machine)
        snprintf(out, out_bytes, "it is a program for another machine than ringviz was built for; %s for this one",
                 REBUILD);
    else if (program->is_go)
        snprintf(out, out_bytes, "it is a Go program, whose functions are not traced");
    else if (!program->has_interpreter)
        snprintf(
            out, out_bytes,
            "it is statically linked, and was not patched: that can be done where ringviz itself starts it, and it has "
            "GNU's C library and an unwind table; link it dynamically, or build it with "
            "-g -finstrument-functions -fno-optimize-sibling-calls and link it with libringviz.a");
    else if (program->has_other_libc)
        snprintf(out, out_bytes,
                 "it uses another C library than GNU's, whose loader cannot load ours; link it with GNU's");
    else if (program->has_own_hook)
        snprintf(out, out_bytes, "it has a " HOOK " of its own, which hides ours; leave that out");
    else if (!has_hooks(program) && program->needs_api)
        snprintf(out, out_bytes,
                 "it is linked with libringviz, but it called nothing of it, or the loader did not find it (after an "
                 "installation: ldconfig)");
    else if (!has_hooks(program) && walker)
        snprintf(out, out_bytes,
                 "it is %s: these walk or copy their stacks, whose return addresses tracing changes, and would fail",
                 walker);
    else if (!has_hooks(program) && rv_program_makes_threads(program))
        snprintf(
            out, out_bytes,
            "it makes threads by system calls of its own (clone), which have no place for our data: it is not patched");
    else if (!has_hooks(program) && rv_program_throws_by_libunwind(program))
        snprintf(out, out_bytes,
                 "it throws its exceptions by libunwind, which does not go through traced calls; link it with libgcc_s "
                 "ahead "
                 "of libunwind");
    else if (!has_hooks(program))
        snprintf(out, out_bytes,
                 "it has no hooks, and was not patched, or no patched function ran (man ringviz, --patch); or %s",
                 REBUILD);
    else
        snprintf(out, out_bytes,
                 "it is instrumented, but no instrumented function ran, or it was run with another LD_PRELOAD or "
                 "without RINGVIZ_FILE");
}

static void explain_program(const struct rv_program *program, char *out, size_t out_bytes)
{
    const struct interpreter *interpreter = find_interpreter(program);
    if (program->is_privileged)
        snprintf(out, out_bytes,
                 "it is set-user-ID, set-group-ID or has capabilities, and the loader preloads nothing into it; run a "
                 "plain copy of it, or run ringviz as its user");
    else if (rv_program_is_perl(program))
        snprintf(out, out_bytes,
                 "it is a Perl program that called nothing, or its perl loaded no Devel::RingViz: perl -T never does, "
                 "nor does another perl than ringviz was built for, and a build without perl.h (Debian: libperl-dev) "
                 "has none; one that could not be loaded has said why");
    else if (rv_program_is_ruby(program))
        snprintf(out, out_bytes,
                 "it is a Ruby program that called no method written in Ruby (RINGVIZ_RUBY=all traces those in C), "
                 "or its ruby loaded no library of ringviz: --disable=rubyopt never does, nor does another ruby than "
                 "ringviz was built for, and a build without ruby.h (Debian: ruby-dev) has none; one that could not be "
                 "loaded has said why");
    else if (interpreter && !program->needs_hook)
        snprintf(out, out_bytes, "%s", interpreter->what);
    else if (program->is_script)
        snprintf(out, out_bytes,
                 "it is a script for %s, whose functions are not traced yet; programs that it starts are",
                 program->interpreter);
    else
        explain_image(program, out, out_bytes);
}

void rv_launch_explain_silence(const char *const *argv, const char *unfit, char *out, size_t out_bytes)
{
    const char *command = *argv;
    char why[600];
    struct rv_program program;
    if (explain_runner(argv, unfit, out, out_bytes))
        return;
    int error = rv_program_read(command, &program);
    if (error == -ENOENT)
        snprintf(out, out_bytes, "%s made no traced call: it is not there any more", command);
    else if (error)
        snprintf(out, out_bytes, "%s made no traced call: why cannot be told, its file is not readable (%s)", command,
                 strerror(-error));
    else if (unfit && can_be_patched(&program))
        snprintf(why, sizeof why, "%s, or none that does was called", unfit);
    else
        explain_program(&program, why, sizeof why);
    if (!error)
        snprintf(out, out_bytes, "%s made no traced call: %s", command, why);
}

const char *rv_launch_untraced_language(const char *program)
{
    const struct interpreter *found = find_by_path(program);
    return found && found->what != SHELL_FUNCTIONS ? found->what : NULL;
}

bool rv_launch_is_profiled(const char *command)
{
    struct rv_program program;
    return rv_program_read(command, &program) == 0 && program.needs_profile_hook;
}

/*
 * Whatever a command starts inherits its environment: a producer is left out only where it would be in the way. Native
 * hooks always fit; Perl's and Ruby's fit all but natively instrumented programs, which are traced for their own sake.
 */
#include "launch/producers.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "launch/environment.h"
#include "launch/program.h"
#include "ring/attachment.h"

struct producer {
    const char *file;      /* to be found beside ringviz */
    const char *forbidden; /* characters its path must not have, */
    const char *without;   /* and what is so without it */
    bool (*fits)(const struct rv_program *program);
    bool (*is_needed)(const struct rv_program *program);
    void (*add)(char **environment, char *path);
};

static bool is_any(const struct rv_program *program)
{
    (void)program;
    return true;
}

static bool can_load_ours(const struct rv_program *program)
{
    return !program->has_other_libc;
}

/*
 * In front of a path: GNU's loader puts the name of its libraries' folder for $LIB, and goes up to the root again. That of
 * another C library, which cannot load ours, finds no such file, and ignores it: programs that the command starts need
 * not be known.
 */
#define FOR_GNU_LOADER "/$LIB/../../../.."

/* Is that folder there? Where it is, the C library is found by way of it to be loaded. */
static bool has_gnu_folder(void)
{
    char path[sizeof FOR_GNU_LOADER + PATH_MAX] = FOR_GNU_LOADER;
    Dl_info info;
    void *library = NULL;
    if (dladdr((void *)(uintptr_t)&strlen, &info) && realpath(info.dli_fname, path + strlen(path)))
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return library != NULL;
}

/* A shared AddressSanitizer runtime refuses to start behind another library, but works there: ours calls what it intercepts
 * in turn. Said by an option of its own, programs that the command starts have it, too. */
static void add_preload(char **environment, char *path)
{
    char library[sizeof FOR_GNU_LOADER + PATH_MAX];
    snprintf(library, sizeof library, "%s%s", has_gnu_folder() ? FOR_GNU_LOADER : "", path);
    rv_environment_set(environment, "LD_PRELOAD", library, ':', getenv("LD_PRELOAD"));
    rv_environment_set(environment, "ASAN_OPTIONS", "verify_asan_link_order=0", ':', getenv("ASAN_OPTIONS"));
}

static bool has_no_hooks(const struct rv_program *program)
{
    return !program->needs_hook;
}

/*
 * path: .../Devel/RingViz.pm. -d is the one switch that comes ahead of what a command line's -M names; of several, the
 * last one counts.
 */
static void add_perl_module(char **environment, char *path)
{
    const char *folders = getenv("PERL5LIB"), *switches = getenv("PERL5OPT"), ours[] = "-d:RingViz";
    bool has_switches = switches && *switches;
    for (int i = 0; i < 2; i++)
        *strrchr(path, '/') = '\0';
    rv_environment_set(environment, "PERL5LIB", path, ':', folders ? folders : getenv("PERLLIB"));
    rv_environment_set(environment, "PERL5OPT", has_switches ? switches : ours, ' ', has_switches ? ours : NULL);
}

/* path: .../ruby/ringviz.rb. The first switch of what was there may lack its dash. */
static void add_ruby_library(char **environment, char *path)
{
    const char *switches = getenv("RUBYOPT"), ours[] = "-r";
    char option[PATH_MAX + sizeof ours + 1];
    switches = switches ? switches + strspn(switches, " \t") : "";
    snprintf(option, sizeof option, "%s%s%s", ours, path, *switches ? " " : "");
    rv_environment_set(environment, "RUBYOPT", option, '-', switches + (*switches == '-'));
}

#if defined(__x86_64__) && defined(__LP64__)
/* The first loads it, to patch. */
static void add_nothing(char **environment, char *path)
{
    (void)environment;
    (void)path;
}
#endif

/* With another user's rights it refuses to start by options that load something. */
static bool takes_ruby_options(const struct rv_program *program)
{
    return has_no_hooks(program) && !program->is_privileged;
}

static const struct producer producers[] = {
    {"libringviz-cyg.so", ": ", "only programs that link libringviz are traced", can_load_ours, is_any, add_preload},
#if defined(__x86_64__) && defined(__LP64__)
    {RV_ATTACHMENT_PLANNER, "", "programs without hooks are not traced", can_load_ours, has_no_hooks, add_nothing},
#endif
    {"perl/Devel/RingViz.pm", ":", "Perl programs are not traced", has_no_hooks, rv_program_is_perl, add_perl_module},
    {"ruby/ringviz.rb", " \t", "Ruby programs are not traced", takes_ruby_options, rv_program_is_ruby,
     add_ruby_library},
};

static void add(const struct producer *producer, const struct rv_program *program, char **environment)
{
    char path[PATH_MAX];
    bool is_needed = producer->is_needed(program);
    if (rv_launch_find_file(producer->file, path, sizeof path) != 0) {
        if (is_needed)
            rv_warn("%s was found neither beside ringviz nor in its library folder: %s", producer->file,
                    producer->without);
    } else if (strpbrk(path, producer->forbidden)) {
        if (is_needed)
            rv_warn("%s: the loader accepts no path with a space or a colon: %s", path, producer->without);
    } else {
        producer->add(environment, path);
    }
}

void rv_producers_add(char **environment, const char *command)
{
    struct rv_program program;
    rv_program_read(command, &program);
    for (size_t i = 0; i < sizeof producers / sizeof *producers; i++)
        if (producers[i].fits(&program))
            add(&producers[i], &program, environment);
}

/* Why a command wrote no event, told from its file alone. The first reason that holds is the one said. */
#include "launch/launch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "launch/program.h"

#define HOOK "__cyg_profile_func_enter"

static const char REBUILD[] = "build it with -g -finstrument-functions -fno-optimize-sibling-calls";

static void explain_image(const struct rv_program *program, char *out, size_t out_bytes)
{
    if (!program->is_elf)
        snprintf(out, out_bytes, "it is neither an ELF program nor a script");
    else if (!program->is_executable || !program->is_our_machine)
        snprintf(out, out_bytes, "it is a program for another machine than ringviz was built for; %s for this one",
                 REBUILD);
    else if (!program->has_interpreter)
        snprintf(out, out_bytes,
                 "it is statically linked, and nothing can be preloaded into it; link it "
                 "dynamically");
    else if (program->has_own_hook)
        snprintf(out, out_bytes, "it has a " HOOK " of its own, which hides ours; leave that out");
    else if (!program->needs_hook && program->needs_api)
        snprintf(out, out_bytes,
                 "it is linked with libringviz, but it called nothing of it, or the loader did not find it (after an "
                 "installation: ldconfig)");
    else if (!program->needs_hook)
        snprintf(out, out_bytes, "it is not instrumented; %s", REBUILD);
    else
        snprintf(out, out_bytes,
                 "it is instrumented, but no instrumented function ran, or it was run with another LD_PRELOAD or "
                 "without RINGVIZ_FILE");
}

static void explain_program(const struct rv_program *program, char *out, size_t out_bytes)
{
    if (rv_program_is_perl(program))
        snprintf(out, out_bytes,
                 "it is a Perl program that called nothing, or its perl loaded no Devel::RingViz: perl -T never does, "
                 "nor does another perl than ringviz was built for, and a build without perl.h (Debian: libperl-dev) "
                 "has none");
    else if (program->is_script)
        snprintf(out, out_bytes,
                 "it is a script for %s, whose functions are not traced yet; Perl programs it starts are, and programs "
                 "built with -finstrument-functions",
                 *program->interpreter ? program->interpreter : "sh");
    else if (program->is_privileged)
        snprintf(out, out_bytes,
                 "it is set-user-ID, set-group-ID or has capabilities, and the loader preloads nothing into it; run a "
                 "plain copy of it, or run ringviz as its user");
    else
        explain_image(program, out, out_bytes);
}

void rv_launch_explain_silence(const char *command, char *out, size_t out_bytes)
{
    char why[400];
    struct rv_program program;
    int error = rv_program_read(command, &program);
    if (error == -ENOENT)
        snprintf(out, out_bytes, "%s wrote no event: it is not there any more", command);
    else if (error)
        snprintf(out, out_bytes, "%s wrote no event: why cannot be told, its file is not readable (%s)", command,
                 strerror(-error));
    else
        explain_program(&program, why, sizeof why);
    if (!error)
        snprintf(out, out_bytes, "%s wrote no event: %s", command, why);
}

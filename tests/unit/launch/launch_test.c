#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/launch.h"

#define PROBE LAUNCH_FOLDER "/launch_probe"

static char folder[64];
static char output[8192];

static void make_folder(void)
{
    strcpy(folder, "/tmp/ringviz-launch-XXXXXX");
    cr_assert(mkdtemp(folder) != NULL);
}

/* Run a shell command in the folder: its status; what it wrote to both outputs is in `output`. */
static __attribute__((format(printf, 1, 2))) int shell(const char *format, ...)
{
    char script[4096], command[5000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(script, sizeof script, format, arguments);
    va_end(arguments);
    snprintf(command, sizeof command, "cd '%s' && { %s\n} 2>&1", folder, script);
    FILE *pipe = popen(command, "r");
    size_t n = fread(output, 1, sizeof output - 1, pipe);
    output[n] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_expect(eq(int, system(command), 0));
}

TestSuite(launch, .init = make_folder, .fini = remove_folder, .timeout = 60);

static unsigned n_lines(void)
{
    unsigned n = 0;
    for (const char *c = output; *c; c++)
        n += *c == '\n';
    return n;
}

Test(launch, the_status_comes_back_as_a_shell_gives_it)
{
    static const struct {
        const char *command;
        int status;
    } cases[] = {{"true", 0},
                 {"sh -c 'exit 7'", 7},
                 {"sh -c 'exit 255'", 255},
                 {"sh -c 'kill -9 $$'", 137},
                 {"sh -c 'kill -TERM $$'", 143}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect(eq(int, shell(PROBE " run %s", cases[i].command), cases[i].status), "%s", cases[i].command);
}

Test(launch, a_command_that_cannot_run_gives_one_line_and_127_or_126)
{
    shell("echo text >plain; printf '#!/nonexistent/interpreter\\n' >script; chmod +x script; mkdir dir");
    static const struct {
        const char *command, *line;
        int status;
    } cases[] = {{"no-such-command-anywhere", "ringviz: no-such-command-anywhere: command not found\n", 127},
                 {"./absent", "ringviz: ./absent: No such file or directory\n", 127},
                 {"./plain/x", "ringviz: ./plain/x: Not a directory\n", 127},
                 {"./plain", "ringviz: ./plain: Permission denied\n", 126},
                 {"./dir", "ringviz: ./dir: Permission denied\n", 126},
                 {"./script", "ringviz: ./script: its interpreter was not found\n", 127}};
    shell("mkdir -p bin lib/ringviz; cp " PROBE
          " bin/probe; touch lib/ringviz/libringviz-cyg.so lib/ringviz/libringviz-patch.so");
    setenv("PATH", "/usr/bin:/bin", 1); /* all of them ours to look into */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect(eq(int, shell("bin/probe run %s", cases[i].command), cases[i].status), "%s", cases[i].command);
        cr_expect(eq(str, output, (char *)cases[i].line));
    }
}

Test(launch, the_producer_is_preloaded_first_and_the_file_named_absolutely)
{
    char expected[512];
    shell("mkdir -p bin lib/ringviz; cp " PROBE " bin/probe; touch lib/ringviz/libringviz-cyg.so trace");
    shell(
        "LD_PRELOAD=/other.so RINGVIZ_FILE=old bin/probe run env 2>/dev/null | grep -E '^(LD_PRELOAD|RINGVIZ)' | sort");
    snprintf(expected, sizeof expected,
             "LD_PRELOAD=/$LIB/../../../..%s/lib/ringviz/libringviz-cyg.so:/other.so\nRINGVIZ_FILE=%s/"
             "trace\nRINGVIZ_ONLY=0\nRINGVIZ_PATCH=auto\nRINGVIZ_PLANS=off\n",
             folder, folder);
    cr_expect(eq(str, output, (char *)expected));
}

Test(launch, perls_module_goes_to_all_but_natively_instrumented_commands)
{
    char expected[512];
    shell("mkdir -p bin lib/ringviz/perl/Devel; cp " PROBE " bin/probe; touch trace lib/ringviz/perl/Devel/RingViz.pm "
          "lib/ringviz/libringviz-cyg.so");
    shell("PERLLIB=/older PERL5OPT='-T -w' bin/probe run env 2>/dev/null | grep ^PERL5 | sort");
    snprintf(expected, sizeof expected, "PERL5LIB=%s/lib/ringviz/perl:/older\nPERL5OPT=-T -w -d:RingViz\n", folder);
    cr_expect(eq(str, output, (char *)expected));
    shell("PERL5LIB=/old PERLLIB=/older bin/probe run env 2>/dev/null | grep ^PERL5 | sort");
    snprintf(expected, sizeof expected, "PERL5LIB=%s/lib/ringviz/perl:/old\nPERL5OPT=-d:RingViz\n", folder);
    cr_expect(eq(str, output, (char *)expected));
    shell("bin/probe run " LAUNCH_FOLDER "/launch_plain PERL5OPT 2>/dev/null");
    cr_expect(eq(str, output, "-d:RingViz\n"));
    shell("bin/probe run " LAUNCH_FOLDER "/launch_instrumented PERL5OPT 2>/dev/null");
    cr_expect(eq(str, output, "unset\n"));
}

Test(launch, rubys_library_goes_before_the_switches_that_are_there)
{
    static const char *const switches[][2] = {
        {"", ""}, {"-w -rset", " -w -rset"}, {" w", " -w"}, {"--yjit", " --yjit"}};
    shell("mkdir -p bin lib/ringviz/ruby; cp " PROBE " bin/probe; touch trace lib/ringviz/ruby/ringviz.rb "
          "lib/ringviz/libringviz-cyg.so");
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
        char expected[512];
        shell("RUBYOPT='%s' bin/probe run env 2>/dev/null | grep ^RUBYOPT", switches[i][0]);
        snprintf(expected, sizeof expected, "RUBYOPT=-r%s/lib/ringviz/ruby/ringviz.rb%s\n", folder, switches[i][1]);
        cr_expect(eq(str, output, (char *)expected));
    }
    shell("bin/probe run " LAUNCH_FOLDER "/launch_instrumented RUBYOPT 2>/dev/null");
    cr_expect(eq(str, output, "unset\n"));
}

Test(launch, without_perls_module_perl_runs_with_a_warning)
{
    shell("mkdir -p bin lib/ringviz; cp " PROBE " bin/probe; touch trace lib/ringviz/libringviz-cyg.so");
    cr_expect(eq(int, shell("bin/probe run perl -e 'print qq(opt=$ENV{PERL5OPT}\n)'"), 0));
    cr_expect(strstr(output, "opt=\n") != NULL);
    cr_expect(strstr(output, "ringviz: perl/Devel/RingViz.pm was found neither") != NULL);
}

Test(launch, without_a_producer_the_command_runs_with_a_warning)
{
    shell("mkdir -p a/b/c; cp " PROBE " a/b/c/probe");
    cr_expect(eq(int, shell("a/b/c/probe run sh -c 'echo preload=$LD_PRELOAD'"), 0));
    cr_expect(strstr(output, "ringviz: libringviz-cyg.so was found neither") == output);
    cr_expect(strstr(output, "preload=\n") != NULL);
}

Test(launch, standard_streams_are_the_commands_own)
{
    cr_expect(eq(int, shell("printf 'a\\nb' | " PROBE " run cat 2>/dev/null"), 0));
    cr_expect(eq(str, output, "a\nb"));
    cr_expect(eq(int, shell(PROBE " run sh -c 'echo out; echo err >&2' 2>/dev/null"), 0));
    cr_expect(eq(str, output, "out\n"));
    cr_expect(
        eq(int, shell(PROBE " run sh -c 'test ! -e /proc/self/fd/0 && ls /proc/self/fd | wc -l' <&- 2>/dev/null"), 0));
}

Test(launch, signals_sent_to_the_launcher_reach_the_command)
{
    static const char *const names[] = {"TERM", "HUP", "USR1", "USR2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_expect(eq(int,
                     shell("mkfifo ready.%s; " PROBE " run sh -c 'trap \"exit 9\" %s; echo >ready.%s; "
                           "while :; do sleep 0.01; done' & read x <ready.%s; kill -%s $!; wait $!",
                           names[i], names[i], names[i], names[i], names[i]),
                     9),
                  "%s: %s", names[i], output);
    }
}

Test(launch, signals_for_a_command_that_has_ended_are_its_launchers)
{
    cr_expect(eq(int, shell(PROBE " gone sh -c 'exit 7' 2>/dev/null"), 7));
    cr_expect(eq(str, output, "3 ends\n"));
    cr_expect(eq(int, shell(PROBE " dead sh -c 'exit 7' 2>/dev/null"), 128 + SIGTERM));
}

Test(launch, the_terminals_interrupt_ends_the_command_only)
{
    char ready[128], script[256], byte;
    snprintf(ready, sizeof ready, "%s/ready", folder);
    snprintf(script, sizeof script, "echo >'%s'; exec sleep 100", ready);
    cr_assert(eq(int, mkfifo(ready, 0600), 0));
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        execl(PROBE, PROBE, "run", "sh", "-c", script, (char *)NULL);
        _exit(99);
    }
    int fd = open(ready, O_RDONLY), status;
    cr_assert(read(fd, &byte, 1) == 1);
    cr_assert(eq(int, kill(-pid, SIGINT), 0));
    cr_assert(waitpid(pid, &status, 0) == pid);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    cr_expect(eq(int, code, 128 + SIGINT));
    close(fd);
}

Test(launch, the_command_inherits_ignored_and_blocked_signals)
{
    shell("env --ignore-signal=HUP --ignore-signal=CHLD --block-signal=USR2 " PROBE
          " run grep -E '^Sig(Ign|Blk)' /proc/self/status 2>/dev/null >traced; "
          "env --ignore-signal=HUP --ignore-signal=CHLD --block-signal=USR2 grep -E '^Sig(Ign|Blk)' /proc/self/status "
          ">plain; cmp plain traced && cat traced");
    cr_expect(strstr(output, "SigBlk:\t0000000000000800") != NULL, "%s", output);
    cr_expect(eq(u32, n_lines(), 2));
}

Test(launch, a_status_is_returned_when_children_are_reaped_automatically)
{
    cr_expect(eq(int, shell("env --ignore-signal=CHLD " PROBE " run sh -c 'exit 5'"), 5));
}

static void *poll_end(void *launch)
{
    while (!rv_launch_has_ended(launch))
        ;
    return NULL;
}

Test(launch, any_thread_may_ask_whether_it_has_ended)
{
    int status;
    const char *argv[] = {"sh", "-c", "exit 3", NULL};
    struct rv_launch *launch = rv_launch_start(&(struct rv_launch_params){.trace_path = "x", .argv = argv}, &status);
    cr_assert(launch != NULL);
    cr_expect(gt(int, rv_launch_pid(launch), 0));
    pthread_t threads[4];
    for (unsigned i = 0; i < 4; i++)
        cr_assert(eq(int, pthread_create(&threads[i], NULL, poll_end, launch), 0));
    for (unsigned i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_expect(eq(int, rv_launch_status(launch), 3));
    rv_launch_destroy(launch);
    rv_launch_destroy(NULL);
}

Test(launch, producers_are_found_beside_the_binary_wherever_it_is)
{
    static const struct {
        const char *binary, *library;
    } cases[] = {
        {"beside", "beside"},
        {"a/bin", "a/lib/ringviz"},
        {"b/bin", "b/lib/" MULTIARCH "/ringviz"},
        {"c/build/src/app", "c/build/lib"},
        {"d/bin", "d/lib"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[512];
        snprintf(expected, sizeof expected, "%s/%s/libringviz-cyg.so\n", folder, cases[i].library);
        shell("mkdir -p %s %s; cp " PROBE " %s/probe; touch %s/libringviz-cyg.so", cases[i].binary, cases[i].library,
              cases[i].binary, cases[i].library);
        cr_expect(eq(int, shell("%s/probe find libringviz-cyg.so", cases[i].binary), 0), "%s", cases[i].binary);
        cr_expect(eq(str, output, (char *)expected));
    }
    cr_expect(eq(int, shell("a/bin/probe find libringviz-none.so"), 1));
    if (geteuid() == 0) {
        shell("chown 12345 beside/libringviz-cyg.so");
        cr_expect(eq(int, shell("beside/probe find libringviz-cyg.so"), 1), "a third user's file was trusted");
    }
}

Test(launch, a_command_without_events_is_explained)
{
    static const struct {
        const char *command, *why;
    } cases[] = {
        {LAUNCH_FOLDER "/launch_plain",
         "was not patched, or no patched function ran (man ringviz, --patch); or build it with -g"},
        {LAUNCH_FOLDER "/launch_static", "statically linked"},
        {LAUNCH_FOLDER "/launch_musl", "another C library than GNU's"},
        {LAUNCH_FOLDER "/launch_go", "it is a Go program, whose functions are not traced"},
        {LAUNCH_FOLDER "/launch_ocaml", "it is an OCaml program"},
        {LAUNCH_FOLDER "/launch_instrumented", "is instrumented, but no instrumented function ran"},
        {LAUNCH_FOLDER "/launch_own_hook", "of its own"},
        {LAUNCH_FOLDER "/launch_api", "linked with libringviz"},
        {"true", "it has no hooks"},
        {"./script", "made no traced call: shell functions are not traced, but the programs that it starts are"},
        {"./env-script", "made no traced call: Python functions are not traced yet; VizTracer"},
        {"./awk-script", "script for awk,"},
        {"./python3.11 -c pass", "Python functions are not traced yet"},
        {"./ruby x.rb", "a Ruby program that called no method"},
        {"./linked x.rb", "a Ruby program that called no method"},
        {"./node x.js", "JavaScript functions are not traced yet"},
        {"./java X", "Java methods are not traced yet"},
        {"sh -c true", "shell functions are not traced"},
        {"bash -c true", "shell functions are not traced"},
        {"nice -n 5 ./ruby x.rb", "./ruby made no traced call: it is a Ruby program"},
        {"env A=1 timeout 100 " LAUNCH_FOLDER "/launch_static", "launch_static made no traced call: it is statically linked"},
        {"setpriv --reuid=1 " LAUNCH_FOLDER "/launch_instrumented", "put ringviz behind it: setpriv ... ringviz"},
        {"chroot . /program", "put ringviz behind it: chroot ... ringviz"},
        {"./perl-script", "a Perl program that called nothing"},
        {"./text", "neither an ELF program nor a script"},
        {"./empty", "neither an ELF program nor a script"},
        {"./other", "another machine"},
        {"./absent", "not there any more"},
        {"absent-from-path", "not there any more"},
    };
    shell("printf '#!/bin/sh -e\\n' >script; printf '#!/usr/bin/env python3\\n' >env-script; printf '#!/usr/bin/perl "
          "-w\\n' >perl-script; printf '#!/usr/bin/awk -f\\n' >awk-script; echo text >text; >empty; "
          "for name in python3.11 ruby node java; do cp " LAUNCH_FOLDER "/launch_plain $name; done; ln -s ruby linked; "
          "cp " LAUNCH_FOLDER "/launch_plain other; printf '\\001' | dd of=other bs=1 seek=4 conv=notrunc; chmod +x *");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect(eq(int, shell(PROBE " explain %s", cases[i].command), 0));
        cr_expect(strstr(output, cases[i].why) != NULL, "%s: %s", cases[i].command, output);
        cr_expect(eq(u32, n_lines(), 1));
    }
}

Test(launch, functions_that_are_not_there_are_explained)
{
    shell("cp " LAUNCH_FOLDER "/launch_plain python3.11; UNFIT='no function of it fits run_' " PROBE
          " explain ./python3.11");
    cr_expect(strstr(output, "no function of it fits run_, or none that does was called") != NULL, "%s", output);
    shell("UNFIT='no function of it fits run_' " PROBE " explain " LAUNCH_FOLDER "/launch_static");
    cr_expect(strstr(output, "no function of it fits run_, or none that does was called") != NULL, "%s", output);
}

Test(launch, privileged_programs_are_explained)
{
    if (geteuid() != 0)
        cr_skip_test("needs root to make a program of another user's");
    shell("cp " LAUNCH_FOLDER "/launch_instrumented setuid; chown 12345 setuid; chmod 4755 setuid");
    shell(PROBE " explain ./setuid");
    cr_expect(strstr(output, "set-user-ID") != NULL, "%s", output);
}

#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

#include "ring/program_name.h"

/* Arguments stand as a shell shows them. */
static const struct named {
    const char *executed, *arguments, *name;
} cases[] = {
    {"/usr/bin/make", "make -j8", "make"},
    {"./prog", "", "prog"}, /* arguments cannot be read */
    {"/usr/bin/perl", "perl", "perl"},
    {"/usr/bin/perl", "perl bin/serve.pl --port 80", "serve.pl"},
    {"/usr/bin/perl5.36", "perl5.36 -w -I lib -Imore -MList::Util=first t/a.t", "a.t"},
    {"/usr/bin/perl", "perl -ne print file.txt", "perl"},
    {"/usr/bin/perl", "perl -i.bake -d:Trace fix.pl", "fix.pl"},
    {"/usr/bin/perl", "perl - file", "perl"},
    {"/usr/bin/perl", "perl -I", "perl"},
    {"/usr/bin/ruby", "ruby -r json -Ilib --yjit app.rb", "app.rb"},
    {"/usr/bin/ruby3.1", "ruby3.1 -e puts", "ruby3.1"},
    {"/usr/bin/python3", "python3 -W error -u /srv/job.py", "job.py"},
    {"/usr/bin/python3", "python3 -m http.server", "python3"},
    {"/usr/bin/node", "node --inspect server.js", "server.js"},
    {"/bin/sh", "sh -c ls", "sh"},
    {"./t.pl", "/usr/bin/perl -w ./t.pl -v", "t.pl"},
    {"/bin/bash", "bash -e -o pipefail ./configure", "configure"},
    {"./configure", "/bin/sh ./configure", "configure"}, /* by its first line */
    {"/usr/bin/perl", "postgres:_writer", "postgres:_writer"},
    {"/usr/bin/prog", "/opt/prog-1.2/other", "other"},
    {"/usr/bin/shfmt", "shfmt a.sh", "shfmt"},
};

Test(program_name, a_program_has_the_name_of_what_is_run, .timeout = 60)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char arguments[256], name[88];
        size_t n = strlen(cases[i].arguments);
        memcpy(arguments, cases[i].arguments, n + 1);
        for (char *space = strchr(arguments, ' '); space; space = strchr(space + 1, ' '))
            *space = '\0';
        rv_program_name_from(cases[i].executed, arguments, n ? n + 1 : 0, name, sizeof name);
        cr_expect_str_eq(name, cases[i].name, "%s: %s", cases[i].arguments, name);
    }
}

Test(program_name, long_and_unended_arguments_are_no_harm, .timeout = 60)
{
    char name[8], tail[8];
    memset(name, 'x', sizeof name);
    memset(tail, 0, sizeof tail);
    rv_program_name_from("/bin/a-long-name", "", 0, name, sizeof name);
    cr_assert_str_eq(name, "a-long-");
    rv_program_name_from("/bin/a", "", 0, name, sizeof name);
    cr_assert_eq(memcmp(name + 1, tail, sizeof name - 1), 0, "filled with NULs");
    rv_program_name_from("/usr/bin/perl", "perl\0-I", 7, name, sizeof name);
    cr_assert_str_eq(name, "perl", "arguments that do not end are unknown");
}

static void *name_threads(void *context)
{
    char *name = context;
    rv_program_name_of_thread("script.pl", name, 64);
    prctl(PR_SET_NAME, "pool");
    rv_program_name_of_thread("script.pl", name + 64, 64);
    return NULL;
}

Test(program_name, a_thread_without_a_name_has_its_programs, .timeout = 60)
{
    char names[2][64], own[88];
    pthread_t thread;
    rv_program_name(own, sizeof own);
    cr_assert_neq(own[0], '\0');
    cr_assert_eq(pthread_create(&thread, NULL, name_threads, names), 0);
    pthread_join(thread, NULL);
    cr_assert_str_eq(names[0], "script.pl");
    cr_assert_str_eq(names[1], "pool");
}

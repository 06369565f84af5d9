#include "cli/rrtrace_gem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "base/err.h"
#include "base/vec.h"
#include "cli/signals.h"
#include "import/rrtrace.h"

static bool is_run_by_gem(int argc, char *const *argv)
{
    const char *slash = argc == 2 ? strrchr(argv[0], '/') : NULL;
    return argc == 2 && strcmp(slash ? slash + 1 : argv[0], "rrtrace") == 0 && argv[1][0] != '-';
}

/* getenv() before the C library's own constructor. */
static const char *value_in(char *const *environment, const char *name)
{
    const size_t length = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

static void start_early(int argc, char **argv, char **environment)
{
    if (!is_run_by_gem(argc, argv))
        return;
    rv_signals_hold_ends();
    rv_rrtrace_open_early(argv[1], value_in(environment, RV_RRTRACE_NAMES));
}

/* Run as soon as libraries are relocated, before their constructors. */
__attribute__((section(".preinit_array"), used)) static void (*const early)(int, char **, char **) = start_early;

int rv_gem_command_line(int *argc, char ***argv)
{
    if (!is_run_by_gem(*argc, *argv))
        return 0;
    static wordexp_t words; /* options point into them */
    const char *text = getenv("RINGVIZ_OPTIONS");
    words.we_offs = 2; /* the program and its memory */
    if (wordexp(text ? text : "", &words, WRDE_DOOFFS | WRDE_NOCMD | WRDE_UNDEF) != 0)
        return rv_err(
            EINVAL, "RINGVIZ_OPTIONS: %s: not the words of a shell: a value with one of |&;<>(){}$ needs quotes", text);
    size_t bytes = sizeof "--rrtrace=" + strlen((*argv)[1]);
    char *memory = rv_alloc(1, bytes);
    snprintf(memory, bytes, "--rrtrace=%s", (*argv)[1]);
    words.we_wordv[0] = (*argv)[0];
    words.we_wordv[1] = memory;
    *argc = (int)words.we_wordc + 2;
    *argv = words.we_wordv;
    return 0;
}

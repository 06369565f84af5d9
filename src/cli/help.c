#include "cli/help.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/option_lookup.h"
#include "viewer/key_bindings.h"
#include "base/err.h"

enum { HELP_COLUMN = 32, HELP_WIDTH = 96 };

static const char HEAD[] =
    "Usage: ringviz [OPTION]... -- COMMAND [ARG]...   run COMMAND and watch its calls\n"
    "       ringviz [OPTION]... FILE                  watch a live trace file, replay a recording,\n"
    "                                                 open another tool's trace (-: standard input)\n"
    "       ringviz --diff BEFORE AFTER               compare two captures\n"
    "       ringviz --merge=OUT.rvz A.rvz B.rvz..     join recordings of several processes or hosts\n"
    "       ringviz --control=FILE                    debug a program that is traced to FILE\n"
    "       ringviz --bench[=NAME,..] [--json]        measure ringviz on this machine\n"
    "\n"
    "Every call and return of a program, live: time x thread x depth as 3D bars coloured by subroutine.\n";

static const char TAIL[] =
    "\n"
    "Times: 12ns 3us 4ms 5s 2min, a plain number is seconds, 500Hz a period. Sizes: 64K 2M 1G.\n"
    "\n"
    "Native programs are traced as they are (--patch); inlined functions, too, when built with\n"
    "  gcc    -g -finstrument-functions -fno-optimize-sibling-calls\n"
    "         -finstrument-functions-exclude-file-list=/usr/include,/usr/lib\n"
    "  clang  -g -finstrument-functions-after-inlining -fno-optimize-sibling-calls\n"
    "or, with CMake: find_package(ringviz) and ringviz_instrument(target).\n"
    "\n"
    "Exit status: the command's (128 + signal; 127 not found, 126 not executable); 1 failed, 2 usage.\n";

/* Prints a text from column n on; lines begin at the column and end before the width. Omits the quotes of `words`. */
static void print_wrapped(const char *text, int n, int column)
{
    int at = n;
    while (*text) {
        int length = (int)strcspn(text, " "), n_quotes = 0;
        for (int i = 0; i < length; i++)
            n_quotes += text[i] == '`';
        if (at > column && at + 1 + length - n_quotes > HELP_WIDTH) {
            putchar('\n');
            at = 0;
        }
        at += at > column ? printf(" ") : printf("%*s", column - at, "");
        for (int i = 0; i < length; i++)
            if (text[i] != '`')
                at += printf("%c", text[i]);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void print_option(const struct rv_option_entry *entry)
{
    char help[RV_OPTION_TEXT_BYTES];
    const char *heading = rv_option_heading(entry);
    if (heading)
        printf("\n%s:\n", heading);
    int n = printf("  --%s%s", entry->name, entry->argument ? entry->argument : "");
    if (n >= HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    print_wrapped(rv_option_text(entry, entry->help, help, sizeof help), n, HELP_COLUMN);
}

static void print_keys(void)
{
    puts("In the window:");
    for (int action = RV_ACTION_NONE + 1; action < RV_ACTION_COUNT; action++) {
        char keys[128];
        printf("  %-*s  %s\n", HELP_COLUMN - 4, rv_key_bindings_text((enum rv_action)action, keys, sizeof keys),
               rv_key_bindings_get((enum rv_action)action)->words);
    }
}

static void print_all(void)
{
    fputs(HEAD, stdout);
    for (int i = 0; i < RV_N_OPTIONS; i++)
        print_option(&RV_OPTION_TABLE[i]);
    putchar('\n');
    print_keys();
    fputs(TAIL, stdout);
}

static void print_details(const struct rv_option_entry *entry)
{
    char text[RV_OPTION_TEXT_BYTES];
    printf("--%s%s\n", entry->name, entry->argument ? entry->argument : "");
    rv_option_paragraph(entry, text, sizeof text);
    print_wrapped(text, 0, 2);
}

static const struct {
    const char *topic, *page, *section;
} PAGES[] = {{"man", "ringviz", "1"},
             {"control", "ringviz-control", "1"},
             {"formats", "ringviz-formats", "7"},
             {"output", "ringviz-output", "7"}};

/* This version's page: beside the binary, in the build tree as where it is installed; else any page of that name. */
static int show_page(const char *page, const char *section)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash) {
        const char *const suffixes[] = {"", ".gz"};
        for (int i = 0; i < 2; i++) {
            sprintf(slash, "/../share/man/man%s/%s.%s%s", section, page, section, suffixes[i]);
            if (access(path, R_OK) == 0)
                execlp("man", "man", path, (char *)NULL);
        }
    }
    execlp("man", "man", section, page, (char *)NULL);
    return rv_err_sys("man %s %s", section, page);
}

int rv_help_print(const char *topic)
{
    if (!topic) {
        print_all();
        return 0;
    }
    if (strcmp(topic, "keys") == 0) {
        print_keys();
        return 0;
    }
    for (size_t i = 0; i < sizeof PAGES / sizeof *PAGES; i++)
        if (strcmp(topic, PAGES[i].topic) == 0)
            return show_page(PAGES[i].page, PAGES[i].section);
    const struct rv_option_entry *entry = rv_option_named(topic + strspn(topic, "-"));
    if (!entry)
        return rv_err(EINVAL, "--help=%s: expected the name of an option, keys, man, control, formats or output",
                      topic);
    print_details(entry);
    return 0;
}

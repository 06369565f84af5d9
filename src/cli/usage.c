#include "cli/usage.h"

#include <stdio.h>
#include <string.h>

#include "cli/keys.h"
#include "cli/option_table.h"

enum { HELP_COLUMN = 32 };

static const char HELP_HEAD[] =
    "Usage: ringviz [OPTION]... -- COMMAND [ARG]...   run COMMAND and watch its calls\n"
    "       ringviz [OPTION]... FILE                  watch a live trace file, replay a recording,\n"
    "                                                 open another tool's trace\n"
    "       ringviz --diff BEFORE AFTER               compare two captures\n"
    "       ringviz --merge=OUT.rvz A.rvz B.rvz..     join recordings of several processes or hosts\n"
    "       ringviz --control=FILE                    stop, step and ask a program that is traced to FILE\n"
    "       ringviz --bench[=NAME,..] [--json]        measure ringviz on this machine\n"
    "\n"
    "Every call and return of a program, live: time x thread x depth as 3D bars coloured by subroutine.\n"
    "\n";

static const char HELP_TAIL[] =
    "\n"
    "Times: 12ns 3us 4ms 5s, a plain number is seconds, 500Hz a period. Sizes: 64K 2M 1G.\n"
    "\n"
    "C and C++ programs are traced when built with (calls inside the standard library stay out)\n"
    "  gcc    -g -finstrument-functions -fno-optimize-sibling-calls\n"
    "         -finstrument-functions-exclude-file-list=/usr/include,/usr/lib\n"
    "  clang  -g -finstrument-functions-after-inlining -fno-optimize-sibling-calls\n"
    "or, with CMake: find_package(ringviz) and ringviz_instrument(target).\n"
    "\n"
    "Exit status: the command's (128 + signal; 127 not found, 126 not executable); 1 failed, 2 usage.\n";

static void print_entry(const struct rv_option_entry *entry)
{
    int n = printf("  --%s%s", entry->name, entry->argument ? entry->argument : "");
    if (n >= HELP_COLUMN) {
        putchar('\n');
        n = 0;
    }
    for (const char *line = entry->help; line; n = 0) {
        const char *end = strchrnul(line, '\n');
        printf("%*s%.*s\n", HELP_COLUMN - n, "", (int)(end - line), line);
        line = *end ? end + 1 : NULL;
    }
}

void rv_usage_print(void)
{
    fputs(HELP_HEAD, stdout);
    for (int i = 0; i < RV_N_OPTIONS; i++)
        print_entry(&RV_OPTION_TABLE[i]);
    rv_keys_print(HELP_COLUMN);
    fputs(HELP_TAIL, stdout);
}

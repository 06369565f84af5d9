#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debugger/source_lines.h"

static char path[64];

static void write_lines(unsigned n)
{
    strcpy(path, "/tmp/ringviz-listing-XXXXXX");
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    cr_assert_not_null(file);
    for (unsigned i = 1; i <= n; i++)
        fprintf(file, "\tline %u\x1b[2J\n", i);
    fclose(file);
}

Test(source_lines, the_lines_around_a_line_are_shown, .timeout = 60)
{
    struct rv_source_lines listing;
    write_lines(100);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 50);
    cr_assert_eq(listing.first, 46);
    cr_assert_eq(listing.n, RV_SOURCE_LINES_LINES);
    cr_assert_str_eq(listing.lines[4], "    line 50\\x1b[2J", "control characters are escaped");
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 1);
    cr_assert_eq(listing.first, 1);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 100);
    cr_assert_eq(listing.n, 5);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 101);
    cr_assert_eq(listing.n, 0, "no such line");
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, UINT32_MAX);
    cr_assert_eq(listing.n, 0);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 0);
    cr_assert_eq(listing.n, 0);
    unlink(path);
}

Test(source_lines, a_relative_path_starts_at_the_folder_of_the_process, .timeout = 60)
{
    struct rv_source_lines listing;
    write_lines(3);
    cr_assert_eq(chdir("/tmp"), 0);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path + strlen("/tmp/"), 2);
    cr_assert_eq(listing.n, 3);
    unlink(path);
}

Test(source_lines, files_that_could_block_or_never_end_are_not_read, .timeout = 60)
{
    struct rv_source_lines listing;
    snprintf(path, sizeof path, "/tmp/ringviz-listing-%d", (int)getpid());
    cr_assert_eq(mkfifo(path, 0600), 0);
    rv_source_lines_read(&listing, (uint32_t)getpid(), path, 1);
    cr_assert_eq(listing.n, 0);
    unlink(path);
    rv_source_lines_read(&listing, (uint32_t)getpid(), "/tmp", 1);
    cr_assert_eq(listing.n, 0);
    rv_source_lines_read(&listing, (uint32_t)getpid(), "/nowhere/at/all", 1);
    cr_assert_eq(listing.n, 0);
    rv_source_lines_read(&listing, (uint32_t)getpid(), "/proc/self/maps", 1);
    cr_assert_eq(listing.n, 0, "files of no size may have no end");
}

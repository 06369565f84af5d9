#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "viewer/bookmarks.h"
#include "viewer/viewer.h"

Test(bookmarks, bookmarks_are_ordered_and_marking_again_removes_one, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    static const uint64_t times[] = {500, 100, 900, 300};
    for (size_t i = 0; i < 4; i++)
        rv_bookmarks_toggle(&marks, times[i], 10);
    cr_assert_eq(marks.n, 4);
    for (size_t i = 1; i < 4; i++)
        cr_assert_lt(marks.ns[i - 1], marks.ns[i]);
    rv_bookmarks_toggle(&marks, 305, 10);
    cr_assert_eq(marks.n, 3);
    rv_bookmarks_toggle(&marks, 311, 10);
    cr_assert_eq(marks.n, 4);
    cr_assert_eq(marks.ns[1], 311);
}

Test(bookmarks, after_the_last_bookmark_comes_the_first, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    uint64_t ns = 42;
    cr_assert_not(rv_bookmarks_next(&marks, 0, &ns));
    rv_bookmarks_toggle(&marks, 100, 1);
    rv_bookmarks_toggle(&marks, 200, 1);
    cr_assert(rv_bookmarks_next(&marks, 100, &ns) && ns == 200);
    cr_assert(rv_bookmarks_next(&marks, 200, &ns) && ns == 100);
}

Test(bookmarks, bookmarks_beyond_the_limit_are_refused, .timeout = 60)
{
    struct rv_bookmarks marks = {0};
    for (uint64_t i = 0; i < 2 * RV_BOOKMARKS_MAX; i++)
        rv_bookmarks_toggle(&marks, 1000 - i, 0);
    cr_assert_eq(marks.n, RV_BOOKMARKS_MAX);
    rv_bookmarks_write(&marks, 1, "one more");
    cr_assert_eq(marks.n, RV_BOOKMARKS_MAX);
    cr_assert_eq(rv_bookmarks_near(&marks, 1, 0), SIZE_MAX);
    rv_bookmarks_write(&marks, 1000, "one of them");
    cr_assert_str_eq(marks.notes[RV_BOOKMARKS_MAX - 1], "one of them");
}

Test(bookmarks, nothing_is_saved_beside_a_capture_that_came_out_of_a_pipe_which_is_said, .timeout = 60)
{
    static struct rv_viewer viewer;
    for (int is_from_pipe = 0; is_from_pipe <= 1; is_from_pipe++) {
        rv_viewer_init(&viewer, &(struct rv_viewer_params){.window_ns = 1000, .is_from_pipe = is_from_pipe});
        rv_viewer_act(&viewer, &(struct rv_act){.action = RV_ACTION_NOTE, .text = "here"});
        cr_expect_eq(viewer.marks.n, 1);
        cr_expect_eq(strstr(viewer.message.text, "not saved") != NULL, is_from_pipe, "%s", viewer.message.text);
        rv_viewer_fini(&viewer);
    }
}

/* ---- the file ---- */

static char folder[64], path[160];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/ringviz-bookmarks-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.rvz.bookmarks", folder);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(bookmarks_file, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void expect_file(const char *expected)
{
    char text[4096];
    FILE *file = fopen(path, "r");
    cr_assert(file, "there is no file");
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    cr_assert_str_eq(text, expected);
}

Test(bookmarks_file, a_capture_opened_again_has_its_bookmarks_and_notes)
{
    struct rv_bookmarks marks = {.n = 0}, again = {.n = 0};
    rv_bookmarks_toggle(&marks, 1500, 0); /* before the capture has come to its end */
    rv_bookmarks_open(&marks, path, 1000);
    rv_bookmarks_write(&marks, 3000, "the lock = \"cache\"\nis h\xc3\xa4ld ");
    rv_bookmarks_toggle(&marks, 2000, 0);
    rv_bookmarks_toggle(&marks, 2001, 5);
    expect_file("# Bookmarks of ringviz: time after the first event = note\n"
                "500ns =\n2000ns = the lock = \"cache\" is h\xc3\xa4ld \n");
    rv_bookmarks_open(&again, path, 9000);
    cr_assert_eq(again.n, 2);
    cr_assert(again.ns[0] == 9500 && again.ns[1] == 11000);
    cr_assert_str_empty(again.notes[0]);
    cr_assert_str_eq(again.notes[1], "the lock = \"cache\" is h\xc3\xa4ld");
    rv_bookmarks_fini(&marks);
    rv_bookmarks_fini(&again);
}

Test(bookmarks_file, a_recording_begun_later_has_those_since_then)
{
    struct rv_bookmarks marks = {.n = 0}, again = {.n = 0};
    rv_bookmarks_toggle(&marks, 1999, 0);
    rv_bookmarks_copy(&marks, path, 2000);
    cr_assert_eq(access(path, F_OK), -1);
    rv_bookmarks_write(&marks, 2000, "begins");
    rv_bookmarks_write(&marks, 2700, "ends");
    rv_bookmarks_copy(&marks, path, 2000);
    rv_bookmarks_write(&marks, 2800, "later");
    expect_file("# Bookmarks of ringviz: time after the first event = note\n@2000ns = begins\n@2700ns = ends\n");
    rv_bookmarks_open(&again, path, 2005);
    cr_assert(again.n == 1 && again.ns[0] == 2700 && strcmp(again.notes[0], "ends") == 0);
    rv_bookmarks_write(&again, 2700, "still");
    expect_file("# Bookmarks of ringviz: time after the first event = note\n@2000ns = begins\n695ns = still\n");
    rv_bookmarks_fini(&again);
}

Test(bookmarks_file, a_window_that_is_closed_before_the_end_keeps_its_bookmarks)
{
    struct rv_viewer viewer;
    rv_viewer_init(&viewer, &(struct rv_viewer_params){.window_ns = 1000, .bookmarks_path = path});
    viewer.live_edge.first_ns = 1000;
    rv_bookmarks_write(&viewer.marks, 1500, "here");
    rv_viewer_fini(&viewer);
    expect_file("# Bookmarks of ringviz: time after the first event = note\n500ns = here\n");
}

Test(bookmarks_file, what_another_window_or_an_editor_has_written_stays)
{
    struct rv_bookmarks marks = {.n = 0}, other = {.n = 0};
    write_file("# mine\nnot a bookmark\n1ms = first\n");
    cr_redirect_stderr();
    rv_bookmarks_open(&marks, path, 0);
    rv_bookmarks_open(&other, path, 0);
    rv_bookmarks_write(&marks, 5, "one");
    rv_bookmarks_write(&other, 6, "two");
    expect_file("# mine\nnot a bookmark\n1ms = first\n5ns = one\n6ns = two\n");
    cr_assert_eq(marks.n, 2);
    rv_bookmarks_fini(&marks);
    rv_bookmarks_fini(&other);
}

Test(bookmarks_file, a_bookmark_of_an_edited_file_is_removed_whatever_its_unit)
{
    struct rv_bookmarks marks = {.n = 0};
    write_file("1ms = first\n0.001s = again\n");
    cr_redirect_stderr();
    rv_bookmarks_open(&marks, path, 0);
    rv_bookmarks_toggle(&marks, 1000000, 0);
    expect_file("");
    rv_bookmarks_fini(&marks);
}

Test(bookmarks_file, who_could_read_the_file_still_can)
{
    struct rv_bookmarks marks = {.n = 0};
    struct stat status;
    write_file("1ms = first\n");
    cr_assert_eq(chmod(path, 0664), 0);
    rv_bookmarks_open(&marks, path, 0);
    rv_bookmarks_write(&marks, 5, "one");
    expect_file("1ms = first\n5ns = one\n");
    cr_assert(stat(path, &status) == 0 && (status.st_mode & 0777) == 0664, "%o", status.st_mode);
    rv_bookmarks_fini(&marks);
}

Test(bookmarks_file, a_symbolic_link_is_neither_read_nor_replaced)
{
    struct rv_bookmarks marks = {.n = 0};
    char target[160];
    struct stat status;
    snprintf(target, sizeof target, "%s/target", folder);
    cr_assert_eq(symlink(target, path), 0);
    cr_redirect_stderr();
    rv_bookmarks_open(&marks, path, 0);
    rv_bookmarks_toggle(&marks, 5, 0);
    cr_assert_eq(marks.n, 1, "it is not even kept for this window");
    cr_assert(lstat(path, &status) == 0 && S_ISLNK(status.st_mode));
    cr_assert_neq(access(target, F_OK), 0);
    rv_bookmarks_fini(&marks);
}

Test(bookmarks_file, a_folder_that_cannot_be_written_is_said_once)
{
    struct rv_bookmarks marks = {.n = 0};
    cr_redirect_stderr();
    rv_bookmarks_open(&marks, "/proc/self/fdinfo/run.rvz.bookmarks", 0);
    rv_bookmarks_toggle(&marks, 5, 0);
    rv_bookmarks_toggle(&marks, 50, 0);
    cr_assert_null(marks.path);
    cr_assert_eq(marks.n, 2);
    fflush(stderr);
    cr_assert_stderr_eq_str("ringviz: /proc/self/fdinfo/run.rvz.bookmarks: No such file or directory\n"
                            "ringviz: /proc/self/fdinfo/run.rvz.bookmarks: bookmarks are not saved\n");
}

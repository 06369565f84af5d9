#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "window/editor.h"
#include "base/clock.h"
#include "base/os.h"

static char folder[] = "/tmp/ringviz-editor-XXXXXX";

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", path);
    close(fd);
}

/* What the editor was started with, a word a line; it is nobody's child. */
static void read_words(char *words, size_t n_bytes)
{
    uint64_t end_ns = rv_clock_mono_ns() + 20000000000u;
    FILE *in;
    while (!(in = fopen("words", "r")) && rv_clock_mono_ns() < end_ns)
        rv_os_sleep_ns(1000000);
    cr_assert(in != NULL, "no editor was started");
    words[fread(words, 1, n_bytes - 1, in)] = '\0';
    fclose(in);
    unlink("words");
}

Test(editor, a_path_of_a_trace_is_a_path_and_nothing_else, .timeout = 60)
{
    static const char *const paths[] = {"plain.c", "+!id", "-R", "+7", "a b.c"};
    char words[256], expected[256], whole[256];
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    write_file("editor", "#!/bin/sh\nprintf '%s\\n' \"$@\" >writing && mv writing words\n");
    setenv("EDITOR", "./editor --wait", 1);
    unsetenv("VISUAL");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        write_file(paths[i], "");
        cr_assert(eq(int, rv_editor_open(paths[i], 3), 0));
        read_words(words, sizeof words);
        snprintf(expected, sizeof expected, "--wait\n+3\n./%s\n", paths[i]);
        cr_expect(eq(str, words, expected));
        unlink(paths[i]);
    }
    snprintf(whole, sizeof whole, "%s/editor", folder);
    cr_assert(eq(int, rv_editor_open(whole, 0), 0));
    read_words(words, sizeof words);
    snprintf(expected, sizeof expected, "--wait\n%s\n", whole);
    cr_expect(eq(str, words, expected));
    unlink("editor");
    cr_expect(eq(int, chdir("/"), 0));
    rmdir(folder);
}

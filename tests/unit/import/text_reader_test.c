#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "import/text_reader.h"

static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-text-%d", (int)getpid());
}

static void teardown(void)
{
    unlink(path);
}

static void write_text(const char *bytes, size_t n, bool is_gzip)
{
    if (is_gzip) {
        gzFile file = gzopen(path, "wb");
        cr_assert(file && (size_t)gzwrite(file, bytes, (unsigned)n) == n && gzclose(file) == Z_OK);
        return;
    }
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

/* Write lines of these lengths into one text, and expect the reader to give back each of them. */
static void reads_back(const size_t *lengths, size_t n_lines, bool has_last_end, bool is_gzip)
{
    size_t n = 0, room = 1;
    for (size_t i = 0; i < n_lines; i++)
        room += lengths[i] + 1;
    char *text = malloc(room);
    for (size_t i = 0; i < n_lines; i++) {
        memset(text + n, 'a' + (int)(i % 26), lengths[i]);
        n += lengths[i];
        if (i + 1 < n_lines || has_last_end)
            text[n++] = '\n';
    }
    write_text(text, n, is_gzip);
    struct rv_text_reader *file = rv_text_reader_open(path);
    cr_assert_not_null(file);
    char *line;
    size_t n_line;
    for (size_t i = 0; i < n_lines; i++) {
        size_t expected = lengths[i] < RV_TEXT_READER_LINE_BYTES ? lengths[i] : RV_TEXT_READER_LINE_BYTES;
        cr_assert_eq(rv_text_reader_line(file, &line, &n_line), 1, "line %zu of %zu", i, n_lines);
        cr_assert_eq(n_line, expected, "line %zu: %zu bytes, not %zu", i, n_line, expected);
        cr_assert_eq(strlen(line), n_line);
        cr_assert_eq(strspn(line, (const char[]){(char)('a' + (int)(i % 26)), '\0'}), n_line);
    }
    cr_assert_eq(rv_text_reader_line(file, &line, &n_line), 0);
    cr_assert_not(rv_text_reader_is_cut(file));
    rv_text_reader_close(file);
    free(text);
}

TestSuite(text_reader, .init = setup, .fini = teardown, .timeout = 60);

Test(text_reader, gives_lines_of_all_lengths)
{
    static const size_t lengths[] = {
        0, 1, 5, 262143, 0, 262144, 262145, 1, RV_TEXT_READER_LINE_BYTES - 1, RV_TEXT_READER_LINE_BYTES, 3};
    for (int i = 0; i < 4; i++)
        reads_back(lengths, sizeof lengths / sizeof *lengths, i & 1, i & 2);
}

Test(text_reader, cuts_a_line_that_is_too_long_and_goes_on_with_the_next)
{
    static const size_t lengths[] = {2, RV_TEXT_READER_LINE_BYTES + 1, 3, 5 * RV_TEXT_READER_LINE_BYTES + 17, 4};
    reads_back(lengths, sizeof lengths / sizeof *lengths, true, false);
}

Test(text_reader, ends_lines_at_either_convention)
{
    write_text("a\r\nb\n\r\n", 7, false);
    struct rv_text_reader *file = rv_text_reader_open(path);
    char *line;
    size_t n;
    static const char *const expected[] = {"a", "b", ""};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rv_text_reader_line(file, &line, &n), 1);
        cr_assert_str_eq(line, expected[i]);
    }
    cr_assert_eq(rv_text_reader_line(file, &line, &n), 0);
    rv_text_reader_close(file);
}

Test(text_reader, reads_a_cut_gzip_file_as_far_as_it_goes)
{
    static char text[100000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i % 251);
    write_text(text, sizeof text, true);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    cr_assert_eq(truncate(path, ftell(file) / 2), 0);
    fclose(file);
    struct rv_text_reader *cut = rv_text_reader_open(path);
    static char bytes[sizeof text];
    size_t n_all = 0, n = 1;
    while (n > 0) {
        cr_assert_eq(rv_text_reader_read(cut, bytes + n_all, sizeof bytes - n_all, &n), 0);
        n_all += n;
    }
    cr_assert_gt(n_all, 0);
    cr_assert_lt(n_all, sizeof text);
    cr_assert_eq(memcmp(bytes, text, n_all), 0);
    cr_assert(rv_text_reader_is_cut(cut));
    rv_text_reader_close(cut);
}

Test(text_reader, takes_regular_files_only)
{
    cr_assert_null(rv_text_reader_open("/tmp"));
    cr_assert_null(rv_text_reader_open("/dev/null"));
    cr_assert_null(rv_text_reader_open("/nonexistent"));
}

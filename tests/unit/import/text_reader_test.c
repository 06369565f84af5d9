#include <criterion/criterion.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "import/text_reader.h"

static char path[64];

enum packer { PLAIN, GZIP, ZSTD, N_PACKERS };

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-text-%d", (int)getpid());
}

static void teardown(void)
{
    unlink(path);
}

static void write_plain(const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static void write_gzip(const char *bytes, size_t n)
{
    gzFile file = gzopen(path, "wb");
    cr_assert(file && (size_t)gzwrite(file, bytes, (unsigned)n) == n && gzclose(file) == Z_OK);
}

/* As two frames: a packed file may be several, one behind the other. */
static void write_zstd(const char *bytes, size_t n)
{
    const size_t n_first = n / 2, n_room = 2 * ZSTD_compressBound(n);
    char *packed = malloc(n_room);
    size_t n_packed = ZSTD_compress(packed, n_room, bytes, n_first, 1);
    cr_assert_not(ZSTD_isError(n_packed));
    n_packed += ZSTD_compress(packed + n_packed, n_room - n_packed, bytes + n_first, n - n_first, 1);
    write_plain(packed, n_packed);
    free(packed);
}

static void write_text(const char *bytes, size_t n, enum packer packer)
{
    if (packer == GZIP)
        write_gzip(bytes, n);
    else if (packer == ZSTD)
        write_zstd(bytes, n);
    else
        write_plain(bytes, n);
}

/* Write lines of these lengths into one text, and expect the reader to give back each of them. */
static void reads_back(const size_t *lengths, size_t n_lines, bool has_last_end, enum packer packer)
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
    write_text(text, n, packer);
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
    for (int i = 0; i < 2 * N_PACKERS; i++)
        reads_back(lengths, sizeof lengths / sizeof *lengths, i & 1, (enum packer)(i / 2));
}

Test(text_reader, cuts_a_line_that_is_too_long_and_goes_on_with_the_next)
{
    static const size_t lengths[] = {2, RV_TEXT_READER_LINE_BYTES + 1, 3, 5 * RV_TEXT_READER_LINE_BYTES + 17, 4};
    reads_back(lengths, sizeof lengths / sizeof *lengths, true, PLAIN);
}

Test(text_reader, ends_lines_at_either_convention)
{
    write_text("a\r\nb\n\r\n", 7, PLAIN);
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

static void reads_a_cut_file(enum packer packer)
{
    static char text[1000000];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof text; i++) {
        random = random * 1664525 + 1013904223;
        text[i] = (char)(random >> 24);
    }
    write_text(text, sizeof text, packer);
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    cr_assert_eq(truncate(path, ftell(file) / 3), 0);
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

Test(text_reader, reads_a_cut_packed_file_as_far_as_it_goes)
{
    reads_a_cut_file(GZIP);
    reads_a_cut_file(ZSTD);
}

Test(text_reader, refuses_damaged_packed_data)
{
    static const unsigned char damaged[N_PACKERS][8] = {
        [GZIP] = {0x1f, 0x8b, 8, 0, 0xff, 0xff, 0xff, 0xff}, [ZSTD] = {0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff, 0xff}};
    for (enum packer packer = GZIP; packer < N_PACKERS; packer++) {
        char bytes[64];
        size_t n = 0;
        memset(bytes, 0xff, sizeof bytes);
        memcpy(bytes, damaged[packer], sizeof damaged[packer]);
        write_plain(bytes, sizeof bytes);
        struct rv_text_reader *file = rv_text_reader_open(path);
        int error;
        while ((error = rv_text_reader_read(file, bytes, sizeof bytes, &n)) == 0 && n)
            continue;
        cr_assert_eq(error, -EBADMSG, "packer %d: %d", packer, error);
        rv_text_reader_close(file);
    }
}

Test(text_reader, takes_regular_files_only)
{
    cr_assert_null(rv_text_reader_open("/tmp"));
    cr_assert_null(rv_text_reader_open("/dev/null"));
    cr_assert_null(rv_text_reader_open("/nonexistent"));
}

#include "export/gzip.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

static void check_size(size_t n)
{
    char path[] = "/tmp/ringviz-gzip-XXXXXX";
    int fd = mkstemp(path);
    FILE *to = fdopen(fd, "w");
    FILE *file = rv_gzip_open(to);
    unsigned char *in = malloc(n + 1), *out = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
        in[i] = (unsigned char)((i * i >> 7) ^ (i % 251));
    for (size_t done = 0, size = 1; done < n; size = size * 3 % 700001) {
        size_t n_now = n - done < size ? n - done : size;
        cr_assert_eq(fwrite(in + done, 1, n_now, file), n_now);
        done += n_now;
    }
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(fclose(to), 0);
    gzFile read_back = gzopen(path, "r");
    cr_assert_eq(gzread(read_back, out, (unsigned)n + 1), (int)n);
    cr_assert_eq(gzdirect(read_back), 0);
    cr_assert_eq(gzclose(read_back), Z_OK); /* checksum and length are right */
    cr_assert_eq(memcmp(in, out, n), 0);
    unlink(path);
    free(in);
    free(out);
}

Test(gzip, what_was_written_is_read_back, .timeout = 60)
{
    static const size_t sizes[] = {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 20 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_size(sizes[i]);
}

Test(gzip, a_full_disk_is_an_error, .timeout = 60)
{
    FILE *to = fopen("/dev/full", "w");
    setvbuf(to, NULL, _IONBF, 0);
    FILE *file = rv_gzip_open(to);
    fputs("something", file);
    errno = 0;
    cr_assert_eq(fclose(file), EOF);
    cr_assert_eq(errno, ENOSPC);
    fclose(to);
}

Test(gzip, a_name_that_ends_in_gz_is_compressed, .timeout = 60)
{
    cr_assert(rv_gzip_is_name("a.json.gz"));
    cr_assert_not(rv_gzip_is_name(".gz"));
    cr_assert_not(rv_gzip_is_name("a.gzip"));
    cr_assert_not(rv_gzip_is_name(""));
}

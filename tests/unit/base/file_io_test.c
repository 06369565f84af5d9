#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/os.h"

TestSuite(file_io, .timeout = 20);

static int open_file(void)
{
    const int fd = rv_os_open_spool("a test");
    cr_assert(fd >= 0);
    return fd;
}

Test(file_io, what_is_written_at_an_offset_is_read_there)
{
    char read[6] = "";
    const int fd = open_file();
    cr_assert(rv_file_write_at(fd, "abcdef", 6, 10) == 0);
    cr_expect(rv_file_read_at(fd, read, 6, 10) == 6 && memcmp(read, "abcdef", 6) == 0);
    close(fd);
}

Test(file_io, a_read_ends_at_the_end_of_the_file)
{
    char read[8] = "";
    const int fd = open_file();
    cr_assert(rv_file_write(fd, "abc", 3) == 0 && rv_file_write(fd, "de", 2) == 0);
    cr_expect(rv_file_read_at(fd, read, sizeof read, 1) == 4 && memcmp(read, "bcde", 4) == 0);
    cr_expect(rv_file_read_at(fd, read, sizeof read, 5) == 0);
    close(fd);
}

Test(file_io, a_write_that_a_pipe_takes_in_parts_is_continued)
{
    enum { N_BYTES = 1 << 20 };
    static char bytes[N_BYTES];
    int ends[2];
    cr_assert(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        size_t n_read = 0;
        close(ends[1]);
        for (ssize_t n; (n = read(ends[0], bytes, 1000)) > 0;)
            n_read += (size_t)n;
        _exit(n_read == N_BYTES ? 0 : 1);
    }
    close(ends[0]);
    cr_expect(rv_file_write(ends[1], bytes, N_BYTES) == 0);
    close(ends[1]);
    int status = -1;
    cr_expect(waitpid(child, &status, 0) == child && status == 0);
}

Test(file_io, a_failure_is_the_negative_errno_which_stays_set)
{
    char byte = 'a';
    cr_expect(rv_file_read_at(-1, &byte, 1, 0) == -EBADF && errno == EBADF);
    errno = 0;
    cr_expect(rv_file_write_at(-1, &byte, 1, 0) == -EBADF && errno == EBADF);
    errno = 0;
    cr_expect(rv_file_write(-1, &byte, 1) == -EBADF && errno == EBADF);
}

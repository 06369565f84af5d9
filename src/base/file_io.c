#include "base/file_io.h"

#include <errno.h>
#include <unistd.h>

ssize_t rv_file_read_at(int fd, void *bytes, size_t n, uint64_t offset)
{
    size_t n_read = 0;
    while (n_read < n) {
        const ssize_t step = pread(fd, (char *)bytes + n_read, n - n_read, (off_t)(offset + n_read));
        if (step < 0 && errno == EINTR)
            continue;
        if (step < 0)
            return -errno;
        if (step == 0)
            break;
        n_read += (size_t)step;
    }
    return (ssize_t)n_read;
}

int rv_file_write_at(int fd, const void *bytes, size_t n, uint64_t offset)
{
    for (size_t n_written = 0; n_written < n;) {
        const ssize_t step = pwrite(fd, (const char *)bytes + n_written, n - n_written, (off_t)(offset + n_written));
        if (step < 0 && errno != EINTR)
            return -errno;
        n_written += step > 0 ? (size_t)step : 0;
    }
    return 0;
}

int rv_file_write(int fd, const void *bytes, size_t n)
{
    for (size_t n_written = 0; n_written < n;) {
        const ssize_t step = write(fd, (const char *)bytes + n_written, n - n_written);
        if (step < 0 && errno != EINTR)
            return -errno;
        n_written += step > 0 ? (size_t)step : 0;
    }
    return 0;
}

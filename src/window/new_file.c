#include "window/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#define NUMBER_MAX 1000

int rv_new_file_create(const char *what, const char *ending, char *path, size_t path_bytes)
{
    int fd = -1;
    errno = EEXIST;
    for (int number = 1; number <= NUMBER_MAX && fd < 0 && errno == EEXIST; number++) {
        (void)snprintf(path, path_bytes, "ringviz-%s-%d.%s", what, number, ending);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return fd < 0 ? -errno : fd;
}

#include "ring/refused_processes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No stdio: producers call this too. */
static bool make_path(char path[PATH_MAX], const char *trace_path)
{
    size_t n_bytes = strlen(trace_path);
    if (n_bytes + sizeof RV_REFUSED_PROCESSES_SUFFIX > PATH_MAX)
        return false;
    memcpy(path, trace_path, n_bytes);
    memcpy(path + n_bytes, RV_REFUSED_PROCESSES_SUFFIX, sizeof RV_REFUSED_PROCESSES_SUFFIX);
    return true;
}

int rv_refused_processes_open(const char *trace_path)
{
    char path[PATH_MAX];
    if (geteuid() != 0 || !make_path(path, trace_path))
        return -1;
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)fchmod(fd, 0622); /* regardless of the umask */
    return fd;
}

uint64_t rv_refused_processes_count(int fd)
{
    struct stat status;
    return fd >= 0 && fstat(fd, &status) == 0 ? (uint64_t)status.st_size : 0;
}

void rv_refused_processes_unlink(int fd, const char *trace_path)
{
    char path[PATH_MAX];
    if (fd >= 0 && make_path(path, trace_path))
        unlink(path);
}

void rv_refused_processes_add(const char *trace_path)
{
    char path[PATH_MAX];
    struct stat status;
    int fd = make_path(path, trace_path) ? open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return;
    ssize_t n = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? write(fd, ".", 1) : 0;
    (void)n; /* not counted on a full disk */
    close(fd);
}

/* By the kernel's own calls: the wrappers of the C library's are what asks. */
#include "producers/native/file_kind.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/link_kind.h"
#include "base/own_syscalls.h"
#include "producers/native/process.h"

static enum rv_wait_on socket_on(int fd)
{
    int domain = 0;
    socklen_t n = sizeof domain;
    if (rv_os_call(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, RV_OS_POINTER(&domain), RV_OS_POINTER(&n), 0) != 0)
        return RV_WAIT_ON_SOCKET;
    return domain == AF_UNIX                         ? RV_WAIT_ON_UNIX_SOCKET
           : domain == AF_INET || domain == AF_INET6 ? RV_WAIT_ON_INTERNET_SOCKET
                                                     : RV_WAIT_ON_SOCKET;
}

static enum rv_wait_on device_on(dev_t device)
{
    enum { TTY = 4, CONSOLE = 5, FIRST_PTY = 128, LAST_PTY = 143 };
    const unsigned number = major(device);
    return number == TTY || number == CONSOLE || (number >= FIRST_PTY && number <= LAST_PTY) ? RV_WAIT_ON_TERMINAL
                                                                                             : RV_WAIT_ON_DEVICE;
}

void rv_file_path(char path[RV_FILE_PATH_BYTES], const char *folder, unsigned fd)
{
    char digits[12];
    size_t n = 0, at = strlen(strcat(strcpy(path, "/proc/self/"), folder));
    do
        digits[n++] = (char)('0' + fd % 10);
    while (fd /= 10);
    while (n)
        path[at++] = digits[--n];
    path[at] = '\0';
}

/* Files that have no kind of their own, but a name that tells it. */
static enum rv_wait_on anonymous_on(int fd)
{
    char path[RV_FILE_PATH_BYTES], target[32] = "";
    rv_file_path(path, "fd/", (unsigned)fd);
    (void)rv_os_call(SYS_readlinkat, AT_FDCWD, RV_OS_POINTER(path), RV_OS_POINTER(target), sizeof target - 1, 0, 0);
    return rv_link_kind(target);
}

enum rv_wait_on rv_file_kind(int fd)
{
    struct stat status;
    if (fd < 0 || rv_process_is_confined() || rv_os_call(SYS_fstat, fd, RV_OS_POINTER(&status), 0, 0, 0, 0) != 0)
        return RV_WAIT_ON_NOTHING;
    switch (status.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
        return RV_WAIT_ON_FILE;
    case S_IFIFO:
        return RV_WAIT_ON_PIPE;
    case S_IFSOCK:
        return socket_on(fd);
    case S_IFCHR:
        return device_on(status.st_rdev);
    default:
        return anonymous_on(fd);
    }
}

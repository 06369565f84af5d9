#include "ring/liveness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "ringviz/wire.h"

static struct flock byte_range(short type, uint64_t first_byte, uint64_t n_bytes)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = RV_WIRE_LOCK_BASE + (off_t)first_byte,
                          .l_len = (off_t)n_bytes};
}

static bool set_lock(int fd, short type, uint64_t byte)
{
    int saved = errno;
    struct flock range = byte_range(type, byte, 1);
    int result;
    do
        result = fcntl(fd, F_OFD_SETLK, &range);
    while (result < 0 && errno == EINTR);
    errno = saved;
    return result == 0;
}

bool rv_liveness_lock(int fd, uint64_t byte)
{
    return set_lock(fd, F_WRLCK, byte);
}

bool rv_liveness_lock_shared(int fd, uint64_t byte)
{
    return set_lock(fd, F_RDLCK, byte);
}

void rv_liveness_unlock(int fd, uint64_t byte)
{
    set_lock(fd, F_UNLCK, byte);
}

bool rv_liveness_is_locked(int fd, uint64_t first_byte, uint64_t n_bytes)
{
    int saved = errno;
    struct flock range = byte_range(F_WRLCK, first_byte, n_bytes);
    int result = fcntl(fd, F_OFD_GETLK, &range);
    errno = saved;
    return result == 0 && range.l_type != F_UNLCK;
}

/* "/proc/PID/NAME", without stdio. */
static int open_proc(uint32_t pid, const char *name)
{
    char path[64] = "/proc/", digits[12];
    unsigned n_digits = 0, n = 6;
    do
        digits[n_digits++] = (char)('0' + pid % 10);
    while (pid /= 10);
    while (n_digits)
        path[n++] = digits[--n_digits];
    path[n++] = '/';
    strcpy(path + n, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool is_zombie(uint32_t pid)
{
    int fd = open_proc(pid, "stat");
    if (fd < 0)
        return true;
    char text[256];
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    /* The name stands in brackets and may contain any character, so search for the last bracket. */
    while (n > 2 && text[n - 1] != ')')
        n--;
    return n <= 2 || text[n + 1] == 'Z' || text[n + 1] == 'X';
}

bool rv_liveness_is_running(uint32_t pid, uint64_t start)
{
    int saved = errno;
    bool is_running = pid && start && rv_os_process_start((pid_t)pid) == start && !is_zombie(pid);
    errno = saved;
    return is_running;
}

/* Feed one character of /proc/PID/maps; the inode is the fifth field of a line. */
struct maps_scan {
    unsigned field;
    bool in_field;
    uint64_t number;
};

static bool scan_maps(struct maps_scan *scan, char c, uint64_t inode)
{
    if (c == '\n') {
        bool is_found = scan->field == 5 && scan->in_field && scan->number == inode;
        *scan = (struct maps_scan){0};
        return is_found;
    }
    if (c == ' ') {
        bool is_found = scan->field == 5 && scan->in_field && scan->number == inode;
        scan->in_field = false;
        return is_found;
    }
    if (!scan->in_field) {
        scan->in_field = true;
        scan->field++;
        scan->number = 0;
    }
    if (c >= '0' && c <= '9')
        scan->number = scan->number * 10 + (unsigned)(c - '0');
    return false;
}

bool rv_liveness_maps_file(uint32_t pid, ino_t inode)
{
    int saved = errno;
    int fd = open_proc(pid, "maps");
    bool is_found = fd < 0 && (errno == EACCES || errno == EPERM);
    struct maps_scan scan = {0};
    char text[4096];
    for (ssize_t n = 0; fd >= 0 && !is_found && (n = read(fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n && !is_found; i++)
            is_found = scan_maps(&scan, text[i], inode);
    if (fd >= 0)
        close(fd);
    errno = saved;
    return is_found;
}

/* By the kernel's own calls. */
#include "producers/native/file_lock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/own_syscalls.h"
#include "producers/native/own_files.h"

static bool is_of_description(int command)
{
    return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

static bool is_refusal(long result)
{
    return result == -EAGAIN || result == -EACCES;
}

pid_t rv_file_lock_holder(int fd, int command, const struct flock *range)
{
    struct flock found = *range;
    const int ask = is_of_description(command) ? F_OFD_GETLK : F_GETLK;
    const long error = rv_os_call(SYS_fcntl, fd, ask, RV_OS_POINTER(&found), 0, 0, 0);
    return !error && found.l_type != F_UNLCK && found.l_pid > 0 ? found.l_pid : 0;
}

pid_t rv_file_lock_expect(int fd, int command, const struct flock *range)
{
    const int set = is_of_description(command) ? F_OFD_SETLK : F_SETLK;
    const bool is_free = !is_refusal(rv_os_call(SYS_fcntl, fd, set, RV_OS_POINTER(range), 0, 0, 0));
    return is_free ? 0 : rv_file_lock_holder(fd, command, range);
}

/* ---- flock: of it only /proc/locks tells ---- */

struct reader {
    int fd;
    size_t n, at;
    char bytes[1024];
};

static int next_byte(struct reader *reader)
{
    if (reader->at == reader->n) {
        const long n = rv_os_call(SYS_read, reader->fd, RV_OS_POINTER(reader->bytes), sizeof reader->bytes, 0, 0, 0);
        reader->n = n > 0 ? (size_t)n : 0;
        reader->at = 0;
    }
    return reader->n ? reader->bytes[reader->at++] : -1;
}

/* False: there are no more. */
static bool read_line(struct reader *reader, char line[128])
{
    size_t n = 0;
    int byte;
    while ((byte = next_byte(reader)) >= 0 && byte != '\n')
        if (n < 127)
            line[n++] = (char)byte;
    line[n] = '\0';
    return byte >= 0;
}

static const char *read_number(const char *text, unsigned base, uint64_t *number)
{
    *number = 0;
    for (;; text++) {
        const unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                               : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a' + 10)
                                                              : base;
        if (digit >= base)
            return *text ? text + 1 : text;
        *number = *number * base + digit;
    }
}

/* "1: FLOCK  ADVISORY  WRITE PID MAJOR:MINOR:INODE 0 EOF", two of which in hexadecimal. Those that wait have "->". */
static pid_t holder_in(const char *line, struct rv_file_lock_file file)
{
    uint64_t pid, on_major, on_minor, inode;
    const char *read_lock = strstr(line, " READ "), *write_lock = strstr(line, " WRITE ");
    const char *at = read_lock ? read_lock + 1 : write_lock ? write_lock + 1 : NULL;
    if (!at || !strstr(line, ": FLOCK "))
        return 0;
    at = read_number(strchr(at, ' ') + 1, 10, &pid);
    at = read_number(at, 16, &on_major);
    at = read_number(at, 16, &on_minor);
    (void)read_number(at, 10, &inode);
    return inode == file.inode && on_major == major(file.device) && on_minor == minor(file.device) ? (pid_t)pid : 0;
}

struct search {
    struct rv_file_lock_file file;
    pid_t holder; /* 0: none */
};

static void search(void *context)
{
    struct search *search = context;
    struct reader reader = {
        .fd = (int)rv_os_call(SYS_openat, AT_FDCWD, RV_OS_POINTER("/proc/locks"), O_RDONLY | O_CLOEXEC, 0, 0, 0)};
    char line[128];
    while (reader.fd >= 0 && !search->holder && read_line(&reader, line))
        search->holder = holder_in(line, search->file);
    if (reader.fd >= 0)
        (void)rv_os_call(SYS_close, reader.fd, 0, 0, 0, 0, 0);
}

struct rv_file_lock_file rv_file_lock_file(int fd)
{
    struct stat status;
    return rv_os_call(SYS_fstat, fd, RV_OS_POINTER(&status), 0, 0, 0, 0) == 0
               ? (struct rv_file_lock_file){status.st_dev, status.st_ino}
               : (struct rv_file_lock_file){0};
}

pid_t rv_file_lock_flock_holder(struct rv_file_lock_file file)
{
    struct search context = {.file = file, .holder = 0};
    if (file.inode)
        rv_own_files_run(search, &context);
    return context.holder;
}

pid_t rv_file_lock_expect_flock(int fd, int operation)
{
    const bool is_free = operation & LOCK_UN || !is_refusal(rv_os_call(SYS_flock, fd, operation | LOCK_NB, 0, 0, 0, 0));
    return is_free ? 0 : rv_file_lock_flock_holder(rv_file_lock_file(fd));
}

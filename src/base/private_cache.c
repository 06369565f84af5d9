#include "base/private_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file_io.h"

#define NAME_BYTES 40
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

bool rv_private_cache_is_private(const struct stat *file)
{
    return file->st_uid == geteuid() && !(file->st_mode & (S_IWGRP | S_IWOTH));
}

static int open_folder(const char *path)
{
    struct stat status;
    const int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && rv_private_cache_is_private(&status))
        return fd;
    close(fd);
    return -EPERM;
}

static void name_of(uint64_t number, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%016llx", (unsigned long long)number);
}

int rv_private_cache_open(const char *folder, uint64_t number, uint64_t *n_bytes)
{
    char name[NAME_BYTES];
    struct stat status;
    const int within = open_folder(folder);
    if (within < 0)
        return within;
    name_of(number, name);
    const int fd = openat(within, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const int error = fd < 0 ? -errno : 0;
    close(within);
    if (error)
        return error;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && rv_private_cache_is_private(&status)) {
        *n_bytes = (uint64_t)status.st_size;
        return fd;
    }
    close(fd);
    return -EPERM;
}

/* A program that may not write so much would get a signal. */
static bool may_write(const struct iovec *parts, size_t n_parts)
{
    struct rlimit most;
    uint64_t n_bytes = 0;
    for (size_t i = 0; i < n_parts; i++)
        n_bytes += parts[i].iov_len;
    return getrlimit(RLIMIT_FSIZE, &most) == 0 && n_bytes <= most.rlim_cur;
}

static int write_parts(int within, const char *name, const struct iovec *parts, size_t n_parts)
{
    int error = 0;
    const int fd = openat(within, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return -errno;
    for (size_t i = 0; i < n_parts && !error; i++)
        error = rv_file_write(fd, parts[i].iov_base, parts[i].iov_len);
    close(fd);
    return error;
}

/* Under another name until it is whole; what one that was killed has left is overwritten by the next. */
int rv_private_cache_write(const char *folder, uint64_t number, const struct iovec *parts, size_t n_parts)
{
    char name[NAME_BYTES], unfinished[NAME_BYTES];
    if (!may_write(parts, n_parts))
        return -EFBIG;
    const int within = open_folder(folder);
    if (within < 0)
        return within;
    name_of(number, name);
    snprintf(unfinished, sizeof unfinished, "%.16s.%d", name, (int)getpid());
    (void)unlinkat(within, unfinished, 0);
    int error = write_parts(within, unfinished, parts, n_parts);
    if (!error && renameat(within, unfinished, within, name) != 0)
        error = -errno;
    if (error)
        (void)unlinkat(within, unfinished, 0);
    close(within);
    return error;
}

int rv_private_cache_boot_id(char boot_id[RV_PRIVATE_CACHE_BOOT_ID_BYTES])
{
    const int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const ssize_t n = rv_file_read_at(fd, boot_id, RV_PRIVATE_CACHE_BOOT_ID_BYTES, 0);
    close(fd);
    return n > 0 ? 0 : -ENOENT;
}

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "export/gzip.h"

/* A path of one of our descriptors, such as a shell's >(command): others cannot have planted a file there. */
static bool is_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/fd/", "/proc/self/fd/", "/dev/stdout", "/dev/stderr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Open an existing file: follow no link, and wait only with --force, for a pipe's reader. */
static int open_present(const char *path, bool is_forced)
{
    bool is_ours = is_descriptor(path);
    int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (is_ours ? 0 : O_NOFOLLOW);
    int fd = open(path, flags | O_NONBLOCK);
    struct stat status;
    if (fd < 0 && errno == ENXIO && is_forced)
        return open(path, flags);
    if (fd < 0 || fstat(fd, &status) != 0)
        return fd;
    int error = S_ISREG(status.st_mode) && !is_forced && !is_ours ? EEXIST : 0;
    if (!error && fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0)
        error = errno;
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

static int print_refusal(const char *path)
{
    switch (errno) {
    case EEXIST:
        return rv_err(EEXIST, "%s: exists; use --force to overwrite it", path);
    case ELOOP:
        return rv_err(ELOOP, "%s: is a symbolic link; name its target", path);
    case ENXIO:
        return rv_err(ENXIO, "%s: is a pipe without a reader; use --force to wait for one", path);
    default:
        return rv_err_sys("%s", path);
    }
}

/* Where the next byte of stdout goes; -1: it is no file. */
static off_t place_in_stdout(void)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) ? lseek(STDOUT_FILENO, 0, SEEK_CUR) : -1;
}

int rv_output_open(struct rv_output *output, const char *path, bool is_forced)
{
    *output = (struct rv_output){.file = stdout};
    if (!path || strcmp(path, "-") == 0) {
        output->place = place_in_stdout();
        return 0;
    }
    output->path = path;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    output->is_new = fd >= 0;
    if (fd < 0 && errno == EEXIST)
        fd = open_present(path, is_forced);
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->file)
        return 0;
    int error = print_refusal(path);
    if (fd >= 0)
        close(fd);
    if (output->is_new)
        unlink(path);
    return error;
}

int rv_output_create(struct rv_output *output, const char *path, bool is_forced)
{
    int error = rv_output_open(output, path, is_forced);
    if (error || !output->path || !rv_gzip_is_name(path))
        return error;
    output->packed = output->file;
    output->file = rv_gzip_open(output->packed);
    return output->file ? 0 : rv_err_sys("%s", path);
}

int rv_output_begin(struct rv_output *output)
{
    struct stat status;
    int fd = fileno(output->packed ? output->packed : output->file);
    bool is_regular = output->path && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (is_regular && ftruncate(fd, 0) != 0)
        return rv_err_sys("%s", output->path);
    output->is_begun = true;
    return 0;
}

bool rv_output_has_others(const struct rv_output *output)
{
    return !output->path && place_in_stdout() != output->place;
}

int rv_output_close(struct rv_output *output)
{
    if (!output->file)
        return 0;
    bool has_failed = fflush(output->file) != 0 || ferror(output->file);
    if (output->path)
        has_failed |= fclose(output->file) != 0;
    output->file = NULL;
    if (output->is_new && !output->is_begun)
        (void)unlink(output->path);
    return has_failed ? rv_err_sys("%s", output->path ? output->path : "standard output") : 0;
}

void rv_output_abandon(const struct rv_output *output)
{
    if (output->file && output->is_new)
        (void)unlink(output->path);
}

int rv_output_finish(struct rv_output *output, int error)
{
    bool is_said = error && !ferror(output->file);
    if (!error && ferror(output->file))
        error = -EIO;
    if ((output->path ? fclose(output->file) : fflush(output->file)) != 0 && !error)
        error = -errno;
    if (output->packed && fclose(output->packed) != 0 && !error)
        error = -errno;
    if (error && !is_said)
        (void)rv_err(-error, "%s: %s", output->path ? output->path : "standard output", strerror(-error));
    if (error && output->is_new)
        (void)unlink(output->path);
    *output = (struct rv_output){0};
    return error;
}

#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "sink/gzip.h"

int rv_output_open(struct rv_output *output, const char *path)
{
    *output = (struct rv_output){.file = stdout};
    if (!path || strcmp(path, "-") == 0)
        return 0;
    output->path = path;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    return output->file ? 0 : rv_err_sys("%s", path);
}

/* A new file, or what may be written over. */
static int open_file(struct rv_output *output, const char *path, bool is_forced)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    output->is_new = fd >= 0;
    if (fd < 0 && errno == EEXIST) {
        if (!is_forced && stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return rv_err(EEXIST, "%s: exists; --force writes over it", path);
        fd = open(path, O_WRONLY | O_CLOEXEC);
    }
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    return output->file ? 0 : rv_err_sys("%s", path);
}

int rv_output_create(struct rv_output *output, const char *path, bool is_forced)
{
    *output = (struct rv_output){.file = stdout};
    if (strcmp(path, "-") == 0)
        return 0;
    output->path = path;
    int error = open_file(output, path, is_forced);
    if (error || !rv_gzip_is_name(path))
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
    return 0;
}

int rv_output_close(struct rv_output *output)
{
    if (!output->file)
        return 0;
    bool has_failed = fflush(output->file) != 0 || ferror(output->file);
    if (output->path)
        has_failed |= fclose(output->file) != 0;
    output->file = NULL;
    return has_failed ? rv_err_sys("%s", output->path ? output->path : "standard output") : 0;
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

/*
 * A FILE is opened several times: to recognize it, to read it, to read its lines. So what comes out of a pipe is copied into a
 * temporary file, which takes the place of the pipe's descriptor: /dev/stdin or /dev/fd/N is this file then.
 */
#include "cli/piped_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_io.h"
#include "base/os.h"

/* N of /dev/fd/N; -1: it names no descriptor. */
static int descriptor_of(const char *path)
{
    static const char *const FOLDERS[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        const size_t n = strlen(FOLDERS[i]);
        if (strncmp(path, FOLDERS[i], n) == 0 && path[n] && path[n + strspn(path + n, "0123456789")] == '\0')
            return atoi(path + n);
    }
    return -1;
}

static int copy(const char *path, int from, int to)
{
    char bytes[1 << 16];
    ssize_t n;
    while ((n = read(from, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && rv_file_write(to, bytes, (size_t)n) != 0)
            return rv_err_sys("%s: temporary copy", path);
    return n < 0 ? rv_err_sys("%s", path) : 0;
}

static int replace(const char *path, int descriptor)
{
    const int spool = rv_os_open_spool("the input");
    int error = spool < 0 ? spool : copy(path, descriptor, spool);
    if (!error && dup2(spool, descriptor) < 0)
        error = rv_err_sys("%s", path);
    if (spool >= 0)
        close(spool);
    return error;
}

static int read_file(const char *path)
{
    struct stat status;
    const int descriptor = descriptor_of(path);
    if (stat(path, &status) != 0)
        return 0; /* the line is printed where it is opened */
    if (descriptor >= 0 && isatty(descriptor))
        return rv_err(EINVAL, "%s: is a terminal; a trace is piped into ringviz: perf script | ringviz -", path);
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        return 0;
    return descriptor < 0 ? rv_err(EINVAL, "%s: a named pipe is opened by the shell: ringviz - < %s", path, path)
                          : replace(path, descriptor);
}

bool rv_piped_input_is(const char *path)
{
    return descriptor_of(path) >= 0;
}

int rv_piped_input_read(const char *const *files, size_t n)
{
    int error = 0;
    for (size_t i = 0; i < n && !error; i++)
        error = read_file(files[i]);
    return error;
}

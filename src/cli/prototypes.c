#include "cli/prototypes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "prototypes/capture.h"

#define MOST_BYTES (16u << 20)
#define STRING_BYTES 64u

static int read_all(int fd, const char *path, char **text, size_t *n_bytes)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return rv_err_sys("%s", path);
    if (!S_ISREG(status.st_mode) || status.st_size > (off_t)MOST_BYTES)
        return rv_err(EFBIG, "%s: not a file of prototypes", path);
    *text = rv_alloc_scratch((size_t)status.st_size + 1, 1);
    *n_bytes = 0;
    for (ssize_t n; (n = read(fd, *text + *n_bytes, (size_t)status.st_size - *n_bytes)) > 0;)
        *n_bytes += (size_t)n;
    return 0;
}

static int read_file(const char *path, char **text, size_t *n_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rv_err_sys("%s", path);
    int error = read_all(fd, path, text, n_bytes);
    close(fd);
    return error;
}

int rv_cli_prototypes_read(const struct rv_options *options, struct rv_map_params *params)
{
    char *text = NULL;
    size_t n_bytes = 0;
    unsigned line;
    const char *why;
    int error = options->prototypes ? read_file(options->prototypes, &text, &n_bytes) : 0;
    if (error || !options->prototypes) {
        free(text);
        return error;
    }
    struct rv_prototypes *prototypes = rv_prototypes_parse(text, n_bytes, &line, &why);
    if (prototypes)
        params->captures = rv_capture_take_section(prototypes, text, n_bytes,
                                                   options->string_bytes ? options->string_bytes : STRING_BYTES,
                                                   &params->n_capture_bytes);
    else
        error = rv_err(EBADMSG, "%s: line %u: %s", options->prototypes, line, why);
    rv_prototypes_destroy(prototypes);
    free(text);
    return error;
}

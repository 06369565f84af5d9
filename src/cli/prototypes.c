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

/* The files' texts, one behind the other. */
struct text {
    char *bytes;
    size_t n;
    unsigned n_lines;
    unsigned first_lines[RV_OPTIONS_PROTOTYPES]; /* of each file, from 1 */
};

/* It ends with a newline. */
static int read_all(int fd, const char *path, struct text *text)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return rv_err_sys("%s", path);
    if (!S_ISREG(status.st_mode) || status.st_size > (off_t)(MOST_BYTES - text->n))
        return rv_err(EFBIG, "%s: not a file of prototypes", path);
    size_t left = (size_t)status.st_size;
    text->bytes = rv_realloc(text->bytes, text->n + left + 1);
    for (ssize_t n; (n = read(fd, text->bytes + text->n, left)) > 0; left -= (size_t)n)
        text->n += (size_t)n;
    text->bytes[text->n++] = '\n';
    return 0;
}

static int read_file(const char *path, struct text *text)
{
    const size_t begin = text->n;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return rv_err_sys("%s", path);
    int error = read_all(fd, path, text);
    close(fd);
    for (size_t i = begin; i < text->n; i++)
        text->n_lines += text->bytes[i] == '\n';
    return error;
}

static int read_files(const struct rv_options *options, struct text *text)
{
    int error = 0;
    for (size_t i = 0; i < options->n_prototypes && !error; i++) {
        text->first_lines[i] = text->n_lines + 1;
        error = read_file(options->prototypes[i], text);
    }
    return error;
}

static int say_what_is_wrong(const struct rv_options *options, const struct text *text, unsigned line, const char *why)
{
    size_t i = options->n_prototypes - 1;
    while (i > 0 && text->first_lines[i] > line)
        i--;
    return rv_err(EBADMSG, "%s: line %u: %s", options->prototypes[i], line - text->first_lines[i] + 1, why);
}

static int parse(const struct rv_options *options, const struct text *text, struct rv_map_params *params)
{
    unsigned line;
    const char *why;
    struct rv_prototypes *prototypes = rv_prototypes_parse(text->bytes, text->n, &line, &why);
    if (!prototypes)
        return say_what_is_wrong(options, text, line, why);
    params->captures =
        rv_capture_take_section(prototypes, text->bytes, text->n,
                                options->string_bytes ? options->string_bytes : STRING_BYTES, &params->n_capture_bytes);
    rv_prototypes_destroy(prototypes);
    return 0;
}

int rv_cli_prototypes_read(const struct rv_options *options, struct rv_map_params *params)
{
    struct text text = {0};
    int error = read_files(options, &text);
    if (!error && options->n_prototypes)
        error = parse(options, &text, params);
    free(text.bytes);
    return error;
}

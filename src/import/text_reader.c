#include "import/text_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/unpacker.h"

enum { FILL_BYTES = 1 << 18 };

struct rv_text_reader {
    struct rv_unpacker *unpacker;
    char *path;
    double n_bytes; /* of the file on disk */
    bool has_bytes;
    /* lines */
    char *buffer; /* room for the longest line, its NUL, and one read */
    size_t first, n;
    bool is_at_end, is_skipping; /* the rest of a line that was cut */
};

static int open_regular(const char *path, double *n_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    if (fd < 0)
        return rv_err_sys("%s", path);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        *n_bytes = (double)status.st_size;
        return fd;
    }
    close(fd);
    return rv_err(EINVAL, "%s: not a regular file", path);
}

size_t rv_text_reader_head(const char *path, char *head, size_t max)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    struct rv_unpacker *unpacker = rv_unpacker_open(fd);
    size_t n = 0;
    for (ssize_t n_read; n < max && (n_read = rv_unpacker_read(unpacker, head + n, max - n)) > 0;)
        n += (size_t)n_read;
    rv_unpacker_close(unpacker);
    return n;
}

struct rv_text_reader *rv_text_reader_open(const char *path)
{
    double n_bytes = 0;
    int fd = open_regular(path, &n_bytes);
    if (fd < 0)
        return NULL;
    struct rv_text_reader *input = rv_alloc(1, sizeof *input);
    input->unpacker = rv_unpacker_open(fd);
    input->path = rv_strdup(path);
    input->n_bytes = n_bytes;
    return input;
}

void rv_text_reader_close(struct rv_text_reader *input)
{
    if (!input)
        return;
    rv_unpacker_close(input->unpacker);
    free(input->path);
    free(input->buffer);
    free(input);
}

int rv_text_reader_read(struct rv_text_reader *input, char *out, size_t max, size_t *n)
{
    const ssize_t n_read = rv_unpacker_read(input->unpacker, out, max);
    *n = n_read > 0 ? (size_t)n_read : 0;
    input->has_bytes |= *n > 0;
    if (n_read >= 0)
        return 0;
    return n_read == -EBADMSG ? rv_err(EBADMSG, "%s: %s", input->path, rv_unpacker_why(input->unpacker))
                              : rv_err_sys("%s", input->path);
}

bool rv_text_reader_is_cut(const struct rv_text_reader *input)
{
    return rv_unpacker_is_cut(input->unpacker);
}

bool rv_text_reader_is_empty(const struct rv_text_reader *input)
{
    return !input->has_bytes;
}

/* Read more bytes after the buffered ones, which are moved to the front first. */
static int fill(struct rv_text_reader *input)
{
    if (!input->buffer)
        input->buffer = rv_alloc(RV_TEXT_READER_LINE_BYTES + FILL_BYTES + 1, 1);
    memmove(input->buffer, input->buffer + input->first, input->n);
    input->first = 0;
    size_t n = 0;
    int error = rv_text_reader_read(input, input->buffer + input->n, FILL_BYTES, &n);
    input->n += n;
    input->is_at_end = n == 0;
    return error;
}

static void take(struct rv_text_reader *input, size_t n_bytes)
{
    input->first += n_bytes;
    input->n -= n_bytes;
}

int rv_text_reader_line(struct rv_text_reader *input, char **line, size_t *n)
{
    for (size_t n_searched = 0;;) {
        char *from = input->buffer ? input->buffer + input->first : NULL;
        char *end = from ? memchr(from + n_searched, '\n', input->n - n_searched) : NULL;
        bool is_whole = end != NULL;
        if (!end && input->n < RV_TEXT_READER_LINE_BYTES && !input->is_at_end) {
            n_searched = input->n;
            int error = fill(input);
            if (error)
                return error;
            continue;
        }
        if (!end && input->n == 0)
            return 0;
        size_t n_line = is_whole ? (size_t)(end - from) : input->n;
        bool is_rest = input->is_skipping;
        input->is_skipping = !is_whole && !input->is_at_end;
        take(input, n_line + is_whole);
        n_searched = 0;
        if (is_rest)
            continue;
        /* There is room for the NUL: the buffer is larger than the longest line. */
        if (n_line > RV_TEXT_READER_LINE_BYTES)
            n_line = RV_TEXT_READER_LINE_BYTES;
        from[n_line] = '\0';
        *line = from;
        *n = n_line && from[n_line - 1] == '\r' ? n_line - 1 : n_line;
        from[*n] = '\0';
        return 1;
    }
}

double rv_text_reader_share(const struct rv_text_reader *input)
{
    double at = (double)rv_unpacker_offset(input->unpacker);
    return input->n_bytes > 0 && at < input->n_bytes ? at / input->n_bytes : 1;
}

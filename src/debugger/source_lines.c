#include "debugger/source_lines.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/vec.h"

#define MOST_BYTES (4 << 20)
#define TAB 4u

/* For free(); NULL if it is not a file that can be read without blocking. Files in /proc have size 0, and
 * some have no end. */
static char *read_file(const char *path, size_t *n_bytes)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
                   status.st_size <= MOST_BYTES;
    char *text = is_file ? rv_alloc((size_t)status.st_size, 1) : NULL;
    *n_bytes = 0;
    for (ssize_t n; text && (n = read(fd, text + *n_bytes, (size_t)status.st_size - *n_bytes)) > 0;)
        *n_bytes += (size_t)n;
    if (fd >= 0)
        close(fd);
    return text;
}

static char *read_of_process(uint32_t pid, const char *path, size_t *n_bytes)
{
    char whole[4096];
    if (path[0] == '/')
        return read_file(path, n_bytes);
    int n = snprintf(whole, sizeof whole, "/proc/%u/cwd/%s", pid, path);
    return n < (int)sizeof whole ? read_file(whole, n_bytes) : NULL;
}

static void keep(char out[RV_SOURCE_LINES_BYTES], const char *text, size_t n_bytes)
{
    char plain[RV_SOURCE_LINES_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < n_bytes && text[i] != '\n' && text[i] != '\r' && n + TAB < sizeof plain; i++) {
        size_t n_spaces = text[i] == '\t' ? TAB - n % TAB : 0;
        memset(plain + n, text[i] == '\t' ? ' ' : text[i], n_spaces ? n_spaces : 1);
        n += n_spaces ? n_spaces : 1;
    }
    rv_text_escape(out, RV_SOURCE_LINES_BYTES, plain, n);
}

void rv_source_lines_read_from(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t first)
{
    size_t n_bytes = 0;
    memset(listing, 0, sizeof *listing);
    char *text = path[0] && first ? read_of_process(pid, path, &n_bytes) : NULL;
    if (!text)
        return;
    const char *at = text, *end = text + n_bytes;
    for (uint32_t i = 1; at < end && listing->n < RV_SOURCE_LINES_LINES; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at)), *next = newline ? newline + 1 : end;
        if (i >= first)
            keep(listing->lines[listing->n++], at, (size_t)(next - at));
        at = next;
    }
    listing->first = first;
    free(text);
}

void rv_source_lines_read(struct rv_source_lines *listing, uint32_t pid, const char *path, uint32_t line)
{
    rv_source_lines_read_from(listing, pid, path,
                              line > RV_SOURCE_LINES_LINES / 2 ? line - RV_SOURCE_LINES_LINES / 2 : line > 0);
    if (listing->first + listing->n <= line)
        memset(listing, 0, sizeof *listing);
}

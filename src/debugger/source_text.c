#include "debugger/source_text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_io.h"
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
    const ssize_t n = text ? rv_file_read_at(fd, text, (size_t)status.st_size, 0) : 0;
    *n_bytes = n > 0 ? (size_t)n : 0;
    if (fd >= 0)
        close(fd);
    return text;
}

static char *read_of_process(uint32_t pid, const char *path, size_t *n_bytes)
{
    char whole[4096];
    if (path[0] == '/' || !pid)
        return read_file(path, n_bytes);
    int n = snprintf(whole, sizeof whole, "/proc/%u/cwd/%s", pid, path);
    return n < (int)sizeof whole ? read_file(whole, n_bytes) : NULL;
}

static void keep(char out[RV_SOURCE_TEXT_LINE_BYTES], const char *text, size_t n_bytes)
{
    char plain[RV_SOURCE_TEXT_LINE_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < n_bytes && text[i] != '\n' && text[i] != '\r' && n + TAB < sizeof plain; i++) {
        size_t n_spaces = text[i] == '\t' ? TAB - n % TAB : 0;
        memset(plain + n, text[i] == '\t' ? ' ' : text[i], n_spaces ? n_spaces : 1);
        n += n_spaces ? n_spaces : 1;
    }
    rv_text_escape(out, RV_SOURCE_TEXT_LINE_BYTES, plain, n);
}

static void list_lines(struct rv_source_text *source)
{
    size_t capacity = 0;
    for (const char *at = source->text, *end = at + source->n_bytes; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        source->begins = rv_vec_reserve(source->begins, &capacity, source->n_lines + 1, sizeof *source->begins);
        source->begins[source->n_lines++] = (size_t)(at - source->text);
        at = newline ? newline + 1 : end;
    }
}

/* When the file was written; 0 without one. */
static struct timespec modified(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mtim : (struct timespec){0};
}

bool rv_source_text_has_changed(const struct rv_source_text *source, const char *path)
{
    const struct timespec now = modified(path);
    return now.tv_sec != source->modified.tv_sec || now.tv_nsec != source->modified.tv_nsec;
}

void rv_source_text_read(struct rv_source_text *source, uint32_t pid, const char *path)
{
    *source = (struct rv_source_text){.modified = modified(path)};
    source->text = *path ? read_of_process(pid, path, &source->n_bytes) : NULL;
    if (source->text)
        list_lines(source);
}

void rv_source_text_fini(struct rv_source_text *source)
{
    free(source->text);
    free(source->begins);
    *source = (struct rv_source_text){0};
}

char *rv_source_text_line(const struct rv_source_text *source, uint32_t line, char out[RV_SOURCE_TEXT_LINE_BYTES])
{
    out[0] = '\0';
    if (line == 0 || line > source->n_lines)
        return out;
    const size_t end = line < source->n_lines ? source->begins[line] : source->n_bytes;
    keep(out, source->text + source->begins[line - 1], end - source->begins[line - 1]);
    return out;
}

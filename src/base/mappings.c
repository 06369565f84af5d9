#include "base/mappings.h"

#include <string.h>

#include "base/os.h"
#include "base/own_syscalls.h"

int rv_mappings_open(struct rv_mappings *mappings, pid_t pid)
{
    mappings->n = mappings->at = 0;
    mappings->fd = rv_os_open_proc(pid, "maps");
    return mappings->fd < 0 ? mappings->fd : 0;
}

void rv_mappings_close(struct rv_mappings *mappings)
{
    (void)rv_os_call(SYS_close, mappings->fd, 0, 0, 0, 0, 0);
}

static long read_text(const struct rv_mappings *mappings, char *to, size_t n)
{
    return rv_os_call(SYS_read, mappings->fd, RV_OS_POINTER(to), (long)n, 0, 0, 0);
}

/* Append to the text, whose returned bytes are dropped. False at the end of the file. */
static bool read_more(struct rv_mappings *mappings)
{
    mappings->n -= mappings->at;
    memmove(mappings->text, mappings->text + mappings->at, mappings->n);
    mappings->at = 0;
    const long n = read_text(mappings, mappings->text + mappings->n, sizeof mappings->text - 1 - mappings->n);
    if (n > 0)
        mappings->n += (size_t)n;
    return n > 0;
}

/* Cut a line that fills the text there, and skip its rest. Returns where it was cut. */
static char *cut_line(struct rv_mappings *mappings)
{
    char c;
    while (read_text(mappings, &c, 1) == 1 && c != '\n')
        continue;
    return mappings->text + mappings->n++;
}

/* The next line, NUL-terminated without its end; NULL at the end of the file. */
static char *next_line(struct rv_mappings *mappings)
{
    char *end = NULL;
    while (!end && !(end = memchr(mappings->text + mappings->at, '\n', mappings->n - mappings->at)))
        if (mappings->n - mappings->at == sizeof mappings->text - 1)
            end = cut_line(mappings);
        else if (!read_more(mappings))
            return NULL;
    char *line = mappings->text + mappings->at;
    mappings->at = (size_t)(end + 1 - mappings->text);
    *end = '\0';
    return line;
}

static uint64_t read_number(const char **at, unsigned base)
{
    uint64_t value = 0;
    for (;; ++*at) {
        const char c = **at;
        const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                               : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                      : base;
        if (digit >= base)
            return value;
        value = value * base + digit;
    }
}

static const char *skip_field(const char *at)
{
    at += strcspn(at, " ");
    return at + strspn(at, " ");
}

/* "START-END PERMISSIONS OFFSET DEVICE INODE   PATH": proc(5) */
bool rv_mappings_next(struct rv_mappings *mappings, struct rv_mapping *out)
{
    const char *at = next_line(mappings);
    if (!at)
        return false;
    out->start = read_number(&at, 16);
    at += *at == '-';
    out->end = read_number(&at, 16);
    at = skip_field(at);
    out->is_executable = memchr(at, 'x', strcspn(at, " ")) != NULL;
    at = skip_field(at);
    out->offset = read_number(&at, 16);
    at = skip_field(skip_field(at));
    out->inode = (ino_t)read_number(&at, 10);
    out->path = skip_field(at);
    return true;
}

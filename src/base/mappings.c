#include "base/mappings.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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
    at = skip_field(at);
    const unsigned major = (unsigned)read_number(&at, 16);
    at += *at == ':';
    out->device = makedev(major, (unsigned)read_number(&at, 16));
    at = skip_field(at);
    out->inode = (ino_t)read_number(&at, 10);
    out->path = skip_field(at);
    return true;
}

size_t rv_mapping_path_bytes(const char *path)
{
    const size_t n = strlen(path), n_mark = sizeof RV_MAPPING_DELETED - 1;
    return n > n_mark && strcmp(path + n - n_mark, RV_MAPPING_DELETED) == 0 ? n - n_mark : n;
}

/* Is it the process's program? */
static bool is_program(const char *link, const char *path)
{
    char target[PATH_MAX];
    const ssize_t n = readlink(link, target, sizeof target);
    return n >= 0 && (size_t)n == strlen(path) && memcmp(target, path, (size_t)n) == 0;
}

bool rv_mappings_link_deleted(pid_t pid, uint64_t address, char link[RV_MAPPINGS_LINK_BYTES])
{
    struct rv_mapping mapping = {.end = 0};
    struct rv_mappings mappings;
    if (rv_mappings_open(&mappings, pid) != 0)
        return false;
    while (address >= mapping.end && rv_mappings_next(&mappings, &mapping))
        continue;
    rv_mappings_close(&mappings);
    if (address < mapping.start || address >= mapping.end || !mapping.path[rv_mapping_path_bytes(mapping.path)])
        return false;
    snprintf(link, RV_MAPPINGS_LINK_BYTES, "/proc/%d/exe", (int)pid);
    if (!is_program(link, mapping.path))
        snprintf(link, RV_MAPPINGS_LINK_BYTES, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid, mapping.start,
                 mapping.end);
    return true;
}

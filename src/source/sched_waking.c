#include "source/sched_waking.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLAG_SOFTIRQ = 0x10, FLAG_INTERRUPT = 0x08, FLAG_NMI = 0x40 }; /* of common_flags: ftrace's latency format */
enum { MOST_FORMAT_BYTES = 4096, MOST_FIELD_BYTES = 4 };

static const char *const FOLDERS[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

/* Process ids are those of the kernel's first namespace, whose inode is always this one. */
static const char FIRST_NAMESPACE[] = "pid:[4026531836]";

static bool is_in_first_namespace(void)
{
    char link[sizeof FIRST_NAMESPACE + 1] = "";
    const ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);
    return n > 0 && strcmp(link, FIRST_NAMESPACE) == 0;
}

/* A line of `format` is "field:TYPE NAME; offset:N; size:N; ...". */
static bool read_field(struct rv_sched_waking_field *field, const char *format, const char *name)
{
    char declared[64];
    snprintf(declared, sizeof declared, " %s;", name);
    const char *line = strstr(format, declared);
    return line && sscanf(line + strlen(declared), " offset:%zu; size:%zu;", &field->from, &field->n) == 2 &&
           field->n >= 1 && field->n <= MOST_FIELD_BYTES;
}

bool rv_sched_waking_read_format(struct rv_sched_waking *waking, const char *format)
{
    return read_field(&waking->flags, format, "common_flags") && read_field(&waking->woken, format, "pid");
}

/* NUL-terminated. Returns 0 or a negative errno. */
static int read_file(const char *folder, const char *name, char text[MOST_FORMAT_BYTES])
{
    char path[128];
    snprintf(path, sizeof path, "%s/events/sched/sched_waking/%s", folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const ssize_t n = read(fd, text, MOST_FORMAT_BYTES - 1);
    const int error = n < 0 ? -errno : 0;
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return error;
}

static int find_in(struct rv_sched_waking *waking, const char *folder)
{
    char text[MOST_FORMAT_BYTES];
    int error = read_file(folder, "id", text);
    if (error)
        return error;
    waking->id = strtoull(text, NULL, 10);
    error = read_file(folder, "format", text);
    if (error)
        return error;
    return waking->id && rv_sched_waking_read_format(waking, text) ? 0 : -EBADMSG;
}

int rv_sched_waking_find(struct rv_sched_waking *waking)
{
    int error = is_in_first_namespace() ? -ENOENT : -EXDEV;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS && error == -ENOENT; i++)
        error = find_in(waking, FOLDERS[i]);
    return error;
}

/* Little-endian, as all that we read. */
static uint32_t value_of(const struct rv_sched_waking_field *field, const void *record)
{
    uint32_t value = 0;
    memcpy(&value, (const char *)record + field->from, field->n);
    return value;
}

static bool has_field(const struct rv_sched_waking_field *field, size_t n_bytes)
{
    return field->from <= n_bytes && field->n <= n_bytes - field->from;
}

bool rv_sched_waking_decode(const struct rv_sched_waking *waking, const void *record, size_t n_bytes, uint32_t *woken,
                            enum rv_sched_waking_context *context)
{
    if (!has_field(&waking->flags, n_bytes) || !has_field(&waking->woken, n_bytes))
        return false;
    const uint32_t flags = value_of(&waking->flags, record);
    *woken = value_of(&waking->woken, record);
    *context = flags & (FLAG_INTERRUPT | FLAG_NMI) ? RV_WAKING_IN_INTERRUPT
               : flags & FLAG_SOFTIRQ              ? RV_WAKING_IN_SOFTIRQ
                                                   : RV_WAKING_IN_THREAD;
    return true;
}

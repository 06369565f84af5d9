/*
 * A uftrace data folder: the TID.dat files of all tasks in turn, with 16-byte records {time; type:2 more:1 magic:3
 * depth:10 address:48}. A record's depth shows which calls are open, so lost records do no damage to later ones. The
 * size of arguments after a record depends on options of the recording: they are skipped up to the next valid record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/formats.h"
#include "import/uftrace_session.h"

enum { RECORD_BYTES = 16, RECORDS_PER_STEP = 8192, BUFFER_BYTES = 1 << 18, MAGIC = 5, HEADER_BYTES = 16 };
enum { TYPE_ENTRY, TYPE_EXIT, TYPE_LOST, TYPE_EVENT };
/* Longest time from a record with arguments to the task's next; a later one is an argument that looks like a record. */
static const uint64_t MOST_GAP_NS = 3600 * 1000000000ull;

struct importer {
    struct rv_import import; /* first */
    struct rv_uftrace *uftrace;
    size_t task_idx;
    int fd; /* of the task's records; -1 when none is open */
    uint32_t pid, thread;
    uint64_t last_ns;
    bool has_arguments; /* after the last record */
    char *buffer;
    size_t first, n;
};

struct record {
    uint64_t ns, address;
    unsigned type, magic, depth;
    bool has_more;
};

static struct record record_at(const char *bytes)
{
    uint64_t words[2];
    memcpy(words, bytes, sizeof words);
    return (struct record){.ns = words[0],
                           .type = words[1] & 3,
                           .has_more = words[1] >> 2 & 1,
                           .magic = words[1] >> 3 & 7,
                           .depth = words[1] >> 6 & 1023,
                           .address = words[1] >> 16};
}

/* ---- the folder ---- */

static int open_in(const char *folder, const char *name)
{
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path)
        return -ENAMETOOLONG;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return -EINVAL;
    }
    return fd < 0 ? -errno : fd;
}

static bool read_header(const char *folder, unsigned char header[HEADER_BYTES])
{
    int fd = open_in(folder, "info");
    ssize_t n = fd < 0 ? 0 : read(fd, header, HEADER_BYTES);
    if (fd >= 0)
        close(fd);
    return n == HEADER_BYTES && memcmp(header, "Ftrace!", 8) == 0;
}

static bool matches_path(const char *path)
{
    struct stat status;
    unsigned char header[HEADER_BYTES];
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) && read_header(path, header);
}

static int begin(struct rv_import *import)
{
    struct importer *importer = (struct importer *)import;
    importer->fd = -1;
    unsigned char header[HEADER_BYTES];
    if (!read_header(import->path, header))
        return rv_err(EBADMSG, "%s: not a folder of uftrace data", import->path);
    if (header[8] < 3 || header[8] > 4 || header[14] != 1 || header[15] != 2)
        return rv_err(EPROTONOSUPPORT, "%s: uftrace data of another version (%u) or machine", import->path, header[8]);
    importer->uftrace = rv_uftrace_open(import->path);
    importer->buffer = rv_alloc(BUFFER_BYTES, 1);
    return importer->uftrace ? 0 : -EBADMSG;
}

/* ---- a task ---- */

static void name_process(struct importer *importer, uint32_t process)
{
    struct rv_event_builder *builder = importer->import.builder;
    const char *program = rv_uftrace_program(importer->uftrace, importer->pid), *slash = strrchr(program, '/');
    if (*program)
        rv_event_builder_name_process(builder, process, rv_import_string(slash ? slash + 1 : program));
    rv_event_builder_set_parent(builder, process, rv_uftrace_parent(importer->uftrace, importer->pid));
}

static void open_task(struct importer *importer)
{
    struct rv_uftrace_task task = rv_uftrace_task(importer->uftrace, importer->task_idx++);
    char name[32];
    snprintf(name, sizeof name, "%u.dat", task.tid);
    importer->fd = open_in(importer->import.path, name);
    if (importer->fd < 0)
        return; /* a task that called nothing has no file */
    struct rv_event_builder *builder = importer->import.builder;
    uint32_t process = rv_event_builder_process(builder, task.pid);
    importer->pid = task.pid;
    importer->thread = rv_event_builder_thread(builder, process, task.tid, 0);
    importer->first = importer->n = 0;
    importer->last_ns = 0;
    importer->has_arguments = false;
    name_process(importer, process);
}

static void close_task(struct importer *importer)
{
    if (importer->fd >= 0)
        close(importer->fd);
    importer->fd = -1;
}

/* ---- records ---- */

static bool is_plausible(const struct importer *importer, const struct record *record)
{
    bool is_in_time = record->ns >= importer->last_ns &&
                      (importer->last_ns == 0 || record->ns - importer->last_ns < MOST_GAP_NS) &&
                      record->ns < 1ull << 62;
    return record->magic == MAGIC && (is_in_time || !importer->has_arguments) && record->ns < 1ull << 62;
}

/* Read until a complete record is buffered. 1, 0 at the end, or a negative errno with one line printed. */
static int fill(struct importer *importer)
{
    if (importer->n >= RECORD_BYTES)
        return 1;
    memmove(importer->buffer, importer->buffer + importer->first, importer->n);
    importer->first = 0;
    ssize_t n = read(importer->fd, importer->buffer + importer->n, BUFFER_BYTES - importer->n);
    if (n < 0)
        return errno == EINTR ? 1 : rv_err_sys("%s", importer->import.path);
    importer->n += (size_t)n;
    if (n == 0 && importer->n > 0 && !importer->has_arguments)
        importer->import.faults[RV_FAULT_CUT] = 1;
    return n > 0;
}

static void close_to(struct importer *importer, unsigned depth, int64_t ns)
{
    struct rv_event_builder *builder = importer->import.builder;
    while (rv_event_builder_depth(builder, importer->thread) > depth)
        rv_event_builder_return(builder, importer->thread, ns);
}

static void emit_event(struct importer *importer, const struct record *record)
{
    struct rv_event_builder *builder = importer->import.builder;
    int64_t ns = (int64_t)record->ns;
    rv_event_builder_see_time(builder, ns);
    switch (record->type) {
    case TYPE_ENTRY:
        close_to(importer, record->depth, ns);
        rv_event_builder_call(builder, importer->thread, ns,
                              rv_uftrace_subroutine(importer->uftrace, builder, importer->pid, ns, record->address));
        break;
    case TYPE_EXIT:
        if (rv_event_builder_depth(builder, importer->thread) <= record->depth)
            rv_import_fault(&importer->import, RV_FAULT_END_ALONE);
        close_to(importer, record->depth, ns);
        break;
    case TYPE_LOST:
        rv_import_fault(&importer->import, RV_FAULT_LOST);
        rv_event_builder_lost(builder, importer->thread, ns,
                              record->address < UINT32_MAX ? (uint32_t)record->address : 0);
        break;
    case TYPE_EVENT: /* a system event with extra data */
        break;
    }
}

static int step(struct rv_import *import)
{
    struct importer *importer = (struct importer *)import;
    if (importer->fd < 0) {
        if (importer->task_idx == rv_uftrace_n_tasks(importer->uftrace))
            return 0;
        open_task(importer);
        return 1;
    }
    for (int i = 0; i < RECORDS_PER_STEP; i++) {
        int status = fill(importer);
        if (status < 0)
            return status;
        if (status == 0) {
            close_task(importer);
            return 1;
        }
        if (importer->n < RECORD_BYTES)
            continue;
        struct record record = record_at(importer->buffer + importer->first);
        bool is_record = is_plausible(importer, &record);
        size_t n_taken = is_record ? RECORD_BYTES : RECORD_BYTES / 2;
        importer->first += n_taken;
        importer->n -= n_taken;
        if (!is_record && !importer->has_arguments)
            rv_import_fault(import, RV_FAULT_NOT_READ);
        if (!is_record)
            continue;
        importer->has_arguments = record.has_more;
        importer->last_ns = record.ns;
        emit_event(importer, &record);
    }
    return 1;
}

static void fini(struct rv_import *import)
{
    struct importer *importer = (struct importer *)import;
    close_task(importer);
    rv_uftrace_close(importer->uftrace);
    free(importer->buffer);
}

const struct rv_import_format rv_import_uftrace = {.name = "uftrace",
                                                   .describe = "uftrace data",
                                                   .bytes = sizeof(struct importer),
                                                   .matches_path = matches_path,
                                                   .begin = begin,
                                                   .step = step,
                                                   .fini = fini};

/*
 * Spans are spooled as fixed records, because names may be known only later, and turned into rows at the end. What a
 * row shares with others (the thread's numbers, the subroutine's names) is formatted once.
 */
#include "sink/spans.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/vec.h"
#include "sink/rowtext.h"

#define BUFFER_RECORDS 32768u
#define FLUSH_BYTES (1u << 20)
#define MOST_ROW_NUMBERS 256u /* bytes of a row that are neither its prefix nor its names */

struct record {
    uint64_t start_ns, end_ns;
    uint32_t id, depth, lane_idx, flags;
};

struct rv_spans {
    pthread_mutex_t lock;
    int fd;
    int error; /* negative errno of the first failure: what was spooled before it is all there is */
    struct record *buffer;
    size_t n_buffered;
    uint64_t n_spooled; /* records in the file */
};

struct pieces { /* formatted text by index, where it has been needed */
    struct rv_rowtext *texts;
    size_t n, capacity;
};

struct writer {
    struct rv_lanes *lanes;
    struct rv_subroutines *subroutines;
    enum rv_spans_format format;
    struct pieces threads, names;
    struct rv_rowtext text;
};

/* A file without a name where temporary files go. */
static int open_spool(void)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || !folder[0])
        folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/ringviz-spans-XXXXXX", folder) >= sizeof path)
        return rv_err(ENAMETOOLONG, "%s: path too long", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return rv_err_sys("%s: no temporary file for the spans", folder);
    (void)unlink(path);
    return fd;
}

struct rv_spans *rv_spans_create(void)
{
    int fd = open_spool();
    if (fd < 0)
        return NULL;
    struct rv_spans *spans = rv_alloc(1, sizeof *spans);
    pthread_mutex_init(&spans->lock, NULL);
    spans->fd = fd;
    spans->buffer = rv_alloc(BUFFER_RECORDS, sizeof *spans->buffer);
    return spans;
}

void rv_spans_destroy(struct rv_spans *spans)
{
    if (!spans)
        return;
    (void)close(spans->fd);
    pthread_mutex_destroy(&spans->lock);
    free(spans->buffer);
    free(spans);
}

static void spool(struct rv_spans *spans)
{
    const char *at = (const char *)spans->buffer;
    size_t left = spans->n_buffered * sizeof *spans->buffer;
    while (left > 0 && !spans->error) {
        ssize_t n = write(spans->fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            spans->error = rv_err_sys("spooling spans after %llu of them", (unsigned long long)spans->n_spooled);
            break;
        }
        at += n;
        left -= (size_t)n;
    }
    if (!spans->error)
        spans->n_spooled += spans->n_buffered;
    spans->n_buffered = 0;
}

static void add_spans(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_spans *spool_of = context;
    pthread_mutex_lock(&spool_of->lock);
    for (size_t i = 0; i < n; i++) {
        if (spool_of->n_buffered == BUFFER_RECORDS)
            spool(spool_of);
        spool_of->buffer[spool_of->n_buffered++] = (struct record){.start_ns = spans[i].start,
                                                                   .end_ns = spans[i].end,
                                                                   .id = spans[i].id,
                                                                   .depth = spans[i].depth,
                                                                   .lane_idx = lane->idx,
                                                                   .flags = spans[i].flags};
    }
    pthread_mutex_unlock(&spool_of->lock);
}

struct rv_sink rv_spans_sink(struct rv_spans *spans)
{
    return (struct rv_sink){.context = spans, .spans = add_spans};
}

static struct rv_rowtext *piece(struct pieces *pieces, uint32_t idx)
{
    if (idx >= pieces->n) {
        pieces->texts = rv_vec_reserve(pieces->texts, &pieces->capacity, (size_t)idx + 1, sizeof *pieces->texts);
        memset(pieces->texts + pieces->n, 0, (idx + 1 - pieces->n) * sizeof *pieces->texts);
        pieces->n = (size_t)idx + 1;
    }
    return &pieces->texts[idx];
}

static void pieces_fini(struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->n; i++)
        rv_rowtext_fini(&pieces->texts[i]);
    free(pieces->texts);
}

static const struct rv_rowtext *thread_piece(struct writer *writer, uint32_t lane_idx)
{
    struct rv_rowtext *text = piece(&writer->threads, lane_idx);
    if (!text->n) {
        const struct rv_lane *lane = rv_lanes_get(writer->lanes, lane_idx);
        uint32_t pid = lane ? lane->pid : 0, tid = lane ? lane->tid : 0;
        if (writer->format == RV_SPANS_CSV)
            rv_rowtext_format(text, "%u,%u,", pid, tid);
        else
            rv_rowtext_format(text, "{\"process\":%u,\"thread\":%u,\"depth\":", pid, tid);
    }
    return text;
}

static void add_field(struct writer *writer, struct rv_rowtext *text, const char *string)
{
    if (writer->format == RV_SPANS_CSV)
        rv_rowtext_add_csv(text, string);
    else
        rv_rowtext_add_json(text, string);
}

static const struct rv_rowtext *names_piece(struct writer *writer, uint32_t id)
{
    struct rv_rowtext *text = piece(&writer->names, id);
    if (text->n)
        return text;
    bool is_csv = writer->format == RV_SPANS_CSV;
    struct rv_subroutine subroutine = rv_subroutines_get(writer->subroutines, id);
    size_t n_bytes = strlen(subroutine.package) + strlen(subroutine.name) + 3;
    char *full = rv_subroutine_full_name(&subroutine, rv_alloc(n_bytes, 1), n_bytes);
    rv_rowtext_add(text, is_csv ? "," : ",\"name\":");
    add_field(writer, text, full);
    rv_rowtext_add(text, is_csv ? "," : ",\"file\":");
    add_field(writer, text, subroutine.file);
    rv_rowtext_add(text, is_csv ? "," : ",\"line\":");
    rv_rowtext_add_u64(text, subroutine.line);
    rv_rowtext_add(text, is_csv ? "," : ",\"flags\":\"");
    free(full);
    return text;
}

static const char *flag_words(uint32_t flags)
{
    static const char *const words[] = {"",     "cut",      "orphan",      "cut|orphan",
                                        "open", "cut|open", "orphan|open", "cut|orphan|open"};
    return words[flags & (RV_SPAN_CUT | RV_SPAN_ORPHAN | RV_SPAN_OPEN)];
}

static void add_row(struct writer *writer, const struct record *record)
{
    struct rv_rowtext *text = &writer->text;
    const struct rv_rowtext *thread = thread_piece(writer, record->lane_idx), *names = names_piece(writer, record->id);
    bool is_csv = writer->format == RV_SPANS_CSV;
    (void)rv_rowtext_reserve(text, thread->n + names->n + MOST_ROW_NUMBERS);
    rv_rowtext_add_bytes(text, thread->bytes, thread->n);
    rv_rowtext_add_u64(text, record->depth);
    rv_rowtext_add(text, is_csv ? "," : ",\"start_ns\":");
    rv_rowtext_add_u64(text, record->start_ns);
    rv_rowtext_add(text, is_csv ? "," : ",\"duration_ns\":");
    rv_rowtext_add_u64(text, record->end_ns - record->start_ns);
    rv_rowtext_add_bytes(text, names->bytes, names->n);
    rv_rowtext_add(text, flag_words(record->flags));
    rv_rowtext_add(text, is_csv ? "\n" : "\"}\n");
}

/* Records [first, first + n) of the file into the buffer. */
static int read_back(struct rv_spans *spans, uint64_t first, size_t n)
{
    char *at = (char *)spans->buffer;
    size_t left = n * sizeof *spans->buffer;
    off_t offset = (off_t)(first * sizeof *spans->buffer);
    while (left > 0) {
        ssize_t n_read = pread(spans->fd, at, left, offset);
        if (n_read < 0 && errno == EINTR)
            continue;
        if (n_read <= 0)
            return n_read < 0 ? rv_err_sys("reading spooled spans") : rv_err(EIO, "spooled spans are cut short");
        at += n_read;
        left -= (size_t)n_read;
        offset += n_read;
    }
    return 0;
}

static int write_rows(struct rv_spans *spans, struct writer *writer, FILE *out)
{
    int result = 0;
    for (uint64_t done = 0; done < spans->n_spooled && result == 0;) {
        uint64_t left = spans->n_spooled - done;
        size_t n = left < BUFFER_RECORDS ? (size_t)left : BUFFER_RECORDS;
        result = read_back(spans, done, n);
        for (size_t i = 0; i < n && result == 0; i++) {
            add_row(writer, &spans->buffer[i]);
            if (writer->text.n >= FLUSH_BYTES)
                result = rv_rowtext_flush(&writer->text, out);
        }
        done += n;
    }
    return result ? result : rv_rowtext_flush(&writer->text, out);
}

int rv_spans_write(struct rv_spans *spans, struct rv_lanes *lanes, struct rv_subroutines *subroutines,
                   enum rv_spans_format format, FILE *out)
{
    struct writer writer = {.lanes = lanes, .subroutines = subroutines, .format = format};
    pthread_mutex_lock(&spans->lock);
    spool(spans);
    if (format == RV_SPANS_CSV)
        rv_rowtext_add(&writer.text, "process,thread,depth,start_ns,duration_ns,name,file,line,flags\n");
    int result = write_rows(spans, &writer, out);
    if (result == 0 && fflush(out) != 0)
        result = -errno;
    if (result == 0)
        result = spans->error;
    pthread_mutex_unlock(&spans->lock);
    rv_rowtext_fini(&writer.text);
    pieces_fini(&writer.threads);
    pieces_fini(&writer.names);
    return result;
}

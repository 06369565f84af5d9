#include "import/external_sort.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_io.h"
#include "base/os.h"
#include "base/vec.h"

/* Records read at a time per run; fewer with many runs, so that all buffers fit one run's memory. */
#define READ_RECORDS 4096u

struct run {
    uint64_t next, end;  /* range of the file not yet in the buffer */
    size_t buffer_first; /* in records, of the sorter's memory */
    size_t n, at;        /* in the buffer */
};

struct rv_external_sort {
    size_t record_bytes, capacity;
    rv_external_sort_compare_fn compare;
    char *records; /* capacity of them: first the run being filled, later the buffers of all runs */
    size_t n, n_allocated;
    bool is_sorted; /* so far */
    int fd;         /* -1 before the first spill */
    uint64_t n_spilled;
    struct run *runs;
    size_t n_runs, runs_capacity;
    size_t *heap; /* of runs, by their first record */
    size_t n_heap, read_records;
    bool has_given; /* the top run's first record was returned */
    size_t n_given; /* when nothing was spilled */
};

struct rv_external_sort *rv_external_sort_create(size_t record_bytes, size_t run_records,
                                                 rv_external_sort_compare_fn compare)
{
    struct rv_external_sort *sorter = rv_alloc(1, sizeof *sorter);
    *sorter = (struct rv_external_sort){
        .record_bytes = record_bytes, .capacity = run_records, .compare = compare, .fd = -1, .is_sorted = true};
    return sorter;
}

void rv_external_sort_destroy(struct rv_external_sort *sorter)
{
    if (!sorter)
        return;
    if (sorter->fd >= 0)
        (void)close(sorter->fd);
    free(sorter->records);
    free(sorter->runs);
    free(sorter->heap);
    free(sorter);
}

/* ---- in ---- */

static char *record_at(const struct rv_external_sort *sorter, size_t idx)
{
    return sorter->records + idx * sorter->record_bytes;
}

static void sort_run(struct rv_external_sort *sorter)
{
    if (!sorter->is_sorted)
        qsort(sorter->records, sorter->n, sorter->record_bytes, sorter->compare);
    sorter->is_sorted = true;
}

static int spill(struct rv_external_sort *sorter)
{
    sort_run(sorter);
    if (sorter->fd < 0) {
        sorter->fd = rv_os_open_spool("sorting");
        if (sorter->fd < 0)
            return sorter->fd;
    }
    if (rv_file_write(sorter->fd, sorter->records, sorter->n * sorter->record_bytes) != 0)
        return rv_err_sys("sorting in a temporary file (in TMPDIR)");
    sorter->runs = rv_vec_reserve(sorter->runs, &sorter->runs_capacity, sorter->n_runs + 1, sizeof *sorter->runs);
    sorter->runs[sorter->n_runs++] = (struct run){.next = sorter->n_spilled, .end = sorter->n_spilled + sorter->n};
    sorter->n_spilled += sorter->n;
    sorter->n = 0;
    return 0;
}

int rv_external_sort_add(struct rv_external_sort *sorter, const void *record)
{
    if (sorter->n == sorter->capacity) {
        int error = spill(sorter);
        if (error)
            return error;
    }
    sorter->records = rv_vec_reserve(sorter->records, &sorter->n_allocated, sorter->n + 1, sorter->record_bytes);
    if (sorter->n && sorter->is_sorted)
        sorter->is_sorted = sorter->compare(record_at(sorter, sorter->n - 1), record) <= 0;
    memcpy(record_at(sorter, sorter->n++), record, sorter->record_bytes);
    return 0;
}

/* ---- out ---- */

static int read_run(struct rv_external_sort *sorter, struct run *run)
{
    uint64_t n_left = run->end - run->next;
    size_t n = n_left < sorter->read_records ? (size_t)n_left : sorter->read_records;
    const size_t n_bytes = n * sorter->record_bytes;
    const ssize_t n_read =
        rv_file_read_at(sorter->fd, record_at(sorter, run->buffer_first), n_bytes, run->next * sorter->record_bytes);
    if (n_read < 0)
        return rv_err_sys("reading the sorted file");
    if ((size_t)n_read < n_bytes)
        return rv_err(EIO, "the sorted temporary file is truncated");
    run->next += n;
    run->n = n;
    run->at = 0;
    return 0;
}

static const char *first_of(const struct rv_external_sort *sorter, size_t heap_idx)
{
    const struct run *run = &sorter->runs[sorter->heap[heap_idx]];
    return record_at(sorter, run->buffer_first + run->at);
}

static void sink(struct rv_external_sort *sorter, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < sorter->n_heap; child++)
            if (sorter->compare(first_of(sorter, child), first_of(sorter, least)) < 0)
                least = child;
        if (least == at)
            return;
        size_t run_idx = sorter->heap[at];
        sorter->heap[at] = sorter->heap[least];
        sorter->heap[least] = run_idx;
        at = least;
    }
}

int rv_external_sort_finish(struct rv_external_sort *sorter)
{
    if (sorter->n_runs == 0) {
        sort_run(sorter);
        return 0;
    }
    int error = sorter->n ? spill(sorter) : 0;
    sorter->heap = rv_alloc(sorter->n_runs, sizeof *sorter->heap);
    sorter->read_records = sorter->capacity / sorter->n_runs;
    if (sorter->read_records > READ_RECORDS)
        sorter->read_records = READ_RECORDS;
    if (sorter->read_records == 0)
        return rv_err(EFBIG, "too many events to sort");
    for (size_t i = 0; i < sorter->n_runs && !error; i++) {
        sorter->runs[i].buffer_first = i * sorter->read_records;
        error = read_run(sorter, &sorter->runs[i]);
        sorter->heap[sorter->n_heap++] = i;
    }
    for (size_t i = sorter->n_heap; !error && i-- > 0;)
        sink(sorter, i);
    return error;
}

/* Advance the top run past its used record, and restore the heap. */
static int advance(struct rv_external_sort *sorter)
{
    struct run *run = &sorter->runs[sorter->heap[0]];
    int error = 0;
    if (++run->at == run->n) {
        if (run->next < run->end)
            error = read_run(sorter, run);
        else
            sorter->heap[0] = sorter->heap[--sorter->n_heap];
    }
    if (!error)
        sink(sorter, 0);
    return error;
}

const void *rv_external_sort_next(struct rv_external_sort *sorter, int *error)
{
    *error = 0;
    if (sorter->n_runs == 0)
        return sorter->n_given < sorter->n ? record_at(sorter, sorter->n_given++) : NULL;
    if (sorter->has_given)
        *error = advance(sorter);
    sorter->has_given = true;
    return *error || sorter->n_heap == 0 ? NULL : first_of(sorter, 0);
}

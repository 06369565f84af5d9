/*
 * Blocks have one size in the file, so that a number is an offset. A lane's block grows in memory up to that size:
 * programs with many short-lived stacks have many lanes.
 */
#include "export/spool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_io.h"
#include "base/os.h"
#include "base/vec.h"

#define LEAST_SPANS 16u
#define HEAD_BYTES offsetof(struct rv_spool_block, spans)

_Static_assert(sizeof(struct rv_spool_block) == 16384, "a block is whole pages");

struct tail { /* a lane's spans that are not written yet */
    struct rv_spool_block *block;
    size_t capacity;      /* spans */
    uint64_t first, last; /* blocks of this lane in the file */
    uint64_t number;      /* number of the next block; 0: none yet */
};

struct rv_spool {
    int fd;
    pthread_mutex_t lock; /* covers all below, but not what a tail points to */
    struct tail **tails;  /* by lane */
    size_t n_tails;
    uint64_t n_blocks, n_spans; /* n_blocks: block numbers assigned */
    int error;
};

int rv_spool_write_at(int fd, const void *bytes, size_t n_bytes, uint64_t offset)
{
    return rv_file_write_at(fd, bytes, n_bytes, offset) ? rv_err_sys("spooling spans into a temporary file") : 0;
}

int rv_spool_read_at(int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
    const ssize_t n = rv_file_read_at(fd, bytes, n_bytes, offset);
    if (n < 0)
        return rv_err_sys("reading spooled spans");
    return (size_t)n < n_bytes ? rv_err(EIO, "spooled spans are truncated") : 0;
}

struct rv_spool *rv_spool_create(void)
{
    int fd = rv_os_open_spool("the spans");
    if (fd < 0)
        return NULL;
    struct rv_spool *spool = rv_alloc(1, sizeof *spool);
    pthread_mutex_init(&spool->lock, NULL);
    spool->fd = fd;
    return spool;
}

void rv_spool_destroy(struct rv_spool *spool)
{
    if (!spool)
        return;
    (void)close(spool->fd);
    pthread_mutex_destroy(&spool->lock);
    for (size_t i = 0; i < spool->n_tails; i++) {
        if (spool->tails[i])
            free(spool->tails[i]->block);
        free(spool->tails[i]);
    }
    free(spool->tails);
    free(spool);
}

static struct tail *tail_of(struct rv_spool *spool, uint32_t lane_idx)
{
    pthread_mutex_lock(&spool->lock);
    if (lane_idx >= spool->n_tails)
        spool->tails = rv_vec_extend(spool->tails, &spool->n_tails, (size_t)lane_idx + 1, sizeof *spool->tails);
    struct tail *tail = spool->tails[lane_idx];
    if (!tail) {
        tail = spool->tails[lane_idx] = rv_alloc(1, sizeof *tail);
        tail->block = rv_alloc(1, HEAD_BYTES);
        tail->block->lane_idx = lane_idx;
    }
    pthread_mutex_unlock(&spool->lock);
    return tail;
}

/* Write the tail's block. After a failure nothing more is written, so that the file stays consistent. */
static void write_tail(struct rv_spool *spool, struct tail *tail)
{
    struct rv_spool_block *block = tail->block;
    block->previous = tail->last;
    pthread_mutex_lock(&spool->lock);
    uint64_t number = tail->number ? tail->number : ++spool->n_blocks;
    block->next = ++spool->n_blocks;
    int error = spool->error;
    pthread_mutex_unlock(&spool->lock);
    if (!error)
        error = rv_spool_write_at(spool->fd, block, HEAD_BYTES + block->n * sizeof *block->spans,
                                  (number - 1) * sizeof *block);
    pthread_mutex_lock(&spool->lock);
    if (error && !spool->error)
        spool->error = error;
    if (!error)
        spool->n_spans += block->n;
    pthread_mutex_unlock(&spool->lock);
    block->n = 0;
    tail->number = block->next;
    if (error)
        return;
    tail->first = tail->first ? tail->first : number;
    tail->last = number;
}

static void grow(struct tail *tail, size_t n)
{
    size_t need = tail->block->n + n < RV_SPOOL_SPANS ? tail->block->n + n : RV_SPOOL_SPANS;
    if (need <= tail->capacity)
        return;
    size_t capacity = 2 * tail->capacity > need ? 2 * tail->capacity : need;
    capacity = capacity < LEAST_SPANS ? LEAST_SPANS : capacity > RV_SPOOL_SPANS ? RV_SPOOL_SPANS : capacity;
    struct rv_spool_block *block = rv_alloc(1, HEAD_BYTES + capacity * sizeof *block->spans);
    memcpy(block, tail->block, HEAD_BYTES + tail->block->n * sizeof *block->spans);
    free(tail->block);
    tail->block = block;
    tail->capacity = capacity;
}

static void add_spans(void *context, const struct rv_lane *lane, const struct rv_span *spans, size_t n)
{
    struct rv_spool *spool = context;
    struct tail *tail = tail_of(spool, lane->idx);
    while (n > 0) {
        grow(tail, n);
        struct rv_spool_block *block = tail->block;
        size_t n_now = tail->capacity - block->n < n ? tail->capacity - block->n : n;
        memcpy(block->spans + block->n, spans, n_now * sizeof *spans);
        block->n += (uint32_t)n_now;
        spans += n_now;
        n -= n_now;
        if (block->n == RV_SPOOL_SPANS)
            write_tail(spool, tail);
    }
}

struct rv_sink rv_spool_sink(struct rv_spool *spool)
{
    return (struct rv_sink){.context = spool, .spans = add_spans};
}

int rv_spool_seal(struct rv_spool *spool)
{
    for (size_t i = 0; i < spool->n_tails; i++)
        if (spool->tails[i] && spool->tails[i]->block->n)
            write_tail(spool, spool->tails[i]);
    return spool->error;
}

uint64_t rv_spool_n_spans(const struct rv_spool *spool)
{
    return spool->n_spans;
}

uint64_t rv_spool_first_block(const struct rv_spool *spool, uint32_t lane_idx)
{
    return lane_idx < spool->n_tails && spool->tails[lane_idx] ? spool->tails[lane_idx]->first : 0;
}

uint64_t rv_spool_last_block(const struct rv_spool *spool, uint32_t lane_idx)
{
    return lane_idx < spool->n_tails && spool->tails[lane_idx] ? spool->tails[lane_idx]->last : 0;
}

/* The last one has the number of a block that was never written. */
uint64_t rv_spool_next_block(const struct rv_spool *spool, uint32_t lane_idx, uint64_t number,
                             const struct rv_spool_block *block)
{
    return number == rv_spool_last_block(spool, lane_idx) ? 0 : block->next;
}

int rv_spool_read(const struct rv_spool *spool, uint64_t number, struct rv_spool_block *out)
{
    uint64_t offset = (number - 1) * sizeof *out;
    int error = rv_spool_read_at(spool->fd, out, HEAD_BYTES, offset);
    if (!error && out->n > RV_SPOOL_SPANS)
        error = rv_err(EIO, "spooled spans are damaged");
    return error ? error : rv_spool_read_at(spool->fd, out->spans, out->n * sizeof *out->spans, offset + HEAD_BYTES);
}

static void reverse(struct rv_spool_block *block)
{
    for (uint32_t i = 0, j = block->n; i + 1 < j; i++) {
        const struct rv_span span = block->spans[i];
        block->spans[i] = block->spans[--j];
        block->spans[j] = span;
    }
}

static int read_calls(void *context, const struct rv_lane_calls_wanted *wanted)
{
    const struct rv_spool *spool = context;
    struct rv_spool_block *block = rv_alloc(1, sizeof *block);
    int error = 0;
    for (uint64_t number = rv_spool_last_block(spool, wanted->lane->idx); number; number = block->previous) {
        error = rv_spool_read(spool, number, block);
        if (error)
            break;
        reverse(block);
        wanted->take(wanted->context, block->spans, block->n);
    }
    free(block);
    return error;
}

struct rv_lane_calls rv_spool_calls(const struct rv_spool *spool)
{
    return (struct rv_lane_calls){.read = read_calls, .context = (void *)(uintptr_t)spool};
}

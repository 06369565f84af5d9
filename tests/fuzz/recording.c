/*
 * The bytes of a recording, with checksums corrected, so that the code after them is reached: the reader, every
 * decoder, and its replay, in full and by its index, through an intake that checks what it gets. A repaired copy must
 * have no damage, and all that was found before.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sink/check_recording.h"
#include "source/recording_on_demand.h"
#include "source/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_BLOCKS = 64 };

struct intake {
    struct rv_batch batch;
    uint64_t last_ns[64];
    size_t n_streams;
    /* blocks that were summarized, of which each is asked for once */
    struct rv_page_request blocks[N_BLOCKS];
    size_t n_blocks, n_asked;
    uint32_t stacks[N_BLOCKS]; /* of the page */
    size_t n_stacks;
    uint64_t waits_index; /* the last INDEX with waits; 0: none */
    uint64_t last_index;  /* of a block that was summarized; 0: none */
};

static void *open_stream(void *context, const struct rv_stream_info *info)
{
    struct intake *intake = context;
    if (!info->process_name || !info->thread_name)
        abort();
    uint64_t *last = &intake->last_ns[intake->n_streams++ % 64];
    *last = 0;
    return last;
}

static void rename_stream(void *context, void *stream, const char *name)
{
    (void)context;
    if (!stream || !name)
        abort();
}

static void account_stream(void *context, void *stream, const struct rv_stream_account *account)
{
    (void)context;
    (void)account;
    if (!stream)
        abort();
}

static void close_stream(void *context, void *stream, uint64_t end_ns)
{
    (void)context;
    if (!stream || (end_ns > RV_EVENT_TICKS_MASK && end_ns != UINT64_MAX))
        abort();
}

static struct rv_batch *acquire_batch(void *context)
{
    struct intake *intake = context;
    intake->batch.n = intake->batch.n_specials = 0;
    return &intake->batch;
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    (void)context;
    uint32_t n_specials = 0;
    uint64_t last = batch->base_ns;
    for (uint32_t i = 0; i < batch->n; i++) {
        unsigned kind = rv_event_kind(&batch->events[i]);
        uint64_t ns = rv_event_ticks(&batch->events[i]);
        if (kind >= RV_EVENT_KIND_COUNT || kind == RV_EVENT_CALL_AT || kind == RV_EVENT_RETURN_AT)
            abort();
        if (kind > RV_EVENT_RETURN && batch->specials[n_specials++] != i)
            abort();
        if (kind == RV_EVENT_SYNC)
            continue;
        if (ns < last || ns - batch->base_ns >= 1ull << 31)
            abort();
        last = ns;
    }
    if (n_specials != batch->n_specials || !batch->stream)
        abort();
}

static bool is_stopping(void *context)
{
    (void)context;
    return false;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    (void)context;
    for (size_t i = 0; i < n; i++)
        if (!definitions[i].id || strlen(definitions[i].package) + strlen(definitions[i].name) > 1u << 28)
            abort();
}

static void summarize(void *context, void *stream, const struct rv_block_summary *summary)
{
    struct intake *intake = context;
    uint32_t number = 0;
    for (size_t i = 0; i < intake->n_blocks; i++)
        number += intake->blocks[i].stream == stream;
    for (size_t i = 0; i < summary->n_stacks; i++) {
        const struct rv_stack_summary *stack = &summary->stacks[i];
        if (stack->row->level == 0 || stack->row->level >= RV_REC_INDEX_LEVELS)
            abort();
        for (uint32_t k = 0; k < stack->row->n_cells; k++)
            if (stack->cells[k].row >= RV_REC_INDEX_ROWS)
                abort();
        for (uint32_t k = 0; k < stack->row->n_spans; k++)
            if (stack->spans[k].start_ns > stack->spans[k].end_ns)
                abort();
    }
    if (!stream)
        abort();
    intake->last_index = summary->index;
    if (intake->n_blocks < N_BLOCKS)
        intake->blocks[intake->n_blocks++] = (struct rv_page_request){
            .offset = summary->offset, .index = summary->index, .stream = stream, .block = number};
}

static void add_total(void *context, const struct rv_call_total *total)
{
    (void)context;
    uint64_t n = 0;
    for (uint32_t i = 0; i < total->row->n_buckets; i++)
        n += total->buckets[i].n_calls;
    if (n != total->row->n_calls || total->inner_ns > total->row->total_ns)
        abort();
}

static void add_waiter(void *context, void *stream, const struct rv_waiter_summary *waiter)
{
    struct intake *intake = context;
    if (!stream)
        abort();
    intake->waits_index = waiter->index;
}

static bool take_request(void *context, struct rv_page_request *request)
{
    struct intake *intake = context;
    if (intake->n_asked == intake->n_blocks)
        return false;
    *request = intake->blocks[intake->n_asked++];
    return true;
}

static void *open_page(void *context, const struct rv_page_request *request, uint32_t entry_stack)
{
    struct intake *intake = context;
    (void)request;
    (void)entry_stack;
    intake->n_stacks = 0;
    intake->last_ns[0] = 0;
    return &intake->last_ns[0];
}

/* Each once, with frames that rise. */
static void add_page_stack(void *context, void *page, const struct rv_page_stack *stack)
{
    struct intake *intake = context;
    (void)page;
    for (size_t i = 0; i < intake->n_stacks; i++)
        if (intake->stacks[i] == stack->stack)
            abort();
    if (intake->n_stacks < N_BLOCKS)
        intake->stacks[intake->n_stacks++] = stack->stack;
    for (uint32_t i = 0; i < stack->n_frames; i++)
        if (stack->levels[i] < stack->depth.least || (i && stack->levels[i] <= stack->levels[i - 1]))
            abort();
}

static void miss_page(void *context, const struct rv_page_request *request)
{
    (void)context;
    if (!request->stream)
        abort();
}

/* Make the checksum of whatever looks like a chunk right. */
static void seal_all(uint8_t *bytes, size_t n)
{
    struct rv_rec_chunk chunk;
    for (size_t at = 0; n - at >= sizeof chunk && at < n;) {
        memcpy(&chunk, bytes + at, sizeof chunk);
        if (!rv_chunk_is_plausible(&chunk) || rv_chunk_bytes(&chunk) > n - at) {
            at += RV_REC_ALIGNMENT;
            continue;
        }
        struct rv_rec_buffer buffer = {0};
        rv_chunk_begin(&buffer);
        rv_rec_buffer_add(&buffer, bytes + at + chunk.header_bytes, chunk.payload_bytes);
        uint32_t header_bytes = chunk.header_bytes;
        if (header_bytes == sizeof chunk) {
            rv_chunk_end(&buffer, &chunk);
            rv_chunk_seal(&buffer, chunk.sequence);
            memcpy(bytes + at, buffer.bytes, sizeof chunk);
        }
        rv_rec_buffer_fini(&buffer);
        at += rv_chunk_bytes(&chunk);
    }
}

static void read_waits(struct rv_source *source, uint64_t index)
{
    struct rv_source_waits read;
    if (!index || !source->read_waits(source, index, &read))
        return;
    for (size_t i = 0; i < read.n_waits; i++)
        if (read.waits[i].waited_ns > read.waits[i].end_ns || read.waits[i].end_ns > RV_EVENT_TICKS_MASK)
            abort();
    free(read.waits);
    free(read.releases);
}

/* The parts of a fold are all of its time, and no sum has more. */
static void check_fold(const struct rv_rec_index_fold *fold, const struct rv_source_folds *folds, size_t rows[3])
{
    uint64_t n_ns = 0;
    for (uint32_t i = 0; i < fold->n_parts; i++) {
        const struct rv_rec_index_part *part = &folds->parts[rows[0]++];
        for (uint32_t k = 0; k < part->n_sums; k++)
            n_ns += folds->sums[rows[1]++].own_ns;
        for (uint32_t k = 0; k < part->n_calls; k++)
            (void)*(volatile uint32_t *)&folds->calls[rows[2]++].id;
        n_ns += part->stretch_ns;
    }
    if (fold->from_ns > fold->to_ns || n_ns != fold->to_ns - fold->from_ns)
        abort();
}

static void read_folds(struct rv_source *source, uint64_t index)
{
    struct rv_source_folds read;
    size_t rows[3] = {0}; /* passed: parts, sums, calls */
    if (!index || !source->read_folds(source, index, &read))
        return;
    for (size_t i = 0; i < read.n_folds; i++)
        check_fold(&read.folds[i], &read, rows);
    free(read.folds);
    free(read.parts);
    free(read.sums);
    free(read.calls);
    free(read.streams);
}

static void replay(const char *path)
{
    static struct intake intake;
    if (!intake.batch.events)
        rv_batch_init(&intake.batch, RV_BATCH_EVENTS);
    struct rv_intake calls = {.context = &intake,
                              .open_stream = open_stream,
                              .rename_stream = rename_stream,
                              .account_stream = account_stream,
                              .close_stream = close_stream,
                              .acquire_batch = acquire_batch,
                              .submit_batch = submit_batch,
                              .is_stopping = is_stopping,
                              .define = define};
    static const struct rv_intake_pages pages = {summarize, add_total,      add_waiter, take_request,
                                                 open_page, add_page_stack, miss_page};
    struct rv_source *source = rv_replay_open(path);
    while (source && source->poll(source, &calls) != RV_SOURCE_ENDED)
        ;
    if (source)
        source->close(source);
    intake.n_streams = intake.n_blocks = intake.n_asked = intake.waits_index = intake.last_index = 0;
    calls.pages = &pages;
    (void)rv_recording_on_demand_open(&source, path, 0);
    while (source && source->poll(source, &calls) != RV_SOURCE_RESTING)
        ;
    if (source)
        read_waits(source, intake.waits_index);
    if (source)
        read_folds(source, intake.last_index);
    if (source)
        source->close(source);
}

static void repair(const char *path, const struct rv_check_result *found)
{
    static char repaired_path[64];
    struct rv_check_result copied, repaired;
    snprintf(repaired_path, sizeof repaired_path, "/tmp/ringviz-fuzz-%d.rvz", (int)getpid());
    bool is_repaired = rv_check_read(path, &(struct rv_rec_reader_params){0}, repaired_path, true, &copied) == 0;
    bool is_read =
        is_repaired && rv_check_read(repaired_path, &(struct rv_rec_reader_params){0}, NULL, false, &repaired) == 0;
    unlink(repaired_path);
    if (is_repaired && (!is_read || !rv_check_is_whole(&repaired) || repaired.n_events != found->n_events ||
                        repaired.n_blocks != found->n_blocks || repaired.n_strings != found->n_strings))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0) {
        fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        if (fd < 0 || !freopen("/dev/null", "w", stderr))
            return 0;
    }
    uint8_t *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    seal_all(bytes, size);
    if (ftruncate(fd, 0) == 0 && pwrite(fd, bytes, size, 0) == (ssize_t)size) {
        struct rv_check_result found;
        if (rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found) == 0)
            repair(path, &found);
        replay(path);
    }
    free(bytes);
    return 0;
}

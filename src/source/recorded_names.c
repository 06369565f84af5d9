#include "source/recorded_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"

#define MAX_ID (1u << 22)

/* Limit of unpacked names as a multiple of the file's size, since all of them are kept in memory. */
static const uint64_t NAME_BYTES_PER_BYTE = 64, NAME_BYTES_OF_ANY = 64 << 20;

void rv_recorded_names_init(struct rv_recorded_names *names, uint64_t n_file_bytes)
{
    *names =
        (struct rv_recorded_names){.n_file_bytes = n_file_bytes, .n_alike = 1, .compressor = rv_compressor_create()};
    pthread_mutex_init(&names->lock, NULL);
}

void rv_recorded_names_fini(struct rv_recorded_names *names)
{
    rv_compressor_destroy(names->compressor);
    pthread_mutex_destroy(&names->lock);
    rv_rec_strings_close(&names->strings);
    for (size_t i = 0; i < sizeof names->shown / sizeof *names->shown; i++)
        rv_rec_buffer_fini(&names->shown[i]);
    free(names->ids);
}

/* The lock is held. */
static uint32_t map_id(struct rv_recorded_names *names, uint32_t id)
{
    if (names->keeps_ids)
        return id;
    if (id == 0 || id >= MAX_ID)
        return 0;
    if (id >= names->n_ids)
        names->ids = rv_vec_extend(names->ids, &names->n_ids, (size_t)id + 1, sizeof *names->ids);
    if (names->ids[id] == 0) {
        names->ids[id] = ++names->n_given;
        names->n_alike += names->ids[id] == id && id == names->n_alike;
    }
    return names->ids[id];
}

uint32_t rv_recorded_n_alike(struct rv_recorded_names *names)
{
    if (names->keeps_ids)
        return UINT32_MAX;
    pthread_mutex_lock(&names->lock);
    const uint32_t n_alike = names->n_alike;
    pthread_mutex_unlock(&names->lock);
    return n_alike;
}

/* Nearly always: ids are given in the order of the file's. */
static bool are_alike(struct rv_recorded_names *names, const struct rv_batch *batch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < batch->n; i++)
        most = batch->events[i].id > most ? batch->events[i].id : most;
    return most < rv_recorded_n_alike(names);
}

void rv_recorded_map_ids(struct rv_recorded_names *names, struct rv_batch *batch)
{
    if (names->keeps_ids || are_alike(names, batch))
        return;
    pthread_mutex_lock(&names->lock);
    const uint32_t *ids = names->ids; /* local copy: the loop's stores might alias it */
    size_t n_ids = names->n_ids;
    for (uint32_t i = 0; i < batch->n; i++) {
        struct rv_event *event = &batch->events[i];
        if (!rv_batch_has_name(event) || (batch->is_open && rv_event_kind(event) == RV_EVENT_LINE))
            continue;
        if (event->id < n_ids && ids[event->id]) { /* the usual case */
            event->id = ids[event->id];
            continue;
        }
        event->id = map_id(names, event->id);
        ids = names->ids;
        n_ids = names->n_ids;
    }
    pthread_mutex_unlock(&names->lock);
}

static void map_waits(struct rv_recorded_names *names, struct rv_rec_index_table *table)
{
    size_t n;
    (void)rv_rec_index_rows(table, RV_REC_INDEX_WAITS, &n);
    struct rv_rec_index_wait *waits = (void *)table->columns[RV_REC_INDEX_WAITS].bytes;
    for (size_t i = 0; i < n; i++) {
        waits[i].object = map_id(names, waits[i].object);
        waits[i].call = map_id(names, waits[i].call);
    }
    (void)rv_rec_index_rows(table, RV_REC_INDEX_RELEASES, &n);
    struct rv_rec_index_release *releases = (void *)table->columns[RV_REC_INDEX_RELEASES].bytes;
    for (size_t i = 0; i < n; i++) {
        releases[i].object = map_id(names, releases[i].object);
        releases[i].call = map_id(names, releases[i].call);
    }
}

static void map_folds(struct rv_recorded_names *names, struct rv_rec_index_table *table)
{
    size_t n;
    (void)rv_rec_index_rows(table, RV_REC_INDEX_SUMS, &n);
    struct rv_rec_index_sum *sums = (void *)table->columns[RV_REC_INDEX_SUMS].bytes;
    for (size_t i = 0; i < n; i++)
        if (sums[i].id != RV_REC_SUM_OUTSIDE)
            sums[i].id = map_id(names, sums[i].id);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_CALLS, &n);
    struct rv_rec_index_call *calls = (void *)table->columns[RV_REC_INDEX_CALLS].bytes;
    for (size_t i = 0; i < n; i++)
        calls[i].id = map_id(names, calls[i].id);
}

void rv_recorded_map_index(struct rv_recorded_names *names, struct rv_rec_index_table *table)
{
    size_t n;
    pthread_mutex_lock(&names->lock);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_FRAMES, &n);
    struct rv_rec_index_frame *frames = (void *)table->columns[RV_REC_INDEX_FRAMES].bytes;
    for (size_t i = 0; i < n; i++)
        frames[i].id = map_id(names, frames[i].id);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_CELLS, &n);
    struct rv_rec_index_cell *cells = (void *)table->columns[RV_REC_INDEX_CELLS].bytes;
    for (size_t i = 0; i < n; i++)
        cells[i].id = map_id(names, cells[i].id);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_SPANS, &n);
    struct rv_rec_index_span *spans = (void *)table->columns[RV_REC_INDEX_SPANS].bytes;
    for (size_t i = 0; i < n; i++)
        spans[i].id = map_id(names, spans[i].id);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_TOTALS, &n);
    struct rv_rec_index_total *totals = (void *)table->columns[RV_REC_INDEX_TOTALS].bytes;
    for (size_t i = 0; i < n; i++)
        totals[i].id = map_id(names, totals[i].id);
    (void)rv_rec_index_rows(table, RV_REC_INDEX_NOTES, &n);
    struct rv_event *notes = (void *)table->columns[RV_REC_INDEX_NOTES].bytes;
    for (size_t i = 0; i < n; i++)
        if (rv_batch_has_name(&notes[i]))
            notes[i].id = map_id(names, notes[i].id);
    map_waits(names, table);
    map_folds(names, table);
    pthread_mutex_unlock(&names->lock);
}

/* Escaped copy, valid until the next call for the same slot. */
static const char *show(struct rv_recorded_names *names, unsigned slot, const char *text)
{
    size_t n = strlen(text);
    struct rv_rec_buffer *buffer = &names->shown[slot];
    buffer->n = 0;
    char *out = (char *)rv_rec_buffer_reserve(buffer, 4 * n + 1);
    rv_text_escape(out, 4 * n + 1, text, n);
    return out;
}

static bool has_room(struct rv_recorded_names *names)
{
    names->n_name_bytes += (uint64_t)(names->strings.end - names->strings.bytes);
    return names->n_name_bytes <= NAME_BYTES_OF_ANY + NAME_BYTES_PER_BYTE * names->n_file_bytes;
}

bool rv_recorded_define(struct rv_recorded_names *names, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake)
{
    struct rv_rec_definition found;
    int result = rv_rec_strings_open(&names->strings, names->compressor, chunk, payload);
    if (result != 0 || !has_room(names))
        return false;
    while ((result = rv_rec_strings_next(&names->strings, &found)) > 0) {
        pthread_mutex_lock(&names->lock);
        const uint32_t id = map_id(names, found.id);
        pthread_mutex_unlock(&names->lock);
        struct rv_definition definition = {id, show(names, 0, found.package), show(names, 1, found.name),
                                           show(names, 2, found.file), found.line_form};
        if (id)
            intake->define(intake->context, &definition, 1);
    }
    return result == 0;
}

int rv_recorded_who_read(struct rv_recorded_who *who, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_stream_chunk read;
    if (rv_stream_chunk_read(&read, chunk, payload) != 0)
        return -EBADMSG;
    rv_text_escape(who->process_name, sizeof who->process_name, read.process_name, strlen(read.process_name));
    rv_text_escape(who->thread_name, sizeof who->thread_name, read.thread_name, strlen(read.thread_name));
    who->info = (struct rv_stream_info){.pid = read.stream.pid,
                                        .parent_pid = read.stream.parent_pid,
                                        .tid = read.stream.tid,
                                        .process_key = read.stream.process_key,
                                        .process_name = who->process_name,
                                        .thread_name = who->thread_name,
                                        .born_ns = read.stream.born_ns & RV_EVENT_TICKS_MASK,
                                        .number = chunk->stream,
                                        .ring = read.stream.ring,
                                        .instrumentation = read.instrumentation};
    return 0;
}

uint64_t rv_recorded_begin(const char *path, const struct rv_rec_reader *reader)
{
    const struct rv_rec_segment *past = rv_rec_reader_past(reader);
    if (!past)
        return 0;
    char before[32];
    rv_units_format_ns(before, sizeof before, rv_rec_reader_past_ns(reader));
    rv_warn("%s: has the newest events only: %llu earlier ones, over %s, were discarded", path,
            (unsigned long long)past->n_events, before);
    return rv_rec_reader_first_ns(reader);
}

void rv_recorded_losses(const struct rv_rec_reader *reader, struct rv_losses *losses)
{
    const struct rv_rec_segment *past = rv_rec_reader_past(reader);
    losses->n[RV_LOSS_EVENTS_LET_GO] += past ? past->n_events : 0;
    losses->n[RV_LOSS_BYTES_DAMAGED] += rv_rec_reader_state(reader).n_damaged;
}

static struct rv_silent_times silent_times(const struct rv_rec_silent_times *times)
{
    return (struct rv_silent_times){times->n_switches, times->running_ns, times->runnable_ns, times->blocked_ns};
}

bool rv_recorded_silent(struct rv_silent_threads *silent, const struct rv_rec_chunk *chunk, const uint8_t *payload)
{
    struct rv_rec_silent head;
    struct rv_silent_threads found = {.n_threads = 0};
    size_t n;
    if (rv_rec_silent_read(&head, &n, chunk, payload) != 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct rv_rec_silent_thread row = rv_rec_silent_thread(payload, i);
        struct rv_silent_thread thread = {.pid = row.pid, .tid = row.tid, .times = silent_times(&row.times)};
        rv_text_escape(thread.name, sizeof thread.name, row.name, strnlen(row.name, sizeof row.name));
        rv_silent_threads_add(&found, &thread);
    }
    found.n_threads = head.n_threads; /* some may not be listed */
    found.times = silent_times(&head.times);
    rv_silent_threads_merge(silent, &found);
    rv_silent_threads_fini(&found);
    return true;
}

bool rv_recorded_outside(const struct rv_rec_chunk *chunk, const uint8_t *payload, const struct rv_intake *intake)
{
    struct rv_rec_outside_thread row;
    if (chunk->payload_bytes % sizeof row)
        return false;
    for (uint64_t at = 0; at < chunk->payload_bytes && intake->name_outside; at += sizeof row) {
        char name[4 * sizeof row.name];
        memcpy(&row, payload + at, sizeof row);
        rv_text_escape(name, sizeof name, row.name, strnlen(row.name, sizeof row.name));
        intake->name_outside(intake->context, row.tid, name);
    }
    return true;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

struct rv_stream_account rv_recorded_account(const struct rv_rec_account *account, const struct rv_rec_account *before)
{
    return (struct rv_stream_account){.n_produced = minus(account->n_produced, before->n_produced),
                                      .n_consumed = minus(account->n_consumed, before->n_consumed),
                                      .n_dropped = minus(account->n_dropped, before->n_dropped)};
}

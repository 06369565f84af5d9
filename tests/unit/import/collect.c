#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "a source broke a rule: %s\n", what);
    abort();
}

static struct collected_stream *stream_of(struct collected *collected, void *handle)
{
    size_t idx = (size_t)(uintptr_t)handle;
    require(idx >= 1 && idx <= collected->n_streams, "a stream that was never opened");
    struct collected_stream *stream = &collected->streams[idx - 1];
    require(!stream->is_closed, "a stream that has been closed");
    return stream;
}

static void *open_stream(void *context, const struct rv_stream_info *info)
{
    struct collected *collected = context;
    collected->streams =
        rv_vec_reserve(collected->streams, &collected->capacity, collected->n_streams + 1, sizeof *collected->streams);
    struct collected_stream *stream = &collected->streams[collected->n_streams++];
    *stream = (struct collected_stream){.pid = info->pid, .tid = info->tid, .last_ns = info->born_ns};
    snprintf(stream->process_name, sizeof stream->process_name, "%s", info->process_name);
    snprintf(stream->name, sizeof stream->name, "%s", info->thread_name);
    return (void *)(uintptr_t)collected->n_streams;
}

static void rename_stream(void *context, void *handle, const char *name)
{
    struct collected_stream *stream = stream_of(context, handle);
    snprintf(stream->name, sizeof stream->name, "%s", name);
}

static void account_stream(void *context, void *handle, const struct rv_stream_account *account)
{
    struct collected_stream *stream = stream_of(context, handle);
    require(account->n_produced == account->n_consumed + account->n_dropped, "accounts");
    require(account->n_consumed == stream->n, "what was consumed");
}

static void close_stream(void *context, void *handle, uint64_t end_ns)
{
    struct collected_stream *stream = stream_of(context, handle);
    require(end_ns >= stream->last_ns, "a stream's end before its last event");
    stream->end_ns = end_ns;
    stream->is_closed = true;
}

static struct rv_batch *acquire_batch(void *context)
{
    struct collected *collected = context;
    require(!collected->is_lent, "two batches at once");
    collected->is_lent = true;
    collected->batch.n = collected->batch.n_specials = 0;
    return &collected->batch;
}

/* Calls go one deeper, returns to where their call was, as an event builder's tags say; a return without an id has none. */
static void follow(struct collected_stream *stream, const struct rv_event *event)
{
    unsigned kind = rv_event_kind(event);
    require(kind < RV_EVENT_KIND_COUNT, "a kind of event");
    require(rv_event_ticks(event) >= stream->last_ns, "time falls");
    stream->last_ns = rv_event_ticks(event);
    if (kind == RV_EVENT_CALL) {
        require(event->frame == (uint16_t)stream->depth, "a call's tag is not its depth");
        stream->depth++;
    } else if (kind == RV_EVENT_RETURN && event->id == 0) {
        require(event->frame == (uint16_t)stream->depth, "a return without a call has the tag of one");
    } else if (kind == RV_EVENT_RETURN) {
        uint32_t down = (uint16_t)(stream->depth - event->frame);
        require(down >= 1 && down <= stream->depth, "a return's tag is not that of an open call");
        stream->depth -= down;
    }
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    struct collected *collected = context;
    require(batch == &collected->batch && collected->is_lent, "a batch that was not given out");
    collected->is_lent = false;
    require(batch->n <= RV_BATCH_EVENTS, "a batch's size");
    if (batch->n == 0)
        return;
    struct collected_stream *stream = stream_of(collected, batch->stream);
    uint32_t n_specials = 0;
    for (uint32_t i = 0; i < batch->n; i++) {
        const struct rv_event *event = &batch->events[i];
        require(rv_event_ticks(event) >= batch->base_ns && rv_event_ticks(event) - batch->base_ns < RV_BATCH_NS,
                "times outside of the batch's range");
        if (rv_event_kind(event) > RV_EVENT_RETURN)
            require(n_specials < batch->n_specials && batch->specials[n_specials++] == i, "a special is not listed");
        follow(stream, event);
    }
    require(n_specials == batch->n_specials, "specials");
    stream->events = rv_vec_reserve(stream->events, &stream->capacity, stream->n + batch->n, sizeof *stream->events);
    memcpy(stream->events + stream->n, batch->events, batch->n * sizeof *batch->events);
    stream->n += batch->n;
}

static bool is_stopping(void *context)
{
    return ((struct collected *)context)->is_stopping;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct collected *collected = context;
    for (size_t i = 0; i < n; i++) {
        size_t id = definitions[i].id;
        require(id > 0 && id < 1u << 24, "an id");
        collected->names = rv_vec_reserve(collected->names, &collected->names_capacity, id + 1, sizeof(char *));
        for (; collected->n_names <= id; collected->n_names++)
            collected->names[collected->n_names] = NULL;
        free(collected->names[id]);
        collected->names[id] = rv_strdup(definitions[i].name);
    }
}

void collect_init(struct collected *collected)
{
    *collected = (struct collected){.intake = {collected, open_stream, rename_stream, account_stream, close_stream,
                                               acquire_batch, submit_batch, is_stopping, define}};
    rv_batch_init(&collected->batch, RV_BATCH_EVENTS);
}

void collect_fini(struct collected *collected)
{
    for (size_t i = 0; i < collected->n_streams; i++)
        free(collected->streams[i].events);
    for (size_t i = 0; i < collected->n_names; i++)
        free(collected->names[i]);
    free(collected->streams);
    free(collected->names);
    rv_batch_fini(&collected->batch);
}

void collect_all(struct collected *collected, struct rv_source *source, unsigned n_turns)
{
    enum rv_source_status status = RV_SOURCE_MOVED;
    for (unsigned i = 0; i < n_turns && status != RV_SOURCE_ENDED; i++)
        status = source->poll(source, &collected->intake);
    collected->is_stopping = true;
    if (status != RV_SOURCE_ENDED)
        status = source->poll(source, &collected->intake);
    require(status == RV_SOURCE_ENDED, "it does not stop");
    require(!collected->is_lent, "a batch was kept");
    for (size_t i = 0; i < collected->n_streams; i++)
        require(collected->streams[i].is_closed, "a stream was left open");
}

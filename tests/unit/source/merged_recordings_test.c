#include "source/merged_recordings.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* A source of one stream, one batch and its names, the first of them only after it was used. */
struct fake {
    struct rv_source source;
    const char *name;
    uint64_t when;
    bool has_spoken;
    int *n_closed;
};

static enum rv_source_status poll_fake(struct rv_source *source, const struct rv_intake *intake)
{
    struct fake *fake = (struct fake *)source;
    if (fake->has_spoken)
        return RV_SOURCE_ENDED;
    fake->has_spoken = true;
    intake->define(intake->context, &(struct rv_definition){2, "P", "shared", "f", 1}, 1);
    void *stream = intake->open_stream(
        intake->context,
        &(struct rv_stream_info){.pid = 7, .process_key = 7, .process_name = fake->name, .born_ns = fake->when});
    struct rv_batch *batch = intake->acquire_batch(intake->context);
    batch->stream = stream;
    batch->base_ns = fake->when;
    batch->n = 3;
    batch->events[0] = (struct rv_event){.when = (uint64_t)RV_EVENT_CALL << RV_EVENT_KIND_SHIFT | fake->when, .id = 1};
    batch->events[1] =
        (struct rv_event){.when = (uint64_t)RV_EVENT_CALL << RV_EVENT_KIND_SHIFT | (fake->when + 5), .id = 2};
    batch->events[2] =
        (struct rv_event){.when = (uint64_t)RV_EVENT_LOST << RV_EVENT_KIND_SHIFT | (fake->when + 6), .id = 1};
    intake->submit_batch(intake->context, batch);
    intake->define(intake->context, &(struct rv_definition){1, "P", "late", "f", 2}, 1);
    intake->close_stream(intake->context, stream, fake->when + 9);
    return RV_SOURCE_MOVED;
}

static void close_fake(struct rv_source *source)
{
    struct fake *fake = (struct fake *)source;
    (*fake->n_closed)++;
    free(fake);
}

static struct rv_source *make_fake(const char *name, uint64_t when, uint64_t boot_ns, int *n_closed)
{
    struct fake *fake = calloc(1, sizeof *fake);
    fake->source = (struct rv_source){.real_ns = boot_ns, .poll = poll_fake, .close = close_fake};
    fake->name = name;
    fake->when = when;
    fake->n_closed = n_closed;
    return &fake->source;
}

struct heard { /* what the merged source said */
    struct rv_stream_info streams[2];
    uint64_t base[2], ends[2];
    struct rv_event events[2][3];
    char names[16][16], labels[2][32]; /* of subroutines by id; of processes by stream */
    size_t n_streams, n_batches, n_ends;
    struct rv_batch batch;
};

static void *hear_stream(void *context, const struct rv_stream_info *info)
{
    struct heard *heard = context;
    heard->streams[heard->n_streams] = *info;
    snprintf(heard->labels[heard->n_streams], sizeof heard->labels[0], "%s", info->process_name);
    return &heard->streams[heard->n_streams++];
}

static struct rv_batch *give_batch(void *context)
{
    return &((struct heard *)context)->batch;
}

static void hear_batch(void *context, struct rv_batch *batch)
{
    struct heard *heard = context;
    cr_assert_eq(batch->stream, &heard->streams[heard->n_batches]);
    heard->base[heard->n_batches] = batch->base_ns;
    memcpy(heard->events[heard->n_batches++], batch->events, sizeof heard->events[0]);
}

static void hear_end(void *context, void *stream, uint64_t end_ns)
{
    struct heard *heard = context;
    (void)stream;
    heard->ends[heard->n_ends++] = end_ns;
}

static void hear_names(void *context, const struct rv_definition *definitions, size_t n)
{
    struct heard *heard = context;
    for (size_t i = 0; i < n; i++) {
        cr_assert_lt(definitions[i].id, 16);
        strncpy(heard->names[definitions[i].id], definitions[i].name, 15);
    }
}

Test(source_merged_recordings, times_are_on_one_wall_clock_and_names_are_shared, .timeout = 60)
{
    int n_closed = 0;
    struct heard heard = {0};
    struct rv_source *sources[] = {make_fake("late host", 1000, 5000000, &n_closed),
                                   make_fake("early host", 300, 1000000, &n_closed)};
    struct rv_source *merged = rv_merged_recordings_open(
        &(struct rv_merged_recordings_params){.sources = sources, .paths = (const char *[]){"a", "b"}, .n = 2});
    const struct rv_intake intake = {.context = &heard,
                                     .open_stream = hear_stream,
                                     .close_stream = hear_end,
                                     .acquire_batch = give_batch,
                                     .submit_batch = hear_batch,
                                     .define = hear_names};
    cr_assert_not_null(merged);
    cr_assert_eq(merged->real_ns, 1000000);
    rv_batch_init(&heard.batch, RV_BATCH_EVENTS);
    while (merged->poll(merged, &intake) != RV_SOURCE_ENDED)
        ;
    cr_assert_eq(heard.n_streams, 2);
    cr_assert_neq(heard.streams[0].process_key, heard.streams[1].process_key);
    static const uint64_t first[2] = {1000 + 4000000, 300};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(heard.base[i], first[i]);
        cr_assert_eq(heard.streams[i].born_ns, first[i]);
        cr_assert_eq(heard.ends[i], first[i] + 9);
        cr_assert_eq(rv_event_ticks(&heard.events[i][1]), first[i] + 5);
        cr_assert_eq(rv_event_kind(&heard.events[i][2]), RV_EVENT_LOST);
        cr_assert_eq(heard.events[i][2].id, 1); /* a count, no name */
        cr_assert_str_eq(heard.names[heard.events[i][0].id], "late");
        cr_assert_str_eq(heard.names[heard.events[i][1].id], "shared");
    }
    cr_assert_eq(heard.events[0][1].id, heard.events[1][1].id);
    rv_batch_fini(&heard.batch);
    merged->close(merged);
    cr_assert_eq(n_closed, 2);
}

Test(source_merged_recordings, compared_runs_begin_together_and_are_labelled, .timeout = 60)
{
    int n_closed = 0;
    struct heard heard = {0};
    struct rv_source *sources[] = {make_fake("late", 5000, 5000000, &n_closed),
                                   make_fake("early", 300, 1ull << 60, &n_closed)};
    struct rv_source *merged =
        rv_merged_recordings_open(&(struct rv_merged_recordings_params){.sources = sources,
                                                                        .paths = (const char *[]){"a", "b"},
                                                                        .labels = (const char *[]){"before:", "after:"},
                                                                        .n = 2,
                                                                        .starts_ns = (const uint64_t[]){5000, 300}});
    const struct rv_intake intake = {.context = &heard,
                                     .open_stream = hear_stream,
                                     .close_stream = hear_end,
                                     .acquire_batch = give_batch,
                                     .submit_batch = hear_batch,
                                     .define = hear_names};
    cr_assert_not_null(merged);
    rv_batch_init(&heard.batch, RV_BATCH_EVENTS);
    while (merged->poll(merged, &intake) != RV_SOURCE_ENDED)
        ;
    cr_assert_eq(heard.n_streams, 2);
    cr_assert_eq(heard.streams[0].born_ns, heard.streams[1].born_ns);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(heard.base[i], heard.streams[i].born_ns);
        cr_assert_eq(heard.ends[i], heard.streams[i].born_ns + 9);
        cr_assert_eq(rv_event_ticks(&heard.events[i][1]), heard.streams[i].born_ns + 5);
    }
    cr_assert_eq(strncmp(heard.labels[0], "before: ", 8), 0);
    cr_assert_eq(strncmp(heard.labels[1], "after: ", 7), 0);
    rv_batch_fini(&heard.batch);
    merged->close(merged);
    cr_assert_eq(n_closed, 2);
}

Test(source_merged_recordings, clocks_that_are_years_apart_are_refused, .timeout = 60)
{
    int n_closed = 0;
    struct rv_source *sources[] = {make_fake("a", 1, 1, &n_closed), make_fake("b", 1, 1ull << 60, &n_closed)};
    cr_assert_null(rv_merged_recordings_open(
        &(struct rv_merged_recordings_params){.sources = sources, .paths = (const char *[]){"a", "b"}, .n = 2}));
    cr_assert_eq(n_closed, 2);
}

Test(source_merged_recordings, a_source_that_could_not_be_opened_closes_the_others, .timeout = 60)
{
    int n_closed = 0;
    struct rv_source *sources[] = {make_fake("a", 1, 1, &n_closed), NULL, make_fake("c", 1, 1, &n_closed)};
    cr_assert_null(rv_merged_recordings_open(
        &(struct rv_merged_recordings_params){.sources = sources, .paths = (const char *[]){"a", "b", "c"}, .n = 3}));
    cr_assert_eq(n_closed, 2);
}

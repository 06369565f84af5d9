#include "pipeline/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct rv_stream *rv_stream_create(size_t n_jobs)
{
    struct rv_stream *stream = rv_alloc(1, sizeof *stream);
    rv_job_order_init(&stream->jobs, n_jobs);
    pthread_mutex_init(&stream->lock, NULL);
    return stream;
}

void rv_stream_end(struct rv_stream *stream)
{
    rv_tracks_fini(&stream->tracks);
    rv_block_list_fini(&stream->blocks);
}

void rv_stream_destroy(struct rv_stream *stream)
{
    if (!stream)
        return;
    rv_stream_end(stream);
    rv_job_order_fini(&stream->jobs);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

void rv_stream_rename(struct rv_stream *stream, const char *name)
{
    pthread_mutex_lock(&stream->lock);
    snprintf(stream->new_name, sizeof stream->new_name, "%s", name);
    pthread_mutex_unlock(&stream->lock);
}

bool rv_stream_apply_name(struct rv_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool is_new = *stream->new_name;
    if (is_new)
        memcpy(stream->name, stream->new_name, sizeof stream->name);
    *stream->new_name = '\0';
    pthread_mutex_unlock(&stream->lock);
    for (size_t i = 0; i < stream->tracks.n && is_new; i++)
        rv_lanes_rename(stream->lanes, stream->tracks.all[i].lane, stream->name);
    return is_new;
}

static void begin_track(void *context, struct rv_track *track)
{
    const struct rv_stream *stream = context;
    struct rv_lane_identity identity = stream->identity;
    identity.stack = track->stack;
    track->lane = rv_lanes_add(stream->lanes, &identity);
    track->stats = rv_stats_lane_create();
}

size_t rv_stream_find_track(const struct rv_stream *stream, uint32_t stack)
{
    uint32_t found = rv_hash_index_get(&stream->tracks.by_stack, stack);
    return found ? found - 1 : 0;
}

/* Stacks beyond those that the live stream tells apart share its first lane. */
static void follow_track(void *context, struct rv_track *track)
{
    const struct rv_stream *stream = context;
    track->lane = rv_lanes_find(stream->lanes, stream->number, track->stack);
    if (!track->lane)
        track->lane = rv_lanes_find(stream->lanes, stream->number, 0);
}

static void reset(struct rv_stream *stream, uint32_t number, void (*begin)(void *context, struct rv_track *track))
{
    rv_job_order_reset(&stream->jobs, 0);
    rv_tracks_init(&stream->tracks, begin, stream);
    stream->number = number;
    stream->n_dropped_told = 0;
    stream->n_open = 0;
    stream->last_call = 0;
    stream->account = (struct rv_stream_account){0};
    stream->new_name[0] = '\0';
    stream->preamble = (struct rv_stack_preamble){0};
    stream->sums_level = 0;
    stream->is_followed = stream->is_summed = false;
    stream->has_used_pages = false;
}

void rv_stream_begin(struct rv_stream *stream, struct rv_lanes *lanes, const struct rv_stream_info *info,
                     uint32_t number)
{
    snprintf(stream->given_name, sizeof stream->given_name, "%s", info->thread_name);
    snprintf(stream->process_name, sizeof stream->process_name, "%s", info->process_name);
    if (*info->thread_name)
        snprintf(stream->name, sizeof stream->name, "%s", info->thread_name);
    else
        snprintf(stream->name, sizeof stream->name, "%.40s %u", info->process_name, info->tid);
    stream->identity = (struct rv_lane_identity){
        .pid = info->pid,
        .parent_pid = info->parent_pid,
        .tid = info->tid,
        .thread = number,
        .process_key = info->process_key,
        .name = stream->name,
        .process_name = stream->process_name,
        .instrumentation = info->instrumentation,
    };
    stream->info = *info;
    stream->info.process_name = stream->process_name;
    stream->info.thread_name = stream->given_name;
    stream->lanes = lanes;
    reset(stream, number, begin_track);
    (void)rv_tracks_at(&stream->tracks, 0);
}

void rv_stream_begin_followed(struct rv_stream *stream, struct rv_lanes *lanes, uint32_t number, size_t first_block)
{
    stream->lanes = lanes;
    reset(stream, number, follow_track);
    stream->is_followed = true;
    stream->blocks = (struct rv_block_list){.base = first_block, .first = first_block, .end = first_block};
    (void)rv_tracks_at(&stream->tracks, 0);
}

#include "pipeline/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* As many as the carry distinguishes. */
#define MAX_TRACKS 65536u

struct rv_stream *rv_stream_create(size_t n_jobs)
{
    struct rv_stream *stream = rv_alloc(1, sizeof *stream);
    pthread_mutex_init(&stream->lock, NULL);
    stream->ready = rv_alloc(n_jobs, sizeof *stream->ready);
    stream->n_jobs = n_jobs;
    return stream;
}

void rv_stream_end(struct rv_stream *stream)
{
    for (size_t i = 0; i < stream->n_tracks; i++) {
        rv_stats_lane_destroy(stream->tracks[i].stats);
        rv_timeline_destroy(stream->tracks[i].page);
    }
    free(stream->tracks);
    free(stream->blocks);
    stream->blocks = NULL;
    stream->n_blocks = stream->blocks_capacity = 0;
    rv_hash_index_fini(&stream->by_stack);
    rv_carry_destroy(stream->carry);
    stream->tracks = NULL;
    stream->carry = NULL;
    stream->n_tracks = stream->tracks_capacity = 0;
}

void rv_stream_destroy(struct rv_stream *stream)
{
    if (!stream)
        return;
    rv_stream_end(stream);
    free(stream->ready);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

bool rv_stream_put(struct rv_stream *stream, struct rv_job *job)
{
    pthread_mutex_lock(&stream->lock);
    stream->ready[job->batch.sequence % stream->n_jobs] = job;
    bool is_merger = !stream->is_merging;
    stream->is_merging = true;
    pthread_mutex_unlock(&stream->lock);
    return is_merger;
}

struct rv_job *rv_stream_take(struct rv_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    struct rv_job **place = &stream->ready[stream->n_merged % stream->n_jobs];
    struct rv_job *job = *place;
    *place = NULL;
    if (job)
        stream->n_merged++;
    else
        stream->is_merging = false;
    pthread_mutex_unlock(&stream->lock);
    return job;
}

void rv_stream_rename(struct rv_stream *stream, const char *name)
{
    pthread_mutex_lock(&stream->lock);
    snprintf(stream->new_name, sizeof stream->new_name, "%s", name);
    pthread_mutex_unlock(&stream->lock);
}

static void name_lane(struct rv_lane *lane, const char *name, uint32_t stack)
{
    pthread_mutex_lock(&lane->lock);
    if (stack)
        snprintf(lane->name, sizeof lane->name, "%.50s/%u", name, stack);
    else
        snprintf(lane->name, sizeof lane->name, "%s", name);
    pthread_mutex_unlock(&lane->lock);
}

bool rv_stream_apply_name(struct rv_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool is_new = *stream->new_name;
    if (is_new)
        memcpy(stream->name, stream->new_name, sizeof stream->name);
    *stream->new_name = '\0';
    pthread_mutex_unlock(&stream->lock);
    for (size_t i = 0; i < stream->n_tracks && is_new; i++)
        name_lane(stream->tracks[i].lane, stream->name, stream->tracks[i].stack);
    return is_new;
}

/* Not coarser than the lane's sums. */
static struct rv_timeline *create_page(const struct rv_stream *page, struct rv_lane *lane)
{
    pthread_mutex_lock(&lane->lock);
    uint32_t level = rv_timeline_sums_level(lane->timeline);
    pthread_mutex_unlock(&lane->lock);
    level = level > 0 ? level - 1 : 0;
    return rv_timeline_create_from(level < page->level ? level : page->level);
}

struct rv_track *rv_stream_track(struct rv_stream *stream, struct rv_lanes *lanes, uint32_t stack)
{
    uint32_t found = rv_hash_index_get(&stream->by_stack, stack);
    if (found)
        return &stream->tracks[found - 1];
    if (stream->n_tracks == MAX_TRACKS)
        return &stream->tracks[0];
    stream->tracks =
        rv_vec_reserve(stream->tracks, &stream->tracks_capacity, stream->n_tracks + 1, sizeof *stream->tracks);
    struct rv_track *track = &stream->tracks[stream->n_tracks++];
    rv_hash_index_add(&stream->by_stack, stack, (uint32_t)stream->n_tracks);
    if (stream->whole) {
        const struct rv_stream *whole = stream->whole;
        uint32_t of_whole = rv_hash_index_get(&whole->by_stack, stack);
        struct rv_lane *lane = whole->tracks[of_whole ? of_whole - 1 : 0].lane;
        *track = (struct rv_track){.stack = stack, .lane = lane, .page = create_page(stream, lane)};
        return track;
    }
    struct rv_lane_identity identity = stream->identity;
    identity.stack = stack;
    *track = (struct rv_track){.stack = stack, .lane = rv_lanes_add(lanes, &identity), .stats = rv_stats_lane_create()};
    name_lane(track->lane, stream->name, stack);
    return track;
}

static void reset(struct rv_stream *stream, uint32_t number)
{
    stream->number = number;
    stream->n_dropped_told = 0;
    stream->n_submitted = stream->n_merged = 0;
    stream->exit_stack = 0;
    stream->n_open = 0;
    stream->account = (struct rv_stream_account){0};
    stream->new_name[0] = '\0';
    stream->carry = rv_carry_create();
    stream->depth_shift = 0;
    stream->preamble = (struct rv_stack_preamble){0};
    stream->sums_level = 0;
    stream->has_used_pages = false;
    stream->whole = NULL;
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
    };
    stream->info = *info;
    stream->info.process_name = stream->process_name;
    stream->info.thread_name = stream->given_name;
    reset(stream, number);
    (void)rv_stream_track(stream, lanes, 0);
}

void rv_stream_begin_page(struct rv_stream *page, const struct rv_page_request *request, uint32_t entry_stack)
{
    struct rv_stream *whole = request->stream;
    reset(page, whole->number);
    page->exit_stack = entry_stack;
    page->whole = whole;
    page->block = request->block;
    page->level = request->level;
    page->slot = request->slot;
}

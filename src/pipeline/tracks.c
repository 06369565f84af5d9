#include "pipeline/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define MAX_TRACKS 65536u

void rv_tracks_init(struct rv_tracks *tracks, void (*begin)(void *context, struct rv_track *track), void *context)
{
    *tracks = (struct rv_tracks){.carry = rv_block_join_create(), .begin = begin, .context = context};
}

void rv_tracks_fini(struct rv_tracks *tracks)
{
    for (size_t i = 0; i < tracks->n; i++) {
        rv_stats_lane_destroy(tracks->all[i].stats);
        rv_timeline_destroy(tracks->all[i].calls);
        free(tracks->all[i].moments);
        free(tracks->all[i].waits);
        free(tracks->all[i].steps);
    }
    free(tracks->all);
    rv_hash_index_fini(&tracks->by_stack);
    rv_block_join_destroy(tracks->carry);
    *tracks = (struct rv_tracks){0};
}

struct rv_track *rv_tracks_at(struct rv_tracks *tracks, uint32_t stack)
{
    uint32_t found = rv_hash_index_get(&tracks->by_stack, stack);
    if (found)
        return &tracks->all[found - 1];
    if (tracks->n == MAX_TRACKS)
        return &tracks->all[0];
    tracks->all = rv_vec_reserve(tracks->all, &tracks->capacity, tracks->n + 1, sizeof *tracks->all);
    struct rv_track *track = &tracks->all[tracks->n++];
    rv_hash_index_add(&tracks->by_stack, stack, (uint32_t)tracks->n);
    *track = (struct rv_track){.stack = stack, .task_step = RV_FLOWS_NONE};
    tracks->begin(tracks->context, track);
    return track;
}

struct rv_moment *rv_track_add_moment(struct rv_track *track)
{
    track->moments =
        rv_vec_reserve(track->moments, &track->moments_capacity, track->n_moments + 1, sizeof *track->moments);
    return &track->moments[track->n_moments++];
}

void rv_track_add_first_moment(struct rv_track *track, struct rv_moment moment)
{
    (void)rv_track_add_moment(track);
    memmove(track->moments + 1, track->moments, (track->n_moments - 1) * sizeof *track->moments);
    track->moments[0] = moment;
}

void rv_track_clear(struct rv_track *track)
{
    track->n_moments = track->n_waits = track->n_steps = 0;
}

uint32_t rv_tracks_follow_base(struct rv_tracks *tracks)
{
    uint32_t before = tracks->depth_shift;
    tracks->depth_shift = rv_block_join_shift(tracks->carry, before);
    return tracks->depth_shift - before;
}

void rv_tracks_resume(struct rv_tracks *tracks, const struct rv_page_stack *stack)
{
    rv_block_join_resume(tracks->carry,
                         &(struct rv_open_stack){.stack = stack->stack,
                                                 .base_depth = (int32_t)stack->base_depth,
                                                 .n_frames = stack->n_frames,
                                                 .is_begun = true, /* in the block at the latest */
                                                 .first_ns = stack->first_ns,
                                                 .least_key = stack->depth.least,
                                                 .last_key = stack->depth.last,
                                                 .n_lost = stack->depth.n_lost,
                                                 .start = stack->start_ns,
                                                 .id = stack->ids,
                                                 .key = stack->levels,
                                                 .flags = stack->flags},
                         stack->depth.last_ns);
}

struct rv_span *rv_tracks_group(struct rv_tracks *tracks, struct rv_span_buffer *buffer, size_t n)
{
    struct rv_span *spans = buffer->spans;
    for (size_t i = 0; i < tracks->n; i++)
        tracks->all[i].n = 0;
    if (n == 0)
        return spans;
    uint32_t differences = 0;
    for (size_t i = 1; i < n; i++)
        differences |= spans[i].stack ^ spans[0].stack;
    if (differences == 0) {
        struct rv_track *track = rv_tracks_at(tracks, spans[0].stack);
        track->first = 0;
        track->n = n;
        return spans;
    }
    for (size_t i = 0; i < n; i++)
        rv_tracks_at(tracks, spans[i].stack)->n++;
    size_t first = 0;
    for (size_t i = 0; i < tracks->n; i++) {
        tracks->all[i].first = first;
        first += tracks->all[i].n;
        tracks->all[i].n = 0;
    }
    buffer->sorted = rv_vec_reserve(buffer->sorted, &buffer->sorted_capacity, n, sizeof *buffer->sorted);
    for (size_t i = 0; i < n; i++) {
        struct rv_track *track = rv_tracks_at(tracks, spans[i].stack);
        buffer->sorted[track->first + track->n++] = spans[i];
    }
    return buffer->sorted;
}

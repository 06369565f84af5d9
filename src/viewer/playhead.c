#include "viewer/playhead.h"

#include <math.h>

void rv_playhead_set(struct rv_playhead *playhead, uint64_t at_ns)
{
    playhead->is_on = true;
    playhead->is_held = false;
    playhead->at_ns = at_ns;
    playhead->fraction = 0.0;
}

void rv_playhead_end(struct rv_playhead *playhead)
{
    *playhead = (struct rv_playhead){.speed = playhead->speed};
}

double rv_playhead_speed(const struct rv_playhead *playhead)
{
    return playhead->speed > 0.0 ? playhead->speed : 1.0;
}

void rv_playhead_scale(struct rv_playhead *playhead, double factor)
{
    double speed = rv_playhead_speed(playhead) * factor;
    playhead->speed = fmin(fmax(speed, RV_PLAYHEAD_SPEED_MIN), RV_PLAYHEAD_SPEED_MAX);
}

bool rv_playhead_advance(struct rv_playhead *playhead, double dt_s, uint64_t last_ns)
{
    if (!playhead->is_on || !playhead->is_playing || playhead->at_ns >= last_ns)
        return false;
    uint64_t before_ns = playhead->at_ns;
    double passed_ns = playhead->fraction + dt_s * 1e9 * rv_playhead_speed(playhead);
    double whole_ns = floor(passed_ns);
    if (whole_ns >= (double)(last_ns - before_ns)) {
        rv_playhead_set(playhead, last_ns);
        return true;
    }
    playhead->at_ns += (uint64_t)whole_ns;
    playhead->fraction = passed_ns - whole_ns;
    playhead->is_held = false;
    return playhead->at_ns != before_ns;
}

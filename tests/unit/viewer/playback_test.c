/* Playback without a window: the test sets the time, and knows the events. */
#include "viewer/playback.h"

#include <criterion/criterion.h>

#define MS UINT64_C(1000000)
#define BEGIN (1000 * MS)
#define LENGTH (100 * MS)
#define N_LANES 2u
#define N_TIMES 8u

/* Two threads: a call of 100 ms with one of 10 ms in it at 20 and at 60; one of 30 ms at 50. */
static const uint64_t TIMES[N_TIMES] = {0, 20, 30, 50, 60, 70, 80, 100};

struct fixture {
    struct rv_lanes *lanes;
    struct rv_viewer viewer;
};

static void add(struct rv_lane *lane, const uint64_t ms[2], uint32_t depth)
{
    struct rv_span span = {.start = BEGIN + ms[0] * MS, .end = BEGIN + ms[1] * MS, .id = 1, .depth = depth};
    rv_timeline_add(lane->timeline, &span, 1);
    lane->last_ns = span.end;
}

static void init(struct fixture *fixture, double speed, uint64_t start_ns)
{
    fixture->lanes = rv_lanes_create();
    struct rv_lane *lanes[N_LANES];
    for (uint32_t i = 0; i < N_LANES; i++)
        lanes[i] = rv_lanes_add(fixture->lanes, &(struct rv_lane_identity){.pid = 1, .tid = i, .process_key = 1});
    add(lanes[0], (uint64_t[2]){20, 30}, 1);
    add(lanes[0], (uint64_t[2]){60, 70}, 1);
    add(lanes[0], (uint64_t[2]){0, 100}, 0);
    add(lanes[1], (uint64_t[2]){50, 80}, 0);
    struct rv_viewer_params params = {
        .now_ns = BEGIN, .window_ns = 10 * MS, .lanes = fixture->lanes, .speed = speed, .start_ns = start_ns};
    rv_settings_init(&params.settings);
    rv_viewer_init(&fixture->viewer, &params);
}

static void fini(struct fixture *fixture)
{
    rv_viewer_fini(&fixture->viewer);
    rv_lanes_destroy(fixture->lanes);
}

static void pass(struct fixture *fixture, double ms)
{
    rv_viewer_advance(&fixture->viewer, fixture->lanes, true, ms / 1000.0);
}

static void act(struct fixture *fixture, enum rv_action action)
{
    rv_viewer_act(&fixture->viewer, &(struct rv_act){.action = action});
    pass(fixture, 0.0);
}

static void seek(struct fixture *fixture, uint64_t ns)
{
    rv_viewer_act(&fixture->viewer, &(struct rv_act){.action = RV_ACTION_SEEK, .from_ns = ns});
    pass(fixture, 0.0);
}

static uint64_t at(const struct fixture *fixture)
{
    return fixture->viewer.playhead.at_ns - BEGIN;
}

static void expect_window(const struct fixture *fixture, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t window_ns[2];
    rv_time_window_get(&fixture->viewer.time_window, &window_ns[0], &window_ns[1]);
    cr_assert_eq(window_ns[0], from_ns, "%ld", (long)(window_ns[0] - from_ns));
    cr_assert_eq(window_ns[1], to_ns, "%ld", (long)(window_ns[1] - to_ns));
}

Test(playback, an_ended_capture_is_shown_completely_until_it_is_played, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    pass(&fixture, 0.0);
    pass(&fixture, 20.0);
    cr_assert(!fixture.viewer.playhead.is_on);
    expect_window(&fixture, BEGIN, BEGIN + LENGTH);
    act(&fixture, RV_ACTION_PLAY);
    cr_assert_eq(at(&fixture), 0);
    pass(&fixture, 20.0);
    pass(&fixture, 5.0);
    cr_assert_eq(at(&fixture), 25 * MS);
    cr_assert_eq(fixture.viewer.live_edge.now_ns, BEGIN + 25 * MS);
    expect_window(&fixture, BEGIN, BEGIN + LENGTH);
    act(&fixture, RV_ACTION_PLAY);
    pass(&fixture, 1000.0);
    cr_assert_eq(at(&fixture), 25 * MS);
    act(&fixture, RV_ACTION_PLAY);
    pass(&fixture, 1000.0);
    cr_assert_eq(at(&fixture), LENGTH);
    cr_assert(fixture.viewer.playhead.is_on && !fixture.viewer.playhead.is_playing);
    act(&fixture, RV_ACTION_PLAY);
    pass(&fixture, 3.0);
    cr_assert_eq(at(&fixture), 3 * MS, "what had come to its end begins again");
    act(&fixture, RV_ACTION_END);
    cr_assert(!fixture.viewer.playhead.is_on);
    cr_assert_eq(fixture.viewer.live_edge.now_ns, BEGIN + LENGTH);
    fini(&fixture);
}

Test(playback, speed_plays_from_the_start_and_the_window_follows, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.5, 40 * MS);
    pass(&fixture, 0.0);
    for (unsigned i = 0; i < 10; i++) {
        cr_assert_eq(at(&fixture), 40 * MS + i * MS);
        expect_window(&fixture, BEGIN + 30 * MS + i * MS, BEGIN + 40 * MS + i * MS);
        pass(&fixture, 2.0);
    }
    act(&fixture, RV_ACTION_FASTER);
    pass(&fixture, 2.0);
    cr_assert_eq(at(&fixture), 52 * MS);
    act(&fixture, RV_ACTION_SLOWER);
    pass(&fixture, 2.0);
    cr_assert_eq(at(&fixture), 53 * MS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_PAN, .amount = -1.0});
    pass(&fixture, 2.0);
    expect_window(&fixture, BEGIN + 33 * MS, BEGIN + 43 * MS);
    act(&fixture, RV_ACTION_FOLLOW);
    for (unsigned i = 0; i < 100; i++)
        pass(&fixture, 0.5);
    cr_assert(fixture.viewer.time_window.is_following && fixture.viewer.playhead.is_on);
    fini(&fixture);
}

Test(playback, the_window_goes_with_a_playhead_that_leaves_it_at_its_end, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    pass(&fixture, 0.0);
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + 20 * MS, .to_ns = BEGIN + 40 * MS});
    act(&fixture, RV_ACTION_PLAY);
    cr_assert_eq(at(&fixture), 20 * MS, "what is in sight is played");
    pass(&fixture, 20.0);
    expect_window(&fixture, BEGIN + 20 * MS, BEGIN + 40 * MS);
    cr_assert(!fixture.viewer.time_window.is_following);
    pass(&fixture, 1.0);
    cr_assert(fixture.viewer.time_window.is_following);
    act(&fixture, RV_ACTION_START);
    expect_window(&fixture, BEGIN, BEGIN + 20 * MS);
    cr_assert_eq(at(&fixture), 0);
    fini(&fixture);
}

/* A thousand calls long after the others; "start" is where they begin, and the first event from before that. */
Test(playback, the_start_is_where_the_calls_are, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    const uint64_t later_ms = 1000000;
    for (uint64_t i = 0; i < 1000; i++)
        add(rv_lanes_get(fixture.lanes, 1), (uint64_t[2]){later_ms + i, later_ms + i + 1}, 0);
    pass(&fixture, 0.0);
    const uint64_t at_ns = BEGIN + (later_ms + 500) * MS;
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = at_ns, .to_ns = at_ns + 400 * MS});
    for (unsigned i = 0; i < 2; i++) { /* again: it stays there */
        uint64_t from_ns, to_ns;
        act(&fixture, RV_ACTION_START);
        rv_time_window_get(&fixture.viewer.time_window, &from_ns, &to_ns);
        cr_assert(from_ns <= BEGIN + later_ms * MS && from_ns + 100 * MS >= BEGIN + later_ms * MS, "%g ms",
                  (double)(from_ns - BEGIN) / (double)MS);
        cr_assert_eq(to_ns - from_ns, 400 * MS);
    }
    rv_viewer_act(&fixture.viewer,
                  &(struct rv_act){.action = RV_ACTION_SHOW, .from_ns = BEGIN + MS, .to_ns = BEGIN + 21 * MS});
    act(&fixture, RV_ACTION_START);
    expect_window(&fixture, BEGIN, BEGIN + 20 * MS);
    fini(&fixture);
}

Test(playback, steps_land_on_every_event_of_the_threads_in_sight, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    pass(&fixture, 0.0);
    for (unsigned i = N_TIMES; i-- > 0;) {
        act(&fixture, RV_ACTION_STEP_BACK);
        cr_assert_eq(at(&fixture), TIMES[i] * MS);
    }
    act(&fixture, RV_ACTION_STEP_BACK);
    cr_assert_eq(at(&fixture), 0);
    for (unsigned i = 1; i < N_TIMES; i++) {
        act(&fixture, RV_ACTION_STEP_FORWARD);
        cr_assert_eq(at(&fixture), TIMES[i] * MS);
    }
    act(&fixture, RV_ACTION_STEP_FORWARD);
    cr_assert_eq(at(&fixture), LENGTH);
    seek(&fixture, BEGIN + 20 * MS);
    fixture.viewer.pointer.hover.is_pinned = true;
    fixture.viewer.pointer.hover.lane_idx = 1;
    act(&fixture, RV_ACTION_STEP_FORWARD);
    cr_assert_eq(at(&fixture), 50 * MS, "of the thread whose call is pinned");
    act(&fixture, RV_ACTION_STEP_FORWARD);
    cr_assert_eq(at(&fixture), 80 * MS);
    fixture.viewer.pointer.hover.is_pinned = false;
    rv_lane_choices_toggle_hidden(&fixture.viewer.lane_order, 0);
    act(&fixture, RV_ACTION_STEP_BACK);
    cr_assert_eq(at(&fixture), 50 * MS, "hidden threads have no events");
    fini(&fixture);
}

Test(playback, going_to_a_time_moves_the_playhead_along, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    pass(&fixture, 0.0);
    seek(&fixture, BEGIN + 10 * MS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_GO_TO, .text = "70ms"});
    cr_assert_eq(at(&fixture), 70 * MS);
    rv_viewer_act(&fixture.viewer, &(struct rv_act){.action = RV_ACTION_GO_TO, .text = "30ms"});
    cr_assert_eq(at(&fixture), 30 * MS);
    rv_playback_reveal(&fixture.viewer, BEGIN + 20 * MS);
    cr_assert_eq(at(&fixture), 30 * MS);
    rv_playback_reveal(&fixture.viewer, BEGIN + 90 * MS);
    cr_assert_eq(at(&fixture), 90 * MS);
    fini(&fixture);
}

Test(playback, a_live_picture_is_frozen_rewound_and_caught_up_with, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    struct rv_viewer *viewer = &fixture.viewer;
    rv_viewer_advance(viewer, fixture.lanes, false, 0.0);
    uint64_t live_ns = viewer->live_edge.live_ns;
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_PLAY});
    cr_assert(viewer->playhead.is_on && !viewer->playhead.is_playing && viewer->live_edge.is_frozen);
    cr_assert_eq(viewer->playhead.at_ns, live_ns);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_PLAY});
    cr_assert(!viewer->playhead.is_on && !viewer->live_edge.is_frozen, "frozen, and on with what is live");
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_STEP_BACK});
    cr_assert_eq(viewer->playhead.at_ns, BEGIN + LENGTH);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_STEP_BACK});
    cr_assert_eq(rv_live_edge_behind_ns(&viewer->live_edge), live_ns - BEGIN - 80 * MS);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_PLAY});
    rv_viewer_advance(viewer, fixture.lanes, false, 0.001);
    cr_assert_eq(viewer->playhead.at_ns, BEGIN + 81 * MS, "what was rewound plays on from there");
    rv_viewer_advance(viewer, fixture.lanes, false, 10.0);
    cr_assert(!viewer->playhead.is_on && !viewer->playhead.is_playing, "and is live when it comes to it");
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_SEEK, .from_ns = BEGIN});
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_END});
    cr_assert(!viewer->playhead.is_on && viewer->time_window.is_following);
    cr_assert_eq(viewer->live_edge.now_ns, viewer->live_edge.live_ns);
    fini(&fixture);
}

Test(playback, at_the_start_of_a_frozen_capture_nothing_is_hidden, .timeout = 60)
{
    struct fixture fixture;
    init(&fixture, 0.0, 0);
    struct rv_viewer *viewer = &fixture.viewer;
    rv_viewer_advance(viewer, fixture.lanes, false, 0.0);
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_PLAY});
    const uint64_t frozen_ns = viewer->playhead.at_ns;
    rv_viewer_act(viewer, &(struct rv_act){.action = RV_ACTION_START});
    cr_assert_eq(viewer->time_window.from_ns, (int64_t)BEGIN);
    cr_assert_eq(viewer->playhead.at_ns, frozen_ns);
    cr_assert(viewer->live_edge.is_frozen);
    fini(&fixture);
}

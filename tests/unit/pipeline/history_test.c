/*
 * A session whose memory holds a part of its calls shows, from its history, what one with all calls in memory shows.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

#include "source/replay.h"

#include "recorded.h"
#include "sessions.h"

enum { N_WINDOWS = 40 };

static char path[] = "/tmp/ringviz-history-XXXXXX";

static void record(void)
{
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);

    recorded_make(path,
                  &(struct recorded_params){.n_events = {1600000, 600000, 5000, 1}, .step_ns = {40, 90, 60000, 10}});
}

static void leave(void)
{
    unlink(path);
}

TestSuite(history, .fini = leave, .timeout = 120);

/* The lane's boxes of both sessions at this window. Returns whether memory alone lacks some of them. */
static bool compare_lane(struct rv_session *whole, struct rv_session *limited, struct rv_lane *lane,
                         const uint64_t window[2], uint32_t level)
{
    struct sessions_boxes boxes[2] = {{0}, {0}};
    struct rv_lane *same = sessions_find(limited, lane);
    sessions_query(&boxes[0], lane, window, level);
    sessions_query(&boxes[1], same, window, level);
    sessions_compare_boxes(&boxes[0], &boxes[1], lane->idx, level);
    free(boxes[0].list);
    free(boxes[1].list);
    return rv_timeline_whole_from_ns(same->timeline, level) > window[0];
}

static void compare_windows(struct rv_session *whole, struct rv_session *limited, const uint64_t range_ns[2],
                            uint64_t width_ns, uint32_t n_levels)
{
    struct rv_lanes *lanes = rv_session_lanes(whole);
    unsigned n_evicted = 0;
    for (unsigned k = 0; k < N_WINDOWS; k++) {
        uint64_t from_ns = range_ns[0] + recorded_draw(range_ns[1] - range_ns[0]);
        const uint64_t window[2] = {from_ns, from_ns + width_ns};
        uint32_t level = (uint32_t)recorded_draw(n_levels);
        sessions_fetch(limited, window[0], window[1], level);
        for (size_t i = 0; i < rv_lanes_n(lanes); i++)
            n_evicted += compare_lane(whole, limited, rv_lanes_get(lanes, i), window, level);
    }
    cr_assert_gt(n_evicted, N_WINDOWS / 4, "memory held nearly all calls: %u", n_evicted);
}

struct both {
    struct rv_session *whole, *limited;
    struct rv_history *history;
    uint64_t range_ns[2]; /* of the calls */
};

static void start(struct both *both, uint64_t history_bytes)
{
    record();
    both->whole = sessions_start(rv_replay_open(path), 0, NULL);
    both->history = rv_history_create(history_bytes);
    cr_assert_not_null(both->history);
    both->limited = sessions_start(rv_replay_open(path), 16 << 20, both->history);
    cr_assert(rv_lanes_bounds(rv_session_lanes(both->whole), &both->range_ns[0], &both->range_ns[1]));
}

static void end(const struct both *both)
{
    rv_session_destroy(both->whole);
    rv_session_destroy(both->limited);
    rv_history_destroy(both->history);
}

/* From this time on the lanes can show all calls. */
static uint64_t released_ns(struct rv_session *session)
{
    struct rv_lanes *lanes = rv_session_lanes(session);
    uint64_t until_ns = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++) {
        uint64_t lane_ns = rv_timeline_released_ns(rv_lanes_get(lanes, i)->timeline, 0);
        until_ns = lane_ns > until_ns ? lane_ns : until_ns;
    }
    return until_ns;
}

Test(history, evicted_calls_come_back)
{
    struct both both;
    start(&both, UINT64_C(1) << 30);
    compare_windows(both.whole, both.limited, both.range_ns, 1000, 1);
    compare_windows(both.whole, both.limited, both.range_ns, 1 << 20, 3);
    compare_windows(both.whole, both.limited, both.range_ns, 1 << 24, 5);
    cr_assert_eq(released_ns(both.limited), 0);
    end(&both);
}

/* Of a history that is too small the newest part is kept, and the lanes say where it begins. */
Test(history, what_is_discarded_is_said)
{
    struct both both;
    start(&both, UINT64_C(1) << 20);
    sessions_fetch(both.limited, both.range_ns[0], both.range_ns[0] + 1000, 0);
    both.range_ns[0] = released_ns(both.limited);
    cr_assert_gt(both.range_ns[0], 0);
    cr_assert_lt(both.range_ns[0], both.range_ns[1]);
    compare_windows(both.whole, both.limited, both.range_ns, 1000, 1);
    end(&both);
}

Test(history, without_one_what_is_evicted_is_said)
{
    record();
    struct rv_session *limited = sessions_start(rv_replay_open(path), 16 << 20, NULL);
    cr_assert_gt(released_ns(limited), 0);
    rv_session_destroy(limited);
}

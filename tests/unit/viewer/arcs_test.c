/* Arcs of a live session: a view of the present has the newest waits. */
#include "viewer/arcs.h"

#include <criterion/criterion.h>
#include <string.h>

#include "ended_session.h"
#include "viewer/viewer.h"

#define MS UINT64_C(1000000)

enum { LOCK = 7, N_ROUNDS = 100 };

static struct rv_session *session;
static struct rv_viewer viewer;

static void setup(void)
{
    session = ended_session_start();
    for (uint32_t i = 0; i < 2; i++)
        rv_lanes_add(rv_session_lanes(session),
                     &(struct rv_lane_identity){.pid = 1, .tid = 1 + i, .thread = i, .name = "", .process_name = ""});
    struct rv_viewer_params params = {.now_ns = 1,
                                      .window_ns = MS,
                                      .lanes = rv_session_lanes(session),
                                      .subroutines = rv_session_subroutines(session),
                                      .session = session};
    rv_settings_init(&params.settings);
    rv_viewer_init(&viewer, &params);
    viewer.settings.has_lock_lanes = true;
}

static void teardown(void)
{
    rv_viewer_fini(&viewer);
    rv_session_destroy(session);
}

TestSuite(viewer_arcs, .init = setup, .fini = teardown, .timeout = 60);

/* Add the wait of the i-th millisecond; its end is the present. */
static void add_wait(uint64_t i)
{
    rv_waits_add(rv_session_waits(session), &(struct rv_wait){.start_ns = i * MS,
                                                              .end_ns = (i + 1) * MS,
                                                              .kind = RV_WAIT_MUTEX,
                                                              .wake = RV_WAKE_OWNER,
                                                              .waker = 2,
                                                              .object = LOCK});
    viewer.live_edge.live_ns = (i + 1) * MS;
    rv_time_window_set(&viewer.time_window, i > 50 ? (i - 50) * MS : 0, (i + 1) * MS);
}

static bool is_shown(uint64_t i)
{
    const struct rv_holders *holders = rv_viewer_holders(&viewer);
    return holders && holders->n_objects && rv_holders_n_waiting(holders, &holders->objects[0], i * MS + MS / 2) == 1;
}

/* Those of all time are made a few times a second only. */
Test(viewer_arcs, new_waits_are_shown_before_all_are_read_again)
{
    unsigned n_before = 0;
    for (uint64_t i = 1; i <= N_ROUNDS; i++) {
        add_wait(i);
        do
            (void)rv_viewer_arcs_advance(&viewer);
        while (!is_shown(i));
        n_before += viewer.arcs.all.n_waits < i;
    }
    cr_assert_gt(n_before, 0);
    cr_assert_not_null(rv_viewer_arcs(&viewer));
}

Test(viewer_arcs, the_row_that_was_chosen_in_the_list_is_lit_in_the_picture_while_the_list_is_open, .timeout = 60)
{
    struct rv_arc_item items[] = {{.arc = {.from_lane = 0, .to_lane = 1, .to_ns = 9 * MS}},
                                  {.arc = {.from_lane = 1, .to_lane = 0, .to_ns = 5 * MS}},
                                  {.arc = {.from_lane = 0, .to_lane = 1, .to_ns = 4 * MS}},
                                  {.arc = {.from_lane = 0, .to_lane = 1, .to_ns = 1 * MS}}};
    const struct rv_arc_list list = {.items = items, .n = 4};
    static struct rv_viewer shown;
    cr_assert_eq(rv_viewer_waits_arc(&shown, &list), 0);
    shown.waits.chosen = (struct rv_viewer_arc_chosen){true, 0, 1, 5 * MS};
    cr_assert_eq(rv_viewer_waits_arc(&shown, &list), 0, "the list is closed");
    shown.panels.has_waits = shown.panels.has_arcs = true;
    cr_assert_eq(rv_viewer_waits_arc(&shown, &list), 3, "the nearest of its lanes");
    shown.waits.chosen.from_lane = 2;
    cr_assert_eq(rv_viewer_waits_arc(&shown, &list), 0, "no such arc is in the picture");
}

Test(viewer_arcs, a_pointed_at_arc_tells_for_how_many_lanes_it_stands, .timeout = 60)
{
    struct rv_tooltip tooltip;
    struct rv_arc_hover hover = {
        .arc = {.to_lane = 1, .kind = RV_ARC_START, .n = 8, .n_others = 7, .wait = RV_WAIT_START}};
    rv_arc_tooltip_fill(&tooltip, &hover, session, 1.0);
    cr_expect(strstr(tooltip.lines[1].text, ", and 7 others"), "%s: %s", tooltip.lines[1].label, tooltip.lines[1].text);
    cr_expect(!strstr(tooltip.lines[2].text, "others"), "%s: %s", tooltip.lines[2].label, tooltip.lines[2].text);
    hover.arc.wait = RV_WAIT_JOIN;
    rv_arc_tooltip_fill(&tooltip, &hover, session, 1.0);
    cr_expect(!strstr(tooltip.lines[1].text, "others"), "%s: %s", tooltip.lines[1].label, tooltip.lines[1].text);
    cr_expect(strstr(tooltip.lines[2].text, ", and 7 others"), "%s: %s", tooltip.lines[2].label, tooltip.lines[2].text);
}

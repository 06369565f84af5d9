/* What is pinned is said before the frame that shows it is drawn. */
#include "viewer/pointer.h"

#include <criterion/criterion.h>

#include "ended_session.h"

#define MS UINT64_C(1000000)

static struct rv_session *session;
static struct rv_lane *lane;
static struct rv_pointer pointer;

static void setup(void)
{
    session = ended_session_start();
    lane = rv_lanes_add(rv_session_lanes(session), &(struct rv_lane_identity){.name = "main", .process_name = ""});
    rv_subroutines_define(rv_session_subroutines(session), 1, "Cells", "outer", "", 0);
    rv_subroutines_define(rv_session_subroutines(session), 2, "Cells", "inner", "", 0);
    pointer = (struct rv_pointer){0};
}

static void teardown(void)
{
    rv_call_waits_stop(&pointer.waits);
    rv_session_destroy(session);
}

TestSuite(pointer, .init = setup, .fini = teardown, .timeout = 60);

static struct rv_box call_of(uint32_t id)
{
    return (struct rv_box){
        .start_ns = id * MS, .duration_ns = MS, .id = id, .count = 1, .depth = id, .coverage = RV_BOX_EXACT};
}

/* Of a frame whose view does not have the call. */
static void tell(void)
{
    static const struct rv_view nothing;
    rv_pointer_tell_pinned(
        &pointer, session,
        &(struct rv_scene_frame){.view = &nothing, .subroutines = rv_session_subroutines(session), .scale = 1.0});
}

Test(pointer, a_call_pinned_by_a_key_has_its_own_title)
{
    for (uint32_t id = 1; id <= 2; id++) {
        const struct rv_box call = call_of(id);
        rv_pointer_pin_box(&pointer, &call, lane);
        tell();
        cr_assert_str_eq(pointer.tooltip.title, id == 1 ? "Cells::outer" : "Cells::inner");
    }
}

Test(pointer, what_is_not_pinned_is_not_said)
{
    const struct rv_box call = call_of(1);
    rv_pointer_pin_box(&pointer, &call, lane);
    rv_pointer_unpin(&pointer);
    tell();
    cr_assert_str_empty(pointer.tooltip.title);
}

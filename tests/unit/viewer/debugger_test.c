/* What a viewer asks of a live program: here the test is what reads its trace file. */
#include "../ring/fixture.h"

#include "base/os.h"
#include "ring/commands.h"
#include "viewer/viewer.h"

enum { TINY = 7 };

static const uint64_t ANSWER_NS = 30000000000u;

static void answer(struct rv_map *map, const char *code, const char *name, const char *response)
{
    char text[RV_WIRE_REQUEST_BYTES];
    struct rv_command request = {.message = text, .capacity = sizeof text};
    cr_assert_eq(rv_commands_wait(map, RV_COMMANDS_CONSUMER, &request, ANSWER_NS), 0, "no request");
    cr_assert_str_eq(request.code, code);
    cr_assert_eq(request.n_bytes, strlen(name));
    cr_assert_eq(memcmp(text, name, request.n_bytes), 0);
    cr_assert_eq(rv_commands_respond(map, RV_COMMANDS_CONSUMER, "ok", response, strlen(response)), 0);
}

static void wait_for(struct rv_viewer *viewer, const char *response)
{
    bool has_other_stops;
    for (const uint64_t end_ns = rv_clock_mono_ns() + ANSWER_NS;
         strcmp(viewer->debugger.report.traced, response) != 0 && rv_clock_mono_ns() < end_ns; rv_os_sleep_ns(1000000))
        (void)rv_viewer_debugger_advance(&viewer->debugger, viewer->lanes, viewer->subroutines, &has_other_stops);
    cr_assert_str_eq(viewer->debugger.report.traced, response);
}

static void press(struct rv_viewer *viewer, const char *key, unsigned modifiers)
{
    rv_viewer_act(viewer, &(struct rv_act){.action = rv_key_bindings_action(key, modifiers)});
}

Test(viewer_debugger, leaves_the_subroutine_under_the_cursor_out_and_traces_it_again, .timeout = 90)
{
    struct fixture f;
    struct rv_map_params sizes = small_params();
    struct rv_viewer viewer = {.lanes = rv_lanes_create(), .subroutines = rv_subroutines_create()};
    open_fixture(&f, &sizes);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0);
    rv_subroutines_define(viewer.subroutines, TINY, "program", "tiny", "", 0);
    press(&viewer, "Delete", 0); /* of no program */
    rv_viewer_debugger_start(&viewer.debugger, &f.map);
    press(&viewer, "Delete", 0); /* of no call */
    viewer.pointer.hover = (struct rv_hover){.is_on = true, .box.id = TINY};
    press(&viewer, "Delete", 0);
    answer(&f.map, "untr", "program::tiny", "no more");
    wait_for(&viewer, "no more");
    press(&viewer, "Delete", RV_MODIFIER_SHIFT);
    answer(&f.map, "trac", "program::tiny", "again");
    wait_for(&viewer, "again");
    rv_viewer_debugger_stop(&viewer.debugger);
    rv_ownership_detach_consumer(&f.map);
    close_fixture(&f);
    rv_subroutines_destroy(viewer.subroutines);
    rv_lanes_destroy(viewer.lanes);
}

#include "fixture.h"

Test(directory, a_claimed_ring_is_live_until_released_and_free_after_reclaim, .timeout = 10)
{
    struct fixture f;
    open_fixture(&f, NULL);
    int process = rv_directory_enter_process(&f.other);
    cr_assert_eq(process, 0);
    int ring = rv_directory_claim(&f.other, (uint32_t)process, RV_TAG_DEPTH);
    cr_assert_eq(ring, 0);
    const struct rv_wire_control *control = rv_map_control(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_LIVE);
    cr_assert_eq(control->generation, 1);
    cr_assert_eq(control->owner_pid, (uint32_t)getpid());
    cr_assert(rv_directory_has_live_owner(&f.map, 0));
    rv_directory_reclaim(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_LIVE, "a living owner keeps its ring");
    rv_directory_release(&f.other, 0);
    cr_assert_eq(control->state, RV_RING_EXITED);
    cr_assert_not(rv_directory_has_live_owner(&f.map, 0));
    rv_directory_reclaim(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_FREE);
    cr_assert_eq(f.map.header->total_claims, 1);
    close_fixture(&f);
}

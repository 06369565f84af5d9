#include "fixture.h"

#include "ring/verdict_section.h"

Test(verdict_section, a_verdict_changes_in_its_record, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_ownership_enter_process(&f.other), 0);
    const struct rv_wire_verdict record = {.address = 4096, .ticks = 7, .process = 0};
    cr_assert_eq(rv_verdicts_add(&f.map, &record), 0);
    cr_assert_eq(rv_verdicts_add(&f.map, &record), 1);
    cr_assert_eq(rv_verdicts_count(&f.other), 2);
    cr_assert_eq(rv_verdicts_changes(&f.other), 0);
    cr_assert_eq(rv_verdicts_of_process(&f.other, 0), 2);
    rv_verdicts_change(&f.map, 1, 0, true);
    cr_assert_eq(rv_verdicts_count(&f.other), 2);
    cr_assert_eq(rv_verdicts_changes(&f.other), 1);
    cr_assert_eq(rv_verdicts_of_process(&f.other, 0), 3);
    cr_assert_eq(rv_verdicts_read(&f.other, 0).is_kept, 0);
    cr_assert_eq(rv_verdicts_read(&f.other, 1).is_kept, 1);
    cr_assert_eq(rv_verdicts_read(&f.other, 1).ticks, 7);
    close_fixture(&f);
}

Test(verdict_section, verdicts_of_an_invalid_process_are_only_listed, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_verdicts_add(&f.map, &(struct rv_wire_verdict){.address = 4096, .process = UINT32_MAX}), 0);
    cr_assert_eq(rv_verdicts_count(&f.other), 1);
    close_fixture(&f);
}

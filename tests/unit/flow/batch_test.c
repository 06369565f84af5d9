#include "flow/batch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(batch, .timeout = 20);

Test(batch, has_room_for_what_it_promises)
{
    struct rv_batch batch = {0};
    rv_batch_init(&batch);
    cr_assert_eq((uintptr_t)batch.events % 64, 0);
    cr_assert_eq(batch.n, 0);
    memset(batch.events, 0xff, (RV_BATCH_EVENTS + RV_BATCH_PADDING) * sizeof *batch.events);
    for (uint32_t i = 0; i < RV_BATCH_EVENTS; i++)
        cr_assert_eq(batch.specials[i], 0, "events run into specials");
    memset(batch.specials, 0xff, RV_BATCH_EVENTS * sizeof *batch.specials);
    rv_batch_fini(&batch);
    cr_assert_null(batch.events);
    rv_batch_fini(&batch);
    rv_batch_fini(NULL);
}

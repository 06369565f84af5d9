#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <unistd.h>

#include "ring/verdict_section.h"
#include "source/publish_rejected_functions.h"

static void put(struct rv_verdict_publisher *publisher, uint64_t address)
{
    rv_verdict_put(publisher, &(struct rv_verdict_function){.id = 1, .address = address, .ticks = 1}, false);
}

Test(publish_rejected_functions, verdicts_without_room_are_reported_once, .timeout = 60, .init = cr_redirect_stderr)
{
    struct rv_map map;
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/verdicts-test-%d", (int)getpid());
    cr_assert_eq(rv_map_create(&map, path, NULL), 0);
    unlink(path);
    struct rv_verdict_publisher *publisher = rv_verdict_publisher_create(&map);
    for (uint64_t address = 1; address <= RV_VERDICTS_MAX + 2; address++)
        put(publisher, address << 4);
    cr_assert_eq(rv_verdicts_count(&map), RV_VERDICTS_MAX);
    put(publisher, 1 << 4);
    rv_verdict_publisher_destroy(publisher);
    rv_map_close(&map);
    fflush(stderr);
    cr_assert_stderr_eq_str("ringviz: more than 65536 functions are left out: programs still write the calls of the "
                            "others\n");
}

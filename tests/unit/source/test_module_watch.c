#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ring/directory.h"
#include "ring/map.h"
#include "ring/modules.h"
#include "source/module_watch.h"

static struct rv_map map;
static struct rv_catalog *catalog;
static struct rv_module_watch watch;
static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-modules-%d", getpid());
    unlink(path);
    cr_assert_eq(rv_map_create(&map, path, &(struct rv_map_params){.n_rings = 2, .ring_events = 64}), 0);
    catalog = rv_catalog_create();
    watch = (struct rv_module_watch){.map = &map, .catalog = catalog};
}

static void teardown(void)
{
    rv_module_watch_fini(&watch);
    rv_catalog_destroy(catalog);
    rv_map_close(&map);
    unlink(path);
}

static int add_module(int process_idx, uint64_t start)
{
    return rv_modules_add(&map, &(struct rv_module){.process_idx = (uint32_t)process_idx,
                                                    .start = start,
                                                    .end = start + 0x1000,
                                                    .loaded_ticks = 1,
                                                    .path = "/usr/lib/libx.so"});
}

TestSuite(module_watch, .init = setup, .fini = teardown, .timeout = 20);

Test(module_watch, forgets_what_has_been_unloaded)
{
    int process = rv_directory_enter_process(&map);
    int first = add_module(process, 0x1000), second = add_module(process, 0x9000);
    rv_module_watch_refresh(&watch);
    cr_assert_eq(watch.n_pending, 2);
    rv_modules_unload(&map, (uint32_t)first, 9);
    rv_module_watch_refresh(&watch);
    cr_assert_eq(watch.n_pending, 1);
    cr_assert_eq(watch.pending[0].module_idx, (uint32_t)second);
}

Test(module_watch, does_not_look_at_the_dead_for_ever)
{
    int living = rv_directory_enter_process(&map);
    cr_assert_geq(add_module(living, 0x1000), 0);
    for (unsigned i = 0; i < 3000; i++) {
        int process = rv_directory_enter_process(&map);
        cr_assert_geq(process, 0);
        cr_assert_geq(add_module(process, 0x1000), 0);
        rv_directory_leave_process(&map, (uint32_t)process);
        rv_module_watch_refresh(&watch);
        cr_assert_leq(watch.n_pending, 64, "%zu records pending", watch.n_pending);
    }
    cr_assert_eq(watch.n_seen, 3001);
    cr_assert_eq(watch.pending[0].module_idx, 0, "the living process was forgotten");
}

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ring/ownership.h"
#include "ring/map.h"
#include "ring/modules.h"
#include "source/module_watch.h"
#include "symbols/symbolizer.h"

static struct rv_map map;
static struct rv_symbolizer *symbolizer;
static struct rv_module_watch watch;
static char path[64];

static void setup(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-modules-%d", getpid());
    unlink(path);
    cr_assert_eq(rv_map_create(&map, path, &(struct rv_map_params){.n_rings = 2, .ring_events = 64}), 0);
    symbolizer = rv_symbolizer_create();
    watch = (struct rv_module_watch){.map = &map, .symbolizer = symbolizer};
}

static void teardown(void)
{
    rv_module_watch_fini(&watch);
    rv_symbolizer_destroy(symbolizer);
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

TestSuite(module_watch, .init = setup, .fini = teardown, .timeout = 60);

Test(module_watch, forgets_what_has_been_unloaded)
{
    int process = rv_ownership_enter_process(&map);
    int first = add_module(process, 0x1000), second = add_module(process, 0x9000);
    rv_module_watch_refresh(&watch);
    cr_assert_eq(watch.n_pending, 2);
    rv_modules_unload(&map, (uint32_t)first, 9);
    rv_module_watch_refresh(&watch);
    cr_assert_eq(watch.n_pending, 1);
    cr_assert_eq(watch.pending[0].module_idx, (uint32_t)second);
}

Test(module_watch, modules_come_and_go_at_times_in_ns)
{
    map.clock = (struct rv_clock){.kind = RV_CLOCK_TSC, .mult = 1, .shift = 1, .ticks0 = 1000, .mono0_ns = 5000};
    uint32_t process = (uint32_t)rv_ownership_enter_process(&map);
    struct rv_module module = {
        .process_idx = process, .start = 0x1000, .end = 0x2000, .loaded_ticks = 2000, .path = "/nowhere/first.so"};
    int first = rv_modules_add(&map, &module);
    rv_modules_unload(&map, (uint32_t)first, 3000);
    module.loaded_ticks = 4000;
    module.path = "/nowhere/second.so";
    cr_assert_geq(rv_modules_add(&map, &module), 0);
    rv_module_watch_refresh(&watch);
    struct rv_symbolizer_process *looked_in = rv_symbolizer_process(symbolizer, process);
    uint32_t early = rv_symbolizer_look_up(looked_in, 0x1800, 5500),
             late = rv_symbolizer_look_up(looked_in, 0x1800, 6500);
    cr_assert_neq(early, late);
    cr_assert_eq(rv_symbolizer_look_up(looked_in, 0x1800, 5999), early);
    cr_assert_eq(rv_symbolizer_look_up(looked_in, 0x1800, 7000), late);
}

Test(module_watch, dead_processes_are_forgotten)
{
    int living = rv_ownership_enter_process(&map);
    cr_assert_geq(add_module(living, 0x1000), 0);
    for (unsigned i = 0; i < 3000; i++) {
        int process = rv_ownership_enter_process(&map);
        cr_assert_geq(process, 0);
        cr_assert_geq(add_module(process, 0x1000), 0);
        rv_ownership_leave_process(&map, (uint32_t)process);
        rv_module_watch_refresh(&watch);
        cr_assert_leq(watch.n_pending, 64, "%zu records pending", watch.n_pending);
    }
    cr_assert_eq(watch.n_seen, 3001);
    cr_assert_eq(watch.pending[0].module_idx, 0, "the living process was forgotten");
}

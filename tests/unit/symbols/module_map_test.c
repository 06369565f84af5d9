#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "symbols/module_map.h"

static unsigned n_timed;

static void count_timed(void *context, uint32_t number)
{
    (void)context, (void)number;
    n_timed++;
}

static uint32_t add(struct rv_module_map *map, uint64_t start, uint64_t end, uint64_t loaded)
{
    struct rv_mapped_module module = {.start = start, .end = end, .loaded_ns = loaded, .unloaded_ns = RV_MODULE_MAPPED};
    return rv_module_map_add(map, &module, count_timed, NULL);
}

Test(module_map, ranges_and_times_are_half_open, .timeout = 60)
{
    struct rv_module_map map = {0};
    uint32_t first = add(&map, 100, 200, 10), second = add(&map, 200, 300, 10), third = add(&map, 100, 200, 20);
    rv_module_map_unload(&map, third, 30);
    uint32_t fourth = add(&map, 100, 200, 30);
    static const struct {
        uint64_t address, ticks;
        uint32_t expected;
    } cases[] = {{99, 15, RV_MODULE_NO_FILE},  {100, 15, 0}, {199, 19, 0}, {200, 15, 1}, {299, 99, 1},
                 {300, 15, RV_MODULE_NO_FILE}, {100, 20, 2}, {100, 29, 2}, {100, 30, 3}, {100, 5, 0}};
    cr_assert(first == 0 && second == 1 && third == 2 && fourth == 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect(eq(u32, rv_module_map_find(&map, cases[i].address, cases[i].ticks), cases[i].expected), "case %zu",
                  i);
    rv_module_map_fini(&map);
}

Test(module_map, only_what_overlaps_needs_the_time, .timeout = 60)
{
    struct rv_module_map map = {0};
    n_timed = 0;
    uint32_t alone = add(&map, 1000, 2000, 1), shared = add(&map, 100, 200, 1);
    rv_module_map_unload(&map, alone, 5);
    cr_expect(eq(u32, n_timed, 0));
    uint32_t later = add(&map, 150, 250, 9);
    cr_expect(eq(u32, n_timed, 1));
    cr_expect(not(map.modules[alone].is_timed));
    cr_expect(map.modules[shared].is_timed);
    cr_expect(map.modules[later].is_timed);
    add(&map, 100, 300, 20);
    cr_expect(eq(u32, n_timed, 1));
    rv_module_map_fini(&map);
}

Test(module_map, the_unknown_ends_when_a_module_comes, .timeout = 60)
{
    struct rv_module_map map = {0};
    uint32_t unknown = rv_module_map_unknown(&map);
    cr_expect(eq(u32, rv_module_map_unknown(&map), unknown));
    cr_expect(eq(u32, rv_module_map_find(&map, 0, 5), RV_MODULE_NO_FILE));
    add(&map, 100, 200, 1);
    cr_expect(eq(u64, map.modules[unknown].unloaded_ns, 0));
    cr_expect(ne(u32, rv_module_map_unknown(&map), unknown));
    rv_module_map_fini(&map);
}

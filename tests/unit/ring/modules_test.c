#include "fixture.h"

#include "ring/modules.h"

static struct rv_module some_module(void)
{
    return (struct rv_module){
        .process_idx = 3,
        .start = 0x1000,
        .end = 0x5000,
        .bias = 0x1000,
        .loaded_ticks = 7,
        .device = 8,
        .inode = 9,
        .path = "/usr/lib/libx.so",
        .build_id = {1, 2, 3},
        .build_id_bytes = 20,
    };
}

Test(modules, a_record_comes_back_as_it_was_added, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_module module = some_module(), read;
    char path[100];
    uint32_t generation = rv_modules_generation(&f.map);
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -ENOENT);
    cr_assert_eq(rv_modules_add(&f.other, &module), 0);
    cr_assert_neq(rv_modules_generation(&f.map), generation);
    cr_assert_eq(rv_modules_count(&f.map), 1);
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), 0);
    cr_assert_str_eq(read.path, module.path);
    cr_assert_eq(read.start, module.start);
    cr_assert_eq(read.end, module.end);
    cr_assert_eq(read.inode, module.inode);
    cr_assert_eq(read.unloaded_ticks, 0);
    cr_assert_arr_eq(read.build_id, module.build_id, 20);
    close_fixture(&f);
}

Test(modules, an_unload_is_stamped_and_announced, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_module module = some_module(), read;
    char path[100];
    int idx = rv_modules_add(&f.other, &module);
    uint32_t generation = rv_modules_generation(&f.map);
    rv_modules_unload(&f.other, (uint32_t)idx, 99);
    cr_assert_neq(rv_modules_generation(&f.map), generation);
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), 0);
    cr_assert_eq(read.unloaded_ticks, 99);
    rv_modules_unload(&f.other, UINT32_MAX, 1);
    close_fixture(&f);
}

Test(modules, a_full_table_is_an_error, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_module module = some_module();
    for (int i = 0; i < 64; i++)
        cr_assert_eq(rv_modules_add(&f.other, &module), i);
    cr_assert_eq(rv_modules_add(&f.other, &module), -ENOSPC);
    f.map.header->n_modules_used = UINT32_MAX;
    cr_assert_eq(rv_modules_count(&f.map), 64);
    close_fixture(&f);
}

Test(modules, damaged_and_unfinished_records_are_refused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_module module = some_module(), read;
    char path[100];
    rv_modules_add(&f.other, &module);
    struct rv_wire_module *record = (struct rv_wire_module *)(f.map.base + f.map.geometry.modules.offset),
                          whole = *record;
    record->is_published = 0;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -ENOENT);
    *record = whole;
    record->end = record->start;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -EBADMSG);
    *record = whole;
    record->process = 64;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -EBADMSG);
    *record = whole;
    record->build_id_bytes = 21;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -EBADMSG);
    *record = whole;
    record->path_name = 500;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, sizeof path), -EBADMSG);
    *record = whole;
    cr_assert_eq(rv_modules_read(&f.map, 0, &read, path, 5), -EBADMSG);
    close_fixture(&f);
}

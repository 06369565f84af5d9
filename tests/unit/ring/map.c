#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "fixture.h"

Test(map, what_was_created_opens_with_the_same_geometry, .timeout = 10)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(memcmp(&f.map.geometry, &f.other.geometry, 0x108), 0);
    cr_assert_eq(f.other.geometry.n_rings, 4);
    cr_assert_eq(f.other.geometry.ring_events, 64);
    cr_assert_eq(f.other.geometry.control_bytes % 4096, 0);
    cr_assert_str_eq(f.other.path, f.path);
    struct stat status;
    cr_assert_eq(stat(f.path, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0600);
    cr_assert_eq((uint64_t)status.st_size, f.map.geometry.file_bytes);
    close_fixture(&f);
}

Test(map, an_unused_file_of_default_size_takes_little_memory, .timeout = 10)
{
    struct fixture f = {0};
    make_folder(&f);
    cr_assert_eq(rv_map_create(&f.map, f.path, &(struct rv_map_params){.clock_kind = RV_CLOCK_MONOTONIC}), 0);
    struct stat status;
    cr_assert_eq(fstat(f.map.fd, &status), 0);
    cr_assert_gt(status.st_size, 512 << 20);
    cr_assert_lt(status.st_blocks * 512, 5 << 20, "%ld KiB", (long)status.st_blocks / 2);
    rv_map_close(&f.map);
    remove_folder(&f);
}

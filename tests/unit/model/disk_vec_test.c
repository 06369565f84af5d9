#include "model/disk_vec.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/os.h"

TestSuite(disk_vec, .timeout = 60);

enum { N = 8000000 }; /* 61 MiB */

struct filled {
    struct rv_disk_vec disk;
    uint64_t *items;
    size_t capacity;
};

static void fill(struct filled *filled, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        filled->items =
            rv_disk_vec_reserve(&filled->disk, filled->items, &filled->capacity, i + 1, sizeof *filled->items);
        filled->items[i] = i * 3;
    }
}

static void expect_all(const struct filled *filled, size_t n)
{
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(filled->items[i], i * 3, "item %zu is %lu", i, (unsigned long)filled->items[i]);
}

Test(disk_vec, a_large_one_takes_little_memory_and_has_all_items)
{
    struct filled filled = {.items = NULL};
    const uint64_t before = rv_os_resident_bytes();
    fill(&filled, N);
    const uint64_t filling = rv_os_resident_bytes() - before;
    cr_expect_lt(filling, 16 << 20, "%lu bytes more are resident", (unsigned long)filling);
    expect_all(&filled, N);
    rv_disk_vec_rest(&filled.disk, filled.items);
    cr_expect_lt(rv_os_resident_bytes() - before, 16 << 20, "items that were read stay resident");
    filled.items[7] = 21;
    rv_disk_vec_rest(&filled.disk, filled.items);
    expect_all(&filled, N);
    rv_disk_vec_free(&filled.disk, filled.items);
}

Test(disk_vec, a_small_one_has_no_file)
{
    struct filled filled = {.items = NULL};
    fill(&filled, RV_DISK_VEC_LEAST_BYTES / sizeof *filled.items);
    cr_expect_eq(filled.disk.n_bytes, 0);
    expect_all(&filled, RV_DISK_VEC_LEAST_BYTES / sizeof *filled.items);
    rv_disk_vec_free(&filled.disk, filled.items);
}

/* As where the disk is full. */
static void limit_files(rlim_t n_bytes)
{
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){n_bytes, n_bytes}), 0);
}

Test(disk_vec, without_room_on_the_disk_it_is_in_memory)
{
    struct filled filled = {.items = NULL};
    limit_files(1 << 20);
    fill(&filled, N / 8);
    cr_expect(filled.disk.stays_in_memory && !filled.disk.n_bytes);
    expect_all(&filled, N / 8);
    rv_disk_vec_free(&filled.disk, filled.items);
}

Test(disk_vec, what_is_on_a_disk_that_gets_full_comes_back)
{
    struct filled filled = {.items = NULL};
    limit_files(24 << 20);
    fill(&filled, N);
    cr_expect(filled.disk.stays_in_memory && !filled.disk.n_bytes);
    expect_all(&filled, N);
    rv_disk_vec_free(&filled.disk, filled.items);
}

Test(disk_vec, of_many_some_stay_in_memory)
{
    enum { N_VECS = 20, N_ITEMS = 2 * RV_DISK_VEC_LEAST_BYTES / sizeof(uint64_t) };
    struct filled vecs[N_VECS] = {{.items = NULL}};
    const struct rlimit few = {40, 40};
    size_t n_on_disk = 0;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    for (size_t i = 0; i < N_VECS; i++) {
        fill(&vecs[i], N_ITEMS);
        n_on_disk += vecs[i].disk.n_bytes > 0;
    }
    cr_expect_eq(n_on_disk, 10);
    for (size_t i = 0; i < N_VECS; i++) {
        expect_all(&vecs[i], N_ITEMS);
        rv_disk_vec_free(&vecs[i].disk, vecs[i].items);
    }
}

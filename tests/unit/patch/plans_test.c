/* Plans are found by others as they were added, of files that are as they were; and nobody else can write them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patch/plans.h"

#define BIAS 0x10000ull

static char place[RV_PATCH_PLANS_PLACE_BYTES];
static struct rv_patch_plans *written, *read_only;
static struct stat file;
static const struct rv_patch_image image = {.entry = 0x1040, .unwind_table = 0x2000};

static void begin(void)
{
    written = rv_patch_plans_create(place);
    cr_assert_not_null(written);
    read_only = rv_patch_plans_open(place);
    cr_assert_not_null(read_only);
    cr_assert_eq(stat("/proc/self/exe", &file), 0);
}

static void end(void)
{
    rv_patch_plans_close(read_only);
    rv_patch_plans_close(written);
}

static struct rv_patch_plan_key key_of(const struct stat *status, const struct rv_patch_image *of)
{
    struct rv_patch_plan_key key;
    rv_patch_plan_key(&key, status, of);
    return key;
}

static int add(const struct rv_patch_plan_key *key, size_t n)
{
    struct rv_patch_functions all = {.functions = calloc(n, sizeof *all.functions), .n_functions = n};
    cr_assert_not_null(all.functions);
    for (size_t i = 0; i < n; i++)
        all.functions[i] = (struct rv_patch_function){
            .address = BIAS + i * 32, .n_bytes = 20, .refusal = i % 2 ? RV_PATCH_TOO_SHORT : RV_PATCH_FITS};
    int error = rv_patch_plans_add(written, key, &all, BIAS);
    rv_patch_functions_free(&all);
    return error;
}

TestSuite(plans, .init = begin, .fini = end, .timeout = 30);

Test(plans, others_find_what_was_added_at_their_own_addresses)
{
    const struct rv_patch_plan_key key = key_of(&file, &image);
    struct rv_patch_functions found;
    cr_assert_eq(rv_patch_plans_find(read_only, &key, 0, &found), -ENOENT);
    cr_assert_eq(add(&key, 5), 0);
    struct rv_patch_image elsewhere = image;
    elsewhere.bias = 0x555500000000;
    elsewhere.entry += elsewhere.bias;
    elsewhere.unwind_table += elsewhere.bias;
    const struct rv_patch_plan_key same = key_of(&file, &elsewhere);
    cr_assert_eq(rv_patch_plans_find(read_only, &same, elsewhere.bias, &found), 0);
    cr_expect_eq(found.n_functions, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(found.functions[i].address, elsewhere.bias + i * 32);
    cr_expect_eq(found.n_refused[RV_PATCH_FITS], 3);
    cr_expect_eq(found.n_refused[RV_PATCH_TOO_SHORT], 2);
    rv_patch_functions_free(&found);
}

Test(plans, a_file_that_has_changed_or_loaded_another_image_has_none)
{
    const struct rv_patch_plan_key key = key_of(&file, &image);
    struct rv_patch_functions found;
    cr_assert_eq(add(&key, 5), 0);
    struct stat changed[] = {file, file, file, file, file};
    changed[0].st_dev++;
    changed[1].st_ino++;
    changed[2].st_size++;
    changed[3].st_mtim.tv_nsec ^= 1;
    changed[4].st_ctim.tv_nsec ^= 1;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) {
        const struct rv_patch_plan_key other = key_of(&changed[i], &image);
        cr_expect_eq(rv_patch_plans_find(read_only, &other, 0, &found), -ENOENT, "%zu", i);
    }
    struct rv_patch_image loaded[] = {image, image, image};
    loaded[0].entry++;
    loaded[1].unwind_table++;
    loaded[2].segments[loaded[2].n_segments++] = (struct rv_patch_segment){.start = 0x1000, .end = 0x1100};
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++) {
        const struct rv_patch_plan_key other = key_of(&file, &loaded[i]);
        cr_expect_eq(rv_patch_plans_find(read_only, &other, 0, &found), -ENOENT, "%zu", i);
    }
}

Test(plans, what_finds_no_room_is_not_added)
{
    struct rv_patch_plan_key key = key_of(&file, &image);
    struct rv_patch_functions found;
    cr_assert_eq(add(&key, 1u << 20), 0);
    key.inode++;
    cr_expect_eq(add(&key, 1), -ENOSPC);
    cr_expect_eq(rv_patch_plans_find(read_only, &key, 0, &found), -ENOENT);
}

/* Any process of the same user can open them, as a traced one can. */
Test(plans, only_their_creator_can_write_them)
{
    const int fd = open(strchr(place, '/'), O_RDWR | O_CLOEXEC);
    cr_assert(fd >= 0);
    cr_expect_eq(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
    cr_expect_eq(pwrite(fd, place, sizeof place, 0), -1);
    cr_expect_neq(ftruncate(fd, 0), 0);
    cr_expect_neq(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
    close(fd);
    cr_expect_neq(mprotect(read_only, 4096, PROT_READ | PROT_WRITE), 0);
}

Test(plans, another_file_in_their_place_is_not_read)
{
    char other[sizeof place + 8];
    snprintf(other, sizeof other, "1%s", place);
    cr_expect_null(rv_patch_plans_open(other));
    snprintf(other, sizeof other, "%llu /proc/self/exe", (unsigned long long)file.st_ino);
    cr_expect_null(rv_patch_plans_open(other));
    cr_expect_null(rv_patch_plans_open(""));
    cr_expect_null(rv_patch_plans_open("12"));
    cr_expect_null(rv_patch_plans_open("12 /nonexistent"));
}

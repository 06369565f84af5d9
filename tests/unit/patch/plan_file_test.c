/* Other processes read a plan as it was written, while the program's file is unchanged. Whatever the plan's bytes, only
 * functions within the image's code are taken from it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "patch/plan_file.h"

#define BIAS 0x10000ull
#define N 5u
#define HEADER_BYTES (sizeof(struct rv_patch_plan_key) + 16)
#define STORED_BYTES 16u

static char folder[] = "/tmp/plans.XXXXXX", path[sizeof folder + 32];
static struct stat file;
static const uint8_t code[0x1000];

static struct rv_patch_image image_at(uint64_t bias)
{
    return (struct rv_patch_image){
        .bias = bias,
        .entry = bias + 0x1040,
        .unwind_table = bias + 0x2000,
        .segments =
            {{.start = bias + 0x1000, .end = bias + 0x2000, .bytes = code, .is_code = true, .is_readable = true}},
        .n_segments = 1};
}

static struct rv_patch_plan_key key_of(const struct stat *status, const struct rv_patch_image *of)
{
    struct rv_patch_plan_key key;
    rv_patch_plan_key(&key, "/proc/self/exe", status, of);
    return key;
}

static int write_plan(const struct rv_patch_plan_key *key, const struct rv_patch_image *image)
{
    struct rv_patch_function functions[N];
    const struct rv_patch_functions all = {.functions = functions, .n_functions = N};
    for (size_t i = 0; i < N; i++)
        functions[i] = (struct rv_patch_function){.address = image->bias + 0x1000 + i * 32,
                                                  .n_bytes = 20,
                                                  .n_written = RV_PATCH_JUMP_BYTES,
                                                  .refusal = i % 2 ? RV_PATCH_TOO_SHORT : RV_PATCH_FITS};
    return rv_patch_plan_file_write(folder, key, image, &all);
}

static void begin(void)
{
    const struct rv_patch_image image = image_at(BIAS);
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(stat("/proc/self/exe", &file), 0);
    file.st_ctim.tv_sec = 1;
    const struct rv_patch_plan_key key = key_of(&file, &image);
    cr_assert_eq(write_plan(&key, &image), 0);
    snprintf(path, sizeof path, "%s/%016llx", folder, (unsigned long long)rv_hash_bytes(&key, sizeof key));
}

static void end(void)
{
    unlink(path);
    rmdir(folder);
}

static int read_of(const struct stat *status, const struct rv_patch_image *image)
{
    const struct rv_patch_plan_key key = key_of(status, image);
    struct rv_patch_functions found;
    const int error = rv_patch_plan_file_read(folder, &key, image, &found);
    cr_expect(!error || !found.functions);
    rv_patch_functions_free(&found);
    return error;
}

TestSuite(plan_file, .init = begin, .fini = end, .timeout = 30);

Test(plan_file, other_processes_read_a_plan_at_their_own_addresses)
{
    const struct rv_patch_image elsewhere = image_at(0x555500000000);
    const struct rv_patch_plan_key same = key_of(&file, &elsewhere);
    struct rv_patch_functions found;
    cr_assert_eq(rv_patch_plan_file_read(folder, &same, &elsewhere, &found), 0);
    cr_expect_eq(found.n_functions, N);
    for (size_t i = 0; i < N; i++)
        cr_expect_eq(found.functions[i].address, elsewhere.bias + 0x1000 + i * 32);
    cr_expect_eq(found.n_refused[RV_PATCH_FITS], 3);
    cr_expect_eq(found.n_refused[RV_PATCH_TOO_SHORT], 2);
    rv_patch_functions_free(&found);
}

Test(plan_file, a_changed_file_or_another_image_has_no_plan)
{
    const struct rv_patch_image image = image_at(BIAS);
    struct stat changed[] = {file, file, file, file, file};
    changed[0].st_dev++;
    changed[1].st_ino++;
    changed[2].st_size++;
    changed[3].st_mtim.tv_nsec ^= 1;
    changed[4].st_ctim.tv_nsec ^= 1;
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        cr_expect_eq(read_of(&changed[i], &image), -ENOENT, "%zu", i);
    struct rv_patch_image loaded[] = {image, image, image};
    loaded[0].entry++;
    loaded[1].unwind_table++;
    loaded[2].segments[loaded[2].n_segments++] = (struct rv_patch_segment){.start = 0x1000, .end = 0x1100};
    for (size_t i = 0; i < sizeof loaded / sizeof *loaded; i++)
        cr_expect_eq(read_of(&file, &loaded[i]), -ENOENT, "%zu", i);
}

/* In two file system images, a file and its new build may have the same time and inode. */
Test(plan_file, another_index_of_functions_at_the_same_place_has_another_key)
{
    static const uint8_t rebuilt_code[sizeof code] = {[8] = 1, [12] = 1};
    struct rv_patch_image image = image_at(BIAS);
    image.unwind_table = image.segments[0].start;
    struct rv_patch_image rebuilt = image;
    rebuilt.segments[0].bytes = rebuilt_code;
    const struct rv_patch_plan_key key = key_of(&file, &image), other = key_of(&file, &rebuilt);
    cr_expect_neq(memcmp(&key, &other, sizeof key), 0);
}

Test(plan_file, a_file_that_changed_just_now_gets_no_plan)
{
    const struct rv_patch_image image = image_at(BIAS);
    cr_assert_eq(clock_gettime(CLOCK_REALTIME, &file.st_ctim), 0);
    const struct rv_patch_plan_key key = key_of(&file, &image);
    cr_expect_eq(write_plan(&key, &image), -EAGAIN);
}

/* Changed bytes of a function, with a hash that fits them. */
static int read_with(size_t at, uint8_t value)
{
    const struct rv_patch_image image = image_at(BIAS);
    uint8_t bytes[HEADER_BYTES + N * STORED_BYTES];
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    cr_assert_eq(pread(fd, bytes, sizeof bytes, 0), (ssize_t)sizeof bytes);
    bytes[HEADER_BYTES + at] = value;
    const uint64_t hash = rv_hash_bytes(bytes + HEADER_BYTES, N * STORED_BYTES);
    memcpy(bytes + HEADER_BYTES - sizeof hash, &hash, sizeof hash);
    cr_assert_eq(pwrite(fd, bytes, sizeof bytes, 0), (ssize_t)sizeof bytes);
    close(fd);
    return read_of(&file, &image);
}

Test(plan_file, a_plan_with_impossible_functions_is_refused)
{
    static const struct {
        const char *what;
        size_t at;
        uint8_t value;
    } CHANGES[] = {
        {"outside of the code", 3, 1},
        {"longer than the code", 6, 1},
        {"shorter than its endbr64", 9, 21},
        {"three bytes written", 10, 3},
        {"a refusal without name", 12, 255},
        {"before the one before", 33, 0x0f},
        {"at the place of the one before", 32, 0x20},
    };
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        cr_expect_eq(read_with(CHANGES[i].at, CHANGES[i].value), -EBADMSG, "%s", CHANGES[i].what);
        end();
        strcpy(strrchr(folder, '.'), ".XXXXXX");
        begin();
    }
    cr_expect_eq(read_with(13, 255), 0, "trivial, by any number");
}

Test(plan_file, a_folder_or_a_file_that_others_may_write_is_not_trusted)
{
    const struct rv_patch_image image = image_at(BIAS);
    cr_assert_eq(chmod(path, 0660), 0);
    cr_expect_eq(read_of(&file, &image), -EPERM);
    cr_assert_eq(chmod(path, 0600), 0);
    cr_assert_eq(chmod(folder, 0777), 0);
    cr_expect_eq(read_of(&file, &image), -EPERM);
    cr_assert_eq(chmod(folder, 0700), 0);
    cr_expect_eq(read_of(&file, &image), 0);
}

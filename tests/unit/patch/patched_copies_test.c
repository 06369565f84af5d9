/* A copy is the program's file with the jumps in place, valid for one state of the file and of the jumps. A copy is not
 * used where others may have written it, or where it may be of another program. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_io.h"
#include "patch/patched_copies.h"

#define N 300u
#define APART 16u

static char folder[] = "/tmp/copies.XXXXXX";
static struct stat file;
static uint8_t *program;
static struct rv_patch_image image;
static struct rv_patch_plan_key key;
static struct rv_patch_site sites[N];

static uint32_t file_system; /* that fstatfs() below reports for every file */

int fstatfs(int fd, struct statfs *status)
{
    (void)fd;
    *status = (struct statfs){.f_type = file_system};
    return 0;
}

static const struct rv_patch_segment *code(void)
{
    const struct rv_patch_segment *segment = image.segments;
    while (!segment->is_code)
        segment++;
    return segment;
}

static uint8_t *read_all(int fd, size_t n)
{
    uint8_t *bytes = malloc(n);
    cr_assert_eq(rv_file_read_at(fd, bytes, n, 0), (ssize_t)n);
    return bytes;
}

static void begin(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(fstat(fd, &file), 0);
    program = read_all(fd, (size_t)file.st_size);
    close(fd);
    cr_assert_eq(rv_patch_image_file(&image, program, (size_t)file.st_size), 0);
    rv_patch_plan_key(&key, "/proc/self/exe", &file, &image);
    for (size_t i = 0; i < N; i++) {
        const uint64_t at = (N - i) * APART; /* in falling order: the copy must not need sorted sites */
        sites[i] = (struct rv_patch_site){.address = code()->start + at, .n_bytes = RV_PATCH_JUMP_BYTES};
        memcpy(sites[i].original, code()->bytes + at, RV_PATCH_JUMP_BYTES);
        memcpy(sites[i].jump, (uint8_t[]){0xe9, (uint8_t)i, 0, 0, 0x7f}, RV_PATCH_JUMP_BYTES);
    }
}

/* Move the image from the file's addresses to those of a process. */
static void move(uint64_t bias)
{
    image.bias = bias;
    for (size_t i = 0; i < image.n_segments; i++) {
        image.segments[i].start += bias;
        image.segments[i].end += bias;
    }
    for (size_t i = 0; i < N; i++)
        sites[i].address += bias;
}

static void end(void)
{
    char command[sizeof folder + 16] = "rm -r ";
    strcat(command, folder);
    cr_assert_eq(system(command), 0);
    free(program);
}

static struct rv_patch_copy copy_of(void)
{
    return (struct rv_patch_copy){.folder = folder,
                                  .path = "/proc/self/exe",
                                  .file = &file,
                                  .key = &key,
                                  .image = &image,
                                  .sites = sites,
                                  .n_sites = N};
}

/* Returns the inode of the copy's file, or a negative error. */
static int64_t open_and_close(const struct rv_patch_copy *copy)
{
    struct stat status;
    const int fd = rv_patch_copy_open(copy);
    if (fd < 0)
        return fd;
    cr_assert_eq(fstat(fd, &status), 0);
    close(fd);
    return (int64_t)status.st_ino;
}

TestSuite(patched_copies, .init = begin, .fini = end, .timeout = 30);

Test(patched_copies, a_copy_has_all_jumps_and_else_the_bytes_of_the_program)
{
    const struct rv_patch_copy copy = copy_of();
    const int fd = rv_patch_copy_open(&copy);
    cr_assert_geq(fd, 0);
    uint8_t *bytes = read_all(fd, (size_t)file.st_size);
    for (size_t i = 0; i < N; i++)
        memcpy(program + code()->offset + (sites[i].address - code()->start), sites[i].jump, RV_PATCH_JUMP_BYTES);
    cr_expect_eq(memcmp(bytes, program, (size_t)file.st_size), 0);
    free(bytes);
    close(fd);
}

Test(patched_copies, later_processes_open_the_same_copy_at_their_own_addresses)
{
    const struct rv_patch_copy copy = copy_of();
    const int64_t first = open_and_close(&copy);
    cr_expect_geq(first, 0);
    move(0x555500000000);
    cr_expect_eq(open_and_close(&copy), first);
}

Test(patched_copies, other_jumps_have_another_copy)
{
    const struct rv_patch_copy copy = copy_of();
    const int64_t first = open_and_close(&copy);
    sites[N / 2].jump[1] ^= 0x80;
    const int64_t second = open_and_close(&copy);
    cr_expect_geq(second, 0);
    cr_expect_neq(second, first);
}

Test(patched_copies, a_program_that_differs_from_its_file_has_no_copy)
{
    struct rv_patch_copy copy = copy_of();
    sites[1].original[0] ^= 1; /* a breakpoint */
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
    sites[1].original[0] ^= 1;
    image.segments[0].offset++;
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
    image.segments[0].offset--;
    uint8_t *between = program + code()->offset + (N + 2) * APART; /* a text relocation */
    *between ^= 1;
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
    *between ^= 1;
    file.st_ino++;
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
    file.st_ino--;
    sites[2].address = image.segments[0].start - APART;
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
}

/* Mapped as the loader does. */
Test(patched_copies, code_that_was_changed_in_memory_uses_no_copy)
{
    const struct rv_patch_copy copy = copy_of();
    const struct rv_patch_segment *segment = code();
    const uint64_t n_before = segment->start % 4096, n = n_before + segment->end - segment->start;
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    uint8_t *mapped = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)(segment->offset - n_before));
    cr_assert_neq(mapped, MAP_FAILED);
    close(fd);
    move((uint64_t)(uintptr_t)mapped + n_before - segment->start);
    cr_expect_geq(open_and_close(&copy), 0);
    volatile uint8_t *last = &mapped[n - 1];
    (void)*last;
    cr_expect_geq(open_and_close(&copy), 0);
    *last ^= 1;
    cr_expect_eq(open_and_close(&copy), -EBADMSG);
    munmap(mapped, n);
}

Test(patched_copies, a_file_that_another_machine_may_remove_is_not_mapped)
{
    const struct rv_patch_copy copy = copy_of();
    const uint32_t shared[] = {NFS_SUPER_MAGIC, FUSE_SUPER_MAGIC, 0xff534d42u};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        file_system = shared[i];
        cr_expect_eq(open_and_close(&copy), -EPERM);
    }
    file_system = TMPFS_MAGIC;
    cr_expect_geq(open_and_close(&copy), 0);
}

Test(patched_copies, few_jumps_make_no_copy)
{
    struct rv_patch_copy copy = copy_of();
    copy.n_sites = 200;
    cr_expect_eq(open_and_close(&copy), -ENOENT);
}

Test(patched_copies, a_folder_that_others_may_write_is_not_trusted)
{
    const struct rv_patch_copy copy = copy_of();
    cr_assert_eq(chmod(folder, 0770), 0);
    cr_expect_eq(open_and_close(&copy), -EPERM);
}

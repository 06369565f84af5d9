/* Later processes take what an earlier one prepared for a program, at whatever address they map it. It equals what they
 * would prepare themselves, or it is refused. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_io.h"
#include "patch/prepared_file.h"

#define APART (64ull << 20) /* the image, its stubs, and both at another address are this far apart */
#define HOOK_AT 4096u       /* offset from the begin of the stubs; the hook is never called */

/* The code has enough jumps for a copy to be made, and calls among the instructions that jumps displace. */
__attribute__((noinline)) static void called(void)
{
    __asm__ volatile("");
}

#define FUNCTION(n)                                                                                                    \
    __attribute__((noinline, used)) static void function_##n(void)                                                     \
    {                                                                                                                  \
        called();                                                                                                      \
        called();                                                                                                      \
    }
#define EIGHT(n)                                                                                                       \
    FUNCTION(n##0)                                                                                                     \
    FUNCTION(n##1) FUNCTION(n##2) FUNCTION(n##3) FUNCTION(n##4) FUNCTION(n##5) FUNCTION(n##6) FUNCTION(n##7)
#define SIXTY_FOUR(n) EIGHT(n##0) EIGHT(n##1) EIGHT(n##2) EIGHT(n##3) EIGHT(n##4) EIGHT(n##5) EIGHT(n##6) EIGHT(n##7)
SIXTY_FOUR(1)
SIXTY_FOUR(2)
SIXTY_FOUR(3)
SIXTY_FOUR(4)

static char folder[] = "/tmp/prepared.XXXXXX";
static struct stat file;
static uint8_t *program;
static uint64_t place;
static struct rv_patch_request request;

static void *map_near(uint64_t first, uint64_t last, size_t n_bytes)
{
    (void)first;
    (void)last;
    void *const at = (void *)(uintptr_t)(request.image.bias + APART);
    void *const mapped =
        mmap(at, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return mapped == at ? mapped : NULL;
}

static void move(uint64_t by)
{
    struct rv_patch_image *image = &request.image;
    image->bias += by;
    for (size_t i = 0; i < image->n_segments; i++) {
        image->segments[i].start += by;
        image->segments[i].end += by;
    }
    image->unwind_table += by;
    image->entry += by;
    image->dynamic += by;
    request.hook += by;
    request.capture_hook += by;
}

static void prepare(struct rv_patch_prepared *prepared)
{
    cr_assert_eq(rv_patch_prepare(&request, prepared), 0);
}

static void drop(struct rv_patch_prepared *prepared)
{
    munmap(prepared->stubs, prepared->n_stub_bytes);
    rv_patch_prepared_free_sites(prepared);
    free(prepared->captured);
    if (prepared->has_copy)
        close(prepared->copy);
}

/* Leave the file as two processes do: the first finds the functions, the second has the copy of the code. */
static void leave_file(void)
{
    struct rv_patch_prepared prepared;
    prepare(&prepared);
    drop(&prepared);
    prepare(&prepared);
    cr_assert(prepared.has_copy);
    drop(&prepared);
}

static void begin(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(fstat(fd, &file), 0);
    program = malloc((size_t)file.st_size);
    cr_assert_eq(rv_file_read_at(fd, program, (size_t)file.st_size, 0), (ssize_t)file.st_size);
    close(fd);
    file.st_ctim.tv_sec -= 10; /* a file that changed just now gets no plan */
    void *const room = mmap(NULL, 4 * APART, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(room, MAP_FAILED);
    munmap(room, 4 * APART);
    place = ((uint64_t)(uintptr_t)room + 4095) & ~4095ull;
    request = (struct rv_patch_request){.plans = folder,
                                        .planner = "/proc/self/exe",
                                        .file = &file,
                                        .path = "/proc/self/exe",
                                        .takes_copy = true,
                                        .has_functions = true,
                                        .has_trivial = true,
                                        .hook = APART + HOOK_AT,
                                        .capture_hook = APART + 2 * HOOK_AT,
                                        .map_near = map_near};
    cr_assert_eq(rv_patch_image_file(&request.image, program, (size_t)file.st_size), 0);
    move(place);
    leave_file();
}

static void end(void)
{
    char command[sizeof folder + 16] = "rm -r ";
    strcat(command, folder);
    cr_assert_eq(system(command), 0);
    free(program);
}

/* Expect that the file is taken, and equals what would be prepared now. */
static void expect_same(void)
{
    struct rv_patch_prepared taken, own;
    cr_assert_eq(rv_patch_prepared_file_read(&request, &taken), 0);
    cr_expect(taken.is_by_plan && taken.has_copy);
    uint8_t *stubs = malloc(taken.n_stub_bytes);
    memcpy(stubs, taken.stubs, taken.n_stub_bytes);
    munmap(taken.stubs, taken.n_stub_bytes); /* the stubs prepared next need the same place */
    prepare(&own);
    cr_assert_leq(taken.n_stub_bytes, own.n_stub_bytes + 4096);
    cr_expect_eq(memcmp(stubs, own.stubs, taken.n_stub_bytes), 0, "stubs");
    cr_assert_eq(taken.n_sites, own.n_sites);
    cr_expect_gt(own.n_sites, 256);
    cr_expect_eq(memcmp(taken.sites, own.sites, own.n_sites * sizeof *own.sites), 0, "sites");
    cr_expect_eq(memcmp(&taken.counts, &own.counts, sizeof own.counts), 0, "counts");
    rv_patch_prepared_free_sites(&taken);
    close(taken.copy);
    free(stubs);
    drop(&own);
}

static void expect_error(int error)
{
    struct rv_patch_prepared prepared;
    cr_expect_eq(rv_patch_prepared_file_read(&request, &prepared), error);
    cr_expect(!prepared.stubs && !prepared.sites && !prepared.has_copy);
}

TestSuite(prepared_file, .init = begin, .fini = end, .timeout = 60);

Test(prepared_file, a_later_process_takes_what_it_would_prepare)
{
    expect_same();
}

Test(prepared_file, wherever_it_has_the_program)
{
    move(2 * APART);
    expect_same();
}

Test(prepared_file, what_is_chosen_otherwise_is_not_there)
{
    request.filter.exclude = "main";
    expect_error(-ENOENT);
    request.filter.exclude = NULL;
    request.pattern = "main";
    expect_error(-ENOENT);
    request.pattern = NULL;
    request.takes_copy = false;
    expect_error(-ENOENT);
    request.takes_copy = true;
    request.kept = "main";
    expect_error(-ENOENT);
    request.kept = NULL;
    file.st_mtim.tv_sec++;
    expect_error(-ENOENT);
    file.st_mtim.tv_sec--;
    expect_same();
}

Test(prepared_file, where_the_stubs_belong_is_something_else)
{
    void *const other = map_near(0, 0, 1);
    expect_error(-EEXIST);
    munmap(other, 1);
    expect_same();
}

/* Find the file with the stubs: the largest one that is no ELF file. */
static void in_file(char path[64])
{
    char command[256];
    snprintf(command, sizeof command,
             "for f in %s/*; do [ \"$(head -c 4 $f | tail -c 3)\" = ELF ] || wc -c $f; done | sort -n | tail -n 1 | "
             "cut -d' ' -f2",
             folder);
    FILE *found = popen(command, "r");
    cr_assert_not_null(found);
    cr_assert_eq(fscanf(found, "%63s", path), 1);
    pclose(found);
}

Test(prepared_file, a_file_that_is_cut_off_or_holds_sites_outside_the_code_is_not_believed)
{
    char path[64];
    struct stat status;
    struct rv_patch_site site;
    in_file(path);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    cr_assert_eq(fstat(fd, &status), 0);
    const off_t last = status.st_size - (off_t)sizeof site;
    cr_assert_eq(pread(fd, &site, sizeof site, last), (ssize_t)sizeof site);
    site.address += APART;
    cr_assert_eq(pwrite(fd, &site, sizeof site, last), (ssize_t)sizeof site);
    expect_error(-EBADMSG);
    site.address -= APART;
    cr_assert_eq(pwrite(fd, &site, sizeof site, last), (ssize_t)sizeof site);
    expect_same();
    close(fd);
    cr_assert_eq(truncate(path, last), 0); /* cut off */
    expect_error(-EBADMSG);
}

Test(prepared_file, a_folder_that_others_may_write_is_not_trusted)
{
    cr_assert_eq(chmod(folder, 0770), 0);
    expect_error(-EPERM);
}

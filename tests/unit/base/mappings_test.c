#include "base/mappings.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(mappings, .timeout = 100);

static bool find(uint64_t address, struct rv_mappings *mappings, struct rv_mapping *out)
{
    cr_assert_eq(rv_mappings_open(mappings, getpid()), 0);
    bool is_found = false;
    while (!is_found && rv_mappings_next(mappings, out))
        is_found = out->start <= address && address < out->end;
    rv_mappings_close(mappings);
    return is_found;
}

Test(mappings, a_mapped_file_is_found_with_its_place)
{
    struct rv_mappings mappings;
    struct rv_mapping mapping;
    struct stat status;
    char name[] = "/tmp/rv-mappings-XXXXXX";
    int fd = mkstemp(name);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, 3 * 4096), 0);
    fstat(fd, &status);
    void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 2 * 4096);
    cr_assert(find((uintptr_t)at, &mappings, &mapping));
    unlink(name);
    cr_assert_eq(mapping.start, (uintptr_t)at);
    cr_assert_eq(mapping.end, (uintptr_t)at + 4096);
    cr_assert_eq(mapping.offset, 2 * 4096);
    cr_assert_eq(mapping.inode, status.st_ino);
    cr_assert_str_eq(mapping.path, name);
    cr_assert_not(mapping.is_executable);
    cr_assert(find((uintptr_t)&getpid, &mappings, &mapping));
    cr_assert(mapping.is_executable);
}

Test(mappings, a_file_that_was_deleted_is_found_by_a_link)
{
    char name[] = "/tmp/rv-mappings-XXXXXX", link[RV_MAPPINGS_LINK_BYTES];
    struct stat status, found;
    const int fd = mkstemp(name);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, 4096), 0);
    fstat(fd, &status);
    const uint64_t at = (uintptr_t)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    struct rv_mappings mappings;
    struct rv_mapping mapping;
    cr_assert_not(rv_mappings_link_deleted(getpid(), at, link));
    unlink(name);
    cr_assert(rv_mappings_link_deleted(getpid(), at, link));
    if (stat(link, &found) == 0) /* root's */
        cr_assert_eq(found.st_ino, status.st_ino);
    cr_assert(find(at, &mappings, &mapping));
    cr_assert_eq(rv_mapping_path_bytes(mapping.path), strlen(name));
    cr_assert_eq(rv_mapping_path_bytes(" (deleted)"), strlen(" (deleted)"));
    cr_assert_not(rv_mappings_link_deleted(getpid(), 0, link));
    cr_assert_not(rv_mappings_link_deleted(getpid(), UINT64_MAX, link));
}

Test(mappings, every_mapping_is_read_once_in_order)
{
    enum { N = 300 };
    struct rv_mappings mappings;
    struct rv_mapping mapping;
    char *block = mmap(NULL, 2 * N * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < N; i++) /* neighbours differ in protection, so that the kernel does not merge them */
        cr_assert_eq(mprotect(block + 2 * i * 4096, 4096, PROT_READ), 0);
    uint64_t last = 0;
    size_t n = 0;
    cr_assert_eq(rv_mappings_open(&mappings, getpid()), 0);
    while (rv_mappings_next(&mappings, &mapping)) {
        cr_assert_geq(mapping.start, last);
        cr_assert_lt(mapping.start, mapping.end);
        n += mapping.start >= (uintptr_t)block && mapping.end <= (uintptr_t)block + 2 * N * 4096;
        last = mapping.end;
    }
    rv_mappings_close(&mappings);
    cr_assert_geq(n, 2 * N - 1, "%zu", n); /* the kernel may merge the last one with the mapping behind it */
}

Test(mappings, a_line_longer_than_the_room_for_it_loses_its_end_only)
{
    static const char *const LONG = "1000-2000 r-xp 00003000 08:01 77   /";
    FILE *file = tmpfile();
    struct rv_mapping mapping;
    fputs(LONG, file);
    for (unsigned i = 0; i < 5000; i++)
        fputc('x', file);
    fputs("\n2000-3000 rw-p 00000000 00:00 0 \n3000-4000 r--p 0 0:0 0 [vdso]\n", file);
    rewind(file);
    struct rv_mappings mappings = {.fd = fileno(file)};
    cr_assert(rv_mappings_next(&mappings, &mapping));
    cr_assert_eq(mapping.start, 0x1000);
    cr_assert_eq(mapping.offset, 0x3000);
    cr_assert_eq(mapping.inode, 77);
    cr_assert(mapping.is_executable);
    cr_assert_eq(strspn(mapping.path + 1, "x"), sizeof mappings.text - 1 - strlen(LONG));
    cr_assert(rv_mappings_next(&mappings, &mapping));
    cr_assert_eq(mapping.start, 0x2000);
    cr_assert_str_eq(mapping.path, "");
    cr_assert(rv_mappings_next(&mappings, &mapping));
    cr_assert_str_eq(mapping.path, "[vdso]");
    cr_assert_not(rv_mappings_next(&mappings, &mapping));
    fclose(file);
}

Test(mappings, a_process_that_is_gone_has_none)
{
    struct rv_mappings mappings;
    errno = EDOM;
    cr_assert_eq(rv_mappings_open(&mappings, INT32_MAX), -ENOENT);
    cr_assert_eq(rv_mappings_open(&mappings, 0), -ESRCH);
    cr_assert_eq(errno, EDOM);
}

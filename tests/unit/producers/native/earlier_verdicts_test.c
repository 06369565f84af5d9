/* Functions rejected in one process are known to later processes of the program, at whatever address it is mapped. */
#include "producers/native/earlier_verdicts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#include "ring/modules.h"
#include "ring/ownership.h"
#include "ring/verdict_section.h"

enum { PROGRAM = 100, LIBRARY, BIAS = 0x10000 };

static char path[64];
static struct rv_map map;

static void map_file(uint32_t process, uint64_t inode, uint64_t bias)
{
    const struct rv_module module = {.process_idx = process,
                                     .start = bias,
                                     .end = bias + 0x10000,
                                     .bias = bias,
                                     .loaded_ticks = 1,
                                     .device = 1,
                                     .inode = inode,
                                     .path = "/program"};
    cr_assert_geq(rv_modules_add(&map, &module), 0);
}

static void reject(uint32_t process, uint64_t address, bool is_kept)
{
    const struct rv_wire_verdict verdict = {.address = address, .ticks = 2, .process = process, .is_kept = is_kept};
    cr_assert_geq(rv_verdicts_add(&map, &verdict), 0);
}

/* Two processes with the program, and one of another with the same addresses. */
static void begin(void)
{
    snprintf(path, sizeof path, "/dev/shm/earlier-verdicts-test-%d", (int)getpid());
    cr_assert_eq(rv_map_create(&map, path, NULL), 0);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(rv_ownership_enter_process(&map), (int)i);
    map_file(0, PROGRAM, BIAS);
    map_file(1, PROGRAM, 2 * BIAS);
    map_file(2, LIBRARY, BIAS);
}

static void end(void)
{
    rv_map_close(&map);
    unlink(path);
}

static struct rv_earlier_verdicts read_them(void)
{
    return rv_earlier_verdicts_read(path, &(struct stat){.st_dev = 1, .st_ino = PROGRAM});
}

TestSuite(earlier_verdicts, .init = begin, .fini = end, .timeout = 30);

Test(earlier_verdicts, those_of_all_processes_with_the_program_are_known)
{
    reject(1, 2 * BIAS + 0x300, false);
    reject(0, BIAS + 0x100, false);
    reject(2, BIAS + 0x200, false);
    struct rv_earlier_verdicts verdicts = read_them();
    cr_assert_eq(verdicts.n, 2);
    cr_expect(rv_earlier_verdicts_reject(&verdicts, 0x100));
    cr_expect(rv_earlier_verdicts_reject(&verdicts, 0x300));
    cr_expect_not(rv_earlier_verdicts_reject(&verdicts, 0x200), "another program's");
    rv_earlier_verdicts_free(&verdicts);
}

Test(earlier_verdicts, what_any_process_keeps_is_not_rejected)
{
    reject(0, BIAS + 0x100, false);
    reject(1, 2 * BIAS + 0x100, true);
    reject(0, BIAS + 0x200, false);
    struct rv_earlier_verdicts verdicts = read_them();
    cr_assert_eq(verdicts.n, 1);
    cr_expect(rv_earlier_verdicts_reject(&verdicts, 0x200));
    rv_earlier_verdicts_free(&verdicts);
}

Test(earlier_verdicts, a_file_that_is_no_trace_or_is_damaged_has_none)
{
    reject(0, BIAS + 0x100, false);
    map.header->n_verdicts_used = UINT32_MAX;
    map.header->n_modules_used = UINT32_MAX;
    struct rv_earlier_verdicts verdicts = read_them();
    rv_earlier_verdicts_free(&verdicts);
    map.header->magic++;
    verdicts = read_them();
    cr_expect_eq(verdicts.n, 0);
    verdicts = rv_earlier_verdicts_read("/dev/null", &(struct stat){.st_dev = 1, .st_ino = PROGRAM});
    cr_expect_eq(verdicts.n, 0);
}

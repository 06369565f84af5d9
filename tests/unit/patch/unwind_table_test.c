/* Unwind rows of made-up programs: where the return address lies at each address. */
#include "patch/unwind_table.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(unwind_table, .timeout = 60);

/* def_cfa rsp 8, offset(return address) 1 */
static const uint8_t COMMON[] = {0x0c, 7, 8, 0x90, 1};

struct expected {
    uint64_t offset; /* from the range's start */
    uint32_t base;
    int64_t row;
};

static void check(const uint8_t *program, size_t n_program, const struct expected *expected, size_t n)
{
    struct rv_patch_image image = {
        .segments = {{.start = 0x1000, .end = 0x1000 + sizeof COMMON, .bytes = COMMON, .is_readable = true},
                     {.start = 0x2000, .end = 0x2000 + n_program, .bytes = program, .is_readable = true}},
        .n_segments = 2};
    struct rv_patch_unwind_frame frame = {.start = 0x5000,
                                          .end = 0x5100,
                                          .common_rows = 0x1000,
                                          .common_end = 0x1000 + sizeof COMMON,
                                          .rows = 0x2000,
                                          .rows_end = 0x2000 + n_program,
                                          .code_factor = 1,
                                          .data_factor = -8};
    struct rv_patch_unwind_rows rows;
    rv_patch_unwind_rows_begin(&rows, &image, &frame);
    for (size_t i = 0; i < n; i++) {
        struct rv_patch_unwind_row row = rv_patch_unwind_rows_at(&rows, 0x5000 + expected[i].offset);
        cr_expect_eq(row.base, expected[i].base, "at %lu: register %u", expected[i].offset, row.base);
        cr_expect(expected[i].base == RV_PATCH_UNWIND_ROW_UNKNOWN || row.offset == expected[i].row, "at %lu: %ld",
                  expected[i].offset, row.offset);
    }
}

#define CHECK(program, ...)                                                                                            \
    do {                                                                                                               \
        const struct expected all[] = {__VA_ARGS__};                                                                   \
        check(program, sizeof program, all, sizeof all / sizeof *all);                                                 \
    } while (0)

Test(unwind_table, unwind_rows_follow_pushes_and_a_frame_pointer)
{
    const uint8_t program[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x4a, 0x0c, 7, 8};
    CHECK(program, {0, 7, 8}, {1, 7, 16}, {3, 7, 16}, {4, 6, 16}, {13, 6, 16}, {14, 7, 8}, {200, 7, 8});
}

Test(unwind_table, unwind_rows_are_remembered_and_restored)
{
    const uint8_t program[] = {0x41, 0x0e, 16, 0x0a, 0x42, 0x0e, 8, 0x41, 0x0b, 0x02, 100, 0x0e, 8};
    CHECK(program, {0, 7, 8}, {2, 7, 16}, {3, 7, 8}, {4, 7, 16}, {103, 7, 16}, {104, 7, 8});
}

Test(unwind_table, unsupported_unwind_rules_give_an_unknown_frame)
{
    const uint8_t expression[] = {0x41, 0x0f, 2, 0x77, 0};
    CHECK(expression, {0, 7, 8}, {1, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
    const uint8_t in_register[] = {0x41, 0x09, 16, 0};
    CHECK(in_register, {0, 7, 8}, {1, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
    const uint8_t undefined[] = {0x07, 16};
    CHECK(undefined, {0, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
    const uint8_t unknown_code[] = {0x42, 0x3f, 1};
    CHECK(unknown_code, {0, 7, 8}, {2, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
    const uint8_t restored_too_often[] = {0x0b};
    CHECK(restored_too_often, {0, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
    const uint8_t cut_short[] = {0x41, 0x0e};
    CHECK(cut_short, {0, 7, 8}, {1, RV_PATCH_UNWIND_ROW_UNKNOWN, 0});
}

enum { N_RECORDS = 1000, CODE_AT = 0x100000, CODE_BYTES = 65536, RECORDS_AT = 0x1000 };

/* A CIE and ranges of so many bytes, `step` apart. */
static int read_ranges(uint64_t step, uint64_t n_bytes, size_t *n_frames)
{
    static const uint8_t CIE[] = {16, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1, 0, 0};
    static uint8_t records[sizeof CIE + N_RECORDS * 24 + 4], code[CODE_BYTES];
    struct rv_patch_image image = {
        .segments = {{.start = RECORDS_AT, .end = RECORDS_AT + sizeof records, .bytes = records, .is_readable = true},
                     {.start = CODE_AT, .end = CODE_AT + CODE_BYTES, .bytes = code, .is_readable = true}},
        .n_segments = 2,
        .unwind_records = RECORDS_AT,
        .unwind_records_end = RECORDS_AT + sizeof records};
    struct rv_patch_unwind_frame *frames;
    memcpy(records, CIE, sizeof CIE);
    for (uint32_t i = 0; i < N_RECORDS; i++) {
        const uint32_t head[] = {20, (uint32_t)sizeof CIE + i * 24 + 4};
        const uint64_t range[] = {CODE_AT + i * step, n_bytes};
        memcpy(records + sizeof CIE + i * 24, head, sizeof head);
        memcpy(records + sizeof CIE + i * 24 + 8, range, sizeof range);
    }
    const int error = rv_patch_unwind_frames_read(&image, &frames, n_frames);
    free(frames);
    return error;
}

Test(unwind_table, overlapping_unwind_ranges_are_refused_beyond_a_limit)
{
    size_t n_frames;
    cr_expect_eq(read_ranges(64, 64, &n_frames), 0);
    cr_expect_eq(n_frames, N_RECORDS);
    cr_expect_eq(read_ranges(1, 60000, &n_frames), -E2BIG);
    cr_expect_eq(read_ranges(1, UINT64_MAX / 2, &n_frames), -E2BIG);
}

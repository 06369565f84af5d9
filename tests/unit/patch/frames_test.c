/* Unwind rows of made-up programs: where the return address lies at each address. */
#include "patch/frames.h"

#include <criterion/criterion.h>

TestSuite(frames, .timeout = 60);

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
    struct rv_patch_frame frame = {.start = 0x5000,
                                   .end = 0x5100,
                                   .common_rows = 0x1000,
                                   .common_end = 0x1000 + sizeof COMMON,
                                   .rows = 0x2000,
                                   .rows_end = 0x2000 + n_program,
                                   .code_factor = 1,
                                   .data_factor = -8};
    struct rv_patch_rows rows;
    rv_patch_rows_begin(&rows, &image, &frame);
    for (size_t i = 0; i < n; i++) {
        struct rv_patch_row row = rv_patch_rows_at(&rows, 0x5000 + expected[i].offset);
        cr_expect_eq(row.base, expected[i].base, "at %lu: register %u", expected[i].offset, row.base);
        cr_expect(expected[i].base == RV_PATCH_ROW_UNKNOWN || row.offset == expected[i].row, "at %lu: %ld",
                  expected[i].offset, row.offset);
    }
}

#define CHECK(program, ...)                                                                                            \
    do {                                                                                                               \
        const struct expected all[] = {__VA_ARGS__};                                                                   \
        check(program, sizeof program, all, sizeof all / sizeof *all);                                                 \
    } while (0)

Test(frames, follow_pushes_and_a_frame_pointer)
{
    const uint8_t program[] = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x4a, 0x0c, 7, 8};
    CHECK(program, {0, 7, 8}, {1, 7, 16}, {3, 7, 16}, {4, 6, 16}, {13, 6, 16}, {14, 7, 8}, {200, 7, 8});
}

Test(frames, remember_and_restore)
{
    const uint8_t program[] = {0x41, 0x0e, 16, 0x0a, 0x42, 0x0e, 8, 0x41, 0x0b, 0x02, 100, 0x0e, 8};
    CHECK(program, {0, 7, 8}, {2, 7, 16}, {3, 7, 8}, {4, 7, 16}, {103, 7, 16}, {104, 7, 8});
}

Test(frames, do_not_know_where_expressions_and_other_places_lead)
{
    const uint8_t expression[] = {0x41, 0x0f, 2, 0x77, 0};
    CHECK(expression, {0, 7, 8}, {1, RV_PATCH_ROW_UNKNOWN, 0});
    const uint8_t in_register[] = {0x41, 0x09, 16, 0};
    CHECK(in_register, {0, 7, 8}, {1, RV_PATCH_ROW_UNKNOWN, 0});
    const uint8_t undefined[] = {0x07, 16};
    CHECK(undefined, {0, RV_PATCH_ROW_UNKNOWN, 0});
    const uint8_t unknown_code[] = {0x42, 0x3f, 1};
    CHECK(unknown_code, {0, 7, 8}, {2, RV_PATCH_ROW_UNKNOWN, 0});
    const uint8_t restored_too_often[] = {0x0b};
    CHECK(restored_too_often, {0, RV_PATCH_ROW_UNKNOWN, 0});
    const uint8_t cut_short[] = {0x41, 0x0e};
    CHECK(cut_short, {0, 7, 8}, {1, RV_PATCH_ROW_UNKNOWN, 0});
}

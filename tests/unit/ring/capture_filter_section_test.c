#include "fixture.h"

#include "ring/capture_filter_section.h"

static struct rv_capture_filter_section patterns_of(const struct rv_map *map)
{
    return rv_capture_filter_section_find(map->base + map->geometry.filter.offset, map->geometry.filter.n_bytes);
}

Test(capture_filter_section, patterns_are_read_as_they_were_written, .timeout = 60)
{
    struct rv_map_params params = small_params();
    params.include = "^a";
    params.exclude = "";
    struct fixture f;
    open_fixture(&f, &params);
    cr_assert_str_eq(patterns_of(&f.other).include, "^a");
    cr_assert_str_eq(patterns_of(&f.other).exclude, "");
    close_fixture(&f);
}

Test(capture_filter_section, a_file_may_have_no_patterns, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_null(patterns_of(&f.other).include);
    cr_assert_null(patterns_of(&f.other).exclude);
    close_fixture(&f);
}

Test(capture_filter_section, damaged_patterns_are_ignored, .timeout = 60)
{
    struct {
        struct rv_wire_filter head;
        char text[8];
    } section = {.head = {.include_bytes = 4, .exclude_bytes = 4}, .text = "abc\0def"};
    cr_assert_str_eq(rv_capture_filter_section_find(&section, sizeof section).exclude, "def");
    cr_assert_null(rv_capture_filter_section_find(&section, sizeof section - 1).exclude);
    cr_assert_null(rv_capture_filter_section_find(&section, 7).include);
    section.text[3] = 'x';
    cr_assert_null(rv_capture_filter_section_find(&section, sizeof section).include, "it does not end");
    section.head.include_bytes = UINT32_MAX;
    section.head.exclude_bytes = UINT32_MAX;
    cr_assert_null(rv_capture_filter_section_find(&section, sizeof section).include);
    cr_assert_null(rv_capture_filter_section_find(&section, sizeof section).exclude);
}

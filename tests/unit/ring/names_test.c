#include "fixture.h"

#include "ring/names.h"

static uint32_t intern(struct rv_map *map, const char *package, const char *name, const char *file, uint32_t line)
{
    return rv_names_intern(map, &(struct rv_name){RV_NAME_SUBROUTINE, package, name, file, line});
}

static void expect_name(const struct rv_map *map, uint32_t id, const char *package, const char *name, const char *file)
{
    struct rv_name read;
    char buffer[1000];
    cr_assert_eq(rv_names_read(map, id, &read, buffer, sizeof buffer), 0);
    cr_assert_str_eq(read.package, package);
    cr_assert_str_eq(read.name, name);
    cr_assert_str_eq(read.file, file);
}

Test(names, the_same_name_has_one_id_in_every_process, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    uint32_t id = intern(&f.map, "App", "run", "app.c", 12);
    cr_assert_eq(id, 1);
    cr_assert_eq(intern(&f.other, "App", "run", "app.c", 12), id);
    cr_assert_eq(rv_names_count(&f.map), 2);
    expect_name(&f.other, id, "App", "run", "app.c");
    close_fixture(&f);
}

Test(names, every_part_tells_names_apart, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    uint32_t ids[] = {
        intern(&f.map, "a", "b", "c", 1),    intern(&f.map, "a", "b", "c", 2),
        intern(&f.map, "a", "b", "d", 1),    intern(&f.map, "a", "bc", "", 1),
        intern(&f.map, "ab", "c", "", 1),    intern(&f.map, "", "abc", "", 1),
        intern(&f.map, NULL, NULL, NULL, 0), rv_names_intern(&f.map, &(struct rv_name){RV_NAME_TEXT, "a", "b", "c", 1}),
    };
    for (uint32_t i = 0; i < sizeof ids / sizeof *ids; i++)
        cr_assert_eq(ids[i], i + 1);
    close_fixture(&f);
}

Test(names, a_full_table_gives_0_and_counts, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char name[32];
    for (uint32_t i = 1; i < 1000; i++) {
        snprintf(name, sizeof name, "n%u", i);
        cr_assert_eq(intern(&f.map, "", name, "", 0), i);
    }
    cr_assert_eq(intern(&f.map, "", "one more", "", 0), 0);
    cr_assert_eq(intern(&f.map, "", "n500", "", 0), 500, "known ones are still found");
    cr_assert_eq(f.map.header->n_names_lost, 1);
    cr_assert_eq(rv_names_count(&f.map), 1000);
    close_fixture(&f);
}

Test(names, a_full_heap_gives_0_and_counts, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char name[4000];
    memset(name, 'n', sizeof name);
    name[3999] = '\0';
    uint32_t n = 0;
    while (name[0] = (char)('a' + n), intern(&f.map, "", name, "", 0))
        n++;
    cr_assert_eq(n, 16, "%u names of 4 KB in 64 KiB", n);
    cr_assert_eq(f.map.header->n_names_lost, 1);
    cr_assert_gt(intern(&f.map, "", "short", "", 0), 0);
    close_fixture(&f);
}

Test(names, long_strings_are_cut_between_characters, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char text[6000], buffer[5000];
    for (size_t i = 0; i < sizeof text - 2; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    text[sizeof text - 2] = '\0';
    uint32_t id = intern(&f.map, "", text, "", 0);
    struct rv_name read;
    cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, sizeof buffer), 0);
    cr_assert_eq(strlen(read.name), 4094);
    close_fixture(&f);
}

Test(names, names_that_are_read_are_printable, .timeout = 60)
{
    static const struct {
        const char *raw, *shown;
    } cases[] = {
        {"plain", "plain"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\nb\x1b[31m\x7f", "a\\x0ab\\x1b[31m\\x7f"},
        {"\xff\xfe", "\\xff\\xfe"},
        {"cut \xe2\x82", "cut \\xe2\\x82"},
        {"overlong \xc0\xaf", "overlong \\xc0\\xaf"},
        {"surrogate \xed\xa0\x80", "surrogate \\xed\\xa0\\x80"},
        {"beyond \xf4\x90\x80\x80", "beyond \\xf4\\x90\\x80\\x80"},
        {"C1 \xc2\x9b", "C1 \\xc2\\x9b"},
        {"reversed \xe2\x80\xae", "reversed \\xe2\\x80\\xae"},
    };
    struct fixture f;
    open_fixture(&f, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_name(&f.map, intern(&f.map, cases[i].raw, "x", "", 0), cases[i].shown, "x", "");
    close_fixture(&f);
}

Test(names, a_small_buffer_gets_what_fits, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    uint32_t id = intern(&f.map, "package", "\xc3\xa4\xc3\xa4\xc3\xa4", "file", 0);
    struct rv_name read;
    char buffer[20];
    for (size_t n = 3; n <= sizeof buffer; n++) {
        memset(buffer, '#', sizeof buffer);
        cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, n), 0);
        cr_assert_eq(strncmp(read.package, "package", strlen(read.package)), 0);
        cr_assert_eq(strlen(read.name) % 2, 0);
        cr_assert_leq(read.file + strlen(read.file) + 1, buffer + n);
        if (n < sizeof buffer)
            cr_assert_eq(buffer[n], '#');
    }
    cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, 2), -EINVAL);
    close_fixture(&f);
}

Test(names, ids_that_were_never_published_are_not_there, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    intern(&f.map, "a", "b", "c", 1);
    f.map.header->next_name_id = 50; /* taken, then killed */
    struct rv_name read;
    char buffer[100];
    cr_assert_eq(rv_names_read(&f.map, 0, &read, buffer, sizeof buffer), -ENOENT);
    cr_assert_eq(rv_names_read(&f.map, 2, &read, buffer, sizeof buffer), -ENOENT);
    cr_assert_eq(rv_names_read(&f.map, 1000, &read, buffer, sizeof buffer), -ENOENT);
    cr_assert_eq(rv_names_read(&f.map, UINT32_MAX, &read, buffer, sizeof buffer), -ENOENT);
    cr_assert_eq(intern(&f.map, "a", "b2", "c", 1), 50);
    close_fixture(&f);
}

Test(names, damaged_records_are_refused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    uint32_t id = intern(&f.map, "a", "b", "c", 1);
    uint32_t *reference = (uint32_t *)(f.map.base + f.map.geometry.name_ids.offset) + id;
    uint8_t *heap = f.map.base + f.map.geometry.name_heap.offset;
    struct rv_wire_name *record = (struct rv_wire_name *)(heap + *reference * 8), whole = *record;
    struct rv_name read;
    char buffer[100];
    record->kind = 77;
    cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, sizeof buffer), -EBADMSG);
    *record = whole;
    record->id = 9;
    cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, sizeof buffer), -EBADMSG);
    *record = whole;
    record->package_bytes = record->name_bytes = record->file_bytes = UINT16_MAX;
    cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, sizeof buffer), -EBADMSG);
    *record = whole;
    const uint32_t references[] = {UINT32_MAX, (1 << 16) / 8, (1 << 16) / 8 - 1};
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        *reference = references[i];
        cr_assert_eq(rv_names_read(&f.map, id, &read, buffer, sizeof buffer), -EBADMSG);
    }
    f.map.header->name_heap_used = 12345;
    cr_assert_eq(intern(&f.map, "a", "new", "", 1), 0, "a heap that was scribbled over is full");
    close_fixture(&f);
}

Test(names, an_index_full_of_garbage_ends_the_search, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    memset(f.map.base + f.map.geometry.name_index.offset, 0xff, f.map.geometry.name_index.n_bytes);
    cr_assert_eq(intern(&f.map, "a", "b", "c", 1), 0);
    close_fixture(&f);
}

Test(names, texts_come_back_byte_for_byte, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    const char *path = "/tmp/a b\n\xff/lib.so";
    uint32_t id = rv_names_intern(&f.map, &(struct rv_name){.kind = RV_NAME_TEXT, .name = path});
    char out[100];
    cr_assert_eq(rv_names_read_text(&f.map, id, out, sizeof out), 0);
    cr_assert_str_eq(out, path);
    cr_assert_eq(rv_names_read_text(&f.map, id, out, strlen(path)), -ENAMETOOLONG);
    cr_assert_eq(rv_names_read_text(&f.map, id + 1, out, sizeof out), -ENOENT);
    close_fixture(&f);
}

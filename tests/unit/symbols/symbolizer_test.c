#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mapped.h"
#include "symbols/symbolizer.h"

static struct rv_symbolizer_module module_at(uint32_t process, const char *path, uint64_t loaded, uint64_t unloaded)
{
    return (struct rv_symbolizer_module){.process = process,
                                         .start = 0x500000,
                                         .end = 0x510000,
                                         .bias = 0x500000,
                                         .loaded_ns = loaded,
                                         .unloaded_ns = unloaded,
                                         .path = path};
}

static void put(struct rv_symbolizer *symbolizer, struct rv_symbolizer_module module)
{
    rv_symbolizer_put_module(symbolizer, &module);
}

static const char *package_of(struct rv_symbolizer *symbolizer, uint32_t id)
{
    static struct rv_symbolizer_name name;
    rv_symbolizer_name(symbolizer, id, &name);
    return name.package;
}

Test(symbolizer, ids_are_dense_and_stay, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 7);
    put(symbolizer, module_at(7, "/none", 1, 0));
    for (unsigned round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 30000; i++)
            cr_assert(eq(u32, rv_symbolizer_look_up(process, 0x500000 + i, 5), i + 1));
    cr_expect(eq(u32, rv_symbolizer_count(symbolizer), 30000));
    cr_expect(rv_symbolizer_process(symbolizer, 7) == process);
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, an_address_of_48_bits_has_one_id_and_no_other_has_it, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 0);
    enum { N = 5000 };
    static uint32_t ids[N];
    static uint64_t addresses[N];
    uint64_t random = 99;
    for (unsigned i = 0; i < N; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        addresses[i] = i % 3 ? random >> 16 : addresses[random % (i + 1)];
        ids[i] = rv_symbolizer_look_up(process, addresses[i], i);
    }
    for (unsigned i = 0; i < N; i++) {
        cr_assert(eq(u32, rv_symbolizer_look_up(process, addresses[i], i), ids[i]));
        cr_assert_eq(addresses[i] == addresses[N / 2], ids[i] == ids[N / 2]);
    }
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, an_address_means_what_was_mapped_at_the_time, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    put(symbolizer, module_at(1, "/first.so", 100, 0));
    uint32_t first = rv_symbolizer_look_up(process, 0x500010, 150);
    put(symbolizer, module_at(1, "/first.so", 100, 200));
    put(symbolizer, module_at(1, "/second.so", 300, 0));
    uint32_t second = rv_symbolizer_look_up(process, 0x500010, 350);
    cr_expect(ne(u32, first, second));
    static const uint64_t TIMES[] = {150, 350, 199, 300, 100, 90000};
    for (unsigned i = 0; i < sizeof TIMES / sizeof *TIMES; i++)
        cr_expect(eq(u32, rv_symbolizer_look_up(process, 0x500010, TIMES[i]), i % 2 ? second : first), "time %u", i);
    cr_expect(eq(str, (char *)package_of(symbolizer, first), "first"));
    cr_expect(eq(str, (char *)package_of(symbolizer, second), "second"));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, constructors_and_destructors_belong_to_the_nearest_mapping, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    put(symbolizer, module_at(1, "/first.so", 100, 200));
    put(symbolizer, module_at(1, "/second.so", 300, 0));
    cr_expect(eq(str, (char *)package_of(symbolizer, rv_symbolizer_look_up(process, 0x500010, 205)), "first"));
    cr_expect(eq(str, (char *)package_of(symbolizer, rv_symbolizer_look_up(process, 0x500010, 295)), "second"));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, an_unload_that_was_not_seen_ends_at_the_next_load, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    put(symbolizer, module_at(1, "/second.so", 300, 0));
    uint32_t second = rv_symbolizer_look_up(process, 0x500010, 350);
    put(symbolizer, module_at(1, "/first.so", 100, 0));
    cr_expect(eq(u32, rv_symbolizer_look_up(process, 0x500010, 350), second));
    cr_expect(eq(str, (char *)package_of(symbolizer, rv_symbolizer_look_up(process, 0x500010, 299)), "first"));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, loading_one_file_a_thousand_times_makes_one_id, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    for (uint64_t i = 1; i <= 1000; i++) {
        put(symbolizer, module_at(1, "/plugin.so", i * 100, 0));
        cr_assert(eq(u32, rv_symbolizer_look_up(process, 0x500010, i * 100 + 50), 1));
        put(symbolizer, module_at(1, "/plugin.so", i * 100, i * 100 + 90));
    }
    cr_expect(eq(u32, rv_symbolizer_count(symbolizer), 1));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, an_address_seen_before_its_module_is_named_by_it_later, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_PLAIN, &module);
    uint64_t address = mapped_address(library, "plain_other");
    uint32_t early = rv_symbolizer_look_up(process, address, 150);
    struct rv_symbolizer_name name;
    char hex[32];
    snprintf(hex, sizeof hex, "0x%lx", (unsigned long)address);
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, early, &name), -EAGAIN));
    cr_expect(eq(str, (char *)name.name, (char *)hex));
    rv_symbolizer_put_module(symbolizer, &module);
    uint32_t late = rv_symbolizer_look_up(process, address, 160);
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, early, &name), 0));
    cr_expect(eq(str, (char *)name.name, "plain_other"));
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, late, &name), 0));
    cr_expect(eq(str, (char *)name.name, "plain_other"));
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

Test(symbolizer, processes_that_mapped_one_file_share_its_ids, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module parent = module_at(1, "/program", 100, 0), child = module_at(2, "/program", 200, 0);
    parent.device = child.device = 5;
    parent.inode = child.inode = 6;
    child.start += 0x70000000;
    child.end += 0x70000000;
    child.bias += 0x70000000;
    child.path = "/hard/program";
    put(symbolizer, parent);
    put(symbolizer, child);
    uint32_t id = rv_symbolizer_look_up(rv_symbolizer_process(symbolizer, 1), 0x500010, 150);
    cr_expect(eq(u32, rv_symbolizer_look_up(rv_symbolizer_process(symbolizer, 2), 0x70500010, 250), id));
    child.process = 4;
    child.path = "/hard/link";
    put(symbolizer, child);
    const uint32_t linked = rv_symbolizer_look_up(rv_symbolizer_process(symbolizer, 4), 0x70500010, 250);
    cr_expect(eq(str, (char *)package_of(symbolizer, linked), "link"), "another command");
    child.process = 3;
    child.build_id = (const uint8_t *)"rebuilt";
    child.build_id_bytes = 7;
    put(symbolizer, child);
    cr_expect(ne(u32, rv_symbolizer_look_up(rv_symbolizer_process(symbolizer, 3), 0x70500010, 250), id));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, equal_interned_names_share_an_id, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    char text[] = "work";
    uint32_t id = rv_symbolizer_intern(symbolizer, "Main", text, "main.pl", 3);
    text[0] = 'W';
    cr_expect(eq(u32, rv_symbolizer_intern(symbolizer, "Main", "work", "main.pl", 3), id));
    cr_expect(ne(u32, rv_symbolizer_intern(symbolizer, "Main", "work", "main.pl", 4), id));
    cr_expect(ne(u32, rv_symbolizer_intern(symbolizer, "Main", "Work", "main.pl", 3), id));
    cr_expect(eq(u32, rv_symbolizer_find(symbolizer, "bare"), 0));
    uint32_t bare = rv_symbolizer_intern(symbolizer, NULL, "bare", NULL, 0);
    cr_expect(eq(u32, rv_symbolizer_find(symbolizer, "bare"), bare));
    cr_expect(eq(u32, rv_symbolizer_find(symbolizer, "work"), 0), "it has a package");
    cr_expect(eq(u32, rv_symbolizer_count(symbolizer), bare), "to find adds none");
    struct rv_symbolizer_name name;
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, id, &name), 0));
    cr_expect(eq(str, (char *)name.name, "work"));
    cr_expect(eq(str, (char *)name.package, "Main"));
    cr_expect(eq(str, (char *)name.file, "main.pl"));
    cr_expect(eq(u32, name.line_form, 3));
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, bare, &name), 0));
    cr_expect(eq(str, (char *)name.package, ""));
    cr_expect(eq(str, (char *)name.file, ""));
    rv_symbolizer_destroy(symbolizer);
}

Test(symbolizer, invalid_ids_have_no_name, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_name name;
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, 0, &name), -EINVAL));
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, 1, &name), -EINVAL));
    cr_expect(eq(int, rv_symbolizer_name(symbolizer, UINT32_MAX, &name), -EINVAL));
    cr_expect(eq(str, (char *)name.name, ""));
    rv_symbolizer_destroy(symbolizer);
}

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "mapped.h"
#include "symbols/symbolizer.h"

#define PLAIN_SOURCE FIXTURE_SOURCES "/plain.c"
#define SHAPES_SOURCE FIXTURE_SOURCES "/shapes.cc"

/* Number of the first line that ends with the text, or 0. */
static uint32_t line_of(const char *path, const char *text)
{
    FILE *file = fopen(path, "r");
    char line[512];
    uint32_t number = 0, found = 0;
    while (file && !found && fgets(line, sizeof line, file)) {
        size_t n = strcspn(line, "\n");
        number++;
        if (n >= strlen(text) && strncmp(line + n - strlen(text), text, strlen(text)) == 0)
            found = number;
    }
    if (file)
        fclose(file);
    return found;
}

static struct rv_symbolizer_name name_at(struct rv_symbolizer *symbolizer, uint64_t address)
{
    struct rv_symbolizer_name name;
    uint32_t id = rv_symbolizer_look_up(rv_symbolizer_process(symbolizer, 1), address, 200);
    cr_assert(eq(int, rv_symbolizer_name(symbolizer, id, &name), 0), "address %lx", (unsigned long)address);
    return name;
}

static void expect_name(struct rv_symbolizer_name actual, const char *package, const char *name, const char *file,
                        uint32_t line)
{
    cr_expect(eq(str, (char *)actual.package, (char *)package));
    cr_expect(eq(str, (char *)actual.name, (char *)name));
    cr_expect(eq(str, (char *)actual.file, (char *)file), "%s", name);
    cr_expect(eq(u32, actual.line_form, line), "%s", name);
}

Test(names, c_functions_have_module_file_and_line, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_PLAIN, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    uint64_t (*static_address)(void) = (uint64_t(*)(void))dlsym(library, "plain_static_address");
    expect_name(name_at(symbolizer, mapped_address(library, "plain_exported")), "fixture_plain", "plain_exported",
                PLAIN_SOURCE, line_of(PLAIN_SOURCE, "int plain_exported(int value)"));
    expect_name(name_at(symbolizer, static_address()), "fixture_plain", "plain_static", PLAIN_SOURCE,
                line_of(PLAIN_SOURCE, "static int plain_static(int value)"));
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

Test(names, an_address_inside_a_function_has_its_name, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_PLAIN, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    cr_expect(
        eq(str, (char *)name_at(symbolizer, mapped_address(library, "plain_exported") + 4).name, "plain_exported"));
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

Test(names, without_debug_information_there_is_no_file, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_UNDEBUGGED, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    uint64_t (*static_address)(void) = (uint64_t(*)(void))dlsym(library, "plain_static_address");
    expect_name(name_at(symbolizer, static_address()), "fixture_undebugged", "plain_static", "", 0);
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

/* A copy of a library in which every string `from` is replaced by `to`, of the same length. */
static void copy_with(const char *path, const char *copy_path, const char *from, const char *to)
{
    int in = open(path, O_RDONLY), out = open(copy_path, O_WRONLY | O_CREAT | O_EXCL, 0700);
    struct stat status;
    cr_assert(in >= 0 && out >= 0 && fstat(in, &status) == 0);
    size_t n_bytes = (size_t)status.st_size, n_from = strlen(from) + 1;
    char *bytes = malloc(n_bytes);
    cr_assert(bytes && read(in, bytes, n_bytes) == (ssize_t)n_bytes);
    for (char *at = bytes; (at = memmem(at, n_bytes - (size_t)(at - bytes), from, n_from)); at += n_from)
        memcpy(at, to, n_from);
    cr_assert(write(out, bytes, n_bytes) == (ssize_t)n_bytes);
    free(bytes);
    close(in);
    close(out);
}

Test(names, control_characters_of_a_symbol_are_escaped, .timeout = 60)
{
    char path[] = "/tmp/ringviz-symbols-XXXXXX", copy[sizeof path + 16];
    cr_assert(mkdtemp(path) != NULL);
    snprintf(copy, sizeof copy, "%s/odd.so", path);
    copy_with(FIXTURE_UNDEBUGGED, copy, "plain_static", "odd\033[31mred!");
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(copy, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    uint64_t (*static_address)(void) = (uint64_t(*)(void))dlsym(library, "plain_static_address");
    expect_name(name_at(symbolizer, static_address()), "odd", "odd\\x1b[31mred!", "", 0);
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
    unlink(copy);
    rmdir(path);
}

Test(names, a_stripped_library_names_what_it_exports_and_nothing_else, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_STRIPPED, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    uint64_t (*static_address)(void) = (uint64_t(*)(void))dlsym(library, "plain_static_address");
    char hex[32];
    snprintf(hex, sizeof hex, "0x%lx", (unsigned long)(static_address() - module.bias));
    expect_name(name_at(symbolizer, mapped_address(library, "plain_other")), "fixture_stripped", "plain_other", "", 0);
    expect_name(name_at(symbolizer, static_address()), "fixture_stripped", hex, FIXTURE_STRIPPED, 0);
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

#ifdef __clang__
#define LAMBDA "$_0"
#else
#define LAMBDA "{lambda(int)#1}"
#endif

static uint64_t entered[64];
static size_t n_entered;

static void note_entry(void *function)
{
    if (n_entered < sizeof entered / sizeof *entered)
        entered[n_entered++] = (uint64_t)(uintptr_t)function;
}

static bool is_named(struct rv_symbolizer *symbolizer, const char *package, const char *name, uint32_t line)
{
    for (size_t i = 0; i < n_entered; i++) {
        struct rv_symbolizer_name actual = name_at(symbolizer, entered[i]);
        if (strcmp(actual.package, package) == 0 && strcmp(actual.name, name) == 0 &&
            strcmp(actual.file, SHAPES_SOURCE) == 0 && actual.line_form == line)
            return true;
    }
    return false;
}

Test(names, cxx_functions_have_namespace_class_file_and_line, .timeout = 60)
{
    static const struct {
        const char *package, *name, *mark;
    } cases[] = {
        {"fixture_shapes", "global_function", "// at global_function"},
        {"(anonymous namespace)", "hidden", "// at hidden"},
        {"outer::inner", "in_namespace", "// at in_namespace"},
        {"outer::Box<int>", "Box", "// at Box"},
        {"outer::Box<int>", "~Box", "// at ~Box"},
        {"outer::Box<int>", "get", "// at get"},
        {"outer::Box<int>", "operator()", "// at operator()"},
        {"outer::Box<int>", "operator<", "// at operator<"},
        {"outer::Box<int>", "operator long", "// at operator long"},
        {"outer", "twice<unsigned long>", "// at twice"},
        {"outer", "pick<int>", "// at pick"},
        {"outer", "with_lambda", "// at with_lambda"},
        {"outer::with_lambda(int)::" LAMBDA, "operator()", "// at lambda"},
        {"outer::with_local(int)::Local", "work", "// at work"},
        {"outer::Derived", "speak", "// at speak"},
    };
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_SHAPES, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    void (*run)(void (*)(void *)) = (void (*)(void (*)(void *)))dlsym(library, "shapes_run");
    run(note_entry);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t line = line_of(SHAPES_SOURCE, cases[i].mark);
        cr_expect(ne(u32, line, 0));
        cr_expect(is_named(symbolizer, cases[i].package, cases[i].name, line), "%s::%s", cases[i].package,
                  cases[i].name);
    }
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

static void expect_executable_named(const char *path, const char *package)
{
    FILE *output = popen(path, "r");
    unsigned long start, end, bias, address;
    cr_assert(eq(int, fscanf(output, "%lx %lx %lx %lx", &start, &end, &bias, &address), 4));
    cr_assert(eq(int, pclose(output), 0));
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module = {
        .process = 1, .start = start, .end = end, .bias = bias, .loaded_ns = 100, .path = path};
    rv_symbolizer_put_module(symbolizer, &module);
    const char *source = FIXTURE_SOURCES "/executable.c";
    expect_name(name_at(symbolizer, address), package, "executable_function", source,
                line_of(source, "int executable_function(int value)"));
    rv_symbolizer_destroy(symbolizer);
}

Test(names, executables_are_named_wherever_they_are_mapped, .timeout = 60)
{
    expect_executable_named(FIXTURE_PIE, "fixture_pie");
    expect_executable_named(FIXTURE_FIXED, "fixture_fixed");
}

static void copy_file(const char *from, const char *to)
{
    char command[1024];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    cr_assert(eq(int, system(command), 0));
}

Test(names, another_file_in_the_place_of_the_mapped_one_is_not_believed, .timeout = 60)
{
    char folder[] = "/tmp/ringviz-symbols-XXXXXX", path[64];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/libcopy.so.1", folder);
    copy_file(FIXTURE_PLAIN, path);
    struct rv_symbolizer_module module;
    void *library = mapped_open(path, &module);
    uint64_t address = mapped_address(library, "plain_exported");
    char hex[32];
    snprintf(hex, sizeof hex, "0x%lx", (unsigned long)(address - module.bias));

    struct rv_symbolizer *trusting = rv_symbolizer_create();
    rv_symbolizer_put_module(trusting, &module);
    cr_expect(eq(str, (char *)name_at(trusting, address).name, "plain_exported"));
    rv_symbolizer_destroy(trusting);

    char next_path[80];
    snprintf(next_path, sizeof next_path, "%s.new", path);
    copy_file(FIXTURE_PLAIN, next_path);
    cr_assert(eq(int, rename(next_path, path), 0));
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    rv_symbolizer_put_module(symbolizer, &module);
    expect_name(name_at(symbolizer, address), "copy", hex, path, 0);
    rv_symbolizer_destroy(symbolizer);

    dlclose(library);
    unlink(path);
    rmdir(folder);
}

Test(names, an_unusable_file_leaves_hex_names, .timeout = 60)
{
    static const char *const paths[] = {"/nonexistent/libgone.so.6", "/dev/zero", "/etc/passwd", "", "[vdso]"};
    static const char *const packages[] = {"gone", "zero", "passwd", "", "[vdso]"};
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        uint64_t start = 0x10000 * (i + 1);
        rv_symbolizer_put_module(symbolizer, &(struct rv_symbolizer_module){.process = 1,
                                                                            .start = start,
                                                                            .end = start + 0x1000,
                                                                            .bias = start,
                                                                            .loaded_ns = 100,
                                                                            .path = paths[i]});
        expect_name(name_at(symbolizer, start + 0x123), packages[i], "0x123", paths[i], 0);
    }
    rv_symbolizer_destroy(symbolizer);
}

/* Flip bytes all over a library, cut it short, and name it each time: names may be wrong, but nothing may crash or read
 * outside of the file. */
Test(names, a_damaged_file_does_no_harm, .timeout = 60)
{
    char path[] = "/tmp/ringviz-symbols-XXXXXX";
    int fd = mkstemp(path);
    int original = open(FIXTURE_SHAPES, O_RDONLY);
    struct stat status;
    cr_assert(eq(int, fstat(original, &status), 0));
    size_t n_bytes = (size_t)status.st_size;
    uint8_t *bytes = malloc(n_bytes), *damaged = malloc(n_bytes);
    cr_assert(eq(sz, (size_t)read(original, bytes, n_bytes), n_bytes));
    uint64_t random = 12345;
    unsigned n_named = 0;
    for (unsigned round = 0; round < 200; round++) {
        memcpy(damaged, bytes, n_bytes);
        for (unsigned i = 0; i < 1u << round % 12; i++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            damaged[(random >> 20) % (round % 2 ? n_bytes : 4096)] ^= (uint8_t)(random >> 12);
        }
        size_t n_kept = round % 5 ? n_bytes : n_bytes * (round + 1) / 200;
        cr_assert(eq(int, ftruncate(fd, 0), 0));
        cr_assert(eq(sz, (size_t)pwrite(fd, damaged, n_kept, 0), n_kept));
        struct rv_symbolizer *symbolizer = rv_symbolizer_create();
        rv_symbolizer_put_module(symbolizer,
                                 &(struct rv_symbolizer_module){
                                     .process = 1, .start = 0x400000, .end = 0x600000, .bias = 0x400000, .path = path});
        for (uint64_t address = 0x401000; address < 0x403000; address += 64)
            n_named += name_at(symbolizer, address).name[0] != '0';
        rv_symbolizer_destroy(symbolizer);
    }
    cr_expect(n_named > 0, "nothing was named at all: the damage is too great to test anything");
    free(bytes);
    free(damaged);
    close(original);
    close(fd);
    unlink(path);
}

Test(names, twenty_thousand_functions_are_named_within_seconds, .timeout = 60)
{
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    struct rv_symbolizer_module module;
    void *library = mapped_open(FIXTURE_MANY, &module);
    rv_symbolizer_put_module(symbolizer, &module);
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    unsigned n_right = 0;
    uint64_t spent_ns = 0;
    for (unsigned i = 10000; i < 30000; i++) {
        char symbol[32];
        snprintf(symbol, sizeof symbol, "many_%u", i);
        uint64_t address = mapped_address(library, symbol);
        struct rv_symbolizer_name name;
        uint64_t start_ns = rv_clock_thread_cpu_ns();
        uint32_t id = rv_symbolizer_look_up(process, address, 200);
        rv_symbolizer_name(symbolizer, id, &name);
        spent_ns += rv_clock_thread_cpu_ns() - start_ns;
        n_right += strcmp(name.name, symbol) == 0 && strcmp(name.file, FIXTURE_SOURCES "/many.c") == 0;
    }
    cr_expect(eq(u32, n_right, 20000));
    cr_expect(lt(u64, spent_ns, 5000000000), "%.3f s", (double)spent_ns / 1e9);
    printf("20000 functions named in %.3f s\n", (double)spent_ns / 1e9);
    rv_symbolizer_destroy(symbolizer);
    dlclose(library);
}

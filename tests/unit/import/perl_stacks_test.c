/* Perl's call stacks, laid out in this process's memory as perl does: valid ones, and damaged ones. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/perl_stacks.h"

TestSuite(perl_stacks, .timeout = 60);

enum { MOST = 4096, BLOCK_BYTES = 128 };

/* Everything lies in blocks of one arena. */
static struct {
    uint8_t blocks[256][BLOCK_BYTES];
    size_t n;
    uint8_t contexts[8][MOST / 8];
    uint8_t interpreter[MOST];
} arena;

static const struct rv_perl_layout *layout(void)
{
    return &RV_PERL_LAYOUT_5_36;
}

static uint64_t address_of(const void *memory)
{
    return (uint64_t)(uintptr_t)memory;
}

static uint8_t *new_block(void)
{
    cr_assert_lt(arena.n, sizeof arena.blocks / BLOCK_BYTES);
    return arena.blocks[arena.n++];
}

static void set_u64(uint8_t *block, size_t offset, uint64_t value)
{
    memcpy(block + offset, &value, sizeof value);
}

static void set_u32(uint8_t *block, size_t offset, uint32_t value)
{
    memcpy(block + offset, &value, sizeof value);
}

static uint8_t *new_hek(const char *key, bool is_utf8)
{
    uint8_t *hek = new_block();
    set_u32(hek, layout()->hek.length, (uint32_t)strlen(key));
    memcpy(hek + layout()->hek.key, key, strlen(key) + 1);
    hek[layout()->hek.key + strlen(key) + 1] = is_utf8 ? layout()->hek.is_utf8 : 0;
    return hek;
}

/* A stash, an SV with a body; returns the SV. */
static uint8_t *new_stash(const char *package)
{
    uint8_t *sv = new_block(), *body = new_block();
    set_u64(sv, layout()->sv.any, address_of(body));
    set_u64(body, layout()->hv.name, address_of(new_hek(package, false)));
    return sv;
}

static uint8_t *new_sub(const char *package, const char *name, bool is_utf8, uint32_t line)
{
    uint8_t *sv = new_block(), *body = new_block(), *start = new_block(), *file = new_block();
    const uint16_t type = layout()->op.nextstate;
    strcpy((char *)file, "script.pl");
    set_u64(sv, layout()->sv.any, address_of(body));
    set_u64(body, layout()->cv.stash, address_of(new_stash(package)));
    set_u64(body, layout()->cv.gv, address_of(new_hek(name, is_utf8)));
    set_u32(body, layout()->cv.flags, layout()->cv.is_named);
    set_u64(body, layout()->cv.start, address_of(start));
    memcpy(start + layout()->op.type, &type, sizeof type);
    set_u32(start, layout()->cop.line, line);
    set_u64(start, layout()->cop.file, address_of(file));
    return sv;
}

static uint8_t *new_stackinfo(const uint8_t *contexts, int32_t last, const uint8_t *previous)
{
    uint8_t *info = new_block();
    set_u64(info, layout()->stackinfo.contexts, address_of(contexts));
    set_u64(info, layout()->stackinfo.previous, address_of(previous));
    set_u32(info, layout()->stackinfo.last, (uint32_t)last);
    return info;
}

static void set_context(uint8_t *contexts, size_t i, uint8_t type, const uint8_t *sub)
{
    contexts[i * layout()->context.bytes] = type;
    set_u64(contexts, i * layout()->context.bytes + layout()->context.sub, address_of(sub));
}

static struct rv_perl_process here(void)
{
    return (struct rv_perl_process){.pid = getpid(), .layout = *layout()};
}

static int read_stack(struct rv_perl_stack *stack, const uint8_t *stackinfo)
{
    const struct rv_perl_process perl = here();
    set_u64(arena.interpreter, layout()->interpreter.curstackinfo, address_of(stackinfo));
    return rv_perl_stack_read(stack, &perl, address_of(arena.interpreter));
}

static void expect_name(const struct rv_perl_sub *sub, const char *package, const char *name, uint32_t line)
{
    static struct rv_perl_names names;
    const struct rv_perl_process perl = here();
    rv_perl_stacks_name(&perl, sub, &names);
    cr_expect_str_eq(names.package, package);
    cr_expect_str_eq(names.name, name);
    cr_expect_eq(names.line, line);
}

Test(perl_stacks, calls_of_all_stacks_are_read_outermost_first_without_other_contexts)
{
    const uint8_t sub = layout()->context.type_sub, eval = 11, fake = layout()->context.fake;
    struct rv_perl_stack stack = {0};
    set_context(arena.contexts[0], 0, eval, NULL);
    set_context(arena.contexts[0], 1, sub | 0x20, new_sub("main", "outer", false, 3));
    set_context(arena.contexts[0], 2, sub | fake, new_sub("main", "regex", false, 4));
    set_context(arena.contexts[1], 0, sub, new_sub("Päckage", "inner", true, 7));
    set_context(arena.contexts[1], 1, layout()->context.type_format, new_sub("main", "na\xefve", false, 9));
    uint8_t *outer = new_stackinfo(arena.contexts[0], 2, NULL), *empty = new_stackinfo(NULL, -1, outer);
    cr_assert_eq(read_stack(&stack, new_stackinfo(arena.contexts[1], 1, empty)), 1);
    cr_assert_eq(stack.n, 3);
    expect_name(&stack.subs[0], "main", "outer", 3);
    expect_name(&stack.subs[1],
                "P\xc3\x83\xc2\xa4"
                "ckage",
                "inner", 7); /* a key that is not marked is Latin-1 */
    expect_name(&stack.subs[2], "main", "na\xc3\xafve", 9);
    rv_perl_stack_fini(&stack);
}

Test(perl_stacks, a_sub_without_a_name_has_its_place)
{
    struct rv_perl_stack stack = {0};
    set_context(arena.contexts[0], 0, layout()->context.type_sub, new_sub("App", "__ANON__", false, 12));
    cr_assert_eq(read_stack(&stack, new_stackinfo(arena.contexts[0], 0, NULL)), 1);
    expect_name(&stack.subs[0], "App", "__ANON__[script.pl:12]", 12);
    rv_perl_stack_fini(&stack);
}

Test(perl_stacks, a_stack_without_calls_is_a_stack)
{
    struct rv_perl_stack stack = {0};
    cr_expect_eq(read_stack(&stack, new_stackinfo(NULL, -1, NULL)), 1);
    cr_expect_eq(stack.n, 0);
    rv_perl_stack_fini(&stack);
}

Test(perl_stacks, a_ring_of_stacks_ends)
{
    struct rv_perl_stack stack = {0};
    set_context(arena.contexts[0], 0, layout()->context.type_sub, new_sub("main", "f", false, 1));
    uint8_t *one = new_stackinfo(arena.contexts[0], 0, NULL), *other = new_stackinfo(arena.contexts[0], 0, one);
    set_u64(one, layout()->stackinfo.previous, address_of(other));
    cr_expect_eq(read_stack(&stack, other), 1);
    cr_expect_leq(stack.n, 64);
    rv_perl_stack_fini(&stack);
}

Test(perl_stacks, missing_memory_is_not_read)
{
    struct rv_perl_stack stack = {0};
    uint8_t *bad = (uint8_t *)(uintptr_t)0x10;
    cr_expect_leq(read_stack(&stack, bad), 0);
    cr_expect_leq(read_stack(&stack, new_stackinfo(bad, 3, NULL)), 0);
    cr_expect_leq(read_stack(&stack, new_stackinfo(arena.contexts[0], INT32_MAX, NULL)), 0);
    set_context(arena.contexts[0], 0, layout()->context.type_sub, bad);
    cr_expect_leq(read_stack(&stack, new_stackinfo(arena.contexts[0], 0, NULL)), 0);
    cr_expect_eq(stack.n, 0);
    rv_perl_stack_fini(&stack);
}

Test(perl_stacks, names_that_are_broken_are_empty)
{
    static struct rv_perl_names names;
    const struct rv_perl_process perl = here();
    uint8_t *sub = new_sub("main", "f", false, 1), *body = sub + BLOCK_BYTES;
    struct rv_perl_sub broken = {.cv = address_of(sub), .flags = layout()->cv.is_named};
    uint8_t *long_key = new_hek("f", false);
    set_u32(long_key, layout()->hek.length, UINT32_MAX);
    broken.gv = address_of(long_key);
    broken.stash = 0x10;
    broken.start = address_of(body) | 1ull << 60;
    rv_perl_stacks_name(&perl, &broken, &names);
    cr_expect_str_eq(names.package, "");
    cr_expect_str_eq(names.name, "__ANON__[:0]");
}

/* ---- threads ---- */

struct record {
    uint64_t next, previous, interpreter, number;
};

/* PL_modglobal with an entry for threads.pm's pool, which begins at this record. */
static void set_pool(const void *pool)
{
    uint8_t *hash = new_block(), *body = new_block(), *slots = new_block(), *entry = new_block(), *sv = new_block(),
            *integer = new_block();
    set_u64(arena.interpreter, layout()->interpreter.modglobal, address_of(hash));
    set_u64(hash, layout()->sv.any, address_of(body));
    set_u64(hash, layout()->sv.value, address_of(slots));
    set_u64(body, layout()->hv.last_slot, 7);
    set_u64(slots, 5 * sizeof(uint64_t), address_of(entry));
    set_u64(entry, layout()->he.key, address_of(new_hek("threads::_pool2.27", false)));
    set_u64(entry, layout()->he.value, address_of(sv));
    set_u64(sv, layout()->sv.any, address_of(integer));
    set_u64(integer, layout()->sv.integer, address_of(pool));
}

Test(perl_stacks, threads_are_identified_by_number)
{
    const uint64_t curinterp = address_of(arena.interpreter);
    struct rv_perl_process perl = here();
    struct rv_perl_thread threads[8];
    struct record ring[3] = {{address_of(&ring[1]), address_of(&ring[2]), curinterp, 0},
                             {address_of(&ring[2]), address_of(&ring[0]), 0x1000, 3},
                             {address_of(&ring[0]), address_of(&ring[1]), 0x2000, 7}};
    cr_assert_eq(rv_perl_stacks_threads(&perl, threads, 8), 0);
    perl.curinterp = address_of(&curinterp);
    cr_assert_eq(rv_perl_stacks_threads(&perl, threads, 8), 1); /* without threads.pm */
    set_pool(ring);
    cr_assert_eq(rv_perl_stacks_threads(&perl, threads, 8), 3);
    cr_expect_eq(threads[0].interpreter, curinterp);
    cr_expect_eq(threads[1].number, 3);
    cr_expect_eq(threads[2].interpreter, 0x2000);
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 2), 2);
    ring[1].interpreter = 0; /* joined */
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 2);
}

Test(perl_stacks, an_invalid_ring_of_threads_is_ignored)
{
    const uint64_t curinterp = address_of(arena.interpreter);
    struct rv_perl_process perl = here();
    struct rv_perl_thread threads[8];
    struct record ring[2] = {{address_of(&ring[1]), address_of(&ring[1]), curinterp, 0},
                             {address_of(&ring[0]), address_of(&ring[0]), 0x1000, 1}};
    const struct record right = ring[0];
    perl.curinterp = address_of(&curinterp);
    set_pool(ring);
    cr_assert_eq(rv_perl_stacks_threads(&perl, threads, 8), 2);
    ring[0].interpreter = 0x3000;
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 1);
    ring[0] = right;
    ring[0].number = 9;
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 1);
    ring[0] = right;
    ring[1].previous = 0x10;
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 1);
    ring[1] = (struct record){address_of(&ring[1]), address_of(&ring[0]), 0x1000, 1}; /* never comes back */
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 1);
    ring[1].next = 0x10;
    cr_expect_eq(rv_perl_stacks_threads(&perl, threads, 8), 1);
}

Test(perl_stacks, a_string_that_ends_with_its_page_is_read_to_there)
{
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), text[64];
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(munmap(pages + 4096, 4096), 0);
    memcpy(pages + 4092, "tail", 4);
    cr_expect(rv_process_memory_get_string(getpid(), address_of(pages + 4092), text, sizeof text));
    cr_expect_str_eq(text, "tail");
    cr_expect_not(rv_process_memory_get_string(getpid(), address_of(pages + 4096), text, sizeof text));
    munmap(pages, 4096);
}

/* Jumps over the first instructions of functions that the test writes itself. */
#include "producers/ruby/entry_jump.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define PAGE 4096u
#define PUSH_R12 0x41, 0x54
#define PUSH_R13 0x41, 0x55
#define PUSH_RBX 0x53
#define NEXT 0x8d, 0x47, 0x01 /* lea 1(%rdi), %eax */
#define POP_AND_RETURN 0x5b, 0x41, 0x5d, 0x41, 0x5c, 0xc3
#define INT3 0xcc

typedef int fn(int n);

struct code {
    uint8_t bytes[24];
};

static const struct code next = {{PUSH_R12, PUSH_R13, PUSH_RBX, NEXT, POP_AND_RETURN}};

TestSuite(entry_jump, .timeout = 60);

static uint8_t *make(const struct code *code)
{
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(page, MAP_FAILED);
    memcpy(page, code->bytes, sizeof code->bytes);
    memcpy(page + sizeof code->bytes, code->bytes, sizeof code->bytes);
    cr_assert_eq(mprotect(page, PAGE, PROT_READ | PROT_EXEC), 0);
    return page;
}

static int call(const void *function, int n)
{
    return ((fn *)(uintptr_t)function)(n);
}

static int twice(int n)
{
    return 2 * n;
}

static bool write_jump(struct rv_entry_jump *jump, uint8_t *entry)
{
    return rv_entry_jump_write(jump, entry, (void (*)(void))twice);
}

Test(entry_jump, replaces_a_function_and_keeps_what_it_did)
{
    static const struct code marked = {{0xf3, 0x0f, 0x1e, 0xfa, PUSH_R12, PUSH_R13, PUSH_RBX, NEXT, POP_AND_RETURN}};
    const struct code *const codes[] = {&next, &marked};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        uint8_t *function = make(codes[i]);
        struct rv_entry_jump jump;
        cr_assert(write_jump(&jump, function));
        cr_assert_eq(call(function, 20), 40);
        cr_assert_eq(call(jump.original, 20), 21);
        cr_assert_eq(call(function + sizeof(struct code), 20), 21, "its neighbour");
        rv_entry_jump_undo(&jump);
        cr_assert_eq(call(function, 20), 21);
        cr_assert_eq(memcmp(function, codes[i], sizeof *codes[i]), 0);
        cr_assert_eq(call(jump.original, 20), 21, "calls may be in it");
    }
}

Test(entry_jump, is_not_written_over_other_instructions)
{
    static const struct code others[] = {
        {{NEXT, 0xc3}},                                           /* does something at once */
        {{PUSH_R12, 0x89, 0xf8, PUSH_R13, PUSH_RBX}},             /* in between */
        {{INT3, 0x54, PUSH_R13, PUSH_RBX, NEXT, POP_AND_RETURN}}, /* a debugger's breakpoint */
        {{PUSH_R12, INT3, 0x55, PUSH_RBX, NEXT, POP_AND_RETURN}}, /* one further on */
        {{0xe9, 0, 0, 0, 0, NEXT, POP_AND_RETURN}},               /* another's jump */
        {{0xf3, 0x0f, 0x1e, 0xfa, NEXT, 0xc3}},                   /* only marked */
        {{0x41, 0x90, 0x41, 0x90, PUSH_R12, PUSH_R13, PUSH_RBX}}, /* a prefix of something else */
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        uint8_t *function = make(&others[i]);
        struct rv_entry_jump jump;
        cr_assert_not(rv_entry_jump_fits(function), "%zu", i);
        cr_assert_not(write_jump(&jump, function), "%zu", i);
        cr_assert_eq(memcmp(function, &others[i], sizeof others[i]), 0, "%zu", i);
    }
    uint8_t *function = make(&next);
    struct rv_entry_jump jump;
    cr_assert(write_jump(&jump, function));
    cr_assert_not(write_jump(&jump, function), "twice");
    static const struct code unaligned = {{0x90, PUSH_R12, PUSH_R13, PUSH_RBX, NEXT, POP_AND_RETURN}};
    cr_assert_not(rv_entry_jump_fits(make(&unaligned) + 1), "it may lie in two pages");
}

static void deny(unsigned call)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

Test(entry_jump, is_not_written_where_code_may_not_be_changed)
{
    uint8_t *function = make(&next);
    struct rv_entry_jump jump;
    deny(SYS_pwrite64);
    cr_assert_not(write_jump(&jump, function));
    cr_assert_eq(call(function, 20), 21);
}

static volatile bool is_changing;

/* Another thread, which patches functions on the same page. */
static void *change_protection(void *page)
{
    while (is_changing) {
        cr_assert_eq(mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
        cr_assert_eq(mprotect(page, PAGE, PROT_READ | PROT_EXEC), 0);
    }
    return NULL;
}

Test(entry_jump, is_written_while_another_thread_changes_the_protection)
{
    uint8_t *function = make(&next);
    struct rv_entry_jump jump;
    pthread_t thread;
    is_changing = true;
    cr_assert_eq(pthread_create(&thread, NULL, change_protection, function), 0);
    for (int i = 0; i < 300; i++) {
        cr_assert(write_jump(&jump, function));
        cr_assert_eq(call(function, 20), 40);
        rv_entry_jump_undo(&jump);
        cr_assert_eq(call(function, 20), 21);
        cr_assert_eq(munmap((void *)((uintptr_t)jump.original & ~(uintptr_t)(PAGE - 1)), PAGE), 0);
    }
    is_changing = false;
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

Test(entry_jump, is_written_where_only_memory_above_is_free)
{
    uint8_t *page = mmap((void *)(1ul << 20), PAGE, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    struct rv_entry_jump jump;
    cr_assert_eq(page, (void *)(1ul << 20));
    memcpy(page, next.bytes, sizeof next.bytes);
    cr_assert_eq(mprotect(page, PAGE, PROT_READ | PROT_EXEC), 0);
    cr_assert(write_jump(&jump, page));
    cr_assert_eq(call(page, 20), 40);
    cr_assert_eq(call(jump.original, 20), 21);
}

Test(entry_jump, is_not_written_without_memory)
{
    uint8_t *function = make(&next);
    struct rv_entry_jump jump;
    cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){PAGE, RLIM_INFINITY}), 0);
    const bool is_written = write_jump(&jump, function);
    cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_assert_not(is_written);
    cr_assert_eq(call(function, 20), 21);
}

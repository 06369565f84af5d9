/* The shadow stack alone: synthetic stack pointers and addresses in, tags out. The expected depths are those of the
 * program that the comments describe. */
#include "producers/native/shadow_stack.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

static const uint64_t STACK = 0x7fff00000000, OTHER_BELOW = 0x7f0000000000, OTHER_ABOVE = 0x7fffff000000;

static struct rv_shadow shadow;
static size_t n_fallen;

static void start(void)
{
    shadow = (struct rv_shadow){0};
    cr_assert_eq(rv_shadow_create(&shadow, STACK, true, 0), 0);
}

static void stop(void)
{
    rv_shadow_destroy(&shadow);
    cr_assert_null(shadow.region);
}

TestSuite(shadow_stack, .init = start, .fini = stop, .timeout = 60);

static const void *address(uint64_t value)
{
    return (const void *)(uintptr_t)value;
}

static struct rv_shadow_frame frame_of(uint64_t stack, uint64_t function, uint64_t caller, uint64_t site)
{
    return (struct rv_shadow_frame){stack, function, caller, site};
}

/* Push a call as the hooks do: by the fast path, else by the slow one. A function's site is its address + 8 or, when it
 * leaves, + 9. */
static uint16_t enter_at(uint64_t stack, uint64_t function, uint64_t caller, uint64_t site)
{
    const struct rv_shadow_frame call = frame_of(stack, function, caller, site);
    const struct rv_shadow_frame *frame = NULL;
    if (rv_shadow_has_room(&shadow))
        frame = rv_shadow_push(&shadow, stack, address(function), address(caller), address(site));
    return frame ? rv_shadow_tag(frame) : rv_shadow_enter(&shadow, &call, &n_fallen);
}

static uint16_t enter(uint64_t stack, uint64_t function, uint64_t caller)
{
    return enter_at(stack, function, caller, function + 8);
}

static uint16_t leave_at(uint64_t stack, uint64_t function, uint64_t caller, uint64_t site)
{
    const struct rv_shadow_frame call = frame_of(stack, function, caller, site);
    const struct rv_shadow_frame *frame = site == caller
                                              ? rv_shadow_pop_jumped(&shadow, stack, address(function), address(caller))
                                              : rv_shadow_pop(&shadow, stack, address(function));
    return frame ? rv_shadow_tag(frame) : rv_shadow_leave(&shadow, &call, &n_fallen);
}

static uint16_t leave(uint64_t stack, uint64_t function, uint64_t caller)
{
    return leave_at(stack, function, caller, function + 9);
}

/* Push a call that the program tells by the API. */
static uint16_t enter_id(uint64_t stack, uint32_t id)
{
    const struct rv_shadow_frame call = {.stack = stack, .word = id};
    const struct rv_shadow_frame *frame = rv_shadow_push_id(&shadow, stack, id);
    return frame ? rv_shadow_tag(frame) : rv_shadow_enter(&shadow, &call, &n_fallen);
}

static uint16_t leave_id(uint64_t stack, uint32_t id)
{
    const struct rv_shadow_frame call = {.stack = stack, .word = id};
    const struct rv_shadow_frame *frame = rv_shadow_pop_id(&shadow, id);
    return frame ? rv_shadow_tag(frame) : rv_shadow_leave(&shadow, &call, &n_fallen);
}

/* Push a call that a language runtime tells. */
static uint16_t enter_runtime(uint64_t stack, uint32_t id, uint32_t depth)
{
    const struct rv_shadow_frame call = rv_shadow_runtime_call(stack, id, depth, 7);
    const struct rv_shadow_frame *frame = rv_shadow_push_runtime(&shadow, &call);
    return frame ? rv_shadow_tag(frame) : rv_shadow_enter(&shadow, &call, &n_fallen);
}

static uint16_t leave_runtime(uint64_t stack, uint32_t id, uint32_t depth)
{
    const struct rv_shadow_frame call = rv_shadow_runtime_call(stack, id, depth, 0);
    const struct rv_shadow_frame *frame = rv_shadow_pop_runtime(&shadow, &call);
    return frame ? rv_shadow_tag(frame) : rv_shadow_leave(&shadow, &call, &n_fallen);
}

Test(shadow_stack, calls_nest_and_return)
{
    cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 0);
    cr_expect_eq(enter(STACK - 128, 0x2000, 0x1010), 1);
    cr_expect_eq(leave(STACK - 128, 0x2000, 0x1010), 1);
    cr_expect_eq(enter(STACK - 128, 0x3000, 0x1020), 1);
    cr_expect_eq(leave(STACK - 128, 0x3000, 0x1020), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

Test(shadow_stack, a_call_from_above_shows_what_longjmp_left)
{
    enter(STACK - 64, 0x1000, 0x10);
    for (unsigned i = 0; i < 6; i++)
        enter(STACK - 128 - 64 * i, 0x2000, i ? 0x2010 : 0x1010);
    cr_expect_eq(enter(STACK - 112, 0x3000, 0x1020), 1);
    cr_expect_eq(n_fallen, 6);
    cr_expect_eq(leave(STACK - 112, 0x3000, 0x1020), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

Test(shadow_stack, a_return_from_above_shows_what_longjmp_left)
{
    enter(STACK - 64, 0x1000, 0x10);
    enter(STACK - 128, 0x2000, 0x1010);
    enter(STACK - 192, 0x2000, 0x2010);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
    cr_expect_eq(n_fallen, 2);
}

Test(shadow_stack, functions_inlined_at_one_stack_pointer_nest)
{
    cr_expect_eq(enter_at(STACK - 64, 0x1000, 0x10, 0x1008), 0);
    cr_expect_eq(enter_at(STACK - 64, 0x2000, 0x10, 0x1108), 1);
    cr_expect_eq(enter_at(STACK - 64, 0x2000, 0x10, 0x1208), 2);
    cr_expect_eq(leave(STACK - 64, 0x2000, 0x10), 2);
    cr_expect_eq(leave(STACK - 64, 0x2000, 0x10), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

Test(shadow_stack, a_call_from_the_same_frame_replaces_an_open_one)
{
    enter(STACK - 64, 0x1000, 0x10);
    cr_expect_eq(enter_at(STACK - 128, 0x2000, 0x1010, 0x2008), 1);
    cr_expect_eq(enter_at(STACK - 128, 0x2000, 0x1010, 0x2008), 1); /* a loop around setjmp */
    cr_expect_eq(enter_at(STACK - 128, 0x3000, 0x1020, 0x3008), 1); /* another call of the same caller */
    cr_expect_eq(leave(STACK - 128, 0x3000, 0x1020), 1);
}

Test(shadow_stack, alloca_may_lower_the_stack_before_a_return)
{
    enter(STACK - 64, 0x1000, 0x10);
    enter(STACK - 128, 0x2000, 0x1010);
    cr_expect_eq(enter(STACK - 9000, 0x3000, 0x2010), 2);
    cr_expect_eq(leave(STACK - 9000, 0x3000, 0x2010), 2);
    cr_expect_eq(leave(STACK - 8000, 0x2000, 0x1010), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

/* The hook then returns to the function's caller, and has the caller's stack pointer. */
Test(shadow_stack, a_function_that_jumps_to_its_exit_hook_finds_its_call)
{
    enter(STACK - 64, 0x1000, 0x10);
    enter(STACK - 128, 0x1000, 0x1010);
    cr_expect_eq(leave_at(STACK - 64, 0x1000, 0x1010, 0x1010), 1);
    cr_expect_eq(leave_at(STACK - 48, 0x1000, 0x10, 0x10), 0);
}

static void check_other_stack(uint64_t other)
{
    enter(STACK - 64, 0x1000, 0x10);
    enter(STACK - 128, 0x2000, 0x1010);
    uint16_t handler = enter(other - 64, 0x5000, 0x50);
    cr_expect(handler > 1 && handler <= 3, "%u", handler);
    cr_expect_eq(enter(other - 128, 0x6000, 0x5010), handler + 1);
    cr_expect_eq(leave(other - 128, 0x6000, 0x5010), handler + 1);
    cr_expect_eq(leave(other - 64, 0x5000, 0x50), handler);
    cr_expect_eq(enter(STACK - 192, 0x3000, 0x2010), 2);
    cr_expect_eq(leave(STACK - 192, 0x3000, 0x2010), 2);

    enter(other - 64, 0x5000, 0x50); /* left by siglongjmp to the first function */
    cr_expect_eq(enter(STACK - 112, 0x4000, 0x1020), 1);
    cr_expect_eq(leave(STACK - 112, 0x4000, 0x1020), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

Test(shadow_stack, another_stack_below_pops_nothing)
{
    check_other_stack(OTHER_BELOW);
}

Test(shadow_stack, another_stack_above_pops_nothing)
{
    check_other_stack(OTHER_ABOVE);
}

Test(shadow_stack, stacks_that_are_switched_to_are_kept_apart)
{
    enter(STACK - 64, 0x1000, 0x10);
    cr_assert_eq(rv_shadow_switch(&shadow, 7), 0);
    cr_expect_eq(enter(OTHER_BELOW - 64, 0x5000, 0x50), 0);
    cr_assert_eq(rv_shadow_switch(&shadow, 0), 0);
    cr_expect_eq(enter(STACK - 128, 0x2000, 0x1010), 1);
    cr_assert_eq(rv_shadow_switch(&shadow, 7), 0);
    cr_expect_eq(enter(OTHER_BELOW - 128, 0x6000, 0x5010), 1);
    cr_expect_eq(leave(OTHER_BELOW - 128, 0x6000, 0x5010), 1);
    cr_expect_eq(leave(OTHER_BELOW - 64, 0x5000, 0x50), 0);
    cr_assert_eq(rv_shadow_switch(&shadow, 0), 0);
    cr_expect_eq(leave(STACK - 128, 0x2000, 0x1010), 1);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

/* Pages mapped by the whole process. */
static unsigned long n_mapped(void)
{
    unsigned long n = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    cr_assert(file && fscanf(file, "%lu", &n) == 1);
    fclose(file);
    return n;
}

/* The bound is far below what the stacks would take if all were kept. */
enum { N_STACKS = 16384, STACK_BYTES = 4096, N_PAGES_BOUND = N_STACKS / 8 * ((3 << 20) / STACK_BYTES) };

Test(shadow_stack, stacks_that_were_left_are_freed)
{
    const unsigned long n_before = n_mapped();
    for (uint32_t i = 1; i <= N_STACKS; i++) {
        cr_assert_eq(rv_shadow_switch(&shadow, i), 0);
        cr_expect_eq(enter(OTHER_BELOW - 64, 0x5000, 0x50), 0);
        cr_expect_eq(leave(OTHER_BELOW - 64, 0x5000, 0x50), 0);
    }
    cr_expect_lt(n_mapped(), n_before + N_PAGES_BOUND);
}

/* A coroutine that is never resumed keeps its open calls, but its stack is unmapped. */
Test(shadow_stack, calls_on_unmapped_stacks_are_freed)
{
    enum { N_KEPT = 100 };
    /* Behind each stack a page stays mapped, so that no other mapping takes the place of an unmapped stack. */
    uint8_t *stacks = mmap(NULL, 2ul * N_STACKS * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stacks, MAP_FAILED);
    const unsigned long n_before = n_mapped();
    for (uint32_t i = 0; i < N_STACKS; i++) {
        const uint64_t end = (uint64_t)(uintptr_t)stacks + (2 * i + 1) * STACK_BYTES;
        cr_assert_eq(rv_shadow_switch(&shadow, i + 1), 0);
        cr_expect_eq(enter(end - 64, 0x5000, 0x50), 0);
        if (i >= N_KEPT)
            munmap(stacks + 2ul * i * STACK_BYTES, STACK_BYTES);
    }
    cr_expect_lt(n_mapped(), n_before + N_PAGES_BOUND);
    for (uint32_t i = 0; i < N_KEPT; i++) {
        cr_assert_eq(rv_shadow_switch(&shadow, i + 1), 0);
        cr_expect_eq(leave((uint64_t)(uintptr_t)stacks + (2 * i + 1) * STACK_BYTES - 64, 0x5000, 0x50), 0);
        cr_expect_eq(shadow.top, shadow.boundary, "the call was open still");
    }
    munmap(stacks, 2ul * N_STACKS * STACK_BYTES);
}

/* Make mincore() fail, as a program's own seccomp filter may. */
static void refuse_mincore(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mincore, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

Test(shadow_stack, stacks_that_may_still_be_mapped_are_kept)
{
    enum { N_OPEN = 1500 };
    uint8_t *stacks = mmap(NULL, N_OPEN * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(stacks, MAP_FAILED);
    refuse_mincore();
    for (uint32_t i = 1; i <= N_OPEN; i++) {
        cr_assert_eq(rv_shadow_switch(&shadow, i), 0);
        enter((uint64_t)(uintptr_t)stacks + i * STACK_BYTES - 64, 0x5000, 0x50);
    }
    for (uint32_t i = 1; i <= N_OPEN; i++) {
        cr_assert_eq(rv_shadow_switch(&shadow, i), 0);
        cr_assert_neq(shadow.top, shadow.boundary, "the call is open still");
    }
    munmap(stacks, N_OPEN * STACK_BYTES);
}

Test(shadow_stack, calls_by_the_api_live_as_long_as_the_function_around_them)
{
    enter(STACK - 64, 0x1000, 0x10);
    cr_expect_eq(enter_id(STACK - 256, 5), 1); /* a helper that is not hooked */
    cr_expect_eq(enter_id(STACK - 64, 6), 2);
    cr_expect_eq(enter(STACK - 128, 0x2000, 0x1010), 3);
    cr_expect_eq(leave(STACK - 128, 0x2000, 0x1010), 3);
    cr_expect_eq(leave_id(STACK - 512, 6), 2);
    cr_expect_eq(enter_id(STACK - 64, 7), 2);
    cr_expect_eq(leave_id(STACK - 64, 5), 1);
    cr_expect_eq(n_fallen, 1);
    enter_id(STACK - 64, 5);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
    cr_expect_eq(n_fallen, 1);
}

Test(shadow_stack, frames_of_a_runtime_and_functions_are_one_stack)
{
    cr_expect_eq(enter_runtime(STACK - 64, 1, 0), 0);
    cr_expect_eq(enter_runtime(STACK - 64, 2, 1), 1);
    cr_expect_eq(enter(STACK - 128, 0x1000, 0x10), 2);
    cr_expect_eq(enter_runtime(STACK - 256, 3, 2), 3); /* which the function calls */
    cr_expect_eq(enter(STACK - 320, 0x1000, 0x10), 4);
    cr_expect_eq(leave(STACK - 320, 0x1000, 0x10), 4);
    cr_expect_eq(leave_runtime(STACK - 256, 3, 2), 3);
    cr_expect_eq(leave(STACK - 128, 0x1000, 0x10), 2);
    cr_expect_eq(leave_runtime(STACK - 64, 2, 1), 1);
    cr_expect_eq(enter_runtime(STACK - 64, 2, 1), 1);
}

Test(shadow_stack, frames_of_a_runtime_that_were_open_before_are_below)
{
    cr_expect_eq(leave_runtime(STACK - 64, 9, 7), 7);
    cr_expect_eq(enter_runtime(STACK - 64, 1, 5), 5);
    cr_expect_eq(enter(STACK - 128, 0x1000, 0x10), 6);
    cr_expect_eq(leave_runtime(STACK - 64, 4, 3), 3);
    cr_expect_eq(rv_shadow_runtime_tag(&shadow, 0, 2), 2);
    cr_expect_eq(enter(STACK - 128, 0x1000, 0x10), 3);
    cr_expect_eq(enter_runtime(STACK - 256, 2, 3), 4);
    cr_expect_eq(rv_shadow_runtime_tag(&shadow, 0, 3), 4);
    rv_shadow_switch(&shadow, 1);
    cr_expect_eq(rv_shadow_runtime_tag(&shadow, 0, 3), 4);
    cr_expect_eq(rv_shadow_runtime_tag(&shadow, 1, 3), 3);
}

/* A helper of the runtime's own opens a frame and returns: it ends with that frame. */
Test(shadow_stack, a_function_that_returns_below_a_runtimes_frame_ends_with_it)
{
    const struct rv_shadow_frame *returned;
    cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        cr_expect_eq(enter(STACK - 128, 0x2000, 0x1010), 1 + 2 * i);
        cr_expect_eq(enter_runtime(STACK - 192, i + 1, i), 2 + 2 * i);
        leave(STACK - 128, 0x2000, 0x1010);
        cr_expect_eq(n_fallen, RV_SHADOW_UNWRITTEN);
    }
    for (uint32_t i = 1000; i-- > 0;) {
        cr_expect_null(rv_shadow_pop_returned(&shadow));
        cr_expect_eq(leave_runtime(STACK - 96, i + 1, i), 2 + 2 * i);
        returned = rv_shadow_pop_returned(&shadow);
        cr_assert_not_null(returned);
        cr_expect_eq(rv_shadow_tag(returned), 1 + 2 * i);
        cr_expect_eq(returned->word & RV_EVENT_ADDRESS_MASK, 0x2000);
    }
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 0);
}

/* A helper ends a frame below its own, and is ended with it. */
Test(shadow_stack, a_function_above_a_runtimes_frame_ends_with_it)
{
    enter_runtime(STACK - 64, 1, 0);
    cr_expect_eq(enter(STACK - 128, 0x1000, 0x10), 1);
    cr_expect_eq(leave_runtime(STACK - 192, 1, 0), 0);
    leave(STACK - 128, 0x1000, 0x10);
    cr_expect_eq(n_fallen, RV_SHADOW_UNWRITTEN);
    cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 0);
}

/* Functions and a runtime's frames call one another and return, or jump out of any number of functions; the runtime
 * then ends its frames that the jump has left. */
Test(shadow_stack, walks_through_a_runtime_and_functions_have_their_depths)
{
    enum { MOST = 300 };
    static struct {
        uint64_t stack; /* of a function; 0: the runtime's */
        uint32_t depth; /* in the runtime */
    } open[MOST];
    size_t n = 0;
    uint32_t n_runtime = 0, random = 1;
    for (int i = 0; i < 300000; i++) {
        random = random * 1664525 + 1013904223;
        uint64_t stack = STACK - 64;
        for (size_t j = 0; j < n; j++)
            stack = open[j].stack ? open[j].stack - 64 : stack;
        const uint32_t kind = random >> 24;
        if (kind < 64 && n < MOST) {
            open[n].stack = stack;
            cr_assert_eq(enter(stack, 0x1000 * (n + 1), 0x10), n);
            n++;
        } else if (kind < 128 && n < MOST) {
            open[n].stack = 0;
            open[n].depth = n_runtime;
            cr_assert_eq(enter_runtime(stack + 32, (uint32_t)n + 1, n_runtime++), n);
            n++;
        } else if (kind < 248 && n > 0) {
            n--;
            if (open[n].stack)
                cr_assert_eq(leave(open[n].stack, 0x1000 * (n + 1), 0x10), n);
            else
                cr_assert_eq(leave_runtime(stack + 32, (uint32_t)n + 1, --n_runtime), n);
        } else if (n > 0) { /* out of the uppermost functions, where the runtime catches it */
            size_t to = random / 7 % n, lowest = to;
            while (lowest < n && !open[lowest].stack)
                lowest++;
            const uint64_t landed = (lowest < n ? open[lowest].stack : stack) + 32;
            while (n > to)
                if (!open[--n].stack)
                    cr_assert_eq(leave_runtime(landed, (uint32_t)n + 1, --n_runtime), n);
        }
    }
}

Test(shadow_stack, returns_of_what_was_never_seen_go_below_0)
{
    cr_expect_eq(leave(STACK - 128, 0x2000, 0x1010), 65535);
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 65534);
    cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 65534);
    cr_expect_eq(leave(STACK - 128, 0x3000, 0x1010), 65535, "within its caller, nothing is popped");
    cr_expect_eq(leave(STACK - 64, 0x1000, 0x10), 65534);
}

/* The interrupted push may be about to write the slot above the top; the handler's frames are gone afterwards. */
Test(shadow_stack, a_handler_inside_a_push_leaves_all_as_it_was)
{
    enter(STACK - 64, 0x1000, 0x10);
    struct rv_shadow_frame *top = shadow.top, *boundary = shadow.boundary;
    const struct rv_shadow_frame half = {.stack = 1}, outer = frame_of(STACK - 1024, 0x5000, 0x50, 0x5008),
                                 inner = frame_of(STACK - 1088, 0x6000, 0x5010, 0x6008);
    top[1] = half;
    uint16_t tag = rv_shadow_enter_nested(&shadow, &outer);
    cr_expect(tag > 1);
    cr_expect(rv_shadow_enter_nested(&shadow, &inner) > tag);
    cr_expect(rv_shadow_begin_leave_nested(&shadow, &inner) > tag);
    rv_shadow_end_leave_nested(&shadow, &inner);
    cr_expect_eq(rv_shadow_begin_leave_nested(&shadow, &outer), tag);
    rv_shadow_end_leave_nested(&shadow, &outer);
    cr_expect_eq(shadow.top, top);
    cr_expect_eq(shadow.boundary, boundary);
    cr_expect_eq(top[1].stack, half.stack);
}

/* Push a call under a depth limit of 3. Returns how many kept calls its frame counts. */
static uint32_t enter_limited(uint64_t stack, uint64_t function, uint64_t call_site)
{
    enter(stack, function, call_site);
    const uint32_t n_below = rv_shadow_n_kept(shadow.top - 1);
    rv_shadow_set_n_kept(shadow.top, n_below < 3 ? n_below + 1 : 4);
    return rv_shadow_n_kept(shadow.top);
}

static bool all_but_0x2000(const struct rv_shadow_frame *frame)
{
    return (frame->word & RV_EVENT_ADDRESS_MASK) != 0x2000;
}

/* Between the calls lie slots of the region that hold no call. */
Test(shadow_stack, what_a_frame_counts_goes_on_from_the_frame_below)
{
    cr_expect_eq(rv_shadow_n_kept(rv_shadow_no_frame), 0);
    cr_expect_eq(enter_limited(STACK - 64, 0x1000, 0x10), 1);
    cr_expect_eq(enter_limited(OTHER_BELOW - 64, 0x5000, 0x50), 2);
    cr_expect_eq(enter_limited(OTHER_ABOVE - 64, 0x6000, 0x60), 3);
    cr_expect_eq(enter_limited(OTHER_ABOVE - 128, 0x7000, 0x6010), 4);
    cr_expect_eq(leave(OTHER_ABOVE - 128, 0x7000, 0x6010), leave(OTHER_ABOVE - 64, 0x6000, 0x60) + 1);
    cr_expect_eq(enter_limited(STACK - 112, 0x4000, 0x1020), 2, "the others were left");
    cr_assert_eq(rv_shadow_switch(&shadow, 7), 0);
    cr_expect_eq(enter_limited(OTHER_BELOW - 64, 0x5000, 0x50), 1);
}

Test(shadow_stack, what_frames_count_grows_with_what_is_known_of_them)
{
    enter(STACK - 64, 0x1000, 0x10);
    enter(STACK - 128, 0x2000, 0x1010);
    enter(OTHER_BELOW - 64, 0x5000, 0x50);
    enter_limited(OTHER_BELOW - 128, 0x6000, 0x5010);
    rv_shadow_set_n_kept(shadow.top, 4);
    rv_shadow_count_kept(&shadow, 3, all_but_0x2000);
    cr_expect_eq(rv_shadow_n_kept(shadow.top), 4, "it was not written");
    leave(OTHER_BELOW - 128, 0x6000, 0x5010);
    cr_expect_eq(rv_shadow_n_kept(shadow.top), 2);
    leave(OTHER_BELOW - 64, 0x5000, 0x50);
    leave(STACK - 128, 0x2000, 0x1010);
    cr_expect_eq(rv_shadow_n_kept(shadow.top), 1);
}

static uint64_t stack_at(uint32_t depth)
{
    return STACK - 64 - 16 * (uint64_t)depth;
}

Test(shadow_stack, a_number_of_calls_needs_no_check_for_room)
{
    uint32_t n = 0;
    for (; rv_shadow_has_room(&shadow); n++)
        enter(stack_at(n), 0x1000, 0x1010);
    n--;
    leave(stack_at(n), 0x1000, 0x1010);
    for (uint32_t i = 0; i < RV_SHADOW_RESERVE; i++, n++)
        cr_assert_not_null(rv_shadow_push(&shadow, stack_at(n), address(0x1000), address(0x1010), address(0x1008)));
    for (uint32_t i = 0; i < 10; i++, n++)
        cr_assert_eq(enter(stack_at(n), 0x1000, 0x1010), (uint16_t)n);
    while (n-- > 0)
        cr_assert_eq(leave(stack_at(n), 0x1000, 0x1010), (uint16_t)n);
}

Test(shadow_stack, depths_go_on_beyond_its_room)
{
    enum { N_DEEP = 300000 };
    for (uint32_t i = 0; i < N_DEEP; i++)
        cr_assert_eq(enter(stack_at(i), 0x1000, 0x1010), (uint16_t)i, "%u", i);
    for (uint32_t i = N_DEEP; i-- > 1000;)
        cr_assert_eq(leave(stack_at(i), 0x1000, 0x1010), (uint16_t)i, "%u", i);
    cr_expect_eq(enter(stack_at(10), 0x2000, 0x1020), 10, "989 frames were left by longjmp");
    cr_expect_eq(n_fallen, 990);
}

Test(shadow_stack, threads_that_change_native_ones_have_frames_of_their_own)
{
    const struct rv_shadow native = shadow;
    struct rv_shadow others[2] = {{0}};
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(rv_shadow_create(&others[i], STACK, false, 5), 0);
        shadow = others[i];
        cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 5);
        cr_expect_eq(rv_shadow_switch(&shadow, 7 + i), 0);
        cr_expect_eq(enter(OTHER_BELOW - 64, 0x2000, 0x20), 0);
        others[i] = shadow;
    }
    for (unsigned i = 0; i < 2; i++) {
        shadow = others[i];
        cr_expect_eq(leave(OTHER_BELOW - 64, 0x2000, 0x20), 0);
        cr_expect_eq(rv_shadow_switch(&shadow, 0), 0);
        cr_expect_eq(enter(STACK - 128, 0x3000, 0x1010), 6, "its call of 0x1000 is open");
        rv_shadow_destroy(&shadow);
    }
    shadow = native;
    cr_expect_eq(enter(STACK - 64, 0x1000, 0x10), 0, "nothing of theirs is here");
}

#if defined(__x86_64__)

static int n_steps_left;

/* Comes behind each instruction until then. */
static void stop_at_step(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    if (n_steps_left-- > 0)
        return;
    rv_shadow_clear_later(&shadow);
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}

static inline void set_stepping(bool is_stepping)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n"
                     "pushfq\n"
                     "andq $~0x100, (%%rsp)\n"
                     "orq %0, (%%rsp)\n"
                     "popfq\n"
                     "lea 128(%%rsp), %%rsp"
                     :
                     : "r"(is_stepping ? UINT64_C(0x100) : 0)
                     : "memory", "cc");
}

static void call_in_handler(void)
{
    const struct rv_shadow_frame call = frame_of(STACK - 512, 0x4000, 0x40, 0x4008);
    (void)rv_shadow_enter_nested(&shadow, &call);
    (void)rv_shadow_begin_leave_nested(&shadow, &call);
    rv_shadow_end_leave_nested(&shadow, &call);
}

static void call_on_other_stack(void)
{
    enter(OTHER_BELOW, 0x4000, 0x40);
    leave(OTHER_BELOW, 0x4000, 0x40);
}

/* A thread stands still behind each instruction of a push in turn, while its process is left; then it continues, and is
 * traced again. */
static void leave_process_within(void (*push)(void))
{
    const struct sigaction action = {.sa_sigaction = stop_at_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    for (int step = 0;; step++) {
        enter(STACK - 64, 0x1000, 0x10);
        enter(STACK - 128, 0x2000, 0x1010);
        n_steps_left = step;
        set_stepping(true);
        push();
        set_stepping(false);
        if (n_steps_left >= 0)
            break;
        cr_assert_eq(enter(STACK - 256, 0x5000, 0x50), 0, "after step %d", step);
        cr_assert_eq(leave(STACK - 256, 0x5000, 0x50), 0, "after step %d", step);
    }
}

Test(shadow_stack, a_process_can_be_left_behind_each_instruction_of_a_handlers_push)
{
    leave_process_within(call_in_handler);
}

Test(shadow_stack, a_process_can_be_left_behind_each_instruction_of_a_push_on_another_stack)
{
    leave_process_within(call_on_other_stack);
}

#endif

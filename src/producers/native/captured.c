/*
 * Arguments are copied before the call is in the ring, results when the return is: a call's duration has neither. Memory
 * of the program is read by the kernel, since an address may be wrong.
 *
 * A call in a signal handler that has interrupted a push is not captured: its event is not in the ring yet.
 */
#include "producers/native/captured.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "patch/stubs.h"
#include "producers/native/call_c.h"
#include "producers/native/calls.h"
#include "producers/native/captures.h"
#include "producers/native/patched.h"
#include "producers/native/text_x86.h"
#include "ring/texts.h"

#define PAGE 4096u
#define NO_TEXT UINT64_MAX
#define N_KEPT RV_CAPTURE_RESULT /* values of a call that its return may need */

struct registers { /* as the text below pushes them, and what was on the stack before */
    uint64_t floats[RV_CAPTURE_FLOATS];
    uint64_t r9, r8, rdi, rsi, rdx, rcx, flags, rax;
    uint64_t resume;     /* the stub's */
    uint64_t returns_to; /* the function's, then its arguments */
    uint64_t stack[RV_CAPTURE_STACK_WORDS];
};

/* Called by text only. */
RV_HIDDEN __attribute__((used)) void rv_captured_enter_slow(struct registers *registers);

typedef uint64_t kept_values[N_KEPT];

static kept_values *kept; /* by the number of a call's entry */
static pid_t *own_pid; /* [atomic] in a page that is zeroed in children, however they are made; NULL: ask each time */

static void *map_pages(size_t n_bytes)
{
    void *pages = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

int rv_captured_init(void)
{
    if (kept)
        return 0;
    kept = map_pages((size_t)RV_RETURNS_PAGES * RV_RETURNS_PER_PAGE * sizeof *kept);
    own_pid = map_pages(PAGE);
    if (own_pid && madvise(own_pid, PAGE, MADV_WIPEONFORK) != 0)
        own_pid = NULL;
    return kept ? 0 : -ENOMEM;
}

static pid_t find_own_pid(void)
{
    pid_t pid = own_pid ? __atomic_load_n(own_pid, __ATOMIC_RELAXED) : 0;
    if (pid)
        return pid;
    pid = getpid();
    if (own_pid)
        __atomic_store_n(own_pid, pid, __ATOMIC_RELAXED);
    return pid;
}

/* ---- operations ---- */

/* Up to n bytes: as far as memory can be read. Two parts, since a part is read as a whole or not at all. */
static size_t read_memory(void *to, uint64_t from, size_t n)
{
    const size_t n_here = PAGE - from % PAGE < n ? PAGE - from % PAGE : n;
    const struct iovec here = {.iov_base = to, .iov_len = n};
    const struct iovec there[2] = {{.iov_base = (void *)(uintptr_t)from, .iov_len = n_here},
                                   {.iov_base = (void *)(uintptr_t)(from + n_here), .iov_len = n - n_here}};
    if (!from)
        return 0;
    const ssize_t n_read = process_vm_readv(find_own_pid(), &here, 1, there, n > n_here ? 2 : 1, 0);
    return n_read > 0 ? (size_t)n_read : 0;
}

static void put_number(uint8_t *at, size_t n)
{
    const uint16_t number = (uint16_t)n;
    memcpy(at, &number, sizeof number);
}

static uint8_t *copy_bytes(uint8_t *at, uint64_t from, size_t n)
{
    const size_t n_read = read_memory(at + 2, from, n);
    put_number(at, n_read || !n ? n_read : RV_CAPTURE_UNREADABLE);
    return at + 2 + n_read;
}

/* One of which n bytes are no NUL is cut where another such byte follows. */
static uint8_t *copy_string(uint8_t *at, uint64_t from, size_t n)
{
    const size_t n_read = read_memory(at + 2, from, n);
    const uint8_t *end = memchr(at + 2, '\0', n_read);
    const size_t n_string = end ? (size_t)(end - at - 2) : n_read;
    uint8_t next = 0;
    const bool is_cut = !end && n_read == n && read_memory(&next, from + n, 1) && next;
    put_number(at, !n_read ? RV_CAPTURE_UNREADABLE : is_cut ? n_string | RV_CAPTURE_CUT : n_string);
    return at + 2 + n_string;
}

static uint8_t *do_operation(uint8_t *at, const struct rv_wire_capture_operation *operation, uint64_t *values)
{
    const uint64_t value = values[operation->source];
    switch ((enum rv_capture_kind)operation->kind) {
    case RV_CAPTURE_VALUE:
        memcpy(at, &value, sizeof value);
        return at + sizeof value;
    case RV_CAPTURE_STRING:
        return copy_string(at, value, operation->n);
    case RV_CAPTURE_BYTES:
        return copy_bytes(at, value, operation->n);
    case RV_CAPTURE_LOAD:
        values[operation->target] = 0;
        if (value)
            (void)read_memory(&values[operation->target], value + operation->n, sizeof value);
        break;
    case RV_CAPTURE_KIND_COUNT:
        break;
    }
    return at;
}

/*
 * What the operations copy, as a text of the thread's ring. Returns its position, or NO_TEXT.
 * A push is under way: who takes the file away leaves its pages until that has ended.
 */
static uint64_t copy_text(uint32_t number, const struct rv_captures_plan *plan, bool is_result, uint64_t *values)
{
    const struct rv_wire_capture_operation *operations = is_result ? plan->returns : plan->calls;
    const uint32_t n = is_result ? plan->n_returns : plan->n_calls, most_bytes = (plan->most_bytes + 7) / 8 * 8;
    struct rv_texts texts;
    if (rv_thread_ring() < 0)
        return NO_TEXT;
    rv_texts_view(&texts, &rv_thread.pusher.state->ring);
    struct rv_wire_text *text = rv_texts_take(&texts, most_bytes);
    if (!text)
        return NO_TEXT;
    const uint64_t position = text->position;
    uint8_t *begin = (uint8_t *)(text + 1), *at = begin;
    for (uint32_t i = 0; i < n; i++)
        at = do_operation(at, &operations[i], values);
    text->capture = number - 1;
    text->n_bytes = (uint32_t)(at - begin);
    rv_texts_shorten(&texts, text, most_bytes);
    return position;
}

static void refuse_text(void)
{
    struct rv_texts texts;
    if (rv_thread_ring() < 0)
        return;
    rv_texts_view(&texts, &rv_thread.pusher.state->ring);
    rv_texts_refuse(&texts);
}

/* The rest of a push that has begun: behind the event at these ticks. */
static void push_text(uint64_t next, uint64_t stack, uint64_t position, uint64_t ticks)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (position == NO_TEXT && (next = rv_push_next(pusher, stack)) == RV_PUSH_NESTED)
        pusher->cursor -= rv_push_poison(stack);
    else if (position == NO_TEXT)
        rv_push_cancel(pusher, next);
    else if (!rv_push_behind(pusher, next, (uint64_t)RV_EVENT_ARGUMENTS << RV_EVENT_KIND_SHIFT | ticks,
                             rv_event_word_at(position, 0), stack))
        refuse_text();
}

/* ---- calls and returns ---- */

static void take_registers(const struct registers *registers, uint64_t *values)
{
    const uint64_t integers[RV_CAPTURE_INTEGERS] = {registers->rdi, registers->rsi, registers->rdx,
                                                    registers->rcx, registers->r8,  registers->r9};
    memcpy(values + RV_CAPTURE_INTEGER, integers, sizeof integers);
    memcpy(values + RV_CAPTURE_FLOAT, registers->floats, sizeof registers->floats);
}

/* Words of the stack that no operation uses may lie beyond its end, as may those behind a format. */
static void take_stack(const struct rv_captures_plan *plan, const struct registers *registers, uint64_t *values)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_calls; i++) {
        const uint32_t word = plan->calls[i].source - (uint32_t)RV_CAPTURE_STACK;
        if (word < RV_CAPTURE_STACK_WORDS && word >= n)
            n = word + 1;
    }
    if (n)
        (void)read_memory(&values[RV_CAPTURE_STACK], (uint64_t)(uintptr_t)registers->stack, n * sizeof *values);
}

/* The text before the event, unless that is the thread's first, by which it gets a ring. */
static void push_call(uint32_t number, struct registers *registers, uint64_t function)
{
    const struct rv_captures_plan *plan = rv_captures_plan(number);
    const uint64_t stack = (uint64_t)(uintptr_t)registers;
    const bool has_ring = rv_thread_ring() >= 0;
    uint64_t values[RV_CAPTURE_VALUES] = {0}, position = NO_TEXT;
    take_registers(registers, values);
    take_stack(plan, registers, values);
    (void)rv_push_begin(&rv_thread.pusher, stack);
    if (has_ring)
        position = copy_text(number, plan, false, values);
    const uint64_t ticks = rv_patched_push_call(&registers->returns_to, stack, function);
    struct rv_return *entry = rv_returns_find(registers->returns_to);
    if (!ticks || !entry)
        return;
    if (plan->needs_call)
        memcpy(kept[rv_returns_number(entry)], values, sizeof *kept);
    entry->capture = number;
    const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    if (!has_ring)
        position = copy_text(number, plan, false, values);
    push_text(next, stack, position, ticks);
}

/* As rv_patched_enter() finds out: a call that is too deep is one beneath the top's. */
static bool is_left_out(uint64_t function, const uint64_t *slot)
{
    const intptr_t gate = __atomic_load_n(&rv_process_gate, __ATOMIC_RELAXED);
    const struct rv_shadow_frame *top = rv_thread.shadow.top;
    if (gate <= 0)
        return gate < 0;
    if (rv_calls_is_too_deep(gate, top) && top->stack - (uint64_t)(uintptr_t)slot - 1 < RV_SHADOW_NEAR_BYTES)
        return true;
    return !(gate & RV_GATE_ALL_KEPT) && rv_verdict_table_find((const uint64_t *)(gate & ~(intptr_t)RV_GATE_IS_LIMITED),
                                                               function) == RV_VERDICT_REJECTED;
}

void rv_captured_enter_slow(struct registers *registers)
{
    uint64_t function;
    memcpy(&function, (const void *)(uintptr_t)(registers->resume - RV_PATCH_FUNCTION_BEFORE_RESUME), sizeof function);
    if (is_left_out(function, &registers->returns_to))
        return;
    const int saved = errno;
    const uint32_t number = rv_captures_find(function);
    const bool is_nested = rv_push_is_under_way(&rv_thread.pusher);
    if (number && !is_nested) {
        push_call(number, registers, function);
    } else {
        (void)rv_push_begin(&rv_thread.pusher, (uint64_t)(uintptr_t)registers);
        (void)rv_patched_push_call(&registers->returns_to, (uint64_t)(uintptr_t)registers, function);
    }
    if (number && is_nested)
        refuse_text();
    errno = saved;
}

void rv_captured_return(struct rv_return *entry, const uint64_t results[4], uint64_t ticks)
{
    const uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    const uint32_t number = entry->capture;
    uint64_t values[RV_CAPTURE_VALUES] = {0};
    if (!number) /* taken away meanwhile, as all patches are */
        return;
    if (!ticks) {
        refuse_text();
        return;
    }
    const int saved = errno;
    const struct rv_captures_plan *plan = rv_captures_plan(number);
    if (plan->needs_call)
        memcpy(values, kept[rv_returns_number(entry)], sizeof *kept);
    memcpy(values + RV_CAPTURE_RESULT, results, 4 * sizeof *results);
    const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    push_text(next, stack, copy_text(number, plan, true, values), ticks);
    errno = saved;
}

/* A line of text is an instruction. */
/* clang-format off */

#define SAVE_FLOAT(register, at) "movq %" #register ", " #at "(%rsp)\n"

/* The order is that of struct registers, from its end. */
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl rv_captured_enter\n"
        ".hidden rv_captured_enter\n"
        ".type rv_captured_enter, @function\n"
        "rv_captured_enter:\n"
        ".cfi_startproc\n"
        ".cfi_def_cfa_offset 16\n"             /* as if it were the function: the stub has no unwind information */
        SAVE(rax) "lahf\n" "seto %al\n" SAVE(rax) SAVE(rcx) SAVE(rdx) SAVE(rsi) SAVE(rdi) SAVE(r8) SAVE(r9)
        "lea -64(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset 64\n"
        SAVE_FLOAT(xmm0, 0) SAVE_FLOAT(xmm1, 8) SAVE_FLOAT(xmm2, 16) SAVE_FLOAT(xmm3, 24)
        SAVE_FLOAT(xmm4, 32) SAVE_FLOAT(xmm5, 40) SAVE_FLOAT(xmm6, 48) SAVE_FLOAT(xmm7, 56)
        "mov %rsp, %rdi\n"
        CALL_C(rv_captured_enter_slow)
        "lea 64(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -64\n"
        RESTORE(r9) RESTORE(r8) RESTORE(rdi) RESTORE(rsi) RESTORE(rdx) RESTORE(rcx) RESTORE(rax)
        "add $0x7f, %al\n" "sahf\n" RESTORE(rax)
        "ret\n"
        ".cfi_endproc\n"
        ".size rv_captured_enter, . - rv_captured_enter\n"
        ".popsection\n");

/* clang-format on */

#endif

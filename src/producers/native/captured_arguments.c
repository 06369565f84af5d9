/*
 * Arguments are copied before the call is in the ring, results when the return is: a call's duration has neither.
 *
 * A call in a signal handler that has interrupted a push is not captured: its event is not in the ring yet.
 */
#include "producers/native/captured_arguments.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <errno.h>
#include <string.h>

#include "patch/stubs.h"
#include "producers/native/call_c.h"
#include "producers/native/call_events.h"
#include "producers/native/capture_text.h"
#include "producers/native/capture_operations.h"
#include "producers/native/pages.h"
#include "producers/native/patched_calls.h"
#include "producers/native/assembly_x86.h"

#define N_KEPT RV_CAPTURE_RESULT /* values of a call that its return may need */

struct registers { /* as the text below pushes them, and what was on the stack before */
    uint64_t floats[RV_CAPTURE_FLOATS];
    uint64_t r9, r8, rdi, rsi, rdx, rcx, flags, rax;
    uint64_t resume;     /* the stub's */
    uint64_t returns_to; /* the function's, then its arguments */
    uint64_t stack[RV_CAPTURE_STACK_WORDS];
};

/* Called by assembly only. */
RV_HIDDEN __attribute__((used)) void rv_captured_enter_slow(struct registers *registers);

typedef uint64_t kept_values[N_KEPT];

static kept_values *kept; /* by the number of a call's entry */

int rv_captured_init(void)
{
    if (kept)
        return 0;
    kept = rv_pages_map((size_t)RV_RETURNS_PAGES * RV_RETURNS_PER_PAGE * sizeof *kept);
    return kept ? 0 : -ENOMEM;
}

static void take_registers(const struct registers *registers, uint64_t *values)
{
    const uint64_t integers[RV_CAPTURE_INTEGERS] = {registers->rdi, registers->rsi, registers->rdx,
                                                    registers->rcx, registers->r8,  registers->r9};
    memcpy(values + RV_CAPTURE_INTEGER, integers, sizeof integers);
    memcpy(values + RV_CAPTURE_FLOAT, registers->floats, sizeof registers->floats);
}

/* Words of the stack that no operation uses may lie beyond its end, as may those behind a format. */
static void take_stack(const struct rv_capture_operations_plan *plan, const struct registers *registers,
                       uint64_t *values)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < plan->n_calls; i++) {
        const uint32_t word = plan->calls[i].source - (uint32_t)RV_CAPTURE_STACK;
        if (word < RV_CAPTURE_STACK_WORDS && word >= n)
            n = word + 1;
    }
    if (n)
        (void)rv_capture_text_read(&values[RV_CAPTURE_STACK], (uint64_t)(uintptr_t)registers->stack,
                                   n * sizeof *values);
}

/* The text before the event, unless that is the thread's first, by which it gets a ring. */
static void push_call(uint32_t number, struct registers *registers, uint64_t function)
{
    const struct rv_capture_operations_plan *plan = rv_capture_operations_plan(number);
    const uint64_t stack = (uint64_t)(uintptr_t)registers;
    const bool has_ring = rv_thread_ring() >= 0;
    uint64_t values[RV_CAPTURE_VALUES] = {0}, position = RV_CAPTURE_NO_TEXT;
    take_registers(registers, values);
    take_stack(plan, registers, values);
    (void)rv_push_begin(&rv_thread.pusher, stack);
    if (has_ring)
        position = rv_capture_text_copy(number, false, values);
    const uint64_t ticks = rv_patched_push_call(&registers->returns_to, stack, function);
    struct rv_return *entry = rv_returns_find(registers->returns_to);
    if (!ticks || !entry)
        return;
    if (plan->needs_call)
        memcpy(kept[rv_returns_number(entry)], values, sizeof *kept);
    entry->capture = number;
    const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    if (!has_ring)
        position = rv_capture_text_copy(number, false, values);
    rv_capture_text_push(next, stack, position, ticks);
}

/* As rv_patched_enter() finds out: a call that is too deep is one beneath the top's. */
static bool is_left_out(uint64_t function, const uint64_t *slot)
{
    const intptr_t gate = rv_thread_gate();
    const struct rv_shadow_frame *top = rv_shadow_top(&rv_thread.shadow);
    if (gate <= 0 || gate == RV_GATE_CLOSED)
        return gate == RV_GATE_CLOSED;
    if (rv_call_events_is_too_deep(gate, top) && top->stack - (uint64_t)(uintptr_t)slot - 1 < RV_SHADOW_NEAR_BYTES)
        return true;
    return rv_gate_verdict(gate, function) == RV_VERDICT_REJECTED;
}

void rv_captured_enter_slow(struct registers *registers)
{
    uint64_t function;
    memcpy(&function, (const void *)(uintptr_t)(registers->resume - RV_PATCH_FUNCTION_BEFORE_RESUME), sizeof function);
    if (is_left_out(function, &registers->returns_to))
        return;
    const int saved = errno;
    const uint32_t number = rv_capture_operations_find(function);
    const bool is_nested = rv_push_is_under_way(&rv_thread.pusher);
    if (number && !is_nested) {
        push_call(number, registers, function);
    } else {
        (void)rv_push_begin(&rv_thread.pusher, (uint64_t)(uintptr_t)registers);
        (void)rv_patched_push_call(&registers->returns_to, (uint64_t)(uintptr_t)registers, function);
    }
    if (number && is_nested)
        rv_capture_text_refuse();
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
        rv_capture_text_refuse();
        return;
    }
    const int saved = errno;
    const struct rv_capture_operations_plan *plan = rv_capture_operations_plan(number);
    if (plan->needs_call)
        memcpy(values, kept[rv_returns_number(entry)], sizeof *kept);
    memcpy(values + RV_CAPTURE_RESULT, results, 4 * sizeof *results);
    const uint64_t next = rv_push_begin(&rv_thread.pusher, stack);
    rv_capture_text_push(next, stack, rv_capture_text_copy(number, true, values), ticks);
    errno = saved;
}

/* A line of the assembly is an instruction. */
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
        "lea 8(%rsp), %rsp\n"
        ".cfi_adjust_cfa_offset -8\n"
        "jmp *-8(%rsp)\n"                      /* the resume; handlers keep off 128 bytes below */
        ".cfi_endproc\n"
        ".size rv_captured_enter, . - rv_captured_enter\n"
        ".popsection\n");

/* clang-format on */

#endif

/*
 * Which parts of the state there are is asked of the processor once, by the first call: this file is compiled to use
 * general registers only.
 */
#include "producers/native/call_c.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <cpuid.h>
#include <stdint.h>

#include "producers/native/visibility.h"
#include "producers/native/assembly_x86.h"

#define STATE_PARTS 0xe7u /* x87, SSE, AVX, AVX-512: C of ours changes no more */
#define STATE_HEAD_BYTES 576u
#define IS_PACKED 32 /* bit of state_parts: xsavec saves it */

/* Used by assembly. state_parts: 0 if fxsave saves the state, else what xsave is to save, or xsavec. */
RV_HIDDEN __attribute__((used)) void rv_call_c_find_state(void);
RV_HIDDEN uint64_t rv_call_c_state_parts;
RV_HIDDEN uint64_t rv_call_c_state_bytes = 512;

/* Where a part ends that is behind n_bytes. A packed one has no gap before it, at most an alignment. */
static uint64_t end_of_part(uint32_t part, uint64_t n_bytes, uint64_t is_packed)
{
    uint32_t size, at, c, d;
    if (!__get_cpuid_count(0xd, part, &size, &at, &c, &d))
        return n_bytes;
    if (is_packed)
        at = (uint32_t)(c & 2 ? (n_bytes + 63) & ~63ull : n_bytes);
    return at + size > n_bytes ? at + size : n_bytes;
}

/* In any thread: a thread that sees the parts sees the bytes. Packed where it can be: stacks may be small. */
void rv_call_c_find_state(void)
{
    uint32_t a, b, c, d, parts;
    uint64_t n_bytes = STATE_HEAD_BYTES;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !__get_cpuid_count(0xd, 0, &parts, &b, &c, &d))
        return;
    parts &= STATE_PARTS;
    const uint64_t is_packed = __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & bit_XSAVEC;
    for (uint32_t i = 2; i < 8; i++)
        if (parts >> i & 1)
            n_bytes = end_of_part(i, n_bytes, is_packed);
    rv_call_c_state_bytes = n_bytes;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* x86 lets stores be seen in their order */
    rv_call_c_state_parts = parts | is_packed << IS_PACKED;
}

/* A line of the assembly is an instruction. */
/* clang-format off */
__asm__(".pushsection .text\n"
        ".globl rv_call_c\n"
        ".hidden rv_call_c\n"
        ".type rv_call_c, @function\n"
        "rv_call_c:\n"
        ".cfi_startproc\n"
        SAVE(r9) SAVE(r10) SAVE(r11) SAVE(rbx)
        ".cfi_rel_offset %rbx, 0\n"
        "mov %rsp, %rbx\n"
        ".cfi_def_cfa_register %rbx\n"
        "push %rax\n" "push %rdi\n" "push %rsi\n" "push %rdx\n"
        "cmpq $0, rv_call_c_state_parts(%rip)\n"
        "jne 1f\n"
        "call rv_call_c_find_state\n"
        "1:\n"
        "pop %r9\n" "pop %rsi\n" "pop %rdi\n" "pop %r10\n"
        "sub rv_call_c_state_bytes(%rip), %rsp\n"
        "and $-64, %rsp\n"
        "mov rv_call_c_state_parts(%rip), %rax\n"
        "xor %edx, %edx\n"
        "test %rax, %rax\n"
        "je 2f\n"
        "mov %rdx, 512(%rsp)\n" "mov %rdx, 520(%rsp)\n" "mov %rdx, 528(%rsp)\n" "mov %rdx, 536(%rsp)\n"
        "mov %rdx, 544(%rsp)\n" "mov %rdx, 552(%rsp)\n" "mov %rdx, 560(%rsp)\n" "mov %rdx, 568(%rsp)\n"
        "bt $" TEXT(IS_PACKED) ", %rax\n"
        "jc 6f\n"
        "xsave64 (%rsp)\n"
        "jmp 3f\n"
        "6: xsavec64 (%rsp)\n"
        "jmp 3f\n"
        "2: fxsave64 (%rsp)\n"
        "3: cld\n"
        "mov %r9, %rdx\n"
        "call *%r10\n"
        "mov rv_call_c_state_parts(%rip), %rax\n"
        "xor %edx, %edx\n"
        "test %rax, %rax\n"
        "je 4f\n"
        "xrstor64 (%rsp)\n"
        "jmp 5f\n"
        "4: fxrstor64 (%rsp)\n"
        "5: mov %rbx, %rsp\n"
        ".cfi_def_cfa_register %rsp\n"
        RESTORE(rbx) RESTORE(r11) RESTORE(r10) RESTORE(r9)
        "ret\n"
        ".cfi_endproc\n"
        ".size rv_call_c, . - rv_call_c\n"
        ".popsection\n");
/* clang-format on */

#endif

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

/* Used by assembly. state_parts: 0 if fxsave saves the state, else what xsave is to save. */
RV_HIDDEN __attribute__((used)) void rv_call_c_find_state(void);
RV_HIDDEN uint64_t rv_call_c_state_parts;
RV_HIDDEN uint64_t rv_call_c_state_bytes = 512;

/* In any thread: a thread that sees the parts sees the bytes. */
void rv_call_c_find_state(void)
{
    uint32_t a, b, c, d, parts;
    uint64_t n_bytes = STATE_HEAD_BYTES;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !__get_cpuid_count(0xd, 0, &parts, &b, &c, &d))
        return;
    parts &= STATE_PARTS;
    for (uint32_t i = 2; i < 8; i++)
        if (parts >> i & 1 && __get_cpuid_count(0xd, i, &a, &b, &c, &d) && a + b > n_bytes)
            n_bytes = a + b;
    rv_call_c_state_bytes = n_bytes;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* x86 lets stores be seen in their order */
    rv_call_c_state_parts = parts;
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
        "xsave64 (%rsp)\n"
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

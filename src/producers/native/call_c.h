/* How assembly calls C where every register is in use: the processor's state that C may change is kept. */
#ifndef RV_PRODUCERS_NATIVE_CALL_C_H
#define RV_PRODUCERS_NATIVE_CALL_C_H

#if defined(__x86_64__) && defined(__LP64__)

/* rdi, rsi and rdx are the arguments. Changes rax, rcx, rdx, rsi, rdi, r8 and the flags, nothing else. */
#define CALL_C(function) "lea " #function "(%rip), %rax\ncall rv_call_c\n"

#endif
#endif

/*
 * The C library's functions that load and unload libraries, in front of it; and vfork(), popen() and
 * pthread_setname_np(). dlopen() and dlmopen() use their caller's address to find its search path and namespace, and
 * vfork() returns twice, so we jump to these instead of calling them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "producers/native/creator.h"
#include "producers/native/preload.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/thread.h"

typedef int dlclose_fn(void *handle);
typedef int setname_fn(pthread_t thread, const char *name);

/* Called by assembly only. */
RV_HIDDEN void *rv_loading_functions_before_dlopen(const char *name);
RV_HIDDEN void *rv_loading_functions_before_child(const char *name);

__attribute__((constructor)) static void start(void)
{
    rv_rejected_functions_allow();
    rv_preload_start();
}

static void *next(const char *name)
{
    int saved = errno;
    void *function = dlsym(RTLD_NEXT, name);
    errno = saved;
    return function;
}

/* Returns the address to jump to. */
void *rv_loading_functions_before_dlopen(const char *name)
{
    rv_thread_expect_modules();
    return next(name);
}

/* What such a child does until it is another program is done by its parent's thread. */
void *rv_loading_functions_before_child(const char *name)
{
    (void)rv_creator_announce_process();
    return next(name);
}

/* `before` gets the function's name and its first argument, and returns where to jump to. */
#if defined(__x86_64__)
#define PUSH(register) "push %" #register "\n.cfi_adjust_cfa_offset 8\n"
#define POP(register) "pop %" #register "\n.cfi_adjust_cfa_offset -8\n"
#define SAVE PUSH(rdi) PUSH(rsi) PUSH(rdx) PUSH(rcx) PUSH(r8) PUSH(r9) PUSH(rax)
#define RESTORE POP(rax) POP(r9) POP(r8) POP(rcx) POP(rdx) POP(rsi) POP(rdi)
/* clang-format off */
#define JUMP(function, before)                                                                                         \
    __asm__(".pushsection .text\n.globl " #function "\n.type " #function ", @function\n" #function ":\n"               \
            ".cfi_startproc\nendbr64\n"                                                                                \
            SAVE                                                                                                       \
            "mov %rdi, %rsi\nlea 1f(%rip), %rdi\ncall " #before "\nmov %rax, %r11\n"                   \
            RESTORE                                                                                                    \
            "jmp *%r11\n.cfi_endproc\n.size " #function ", . - " #function "\n"                                        \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
/* clang-format on */
#elif defined(__aarch64__)
#define JUMP(function, before)                                                                                         \
    __asm__(".pushsection .text\n.globl " #function "\n.type " #function ", %function\n" #function ":\n"               \
            "stp x29, x30, [sp, #-80]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"                                \
            "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nmov x1, x0\n"                                               \
            "adrp x0, 1f\nadd x0, x0, :lo12:1f\nbl " #before "\nmov x16, x0\n"                                         \
            "ldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\n"                                    \
            "ldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #80\nbr x16\n"                                                 \
            ".size " #function ", . - " #function "\n"                                                                 \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
#endif

JUMP(dlopen, rv_loading_functions_before_dlopen);
JUMP(dlmopen, rv_loading_functions_before_dlopen);
JUMP(vfork, rv_loading_functions_before_child);
JUMP(popen, rv_loading_functions_before_child);

/* Unreported modules must be reported while they are still mapped. */
RV_EXPORT int dlclose(void *handle)
{
    dlclose_fn *real = (dlclose_fn *)(uintptr_t)next("dlclose");
    bool has_begun = rv_thread_begin_unload();
    int error = real(handle);
    rv_thread_end_unload(has_begun);
    return error;
}

RV_EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
    setname_fn *real = (setname_fn *)(uintptr_t)next("pthread_setname_np");
    int error = real(thread, name);
    if (error == 0 && pthread_equal(thread, pthread_self()))
        rv_thread_rename(NULL, false);
    return error;
}

/*
 * libc functions that are intercepted. dlopen and dlmopen use their caller's address to find its search path and
 * namespace, so we jump to them instead of calling them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "producers/native/left_out_table.h"
#include "producers/native/thread.h"

typedef int dlclose_fn(void *handle);
typedef int setname_fn(pthread_t thread, const char *name);

RV_HIDDEN void *rv_interpose_before_dlopen(const char *name);

__attribute__((constructor)) static void start(void)
{
    rv_left_out_table_allow();
}

static void *next(const char *name)
{
    int saved = errno;
    void *function = dlsym(RTLD_NEXT, name);
    errno = saved;
    return function;
}

/* Returns the address to jump to. */
void *rv_interpose_before_dlopen(const char *name)
{
    rv_thread_expect_modules();
    return next(name);
}

#if defined(__x86_64__)
#define JUMP(function)                                                                                                 \
    __asm__(".pushsection .text\n.globl " #function "\n.type " #function ", @function\n" #function ":\n"               \
            ".cfi_startproc\nendbr64\n"                                                                                \
            "push %rdi\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n"                               \
            "push %rdx\n.cfi_adjust_cfa_offset 8\n"                                                                    \
            "lea 1f(%rip), %rdi\ncall rv_interpose_before_dlopen\n"                                                    \
            "pop %rdx\n.cfi_adjust_cfa_offset -8\npop %rsi\n.cfi_adjust_cfa_offset -8\n"                               \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\njmp *%rax\n"                                                         \
            ".cfi_endproc\n.size " #function ", . - " #function "\n"                                                   \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
#elif defined(__aarch64__)
#define JUMP(function)                                                                                                 \
    __asm__(".pushsection .text\n.globl " #function "\n.type " #function ", %function\n" #function ":\n"               \
            "stp x29, x30, [sp, #-48]!\nstp x0, x1, [sp, #16]\nstr x2, [sp, #32]\n"                                    \
            "adrp x0, 1f\nadd x0, x0, :lo12:1f\nbl rv_interpose_before_dlopen\nmov x16, x0\n"                          \
            "ldp x0, x1, [sp, #16]\nldr x2, [sp, #32]\nldp x29, x30, [sp], #48\nbr x16\n"                              \
            ".size " #function ", . - " #function "\n"                                                                 \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
#endif

JUMP(dlopen);
JUMP(dlmopen);

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

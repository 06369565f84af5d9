/*
 * libc functions that are intercepted. dlopen and dlmopen use their caller's address to find its search path and
 * namespace, and the arguments of execl have no end that we know, so we jump to these instead of calling them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#include "producers/native/origin.h"
#include "producers/native/preload.h"
#include "producers/native/thread.h"
#include "producers/native/verdict_table.h"

typedef int dlclose_fn(void *handle);
typedef int setname_fn(pthread_t thread, const char *name);

/* Called by text only. */
RV_HIDDEN void *rv_interpose_before_dlopen(const char *name);
RV_HIDDEN void *rv_interpose_before_exec(const char *name, const char *path);
RV_HIDDEN void *rv_interpose_before_exec_command(const char *name, const char *file);
RV_HIDDEN void *rv_interpose_before_child(const char *name);
RV_HIDDEN void *rv_interpose_before_spawn(const char *name, const pid_t *pid, const char *path);
RV_HIDDEN void *rv_interpose_before_spawn_command(const char *name, const pid_t *pid, const char *file);

__attribute__((constructor)) static void start(void)
{
    rv_verdict_table_allow();
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
void *rv_interpose_before_dlopen(const char *name)
{
    rv_thread_expect_modules();
    return next(name);
}

/* path and file are as the intercepted function's caller gave them, who may be wrong. */
void *rv_interpose_before_exec(const char *name, const char *path)
{
    (void)rv_origin_announce_process();
    if (path)
        rv_preload_expect(path);
    return next(name);
}

void *rv_interpose_before_exec_command(const char *name, const char *file)
{
    (void)rv_origin_announce_process();
    if (file)
        rv_preload_expect_command(file);
    return next(name);
}

/* What such a child does until it is another program is done by its parent's thread. */
void *rv_interpose_before_child(const char *name)
{
    (void)rv_origin_announce_process();
    return next(name);
}

void *rv_interpose_before_spawn(const char *name, const pid_t *pid, const char *path)
{
    (void)pid;
    return rv_interpose_before_exec(name, path);
}

void *rv_interpose_before_spawn_command(const char *name, const pid_t *pid, const char *file)
{
    (void)pid;
    return rv_interpose_before_exec_command(name, file);
}

/* `before` gets the function's name and its first two arguments, and returns where to jump to. */
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
            "mov %rsi, %rdx\nmov %rdi, %rsi\nlea 1f(%rip), %rdi\ncall " #before "\nmov %rax, %r11\n"                   \
            RESTORE                                                                                                    \
            "jmp *%r11\n.cfi_endproc\n.size " #function ", . - " #function "\n"                                        \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
/* clang-format on */
#elif defined(__aarch64__)
#define JUMP(function, before)                                                                                         \
    __asm__(".pushsection .text\n.globl " #function "\n.type " #function ", %function\n" #function ":\n"               \
            "stp x29, x30, [sp, #-80]!\nstp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\n"                                \
            "stp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nmov x2, x1\nmov x1, x0\n"                                   \
            "adrp x0, 1f\nadd x0, x0, :lo12:1f\nbl " #before "\nmov x16, x0\n"                                         \
            "ldp x6, x7, [sp, #64]\nldp x4, x5, [sp, #48]\nldp x2, x3, [sp, #32]\n"                                    \
            "ldp x0, x1, [sp, #16]\nldp x29, x30, [sp], #80\nbr x16\n"                                                 \
            ".size " #function ", . - " #function "\n"                                                                 \
            ".section .rodata\n1: .asciz \"" #function "\"\n.popsection\n")
#endif

JUMP(dlopen, rv_interpose_before_dlopen);
JUMP(dlmopen, rv_interpose_before_dlopen);

/* system() and popen() start a shell, which comes here. */
JUMP(execl, rv_interpose_before_exec);
JUMP(execle, rv_interpose_before_exec);
JUMP(execv, rv_interpose_before_exec);
JUMP(execve, rv_interpose_before_exec);
JUMP(execlp, rv_interpose_before_exec_command);
JUMP(execvp, rv_interpose_before_exec_command);
JUMP(execvpe, rv_interpose_before_exec_command);
JUMP(vfork, rv_interpose_before_child);
JUMP(popen, rv_interpose_before_child);
JUMP(posix_spawn, rv_interpose_before_spawn);
JUMP(posix_spawnp, rv_interpose_before_spawn_command);

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

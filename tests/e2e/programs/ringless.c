/*
 * ringless.c child|origin|memory|strict|cell|probe|filtered|attach: threads that have no ring, or no memory.
 *
 *   child   without fork handlers, of a thread without a ring, once another has given one back; it calls 100 times
 *   origin  such a child makes a thread before it calls anything
 *   memory  a thread calls 100 times, for whose shadow stack there is no memory
 *   strict  seccomp's strict mode ends a thread that reads the processor's clock or makes a system call, but for few; it
 *           calls 100 times in it
 *   cell    a child, without fork handlers, is so confined before it calls; its parent and a thread then call 100 times each
 *   probe   it asks for that mode as libseccomp does, and for a filter without one as systemd does, so that both are
 *           refused, calls 100 times and waits
 *   filtered  a filter ends the process for a system call that it does not make itself; it calls 100 times, and waits
 *   attach  two threads that call all the time, and nothing else
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_instrument_function))
#define N_CALLS 100
#define SPARE_BYTES (3u << 20)

static sem_t has_called, may_end;

/* Long enough to be patched. */
__attribute__((noinline)) void before(void)
{
    for (volatile int i = 0; i < 10; i++)
        ;
}

__attribute__((noinline)) void counted(void)
{
    for (volatile int i = 0; i < 10; i++)
        ;
}

__attribute__((noinline)) void confine(void)
{
    before();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
        _exit(1);
}

HIDDEN static void *call(void *unused)
{
    for (int i = 0; i < N_CALLS; i++)
        counted();
    return unused;
}

/* As OpenSSH's for one who is not authenticated yet. */
HIDDEN static void filter_calls(void)
{
    static const unsigned allowed[] = {SYS_read, SYS_write,   SYS_exit_group, SYS_rt_sigprocmask, SYS_mmap,
                                       SYS_munmap, SYS_madvise, SYS_futex,      SYS_getpid};
    enum { N = sizeof allowed / sizeof *allowed };
    struct sock_filter filter[N + 3] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (unsigned i = 0; i < N; i++)
        filter[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], N - i, 0);
    filter[N + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[N + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){N + 3, filter}) != 0)
        _exit(1);
}

HIDDEN static void ask_in_vain(void)
{
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) == 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == 0)
        _exit(1);
}

/* A child writes later. */
HIDDEN static void call_and_wait(void (*prepare)(void))
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        _exit(1);
    if (fork() == 0) {
        usleep(20000);
        _exit(write(ends[1], "f", 1) != 1);
    }
    prepare();
    (void)call(NULL);
    if (read(ends[0], &byte, 1) == 1 && write(STDOUT_FILENO, "filtered\n", 9) != 9)
        _exit(1);
}

HIDDEN static void *call_forever(void *unused)
{
    for (;;) {
        counted();
        for (volatile int i = 0; i < 1000000; i++)
            ;
    }
    return unused;
}

HIDDEN static void *take_ring(void *unused)
{
    before();
    sem_post(&has_called);
    sem_wait(&may_end);
    return unused;
}

HIDDEN static void run_thread(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1u << 16);
    if (pthread_create(&thread, &attributes, run, argument) == 0)
        pthread_join(thread, NULL);
}

/* By an instruction of the program's own, which no function of a library sees. */
HIDDEN static pid_t fork_inline(void)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_fork), "D"(0), "S"(0), "d"(0)
                     : "rcx", "r8", "r10", "r11", "memory");
    return (pid_t)result;
}

HIDDEN static void fork_unseen(void (*act)(void))
{
    const pid_t child = fork_inline();
    if (child == 0) {
        act();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

HIDDEN static void call_here(void)
{
    (void)call(NULL);
}

HIDDEN static void confine_unseen(void)
{
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0)
        (void)call(NULL);
    syscall(SYS_exit, 0);
}

HIDDEN static void make_thread(void)
{
    run_thread(call, NULL);
    dprintf(STDOUT_FILENO, "made by %d\n", (int)getpid());
}

HIDDEN static void *fork_without_ring(void *owner)
{
    before();
    sem_post(&may_end);
    pthread_join(*(pthread_t *)owner, NULL);
    fork_unseen(call_here);
    return NULL;
}

HIDDEN static void limit_memory(void)
{
    long n_pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &n_pages) != 1)
        _exit(1);
    fclose(file);
    const rlim_t most = (rlim_t)n_pages * 4096 + SPARE_BYTES;
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
}

HIDDEN int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t owner;
    before();
    if (strcmp(what, "child") == 0) {
        pthread_create(&owner, NULL, take_ring, NULL);
        sem_wait(&has_called);
        run_thread(fork_without_ring, &owner);
    } else if (strcmp(what, "origin") == 0) {
        fork_unseen(make_thread);
    } else if (strcmp(what, "memory") == 0) {
        limit_memory();
        run_thread(call, NULL);
    } else if (strcmp(what, "strict") == 0) {
        confine();
        (void)call(NULL);
        syscall(SYS_exit, write(STDOUT_FILENO, "confined\n", 9));
    } else if (strcmp(what, "cell") == 0) {
        fork_unseen(confine_unseen);
        usleep(300000); /* its parent's ring would be free by then */
        run_thread(call, NULL);
        (void)call(NULL);
    } else if (strcmp(what, "probe") == 0) {
        call_and_wait(ask_in_vain);
    } else if (strcmp(what, "filtered") == 0) {
        call_and_wait(filter_calls);
    } else {
        pthread_create(&owner, NULL, call_forever, NULL);
        puts("running");
        fflush(stdout);
        for (;; usleep(1000))
            before();
    }
    return 0;
}

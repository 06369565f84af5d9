/* syscalls [cancel|backtrace]: makes system calls in threads, in handlers, in children made in all ways, and over
 * jumps. Its output, and how often it makes which call, are the same in each run. cancel: its threads are cancelled;
 * backtrace: its stack is walked at any of its instructions, each time up to main(). */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 4
#define N_WRITES 500
#define N_CHILDREN 10
#define N_JUMPS 100
#define N_WALKS 100

extern char **environ;

static int fds[2], n_cleaned, n_handled;
static sigjmp_buf place;

static void call_much(void);

static void *write_much(void *unused)
{
    long n = 0;
    (void)unused;
    for (int i = 0; i < N_WRITES; i++) {
        int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
        n += write(fd, "abc", 3);
        n += close(fd);
    }
    return (void *)n;
}

static void clean(void *unused)
{
    (void)unused;
    n_cleaned++;
}

static void *read_for_ever(void *unused)
{
    char c;
    (void)unused;
    pthread_cleanup_push(clean, NULL);
    while (read(fds[0], &c, 1) != 1)
        ;
    pthread_cleanup_pop(0);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[N_THREADS];
    void *result;
    long sum = 0;
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, write_much, NULL);
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("written %ld\n", sum);
}

/* Some threads are cancelled before they wait, some while they do. */
static void cancel_threads(void)
{
    pthread_t thread;
    void *result;
    for (int i = 0; i < N_CHILDREN; i++) {
        pthread_create(&thread, NULL, read_for_ever, NULL);
        if (i % 2)
            usleep(2000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            printf("not cancelled\n");
    }
    printf("cleaned %d\n", n_cleaned);
}

static int n_walked, n_lost;

static void walk_stack(int signal)
{
    void *addresses[64];
    const int n = backtrace(addresses, 64);
    bool has_main = false;
    (void)signal;
    for (int i = 0; i < n; i++)
        has_main |= (uintptr_t)addresses[i] - (uintptr_t)call_much < 256;
    n_walked++;
    n_lost += !has_main;
}

/* A timer of CPU time: it needs no quiet machine. */
static __attribute__((noinline)) void call_much(void)
{
    while (n_walked < N_WALKS) {
        char bytes[3] = "abc";
        if (write(fds[1], bytes, sizeof bytes) < 0 && errno != EINTR)
            abort();
        if (read(fds[0], bytes, sizeof bytes) < 0 && errno != EINTR)
            abort();
    }
}

static void walk_stacks(void)
{
    void *address;
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    (void)backtrace(&address, 1); /* which loads what it needs */
    signal(SIGPROF, walk_stack);
    setitimer(ITIMER_PROF, &often, NULL);
    call_much();
    setitimer(ITIMER_PROF, &never, NULL);
    printf("stacks lost %d\n", n_lost);
}

static int status_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_child(void *unused)
{
    (void)unused;
    (void)getsid(0);
    _exit(3);
}

static void make_children(void)
{
    static char stack[65536];
    char *arguments[] = {"true", NULL};
    int n = 0;
    pid_t child;
    for (int i = 0; i < N_CHILDREN; i++) {
        if ((child = fork()) == 0)
            run_child(NULL);
        n += status_of(child);
        if ((child = vfork()) == 0)
            run_child(NULL);
        n += status_of(child);
        if ((child = (pid_t)syscall(SYS_fork)) == 0)
            run_child(NULL);
        n += status_of(child);
        n += status_of(clone(run_child, stack + sizeof stack, SIGCHLD, NULL));
        n += status_of(clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
        if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0)
            n += status_of(child);
    }
    printf("exits %d\n", n);
}

static void handle(int signal)
{
    (void)signal;
    (void)getpgrp();
    n_handled++;
}

static void jump(int signal)
{
    (void)signal;
    siglongjmp(place, 1);
}

static void handle_signals(void)
{
    volatile int n_jumps = 0;
    signal(SIGUSR1, handle);
    signal(SIGUSR2, jump);
    for (int i = 0; i < N_JUMPS; i++) {
        kill(getpid(), SIGUSR1);
        if (sigsetjmp(place, 1) == 0)
            kill(getpid(), SIGUSR2);
        else
            n_jumps++;
    }
    printf("handled %d, jumped %d\n", n_handled, n_jumps);
}

/* A system call with values in all registers that the kernel keeps, in the red zone, and in the carry flag. Returns the
 * sum of these values, which shows that all were kept. */
long keep_registers(void);
__asm__(".pushsection .text\n.type keep_registers, @function\nkeep_registers:\n.cfi_startproc\n"
        "mov $1, %edi\nmov $2, %esi\nmov $3, %edx\nmov $4, %r10d\nmov $5, %r8d\nmov $6, %r9d\n"
        "movq %rdi, %xmm3\nmovq $7, -8(%rsp)\nmovq $8, -128(%rsp)\n"
        "stc\nmov $110, %eax\nsyscall\n" /* getppid */
        "mov $0, %eax\nadc $0, %rax\nimul $1000, %rax\n"
        "add %rdi, %rax\nadd %rsi, %rax\nadd %rdx, %rax\nadd %r10, %rax\nadd %r8, %rax\nadd %r9, %rax\n"
        "add -8(%rsp), %rax\nadd -128(%rsp), %rax\nmovq %xmm3, %rdi\nadd %rdi, %rax\nret\n"
        ".cfi_endproc\n.size keep_registers, . - keep_registers\n.popsection\n");

int main(int n_arguments, char **arguments)
{
    if (pipe(fds) != 0)
        return 1;
    if (n_arguments > 1 && strcmp(arguments[1], "cancel") == 0)
        cancel_threads();
    else if (n_arguments > 1)
        walk_stacks();
    run_threads();
    fflush(stdout);
    make_children();
    handle_signals();
    printf("registers %ld\n", keep_registers());
    errno = 0;
    printf("%d", open("/does/not/exist", O_RDONLY));
    printf(" %s\n", strerror(errno));
    void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return munmap(pages, 8192) == 0 ? 5 : 1;
}

/* children HOW [WAITS]: makes a child, which calls in_child() twice, in the way that HOW names; "self": the child's part.
 * With WAITS it waits for a line first. */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

extern char **environ;
static volatile int n_calls;

static __attribute__((noinline)) void in_child(void)
{
    for (int i = 0; i < 100; i++)
        n_calls++;
}

static __attribute__((noinline)) void in_parent(void)
{
    for (int i = 0; i < 100; i++)
        n_calls--;
}

/* A page between two inaccessible ones, so that one byte too many is a fault. */
static char *map_page(void)
{
    char *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) != 0)
        abort();
    return pages + PAGE;
}

static int be_child(void *unused)
{
    (void)unused;
    in_child();
    in_child();
    _exit(0);
}

static void execute(char *program)
{
    char *const argv[] = {program, "self", NULL};
    execv(program, argv);
    _exit(1);
}

static void expect_fault(char *program, char **environment)
{
    char *const argv[] = {program, "self", NULL};
    if (execve(program, argv, environment) == 0 || errno != EFAULT)
        abort();
}

/* Environments with bad pointers: to the list, beyond the readable part of a list, and to a variable. */
static void execute_with_bad_environments(char *program)
{
    char *nowhere = map_page() + PAGE, **last = (char **)(void *)nowhere - 1;
    *last = "A=1";
    expect_fault(program, (char **)(void *)nowhere);
    expect_fault(program, last);
    expect_fault(program, (char *[]){"A=1", nowhere, NULL});
}

/* Once its parent is gone: another has adopted it. */
static void execute_as_orphan(char *program, pid_t parent)
{
    while (getppid() == parent)
        usleep(1000);
    execute(program);
}

/* By an instruction of the program's own, which no function of a library sees. */
static pid_t call_kernel(long number, long first, long second)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(0)
                     : "rcx", "r8", "r10", "r11", "memory");
    return (pid_t)result;
}

static pid_t fork_inline(const char *how)
{
    struct clone_args arguments = {.exit_signal = SIGCHLD};
    if (strcmp(how, "inline clone") == 0)
        return call_kernel(SYS_clone, SIGCHLD, 0);
    if (strcmp(how, "inline clone3") == 0)
        return call_kernel(SYS_clone3, (long)&arguments, sizeof arguments);
    return call_kernel(SYS_fork, 0, 0);
}

static pid_t spawn(char *program)
{
    pid_t pid = -1;
    char *const argv[] = {program, "self", NULL};
    return posix_spawn(&pid, program, NULL, NULL, argv, environ) == 0 ? pid : -1;
}

static pid_t make(const char *how, char *program)
{
    static char stack[1 << 16] __attribute__((aligned(16)));
    const pid_t self = getpid();
    pid_t pid;
    if (strcmp(how, "clone") == 0)
        return clone(be_child, stack + sizeof stack, SIGCHLD, NULL);
    if (strcmp(how, "clone on a page") == 0)
        return clone(be_child, map_page() + PAGE, SIGCHLD, NULL);
    if (strcmp(how, "posix_spawn") == 0)
        return spawn(program);
    if (strcmp(how, "vfork") == 0) {
        pid = vfork();
        if (pid == 0)
            execute(program);
        return pid;
    }
    if (strcmp(how, "exec") == 0)
        execute(program);
    if (strcmp(how, "fork after bad environments") == 0)
        execute_with_bad_environments(program);
    if (strcmp(how, "fork without an environment") == 0)
        clearenv();
    pid = strcmp(how, "raw clone") == 0    ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)
          : strcmp(how, "_Fork") == 0      ? _Fork()
          : strncmp(how, "inline", 6) == 0 ? fork_inline(how)
                                           : fork();
    if (pid == 0 && strcmp(how, "fork and exec") == 0)
        execute(program);
    if (pid == 0 && strcmp(how, "orphan") == 0)
        execute_as_orphan(program, self);
    if (pid == 0)
        be_child(NULL);
    return pid;
}

int main(int argc, char **argv)
{
    int status = 1;
    if (argc < 2 || strcmp(argv[1], "self") == 0)
        be_child(NULL);
    if (argc > 2 && read(STDIN_FILENO, argv[2], 1) != 1)
        return 1;
    in_parent();
    const pid_t pid = make(argv[1], argv[0]);
    in_parent();
    if (pid > 0 && strcmp(argv[1], "orphan") == 0)
        return 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : 1;
}

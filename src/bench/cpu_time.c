/*
 * ringviz-bench-cpu-time COMMAND ARG...: runs it without its output, and prints the CPU time of it and of all that it has
 * waited for, in ns. What traces it from another process is not in that. Its exit status is ours. It runs on the first CPU
 * that it may use, so that several at once share one.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double ns_of(struct timeval time)
{
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static void take_first_cpu(void)
{
    cpu_set_t all, first;
    int cpu = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    (void)sched_setaffinity(0, sizeof first, &first);
}

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    const pid_t pid = argc > 1 ? fork() : -1;
    if (pid == 0) {
        take_first_cpu();
        (void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return 125;
    printf("%.0f\n", ns_of(usage.ru_utime) + ns_of(usage.ru_stime));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * ringviz-bench-cpu-time COMMAND ARG...: runs it without its output, and prints the CPU time of it and of all that it has
 * waited for, in ns. What traces it from another process is not in that. Its exit status is ours.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double ns_of(struct timeval time)
{
    return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    const pid_t pid = argc > 1 ? fork() : -1;
    if (pid == 0) {
        (void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
        return 125;
    printf("%.0f\n", ns_of(usage.ru_utime) + ns_of(usage.ru_stime));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

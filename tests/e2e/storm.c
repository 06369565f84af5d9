/* storm COMMAND ARG...: run it, and send SIGWINCH, which does nothing, to its child until it ends; its exit status is
 * ours. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first child of the first thread of the process; 0: there is none. */
static pid_t child_of(pid_t pid)
{
    char path[64], list[256] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    const int fd = open(path, O_RDONLY);
    const ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
    if (fd >= 0)
        close(fd);
    return n > 0 ? (pid_t)strtol(list, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    int status;
    const pid_t pid = argc > 1 ? fork() : -1;
    if (pid < 0)
        return 125;
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    while (waitpid(pid, &status, WNOHANG) == 0) {
        const pid_t child = child_of(pid);
        if (child > 0)
            kill(child, SIGWINCH);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

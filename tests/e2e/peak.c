/* peak FILE COMMAND ARG...: run it, write the most that it had resident, in KiB, and the number of its page faults into a
 * file; its exit status is ours.
 * Without huge pages, which count as resident what was never touched. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int status;
    struct rusage usage;
    FILE *file = argc > 2 ? fopen(argv[1], "w") : NULL;
    pid_t pid = file ? fork() : -1;
    if (pid < 0)
        return 125;
    if (pid == 0) {
        prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (wait4(pid, &status, 0, &usage) != pid || fprintf(file, "%ld %ld\n", usage.ru_maxrss, usage.ru_minflt) < 0 ||
        fclose(file) != 0)
        return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

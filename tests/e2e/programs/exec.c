/* exec [LEFT SUM]: vforks a child that execs itself as a leaf, then execs itself, LEFT times; the last image reports.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define N_CALLS 500

KEPT static unsigned step(unsigned i)
{
    return i + 3;
}

KEPT static unsigned walk(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < N_CALLS; i++)
        sum += step(i);
    return sum;
}

QUIET static void run(const char *left, const char *n_walks)
{
    execl("/proc/self/exe", "exec", left, n_walks, (char *)NULL);
    _exit(3);
}

QUIET int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 8;
    unsigned n_walks = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    char left_text[16], walks_text[16];
    int status;

    walk();
    n_walks++;
    if (left < 0)
        return 0; /* the leaf */
    pid_t pid = vfork();
    if (pid == 0)
        run("-1", "0");
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return 1;
    n_walks++;
    if (left > 0) {
        snprintf(left_text, sizeof left_text, "%d", left - 1);
        snprintf(walks_text, sizeof walks_text, "%u", n_walks);
        run(left_text, walks_text);
    }
    printf("COUNT walk %u\nCOUNT step %u\n", n_walks, n_walks * N_CALLS);
    return 0;
}

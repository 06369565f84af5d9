/* refused: becomes another user and forks; the child calls, but may not open the trace file. */
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

DEFINE_COUNT(call)

KEPT static void call(void)
{
    COUNTED(call);
}

int main(void)
{
    int status;
    if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
        return 2;
    call();
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (int k = 0; k < (i ? 5 : 0); k++) /* the first one calls nothing */
                call();
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0)
            return 3;
    }
    REPORT_COUNT(call);
    return 0;
}

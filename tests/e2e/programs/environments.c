/* environments FILE: starts FILE many times with an environment that another thread makes shorter and longer meanwhile: it
 * has RUBYOPT as ringviz sets it, or ends there. The kernel starts some of them and has EFAULT for others. */
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { N_ENTRIES = 400, N_STARTS = 300 };

static char *_Atomic environment[N_ENTRIES + 1];
static atomic_bool is_over;

static void wait_a_little(void)
{
    for (volatile int i = 0; i < 20; i++)
        ;
}

static void *change(void *unused)
{
    static char options[] = "RUBYOPT=-r/nowhere/ruby/ringviz.rb -w";
    (void)unused;
    while (!is_over) {
        environment[1] = NULL;
        wait_a_little();
        environment[1] = options;
        wait_a_little();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    pid_t pid;
    char *const arguments[] = {argv[argc - 1], NULL};
    for (int i = 0; i < N_ENTRIES; i++)
        environment[i] = (char *)"NAME=value";
    if (argc != 2 || pthread_create(&thread, NULL, change, NULL) != 0)
        return 2;
    for (int i = 0; i < N_STARTS; i++)
        if (posix_spawn(&pid, argv[1], NULL, NULL, arguments, (char *const *)environment) == 0)
            waitpid(pid, NULL, 0);
    is_over = true;
    return pthread_join(thread, NULL);
}

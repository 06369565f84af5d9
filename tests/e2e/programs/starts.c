/* starts [FOLDER NAME [anew]]: starts FOLDER/NAME once by each function that can, with FOLDER as PATH for those that search
 * it; anew: with an environment of nothing else, and not by system(), which has libc start a shell. Without arguments: its status is 1 where the loader preloads nothing, else 0. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file, *name;

static void start(int way)
{
    char *argv[] = {(char *)name, NULL};
    switch (way) {
    case 0:
        execl(file, name, (char *)NULL);
        break;
    case 1:
        execle(file, name, (char *)NULL, environ);
        break;
    case 2:
        execv(file, argv);
        break;
    case 3:
        execve(file, argv, environ);
        break;
    case 4:
        execlp(name, name, (char *)NULL);
        break;
    case 5:
        execvp(name, argv);
        break;
    case 6:
        execvpe(name, argv, environ);
        break;
    }
}

/* Many arguments: some are on the stack. */
static void start_with_arguments(void)
{
    execl(file, name, "1", "2", "3", "4", "5", "6", "7", "8", (char *)NULL);
}

int main(int argc, char **argv)
{
    char path[4096];
    char *const arguments[] = {"program", NULL};
    pid_t pid;
    if (argc == 1)
        return (int)getauxval(AT_SECURE);
    if (argc != 3 && argc != 4)
        return argc == 9 ? 0 : 2;
    snprintf(path, sizeof path, "%s/%s", argv[1], argv[2]);
    file = path;
    name = argv[2];
    if (argc == 4)
        clearenv();
    setenv("PATH", argv[1], 1);
    for (int way = 0; way < 8; way++) {
        if (vfork() == 0) {
            if (way < 7)
                start(way);
            else
                start_with_arguments();
            _exit(127);
        }
        wait(NULL);
    }
    if (posix_spawn(&pid, file, NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
    if (posix_spawnp(&pid, name, NULL, NULL, arguments, environ) == 0)
        waitpid(pid, NULL, 0);
    return argc == 3 && system(name) < 0;
}

/* many [debugged]: calls each of its 400 functions once, prints their sum and the file that their code is mapped from. As
 * debugged it starts itself under ptrace(2), and lets it run. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(n)                                                                                                    \
    __attribute__((noipa)) static int many_##n(int i)                                                                  \
    {                                                                                                                  \
        volatile int sum = 0;                                                                                          \
        while (i > 0)                                                                                                  \
            sum += i--;                                                                                                \
        return sum + __LINE__;                                                                                         \
    }
#define CALL(n) +many_##n(2)
#define TEN(do, n)                                                                                                     \
    do                                                                                                                 \
    (n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define HUNDRED(do, n)                                                                                                 \
    TEN(do, n##0)                                                                                                      \
    TEN(do, n##1) TEN(do, n##2) TEN(do, n##3) TEN(do, n##4) TEN(do, n##5) TEN(do, n##6) TEN(do, n##7) TEN(do, n##8)    \
        TEN(do, n##9)
#define ALL(do) HUNDRED(do, 1) HUNDRED(do, 2) HUNDRED(do, 3) HUNDRED(do, 4)

ALL(FUNCTION)

static void print_file_of(uintptr_t address)
{
    char line[4096], path[4096];
    unsigned long start, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %4095s", &start, &end, path) == 3 && start <= address &&
            address < end)
            printf("%s\n", path);
    if (maps)
        fclose(maps);
}

static int run_debugged(const char *path)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(path, path, (char *)NULL);
        _exit(1);
    }
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, child, NULL, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int n_arguments, char **arguments)
{
    if (n_arguments > 1 && strcmp(arguments[1], "debugged") == 0)
        return run_debugged(arguments[0]);
    printf("%d\n", 0 ALL(CALL));
    print_file_of((uintptr_t)many_100);
    return 0;
}

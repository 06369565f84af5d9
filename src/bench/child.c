#include "bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "ring/ring.h"

enum { N_BATCH = 1 << 16 };
static const uint64_t NAP_NS = 1000000;

pid_t rv_child_start(const char *const *argv, const char *const *variables, int *out)
{
    int fds[2];
    if (out && pipe2(fds, O_CLOEXEC) != 0)
        return -errno;
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        dup2(out ? fds[1] : nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        for (; variables && *variables; variables++)
            putenv((char *)(uintptr_t)*variables);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int error = errno;
    if (out) {
        close(fds[1]);
        *out = fds[0];
    }
    if (out && pid < 0)
        close(fds[0]);
    return pid < 0 ? -error : pid;
}

int rv_child_read_numbers(int out, double *numbers, unsigned n)
{
    FILE *text = fdopen(out, "r");
    unsigned n_read = 0;
    while (text && n_read < n && fscanf(text, "%lf", &numbers[n_read]) == 1)
        n_read++;
    if (text)
        fclose(text);
    else
        close(out);
    return n_read == n ? 0 : -EIO;
}

static uint64_t drain_once(struct rv_map *map)
{
    static struct rv_event events[N_BATCH];
    uint64_t n_read = 0;
    uint32_t n_used = __atomic_load_n(&map->header->n_rings_used, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n_used && i < map->geometry.n_rings; i++) {
        struct rv_ring ring;
        rv_ring_view(&ring, map, i);
        for (size_t n = 1; n > 0; n_read += n)
            n = rv_ring_pop(&ring, events, N_BATCH).n;
    }
    return n_read;
}

uint64_t rv_child_drain(struct rv_map *map, pid_t pid)
{
    uint64_t n_read = 0;
    bool has_ended;
    do {
        has_ended = waitpid(pid, NULL, WNOHANG) != 0;
        n_read += drain_once(map);
        __atomic_fetch_add(&map->header->tick, 1, __ATOMIC_RELAXED);
        rv_ring_turn_done(map->header);
        rv_os_sleep_ns(NAP_NS);
    } while (!has_ended);
    return n_read;
}

void rv_child_remove_folder(const char *folder)
{
    const char *argv[] = {"rm", "-rf", folder, NULL};
    pid_t pid = rv_child_start(argv, NULL, NULL);
    if (pid > 0)
        waitpid(pid, NULL, 0);
}

/*
 * Processes intern the same few thousand names and are killed at random: afterwards every id that any of them got reads
 * as the name it was given for, and every other id reads as a whole name or not at all.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/os.h"
#include "ring/names.h"

enum { N_ROUNDS = 100, N_PROCESSES = 3, NAMES_A_ROUND = 4096, N_NAMES = N_ROUNDS * NAMES_A_ROUND };
#define DEADLINE_NS UINT64_C(60000000000)

/* ids[n]: what name n got. Kept apart from the trace file. */
static uint32_t *ids;

static void spell(uint32_t n, char package[64], char name[300])
{
    snprintf(package, 64, "Package%u", n % 37);
    size_t length = (size_t)snprintf(name, 300, "name_%u_", n);
    size_t padding = n * 7 % 100;
    memset(name + length, 'a' + (int)(n % 26), padding);
    name[length + padding] = '\0';
}

/* New names all the time, the same by all processes at once. */
static void work(const char *path, unsigned round)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_PRODUCER, false))
        _exit(1);
    for (uint32_t i = 0; i < NAMES_A_ROUND; i++) {
        uint32_t n = round * NAMES_A_ROUND + i;
        char package[64], name[300];
        spell(n, package, name);
        uint32_t id = rv_names_intern(&map, &(struct rv_name){RV_NAME_SUBROUTINE, package, name, "file.c", n});
        uint32_t before = 0;
        if (id && !__atomic_compare_exchange_n(&ids[n], &before, id, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) &&
            before != id)
            _exit(2);
    }
    for (;;)
        pause();
}

/* Until the first name of this round has its id. */
static void wait_for_names(unsigned round)
{
    uint64_t begin_ns = rv_clock_mono_ns();
    while (!__atomic_load_n(&ids[round * NAMES_A_ROUND], __ATOMIC_RELAXED) &&
           rv_clock_mono_ns() - begin_ns < DEADLINE_NS)
        rv_os_sleep_ns(100000);
}

static bool reads_as(const struct rv_map *map, uint32_t id, uint32_t n)
{
    char package[64], expected[300], buffer[1000];
    struct rv_name name;
    spell(n, package, expected);
    return rv_names_read(map, id, &name, buffer, sizeof buffer) == 0 && name.line_form == n &&
           !strcmp(name.package, package) && !strcmp(name.name, expected) && !strcmp(name.file, "file.c");
}

/* Check the names that this round added. */
static int check(const struct rv_map *map, unsigned round, uint32_t first_id)
{
    for (uint32_t n = round * NAMES_A_ROUND; n < (round + 1) * NAMES_A_ROUND; n++)
        if (ids[n] && !reads_as(map, ids[n], n)) {
            fprintf(stderr, "round %u: id %u is not name %u\n", round, ids[n], n);
            return 1;
        }
    for (uint32_t id = first_id; id < rv_names_count(map); id++) {
        char buffer[1000];
        struct rv_name name;
        int error = rv_names_read(map, id, &name, buffer, sizeof buffer);
        if (error ? error != -ENOENT : !reads_as(map, id, name.line_form)) {
            fprintf(stderr, "round %u: id %u is damaged (%d)\n", round, id, error);
            return 1;
        }
    }
    return 0;
}

/* After a kill every name must still be found, or be new: ids that nobody can reach would be lost for ever. */
static int check_index(struct rv_map *map, unsigned round)
{
    for (uint32_t n = round * NAMES_A_ROUND; n < (round + 1) * NAMES_A_ROUND && ids[n]; n++) {
        char package[64], name[300];
        spell(n, package, name);
        if (rv_names_intern(map, &(struct rv_name){RV_NAME_SUBROUTINE, package, name, "file.c", n}) != ids[n]) {
            fprintf(stderr, "round %u: name %u has got another id than %u\n", round, n, ids[n]);
            return 1;
        }
    }
    return 0;
}

int main(void)
{
    char path[] = "/tmp/ringviz-stress-names-XXXXXX";
    close(mkstemp(path));
    unlink(path);
    ids = mmap(NULL, N_NAMES * sizeof *ids, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rv_map map;
    struct rv_map_params params = {.n_rings = 1,
                                   .ring_events = 64,
                                   .n_names = 1 << 20,
                                   .name_heap_bytes = 256 << 20,
                                   .clock_kind = RV_CLOCK_MONOTONIC};
    if (ids == MAP_FAILED || rv_map_create(&map, path, &params))
        return 1;
    int result = 0;
    for (unsigned round = 0; round < N_ROUNDS && !result; round++) {
        pid_t pids[N_PROCESSES];
        uint32_t first_id = rv_names_count(&map);
        for (unsigned i = 0; i < N_PROCESSES; i++) {
            pids[i] = fork();
            if (pids[i] == 0)
                work(path, round);
        }
        wait_for_names(round);
        /* The moment of death is what is random here, not something that is waited for. */
        rv_os_sleep_ns(500000 + rv_hash_u64(round) % 3000000);
        for (unsigned i = 0; i < N_PROCESSES; i++) {
            int status;
            kill(pids[i], SIGKILL);
            waitpid(pids[i], &status, 0);
            result |= WIFEXITED(status);
        }
        result |= check(&map, round, first_id) || check_index(&map, round);
    }
    uint32_t n_named = 0;
    for (uint32_t n = 0; n < N_NAMES; n++)
        n_named += ids[n] != 0;
    printf("%u names, %u ids, %u processes killed\n", n_named, rv_names_count(&map) - 1, N_ROUNDS * N_PROCESSES);
    unlink(path);
    return result || n_named < N_ROUNDS;
}

/*
 * Writes a ring as the rrtrace gem does: two threads' recursive calls, a collection, methods without a call or without
 * a return, a second Ractor. Waits for room as the gem does. Layout, names, start and stop are those of
 * White-Green/rrtrace v0.1.0 and v0.2.0, folder ext/rrtrace: rrtrace_event_ringbuffer.h (layout, push),
 * shared_memory_posix.h (name), rrtrace.c and process_manager_posix.h (start, stop).
 *
 * rrtrace_writer 0.1|0.2 ROUNDS [VISUALIZER [full]]: starts VISUALIZER with the memory's name; 0.2 ends it by SIGTERM, which
 * a forked child sends once before, with "full" after it has found the ring full and written no more. Prints the name of the memory, then, at the end, what a report must say.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 65536, N_MANY = 5000, NEVER_ENDS = 20 };

struct event {
    uint64_t when, data;
};

struct ring_0_1 {
    struct event events[N];
    alignas(64) struct {
        uint64_t index, read_cache;
    } writer;
    alignas(64) struct {
        uint64_t index, write_cache;
    } reader;
};

struct ring_0_2 {
    struct event events[N];
    alignas(128) struct {
        uint64_t index, read_cache;
    } writer;
    alignas(128) struct {
        uint64_t index, write_cache;
    } reader;
};

static struct gem {
    bool is_0_2;
    char name[64];
    int fd;
    size_t bytes;
    void *memory;
    struct event *events;
    uint64_t *write_index, *read_index, read_cache;
    pid_t visualizer;
} gem;

static uint64_t n_written;

static void give_up(const char *why)
{
    fprintf(stderr, "rrtrace_writer: %s\n", why);
    exit(3);
}

static bool has_visualizer(void)
{
    return !gem.visualizer || waitpid(gem.visualizer, NULL, WNOHANG) == 0;
}

static void wait_for_reader(uint64_t least)
{
    for (time_t deadline = time(NULL) + NEVER_ENDS;;) {
        gem.read_cache = __atomic_load_n(gem.read_index, __ATOMIC_ACQUIRE);
        if (gem.read_cache >= least)
            return;
        if (time(NULL) > deadline || !has_visualizer())
            give_up("the ring is not read");
        usleep(100);
    }
}

static void push(uint64_t kind, uint64_t data)
{
    uint64_t head = *gem.write_index;
    if (head - gem.read_cache >= N)
        wait_for_reader(head - N + 1);
    gem.events[head % N].when = kind << 60 | 1000 * ++n_written;
    gem.events[head % N].data = data;
    __atomic_store_n(gem.write_index, head + 1, __ATOMIC_RELEASE);
}

static void recurse(uint64_t method, int depth)
{
    push(0, method);
    if (depth > 1)
        recurse(method, depth - 1);
    push(1, method);
}

static void start(char *visualizer)
{
    gem.bytes = gem.is_0_2 ? sizeof(struct ring_0_2) : sizeof(struct ring_0_1);
    snprintf(gem.name, sizeof gem.name, "/rrtrace_shm_%d_%d", (int)getpid(), 1);
    gem.fd = shm_open(gem.name, O_CREAT | O_RDWR, 0600);
    if (gem.fd < 0 || ftruncate(gem.fd, (off_t)gem.bytes) != 0)
        give_up("no shared memory");
    gem.memory = mmap(NULL, gem.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, gem.fd, 0);
    if (gem.memory == MAP_FAILED)
        give_up("no shared memory");
    struct ring_0_1 *old = gem.memory;
    struct ring_0_2 *new = gem.memory;
    gem.events = gem.is_0_2 ? new->events : old->events;
    gem.write_index = gem.is_0_2 ? &new->writer.index : &old->writer.index;
    gem.read_index = gem.is_0_2 ? &new->reader.index : &old->reader.index;
    extern char **environ;
    if (visualizer &&
        posix_spawn(&gem.visualizer, visualizer, NULL, NULL, (char *[]){visualizer, gem.name, NULL}, environ) != 0)
        give_up("no visualizer");
}

/* Version 0.2 does so at the end of every process with the gem, even a forked child. */
static void stop(void)
{
    munmap(gem.memory, gem.bytes);
    close(gem.fd);
    shm_unlink(gem.name);
    if (!gem.visualizer)
        return;
    kill(gem.visualizer, SIGTERM);
    waitpid(gem.visualizer, NULL, 0);
}

static void fork_and_stop(bool fills_ring)
{
    const uint64_t before = *gem.write_index;
    if (fills_ring) {
        wait_for_reader(n_written); /* the visualizer has opened the memory, whose name the child removes */
        kill(gem.visualizer, SIGSTOP);
        waitpid(gem.visualizer, NULL, WUNTRACED); /* until none of its threads reads any more */
    }
    pid_t child = fork();
    if (child == 0) {
        while (fills_ring && *gem.write_index - __atomic_load_n(gem.read_index, __ATOMIC_ACQUIRE) < N)
            push(7, 0);
        stop();
        _exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        give_up("no child");
    n_written += *gem.write_index - before;
    kill(gem.visualizer, SIGCONT);
}

/* As Ruby 3.3 does: of thread 2, another Ractor's, states are written and no calls. All of 14 is thread 0's. */
static void run_beside_ractor(void)
{
    push(4, 2);
    push(7, 2);
    recurse(14, 1); /* both run */
    push(6, 2);
    push(6, 0);
    push(7, 2);
    push(7, 0);
    recurse(14, 1); /* again */
    push(6, 2);
    push(8, 2);
    recurse(14, 1);
}

/* As many methods as a web application has, each between the others. */
static void call_many(void)
{
    for (uint64_t i = 0; i < 2 * N_MANY; i++)
        recurse(1000 + i % N_MANY, 1);
}

static void run(unsigned long n_rounds, bool fills_ring)
{
    push(1, 99); /* of a call before the gem began */
    for (unsigned long i = 0; i < n_rounds; i++) {
        push(7, 0);
        recurse(11, 4);
        push(1, 98);
        push(2, 0);
        push(3, 0);
        push(6, 0);
        push(7, 1);
        push(0, 12);
        push(0, 13); /* left by an exception: no return is written */
        push(1, 12);
        push(6, 1);
        if (i == n_rounds / 2 && gem.is_0_2 && gem.visualizer)
            fork_and_stop(fills_ring);
    }
    push(7, 0);
    call_many();
    recurse(14, 1);
    run_beside_ractor();
}

int main(int argc, char **argv)
{
    gem.is_0_2 = argc > 1 && strcmp(argv[1], "0.2") == 0;
    unsigned long n_rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    start(argc > 3 ? argv[3] : NULL);
    printf("%s\n", gem.name);
    fflush(stdout);
    run(n_rounds, argc > 4 && strcmp(argv[4], "full") == 0);
    if (gem.is_0_2 && gem.visualizer)
        stop();
    else
        wait_for_reader(n_written);
    printf("#11: %lu\n#12: %lu\n#13: %lu\n#14: 4\n", 4 * n_rounds, n_rounds, n_rounds);
    printf("events: %llu\nreturns alone: %lu\n", (unsigned long long)n_written, n_rounds + 1);
    return 0;
}

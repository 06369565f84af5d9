/*
 * Writes into shared memory laid out as the rrtrace gem's ring: two threads' recursive calls, a collection, a method
 * whose return is never told. Waits for room as the gem does. argv[1]: how many rounds. Prints the name of the memory,
 * then, at the end, the counts that a report must give.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { N = 65536 };

static struct {
    struct {
        uint64_t when, data;
    } events[N];
    uint64_t write_index, writers[7], read_index, readers[7];
} * ring;

static uint64_t n_written;

static void push(uint64_t kind, uint64_t data)
{
    uint64_t head = ring->write_index;
    for (time_t deadline = time(NULL) + 60; head - __atomic_load_n(&ring->read_index, __ATOMIC_ACQUIRE) >= N;) {
        if (time(NULL) > deadline)
            exit(3);
        usleep(100);
    }
    ring->events[head % N].when = kind << 60 | 1000 * ++n_written;
    ring->events[head % N].data = data;
    __atomic_store_n(&ring->write_index, head + 1, __ATOMIC_RELEASE);
}

static void recurse(uint64_t method, int depth)
{
    push(0, method);
    if (depth > 1)
        recurse(method, depth - 1);
    push(1, method);
}

int main(int argc, char **argv)
{
    unsigned long n_rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    char name[64];
    snprintf(name, sizeof name, "/rrtrace_shm_%d_%d", (int)getpid(), 1);
    int fd = shm_open(name, O_CREAT | O_RDWR, 0600);
    if (fd < 0 || ftruncate(fd, sizeof *ring) != 0)
        return 2;
    ring = mmap(NULL, sizeof *ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (ring == MAP_FAILED)
        return 2;
    printf("%s\n", name);
    fflush(stdout);
    push(1, 99); /* of a call before the gem began */
    for (unsigned long i = 0; i < n_rounds; i++) {
        push(7, 0);
        recurse(11, 4);
        push(2, 0);
        push(3, 0);
        push(6, 0);
        push(7, 1);
        push(0, 12);
        push(0, 13); /* left by an exception: no return is told */
        push(1, 12);
        push(6, 1);
    }
    for (time_t deadline = time(NULL) + 60;
         __atomic_load_n(&ring->read_index, __ATOMIC_ACQUIRE) != ring->write_index;) {
        if (time(NULL) > deadline)
            return 3;
        usleep(1000);
    }
    printf("method 11: %lu\nmethod 12: %lu\nmethod 13: %lu\n", 4 * n_rounds, n_rounds, n_rounds);
    return 0;
}

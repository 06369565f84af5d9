/*
 * filtered: four threads that do rounds as stdin says; a round is one call of work, a hundred of tiny and three of other.
 *
 *     N   N rounds in each thread, then "done N"
 *     f   goes on in a forked process, after "forked"
 *     ?   "tiny 0" where tiny's code is as in the program's file, else "tiny 1"
 *
 * At its end it says "wrong 0" where all results were right.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 4
#define N_TINY 100u
#define TINY_BYTES 5
#define KEPT __attribute__((noipa))

static pthread_barrier_t begin, end;
static unsigned n_rounds;
static unsigned long n_wrong;

KEPT static uint32_t tiny(uint32_t x)
{
    return x * 2654435761u + 1;
}

KEPT static uint32_t other(uint32_t x)
{
    for (unsigned i = 0; i < 20; i++)
        x ^= x << 13 ^ x >> 7;
    return x;
}

KEPT static uint32_t work(uint32_t x)
{
    for (unsigned i = 0; i < N_TINY; i++)
        x = tiny(x);
    return other(other(other(x)));
}

static uint32_t expected(uint32_t x)
{
    for (unsigned i = 0; i < N_TINY; i++)
        x = x * 2654435761u + 1;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < 20; i++)
            x ^= x << 13 ^ x >> 7;
    return x;
}

__attribute__((no_instrument_function)) static void *run(void *number)
{
    for (;;) {
        pthread_barrier_wait(&begin);
        if (!n_rounds)
            return NULL;
        for (unsigned i = 0; i < n_rounds; i++) {
            const uint32_t x = (uint32_t)(uintptr_t)number + i;
            if (work(x) != expected(x))
                __atomic_fetch_add(&n_wrong, 1, __ATOMIC_RELAXED);
        }
        pthread_barrier_wait(&end);
    }
}

static int find_bias(struct dl_phdr_info *info, size_t n_bytes, void *bias)
{
    (void)n_bytes;
    *(uint64_t *)bias = info->dlpi_addr;
    return 1;
}

/* Compares the code of tiny with that in the file, whose offset its segment has. */
static int is_changed(void)
{
    struct stat status;
    uint64_t bias = 0;
    int fd = open("/proc/self/exe", O_RDONLY), is = -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        return -1;
    const uint8_t *file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Ehdr *header = (const void *)file;
    const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
    dl_iterate_phdr(find_bias, &bias);
    const uint64_t address = (uint64_t)(uintptr_t)tiny - bias;
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && address - segments[i].p_vaddr < segments[i].p_filesz)
            is = memcmp(file + segments[i].p_offset + (address - segments[i].p_vaddr), (const void *)(uintptr_t)tiny,
                        2 * TINY_BYTES) != 0;
    munmap((void *)(uintptr_t)file, (size_t)status.st_size);
    close(fd);
    return is;
}

static pthread_t threads[N_THREADS];

static void begin_threads(void)
{
    pthread_barrier_init(&begin, NULL, N_THREADS + 1);
    pthread_barrier_init(&end, NULL, N_THREADS + 1);
    for (uintptr_t i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
}

/* The parent ends with its child. */
static void go_on_in_child(void)
{
    int status;
    const pid_t child = fork();
    if (child)
        _exit(child < 0 || waitpid(child, &status, 0) != child || status != 0);
    begin_threads();
}

int main(void)
{
    char line[64];
    begin_threads();
    printf("running\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        n_rounds = (unsigned)atoi(line);
        if (n_rounds) {
            pthread_barrier_wait(&begin);
            pthread_barrier_wait(&end);
            printf("done %u\n", n_rounds);
        } else if (*line == 'f') {
            go_on_in_child();
            printf("forked\n");
        } else {
            printf("tiny %d\n", is_changed());
        }
        fflush(stdout);
    }
    n_rounds = 0;
    pthread_barrier_wait(&begin);
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("wrong %lu\n", n_wrong);
    return 0;
}

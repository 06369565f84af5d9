/*
 * open_calls: when it is attached to, calls are open on two threads. One counts and calls nothing, the other waits for a
 * line of input; "r" has both return, and both are called again. At the end of its input it ends.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "count.h"

static unsigned n_lines; /* [atomic] */
static bool has_ended;   /* [atomic] */
static volatile uint64_t rounds;

/* Room of a size that is not known, so that the frame is found by a register other than the stack pointer. */
KEPT static uint64_t count_until(unsigned line, size_t n_bytes)
{
    volatile char room[n_bytes];
    room[0] = 1;
    while (__atomic_load_n(&n_lines, __ATOMIC_SEQ_CST) < line)
        rounds += (uint64_t)room[0];
    return rounds;
}

KEPT static uint64_t count_twice(unsigned line)
{
    const uint64_t n = count_until(line, line % 64 + 1);
    return n + (rounds == 0);
}

KEPT static bool await_line(void)
{
    char line;
    const bool is_there = read(STDIN_FILENO, &line, 1) == 1;
    if (!is_there)
        __atomic_store_n(&has_ended, true, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&n_lines, 1, __ATOMIC_SEQ_CST);
    return is_there;
}

KEPT static void *read_all(void *unused)
{
    while (await_line())
        ;
    return unused;
}

int main(void)
{
    pthread_t reader;
    uint64_t n = 0;
    if (pthread_create(&reader, NULL, read_all, NULL) != 0)
        return 1;
    puts("running");
    fflush(stdout);
    for (unsigned line = 1; !__atomic_load_n(&has_ended, __ATOMIC_SEQ_CST); line++)
        n += count_twice(line);
    pthread_join(reader, NULL);
    puts("ended");
    return n == 0;
}

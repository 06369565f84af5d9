/* phases: calls a function in a loop until it is no longer traced, then not at all until it is traced again. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define KEPT __attribute__((noipa))
#define JUMP 0xe9
#define MOST_S 60 /* of its own time */

KEPT static uint32_t hot(uint32_t x)
{
    for (unsigned i = 0; i < 3; i++)
        x ^= x << 13 ^ x >> 7;
    return x;
}

KEPT static uint32_t cool(uint32_t x)
{
    for (unsigned i = 0; i < 100000; i++)
        x ^= x << 13 ^ x >> 7;
    return x;
}

static int is_hot_traced(void)
{
    return *(const volatile unsigned char *)(uintptr_t)hot == JUMP;
}

static int is_time(void)
{
    return clock() / CLOCKS_PER_SEC < MOST_S;
}

int main(void)
{
    uint32_t x = 1;
    while (is_hot_traced() && is_time())
        for (unsigned i = 0; i < 10000; i++)
            x = hot(x);
    while (!is_hot_traced() && is_time())
        x = cool(x);
    for (unsigned i = 0; i < 7; i++)
        x = hot(x);
    printf("%s %d\n", is_hot_traced() ? "traced again" : "not traced", x == 0);
    return 0;
}

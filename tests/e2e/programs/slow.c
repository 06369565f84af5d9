/* slow: many short calls for a while, one that takes 60 ms among them, and many more after it. */
#include <stdint.h>
#include <time.h>

__attribute__((noinline)) static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) static unsigned quick(unsigned n)
{
    for (unsigned i = 0; i < 300; i++)
        __asm__ volatile("" : "+r"(n));
    return n + 1;
}

__attribute__((noinline)) static unsigned spin(uint64_t ns)
{
    unsigned n = 0;
    for (uint64_t end_ns = now_ns() + ns; now_ns() < end_ns;)
        for (unsigned i = 0; i < 1000; i++)
            n = quick(n);
    return n;
}

__attribute__((noinline)) static void dawdle(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
    __asm__ volatile("");
}

int main(void)
{
    unsigned n = spin(1000000000);
    dawdle();
    return spin(1200000000) + n == 0;
}

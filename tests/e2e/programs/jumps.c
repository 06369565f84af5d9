/*
 * jumps [TENTHS]: a timer's handler leaves by siglongjmp from anywhere, inside hooks too;
 * some jumps are short, some leave a deep recursion. Counts only calls after the last jump.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "count.h"

DEFINE_COUNT(finish)

static sigjmp_buf way_out;
static volatile sig_atomic_t is_open;
static uint64_t end_ns;

QUIET static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

KEPT static unsigned leaf(unsigned i)
{
    return i ^ 9;
}

KEPT static unsigned dive(unsigned depth)
{
    volatile char room[200];
    room[depth % sizeof room] = (char)depth;
    return depth == 0 ? leaf(3) : (unsigned)room[depth % sizeof room] + dive(depth - 1) + leaf(depth);
}

static void handle(int signal_number)
{
    leaf((unsigned)signal_number);
    if (is_open) {
        is_open = 0;
        siglongjmp(way_out, 1);
    }
}

KEPT static unsigned attempt(unsigned depth)
{
    if (sigsetjmp(way_out, 1) != 0)
        return leaf(1);
    is_open = 1;
    unsigned sum = 0;
    for (unsigned i = 0; i < 10; i++)
        sum += dive(depth);
    is_open = 0;
    return sum;
}

KEPT static unsigned finish(unsigned i)
{
    COUNTED(finish);
    return leaf(i);
}

QUIET int main(int argc, char **argv)
{
    struct itimerval interval = {{0, 70}, {0, 70}}, none = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = handle};
    unsigned sum = 0;
    end_ns = now_ns() + (argc > 1 ? (unsigned)atoi(argv[1]) : 5) * 100000000ull;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &interval, NULL);
    for (unsigned i = 0; now_ns() < end_ns; i++)
        sum += attempt(i % 8 ? 5 : 1000);
    setitimer(ITIMER_REAL, &none, NULL);
    signal(SIGALRM, SIG_IGN);
    for (unsigned i = 0; i < 100000; i++)
        sum += finish(i);
    REPORT_COUNT(finish);
    return sum == 1;
}

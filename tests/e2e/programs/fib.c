/* fib N: recursive Fibonacci numbers. */
#include <stdlib.h>

#include "count.h"

DEFINE_COUNT(fib);

KEPT static uint64_t fib(unsigned n)
{
    COUNTED(fib);
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

QUIET int main(int argc, char **argv)
{
    uint64_t value = fib(argc > 1 ? (unsigned)atoi(argv[1]) : 27);
    REPORT_COUNT(fib);
    return value == 0;
}

/* allocas: functions whose stack pointer moves by alloca. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"

DEFINE_COUNT(leaf)
DEFINE_COUNT(with_alloca)
DEFINE_COUNT(with_array)
DEFINE_COUNT(with_block)
DEFINE_COUNT(many_arguments)

KEPT static unsigned leaf(const char *room)
{
    COUNTED(leaf);
    return (unsigned char)room[0];
}

KEPT static unsigned with_alloca(unsigned n)
{
    COUNTED(with_alloca);
    char *room = alloca(n);
    memset(room, 1, n);
    return leaf(room);
}

KEPT static unsigned with_array(unsigned n)
{
    COUNTED(with_array);
    char room[n];
    memset(room, 1, n);
    return leaf(room) + (n > 100 ? with_alloca(n / 2) : 0);
}

KEPT static unsigned with_block(unsigned n)
{
    COUNTED(with_block);
    unsigned sum = leaf("a");
    for (unsigned i = 1; i < 4; i++) {
        char room[n * i];
        memset(room, 1, n);
        sum += leaf(room);
    }
    return sum;
}

KEPT static unsigned many_arguments(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g,
                                    unsigned h, unsigned i)
{
    COUNTED(many_arguments);
    return leaf("b") + a + b + c + d + e + f + g + h + i;
}

QUIET int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 5000, sum = 0;
    for (unsigned i = 1; i <= n; i++) {
        sum += with_alloca(i % 300 * 16 + 1) + with_array(i % 1000 + 1) + with_block(i % 50 + 1);
        sum += many_arguments(i, i, i, i, i, i, i, i, i);
    }
    REPORT_COUNT(leaf);
    REPORT_COUNT(with_alloca);
    REPORT_COUNT(with_array);
    REPORT_COUNT(with_block);
    REPORT_COUNT(many_arguments);
    return sum == 1;
}

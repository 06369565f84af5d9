/* siblings: built without -fno-optimize-sibling-calls, so that functions jump into their exit hook and into each other.
 */
#include <stdlib.h>

#include "count.h"

DEFINE_COUNT(last)
DEFINE_COUNT(wide)
DEFINE_COUNT(middle)
DEFINE_COUNT(outer)

static volatile unsigned sink;

KEPT static unsigned last(unsigned i)
{
    COUNTED(last);
    return i + sink;
}

KEPT static void wide(unsigned i)
{
    COUNTED(wide);
    volatile unsigned room[64];
    room[i % 64] = i;
    sink = room[i % 64] + last(i);
}

KEPT static unsigned middle(unsigned i)
{
    COUNTED(middle);
    wide(i);
    return last(i + 1);
}

KEPT static void outer(unsigned i)
{
    COUNTED(outer);
    sink += middle(i);
    wide(i);
}

QUIET int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 20000;
    for (unsigned i = 0; i < n; i++)
        outer(i);
    REPORT_COUNT(last);
    REPORT_COUNT(wide);
    REPORT_COUNT(middle);
    REPORT_COUNT(outer);
    return 0;
}

/* longjmps [N]: out of six frames, and out of a signal handler on an alternate stack, repeatedly. Ends with 1 where that
 * led elsewhere. */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "count.h"

DEFINE_COUNT(dive)
DEFINE_COUNT(round_trip)
DEFINE_COUNT(after)
DEFINE_COUNT(handle)

static jmp_buf way_out;
static sigjmp_buf signal_way_out;

KEPT static unsigned after(unsigned i)
{
    COUNTED(after);
    return i + 1;
}

KEPT static unsigned dive(unsigned depth, unsigned i)
{
    COUNTED(dive);
    if (depth == 6 && i % 3 == 0)
        longjmp(way_out, 1);
    if (depth == 6 && i % 3 == 1)
        raise(SIGUSR1);
    return depth == 6 ? i : dive(depth + 1, i) + after(depth);
}

static void handle(int signal_number)
{
    COUNTED(handle);
    after((unsigned)signal_number);
    siglongjmp(signal_way_out, 1);
}

KEPT static unsigned round_trip(unsigned i)
{
    COUNTED(round_trip);
    if (setjmp(way_out) == 0 && sigsetjmp(signal_way_out, 1) == 0)
        return dive(1, i);
    return after(i);
}

/* What round_trip(i) returns. */
QUIET static unsigned wanted(unsigned i)
{
    return i % 3 == 2 ? i + 20 : i + 1;
}

QUIET int main(int argc, char **argv)
{
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 30000, n_wrong = 0;
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned i = 0; i < n; i++)
        n_wrong += round_trip(i) != wanted(i);
    REPORT_COUNT(dive);
    REPORT_COUNT(round_trip);
    REPORT_COUNT(after);
    REPORT_COUNT(handle);
    return n_wrong != 0;
}

// unwinds N: throws N exceptions, by libunwind where it is linked with that ahead of the compiler's own unwinder, and takes N
// backtraces by libunwind. Prints how many were not caught where they should be, and how many return addresses of its code
// each backtrace has.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define KEPT __attribute__((noinline, noipa))

extern "C" const char __executable_start, etext;

KEPT static int thrower(int left)
{
    if (left == 0)
        throw left;
    return thrower(left - 1) + 1;
}

KEPT static int catcher(int depth)
{
    try {
        return thrower(depth);
    } catch (int) {
        return 0;
    }
}

KEPT static int backtrace_of_own()
{
    void *addresses[256];
    int n_own = 0;
    for (int i = 0, n = unw_backtrace(addresses, 256); i < n; i++)
        n_own += addresses[i] >= &__executable_start && addresses[i] < &etext;
    return n_own;
}

KEPT static int descend(int left)
{
    const volatile int n_own = left ? descend(left - 1) : backtrace_of_own();
    return n_own;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    int n_wrong = 0, most = 0, least = 256;
    for (int i = 0; i < n; i++) {
        const int n_own = descend(20);
        n_wrong += catcher(20);
        most = n_own > most ? n_own : most;
        least = n_own < least ? n_own : least;
    }
    printf("wrong %d, addresses %d to %d\n", n_wrong, least, most);
    return 0;
}

/* Each file that includes it has a function of its own, all with one name, file and line. */
#ifndef RV_TESTS_E2E_NAMESAKES_H
#define RV_TESTS_E2E_NAMESAKES_H

#include <time.h>

int through_other_file(int n);

static int nested(int (*inner)(int), int n)
{
    const struct timespec rest = {.tv_nsec = 500000};
    if (inner)
        return inner(n) + 1;
    (void)nanosleep(&rest, NULL);
    return n;
}

#endif

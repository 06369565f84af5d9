#include "stress/expect.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned n_failures;

void expect(bool is_so, const char *what, uint64_t got, uint64_t wanted)
{
    if (is_so)
        return;
    printf("FAILED %s: %" PRIu64 ", expected %" PRIu64 "\n", what, got, wanted);
    n_failures++;
}

unsigned expect_n_failures(void)
{
    return n_failures;
}

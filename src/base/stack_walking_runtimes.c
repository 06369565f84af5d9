#include "base/stack_walking_runtimes.h"

#include <stdbool.h>
#include <string.h>

/* The texts stand here in two parts: ringviz itself is no such program. */
static bool holds(const char *bytes, size_t n, char first, const char *rest)
{
    const char *at = bytes, *end = bytes + n;
    while ((at = memmem(at, (size_t)(end - at), rest, strlen(rest))) && (at == bytes || at[-1] != first))
        at++;
    return at;
}

const char *rv_stack_walking_runtimes_find(const void *bytes, size_t n)
{
    static const struct {
        char first;
        const char *rest, *what;
    } WALKERS[] = {
        {'O', "CAMLRUNPARAM", "an OCaml program"},
        {'S', "BCL_HOME", "an SBCL program"},
        {'G', "UILE_LOAD_PATH", "a Guile program"},
        {'\xff', " Go buildinf:", "a Go program"},
    };
    for (size_t i = 0; i < sizeof WALKERS / sizeof *WALKERS; i++)
        if (holds(bytes, n, WALKERS[i].first, WALKERS[i].rest))
            return WALKERS[i].what;
    return NULL;
}

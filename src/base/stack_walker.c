#include "base/stack_walker.h"

#include <string.h>

const char *rv_stack_walker_find(const void *bytes, size_t n)
{
    static const struct {
        const char *text, *what;
    } WALKERS[] = {
        {"OCAMLRUNPARAM", "an OCaml program"},
        {"SBCL_HOME", "an SBCL program"},
        {"GUILE_LOAD_PATH", "a Guile program"},
        {"\xff Go buildinf:", "a Go program"},
    };
    for (size_t i = 0; i < sizeof WALKERS / sizeof *WALKERS; i++)
        if (memmem(bytes, n, WALKERS[i].text, strlen(WALKERS[i].text)))
            return WALKERS[i].what;
    return NULL;
}

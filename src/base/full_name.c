#include "base/full_name.h"

#include <stdio.h>
#include <string.h>

#include "ringviz/wire.h"

#define IN " in "

/* Bytes of a block's name before its method's. */
static size_t block_bytes(const char *name)
{
    const char *in = strstr(name, IN);
    return in ? (size_t)(in - name) + sizeof IN - 1 : 0;
}

int rv_full_name(char *out, size_t out_bytes, const char *package, const char *name, uint32_t line_form)
{
    const uint32_t form = rv_name_form(line_form);
    const size_t n_front = form & RV_NAME_BLOCK ? block_bytes(name) : 0;
    const char *joint = !*package ? "" : form & RV_NAME_HASH ? "#" : form & RV_NAME_DOT ? "." : "::";
    return snprintf(out, out_bytes, "%.*s%s%s%s", (int)n_front, name, package, joint, name + n_front);
}

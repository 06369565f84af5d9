#include "base/full_name.h"

#include <stdio.h>
#include <string.h>

#define IN " in "

/* Where the package goes: at a # or a . that joins it; NULL where the name has none. */
static const char *find_joint(const char *name)
{
    const char *in = strstr(name, IN), *at = in ? in + sizeof IN - 1 : name;
    return *at == '#' || *at == '.' ? at : NULL;
}

int rv_full_name(char *out, size_t out_bytes, const char *package, const char *name)
{
    const char *joint = *package ? find_joint(name) : NULL;
    if (joint)
        return snprintf(out, out_bytes, "%.*s%s%s", (int)(joint - name), name, package, joint);
    return snprintf(out, out_bytes, "%s%s%s", package, *package ? "::" : "", name);
}

#include "producers/native/planner.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "producers/native/patched_calls.h"
#include "ring/attachment.h"

typedef void *dlopen_fn(const char *path, int flags);

static char path[PATH_MAX];
static void *library;
static struct rv_planner planner = {.path = path};

/* Beside our own library. */
const struct rv_planner *rv_planner_find(void)
{
    Dl_info own;
    if (!dladdr((void *)(uintptr_t)rv_patched_enter, &own) ||
        strlen(own.dli_fname) >= sizeof path - sizeof RV_ATTACHMENT_PLANNER)
        return NULL;
    strcpy(path, own.dli_fname);
    char *slash = strrchr(path, '/');
    strcpy(slash ? slash + 1 : path, RV_ATTACHMENT_PLANNER);
    return &planner;
}

/* Not by our own dlopen, which would announce a library that is gone by the time of the first event. */
int rv_planner_load(void)
{
    dlopen_fn *load = library ? NULL : (dlopen_fn *)(uintptr_t)dlsym(RTLD_NEXT, "dlopen");
    if (load && (library = load(path, RTLD_NOW | RTLD_LOCAL))) {
        planner.prepare = (rv_patch_prepare_fn *)(uintptr_t)dlsym(library, RV_PATCH_PREPARE);
        planner.prepare_syscalls = (rv_patch_syscalls_fn *)(uintptr_t)dlsym(library, RV_PATCH_SYSCALLS);
    }
    return planner.prepare && planner.prepare_syscalls ? 0 : -ENOENT;
}

void rv_planner_unload(void)
{
    if (library)
        dlclose(library);
    library = NULL;
    planner.prepare = NULL;
    planner.prepare_syscalls = NULL;
}

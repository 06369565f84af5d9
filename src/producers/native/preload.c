/* Every process does this, those too that write no event: a shell, say, or chroot. */
#include "producers/native/preload.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exec.h"
#include "base/os_call.h"
#include "producers/native/process.h"
#include "ring/map.h"

static struct {
    struct rv_wire_header *header; /* NULL: nothing is counted */
    char library[PATH_MAX], trace[PATH_MAX];
} preload;

static bool copy(char to[PATH_MAX], const char *path)
{
    size_t n_bytes = strlen(path) + 1;
    if (path[0] != '/' || n_bytes > PATH_MAX)
        return false;
    memcpy(to, path, n_bytes);
    return true;
}

void rv_preload_start(void)
{
    Dl_info info;
    const char *path = rv_process_path();
    if (path && copy(preload.trace, path) && dladdr(&preload, &info) && copy(preload.library, info.dli_fname))
        preload.header = rv_map_open_header(path);
}

/* Is neither in another root or mount namespace? */
static bool are_files_here(void)
{
    return faccessat(AT_FDCWD, preload.library, R_OK, AT_EACCESS) == 0 &&
           (access(preload.trace, F_OK) == 0 || errno != ENOENT);
}

void rv_preload_expect(const char *path)
{
    int saved = errno;
    rv_os_begin_own();
    if (preload.header && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 &&
        (rv_exec_is_privileged(path) || !are_files_here()))
        __atomic_fetch_add(&preload.header->n_programs_not_preloaded, 1, __ATOMIC_RELAXED);
    rv_os_end_own();
    errno = saved;
}

void rv_preload_expect_command(const char *command)
{
    char path[PATH_MAX];
    int saved = errno;
    rv_os_begin_own();
    if (preload.header && rv_exec_find(command, path, sizeof path))
        rv_preload_expect(path);
    rv_os_end_own();
    errno = saved;
}

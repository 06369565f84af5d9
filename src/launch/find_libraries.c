/* Where our libraries and modules lie: beside the running binary, in the build tree as when installed, wherever that
 * was moved to. */
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* From the binary's folder. The build tree has the binary and the libraries in folders of their own. */
static const char *const FOLDERS[] = {
    ".",      "../lib/ringviz",       "../" RV_LAUNCH_LIBDIR "/ringviz", "../lib/" RV_LAUNCH_MULTIARCH "/ringviz",
    "../lib", "../" RV_LAUNCH_LIBDIR, "../lib/" RV_LAUNCH_MULTIARCH,     "../../lib",
};

/* It will be loaded into us or into the user's programs: not a file that a third party put there. */
static bool is_trusted(const char *path, uid_t binary_owner)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == 0 || status.st_uid == geteuid() || status.st_uid == binary_owner);
}

int rv_launch_find_file(const char *file_name, char *path, size_t path_bytes)
{
    char binary[PATH_MAX], candidate[2 * PATH_MAX], absolute[PATH_MAX];
    struct stat status;
    ssize_t n = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (n <= 0 || stat("/proc/self/exe", &status) != 0)
        return -ENOENT;
    binary[n] = '\0';
    *strrchr(binary, '/') = '\0';
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s/%s", binary, FOLDERS[i], file_name);
        if (is_trusted(candidate, status.st_uid) && realpath(candidate, absolute) && strlen(absolute) < path_bytes) {
            strcpy(path, absolute);
            return 0;
        }
    }
    return -ENOENT;
}

/*
 * Files that ringviz makes for itself: ringviz-UID-PID-RANDOM, in the first folder with room. A viewer that was killed
 * leaves its file behind; the next one removes it once no process can be using it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "ring/layout.h"
#include "ring/map.h"
#include "ring/process_liveness.h"
#include "ring/refused_processes.h"

enum { N_FOLDERS = 3 };

/* Allowance for the rest of the file: names, controls, processes. */
static const uint64_t BASE_BYTES = 8 << 20;

static void list_folders(const char *folders[N_FOLDERS])
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
    folders[0] = "/dev/shm";
    folders[1] = runtime && runtime[0] == '/' ? runtime : NULL;
    folders[2] = temporary && temporary[0] == '/' ? temporary : "/tmp";
}

static bool has_room(const char *folder, uint64_t n_bytes_wanted)
{
    struct statvfs status;
    if (access(folder, W_OK | X_OK) != 0 || statvfs(folder, &status) != 0)
        return false;
    return (uint64_t)status.f_bavail * status.f_frsize >= n_bytes_wanted + BASE_BYTES;
}

int rv_map_default_path(char *path, size_t path_bytes, uint64_t n_bytes_wanted)
{
    const char *folders[N_FOLDERS];
    list_folders(folders);
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
        return rv_err_sys("getrandom");
    for (unsigned i = 0; i < N_FOLDERS; i++) {
        if (!folders[i] || !has_room(folders[i], n_bytes_wanted))
            continue;
        int n = snprintf(path, path_bytes, "%s/ringviz-%u-%d-%016llx", folders[i], (unsigned)geteuid(), (int)getpid(),
                         (unsigned long long)random);
        return n >= 0 && (size_t)n < path_bytes ? 0
                                                : rv_err(ENAMETOOLONG, "%s: %s", folders[i], strerror(ENAMETOOLONG));
    }
    return rv_err(ENOSPC, "no room for %llu MiB of rings in /dev/shm, XDG_RUNTIME_DIR or the temporary directory",
                  (unsigned long long)(n_bytes_wanted >> 20));
}

void rv_map_give(const struct rv_map *map, uid_t user)
{
    if (geteuid() == 0 && user != 0 && fchown(map->fd, user, (gid_t)-1) != 0)
        rv_note("%s: cannot be given to user %u: %s", map->path, (unsigned)user, strerror(errno));
}

/* The pid in a private file's name, 0 when the name is not one of ours. */
static uint32_t creator_of(const char *name)
{
    unsigned uid, pid;
    unsigned long long random;
    int end = 0;
    if (sscanf(name, "ringviz-%9u-%9u-%16llx%n", &uid, &pid, &random, &end) != 3 || name[end] || uid != geteuid())
        return 0;
    return end >= 16 && strrchr(name, '-') == name + end - 17 ? pid : 0;
}

static bool is_in_use(int fd, const struct stat *status, uint32_t named_pid)
{
    struct rv_wire_header header;
    ssize_t n = pread(fd, &header, sizeof header, 0);
    if (n == 0 ||
        (n == (ssize_t)sizeof header && header.magic == 0)) /* creator was killed; its pid is in the file name */
        return kill((pid_t)named_pid, 0) == 0 || errno == EPERM;
    if (n != (ssize_t)sizeof header || rv_map_validate(&header, (uint64_t)status->st_size) != 0)
        return true; /* not one of our files in spite of its name */
    return rv_process_liveness_is_locked(fd, 0, header.n_rings + 3ull) ||
           rv_process_liveness_is_running(header.creator_pid, header.creator_start);
}

/* A companion file whose trace file is gone. */
static void remove_stale_refusals(int folder, const char *name)
{
    char trace_name[NAME_MAX + 1];
    const char *suffix = strstr(name, RV_REFUSED_PROCESSES_SUFFIX);
    if (!suffix || suffix[sizeof RV_REFUSED_PROCESSES_SUFFIX - 1])
        return;
    snprintf(trace_name, sizeof trace_name, "%.*s", (int)(suffix - name), name);
    if (creator_of(trace_name) && faccessat(folder, trace_name, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        (void)unlinkat(folder, name, 0);
}

static void remove_if_stale(int folder, const char *name)
{
    uint32_t pid = creator_of(name);
    remove_stale_refusals(folder, name);
    if (!pid)
        return;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (status.st_uid == geteuid() || geteuid() == 0) &&
        !is_in_use(fd, &status, pid) && unlinkat(folder, name, 0) == 0) {
        char refusals[NAME_MAX + 1];
        rv_note("removed %s, left behind by process %u", name, pid);
        if (snprintf(refusals, sizeof refusals, "%s" RV_REFUSED_PROCESSES_SUFFIX, name) < (int)sizeof refusals)
            (void)unlinkat(folder, refusals, 0);
    }
    close(fd);
}

void rv_map_remove_stale(void)
{
    const char *folders[N_FOLDERS];
    list_folders(folders);
    for (unsigned i = 0; i < N_FOLDERS; i++) {
        DIR *stream = folders[i] ? opendir(folders[i]) : NULL;
        for (struct dirent *entry; stream && (entry = readdir(stream));)
            remove_if_stale(dirfd(stream), entry->d_name);
        if (stream)
            closedir(stream);
    }
}

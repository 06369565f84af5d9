#include "source/remote.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

enum { PIECES_PER_CALL = 256, PAGE_BYTES = 4096 };

int rv_remote_read(pid_t pid, const struct rv_remote_piece *pieces, size_t n)
{
    struct iovec here[PIECES_PER_CALL], there[PIECES_PER_CALL];
    while (n > 0) {
        size_t n_now = n < PIECES_PER_CALL ? n : PIECES_PER_CALL;
        ssize_t n_bytes = 0;
        for (size_t i = 0; i < n_now; i++) {
            here[i] = (struct iovec){pieces[i].out, pieces[i].bytes};
            there[i] = (struct iovec){(void *)(uintptr_t)pieces[i].address, pieces[i].bytes};
            n_bytes += (ssize_t)pieces[i].bytes;
        }
        ssize_t n_read = process_vm_readv(pid, here, n_now, there, n_now, 0);
        if (n_read != n_bytes)
            return n_read < 0 ? -errno : -EFAULT;
        pieces += n_now;
        n -= n_now;
    }
    return 0;
}

bool rv_remote_get(pid_t pid, uint64_t address, void *out, size_t bytes)
{
    return rv_remote_read(pid, &(struct rv_remote_piece){address, out, bytes}, 1) == 0;
}

/* Page by page: the one behind the string may not be there. */
bool rv_remote_get_string(pid_t pid, uint64_t address, char *out, size_t out_bytes)
{
    size_t n = 0;
    while (n < out_bytes - 1) {
        size_t left = out_bytes - 1 - n, in_page = PAGE_BYTES - (size_t)((address + n) % PAGE_BYTES);
        size_t n_now = left < in_page ? left : in_page;
        if (!rv_remote_get(pid, address + n, out + n, n_now))
            break;
        if (memchr(out + n, '\0', n_now))
            return true;
        n += n_now;
    }
    out[n] = '\0';
    return n > 0;
}

/* ---- what is mapped ---- */

static bool is_program(pid_t pid, const char *path)
{
    char link[64], program[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t n = readlink(link, program, sizeof program - 1);
    if (n < 0)
        return false;
    program[n] = '\0';
    return strcmp(path, program) == 0;
}

static bool is_wanted(pid_t pid, const char *path, const char *prefix)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    return prefix ? strncmp(slash + 1, prefix, strlen(prefix)) == 0 : is_program(pid, path);
}

uint64_t rv_remote_module(pid_t pid, const char *prefix, char *path, size_t path_bytes)
{
    char name[64], *line = NULL;
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps)
        return 0;
    uint64_t found = 0;
    size_t capacity = 0;
    while (!found && getline(&line, &capacity, maps) > 0) {
        uint64_t start, offset;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %*s %n", &start, &offset, &at) < 2 || !at ||
            offset != 0 || !is_wanted(pid, line + at, prefix))
            continue;
        found = start;
        if (prefix)
            snprintf(path, path_bytes, "/proc/%d/root%s", pid, line + at);
        else
            snprintf(path, path_bytes, "/proc/%d/exe", pid);
    }
    free(line);
    fclose(maps);
    return found;
}

/* ---- threads ---- */

#ifdef __x86_64__
/* Seized: it is stopped without a signal that it or its parent could see. */
int rv_remote_thread_pointer(pid_t tid, uint64_t *pointer)
{
    struct user_regs_struct registers;
    int status, error = 0;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0)
        return -errno;
    if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 || waitpid(tid, &status, __WALL) != tid)
        error = -errno;
    else if (!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, tid, NULL, &registers) != 0)
        error = -ESRCH;
    else
        *pointer = registers.fs_base;
    int signal_number = error || status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
    ptrace(PTRACE_DETACH, tid, NULL, signal_number); /* a signal that came first goes on its way */
    return error;
}
#else
int rv_remote_thread_pointer(pid_t tid, uint64_t *pointer)
{
    (void)tid, (void)pointer;
    return -ENOTSUP;
}
#endif

size_t rv_remote_threads(pid_t pid, pid_t *tids, size_t max)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/task", pid);
    DIR *folder = opendir(name);
    if (!folder)
        return 0;
    size_t n = 0;
    for (struct dirent *entry; n < max && (entry = readdir(folder));)
        if (*entry->d_name >= '0' && *entry->d_name <= '9')
            tids[n++] = (pid_t)strtol(entry->d_name, NULL, 10);
    closedir(folder);
    return n;
}

void rv_remote_thread_name(pid_t pid, pid_t tid, char *name, size_t name_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", pid, tid);
    *name = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(name, (int)name_bytes, file))
        *name = '\0';
    name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

#include "import/process_memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mappings.h"

enum { PIECES_PER_CALL = 256, PAGE_BYTES = 4096 };

int rv_process_memory_read(pid_t pid, const struct rv_process_memory_piece *pieces, size_t n)
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

bool rv_process_memory_get(pid_t pid, uint64_t address, void *out, size_t bytes)
{
    return rv_process_memory_read(pid, &(struct rv_process_memory_piece){address, out, bytes}, 1) == 0;
}

/* Page by page: the next one may not be mapped. */
bool rv_process_memory_get_string(pid_t pid, uint64_t address, char *out, size_t out_bytes)
{
    size_t n = 0;
    while (n < out_bytes - 1) {
        size_t left = out_bytes - 1 - n, in_page = PAGE_BYTES - (size_t)((address + n) % PAGE_BYTES);
        size_t n_now = left < in_page ? left : in_page;
        if (!rv_process_memory_get(pid, address + n, out + n, n_now))
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

uint64_t rv_process_memory_module(pid_t pid, const char *prefix, char *path, size_t path_bytes)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    uint64_t found = 0;
    if (rv_mappings_open(&mappings, pid) != 0)
        return 0;
    while (!found && rv_mappings_next(&mappings, &mapping))
        if (mapping.offset == 0 && is_wanted(pid, mapping.path, prefix)) {
            found = mapping.start;
            if (prefix)
                snprintf(path, path_bytes, "/proc/%d/root%s", pid, mapping.path);
            else
                snprintf(path, path_bytes, "/proc/%d/exe", pid);
        }
    rv_mappings_close(&mappings);
    return found;
}

/* ---- processes ---- */

static size_t read_numbers(const char *path, pid_t *pids, size_t n, size_t max)
{
    FILE *file = fopen(path, "re");
    int pid;
    while (file && n < max && fscanf(file, "%d", &pid) == 1)
        pids[n++] = pid;
    if (file)
        fclose(file);
    return n;
}

/* Each thread has its own list of children. */
size_t rv_process_memory_children(pid_t pid, pid_t *pids, size_t max)
{
    char path[64];
    size_t n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (*entry->d_name < '0' || *entry->d_name > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, atoi(entry->d_name));
        n = read_numbers(path, pids, n, max);
    }
    if (folder)
        closedir(folder);
    return n;
}

/* Field 28 of /proc/PID/stat; the command's name, which may hold anything, ends with the last parenthesis. */
static uint64_t stack_start(pid_t pid)
{
    enum { BEHIND_NAME = 26 };
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    const char *at = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    for (int i = 0; at && i < BEHIND_NAME; i++)
        at = strchr(at + 1, ' ');
    if (file)
        fclose(file);
    return at ? strtoull(at, NULL, 10) : 0;
}

void rv_process_memory_program(pid_t pid, struct rv_process_memory_program *program)
{
    char path[64];
    struct stat status;
    *program = (struct rv_process_memory_program){0};
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    if (stat(path, &status) == 0)
        *program = (struct rv_process_memory_program){status.st_dev, status.st_ino, stack_start(pid)};
}

bool rv_process_memory_is_same_program(const struct rv_process_memory_program *one,
                                       const struct rv_process_memory_program *other)
{
    return one->device == other->device && one->inode == other->inode && one->stack_start == other->stack_start;
}

/* "running", or numbers of which the last but one is the stack pointer. Mappings begin well below the stack. */
int rv_process_memory_is_on_first_stack(pid_t pid, const struct rv_process_memory_program *program)
{
    enum { STACK_LEAST_GAP = 128 << 20 };
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/syscall", pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return -EAGAIN;
    if (!fgets(text, sizeof text, file))
        *text = '\0';
    fclose(file);
    char *last = strrchr(text, ' ');
    if (!last)
        return -EAGAIN;
    *last = '\0';
    char *pointer = strrchr(text, ' ');
    uint64_t address = pointer ? strtoull(pointer + 1, NULL, 16) : 0;
    if (!address)
        return -EAGAIN;
    return address <= program->stack_start && program->stack_start - address < STACK_LEAST_GAP;
}

void rv_process_memory_thread_name(pid_t pid, pid_t tid, char *name, size_t name_bytes)
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

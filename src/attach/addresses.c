#include "attach/addresses.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mappings.h"
#include "symbols/elf.h"

#define VARIABLE_BYTES 8192u /* of _rtld_global, which has 4,336 in glibc 2.36 */
#define MOST_NAMESPACES 16u
#define N(array) (sizeof(array) / sizeof *(array))

/* The first mapping whose path fits. */
static uint64_t find(pid_t pid, const char *name, bool (*fits)(const char *path, const char *name), char file[PATH_MAX])
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    uint64_t start = 0;
    if (rv_mappings_open(&mappings, pid) != 0)
        return 0;
    while (!start && rv_mappings_next(&mappings, &mapping))
        if (*mapping.path == '/' && fits(mapping.path, name)) {
            start = mapping.start;
            snprintf(file, PATH_MAX, "%s", mapping.path);
        }
    rv_mappings_close(&mappings);
    return start;
}

static bool is_path(const char *path, const char *name)
{
    return strcmp(path, name) == 0;
}

static bool has_prefix(const char *path, const char *name)
{
    return strncmp(strrchr(path, '/') + 1, name, strlen(name)) == 0;
}

uint64_t rv_addresses_file(pid_t pid, const char *path)
{
    char file[PATH_MAX];
    return find(pid, path, is_path, file);
}

/* What a library exports by a name; prefix: of its file's name. 0: nothing. */
static uint64_t find_export(pid_t pid, const char *prefix, const char *name,
                            bool (*look)(const struct rv_elf *elf, const char *name, uint64_t *address))
{
    char file[PATH_MAX], path[PATH_MAX + 32];
    uint64_t address = 0;
    const uint64_t base = find(pid, prefix, has_prefix, file);
    if (!base)
        return 0;
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, file);
    struct rv_elf *elf = rv_elf_open(path, &(struct rv_elf_identity){0});
    const bool is_there = elf && look(elf, name, &address);
    rv_elf_close(elf);
    return is_there ? base + address : 0;
}

uint64_t rv_addresses_dlopen(pid_t pid)
{
    static const char *const FILES[] = {"libc.so.6", "libc-2."}, *const NAMES[] = {"dlopen", "__libc_dlopen_mode"};
    uint64_t address = 0;
    for (size_t i = 0; !address && i < N(FILES) * N(NAMES); i++)
        address = find_export(pid, FILES[i / N(NAMES)], NAMES[i % N(NAMES)], rv_elf_exported_function);
    return address;
}

static bool is_recursive_mutex(const uint8_t *bytes)
{
    pthread_mutex_t mutex;
    memcpy(&mutex, bytes, sizeof mutex);
    return mutex.__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP && !mutex.__data.__list.__prev &&
           !mutex.__data.__list.__next && (unsigned)mutex.__data.__lock <= 2;
}

static bool is_loader_lock(const uint8_t *bytes)
{
    uint64_t n_namespaces;
    memcpy(&n_namespaces, bytes - sizeof n_namespaces, sizeof n_namespaces);
    return n_namespaces && n_namespaces <= MOST_NAMESPACES && is_recursive_mutex(bytes) &&
           is_recursive_mutex(bytes + sizeof(pthread_mutex_t));
}

uint64_t rv_addresses_loader_lock(const struct rv_tracee *tracee)
{
    uint8_t bytes[VARIABLE_BYTES];
    size_t n = 0, at = sizeof(uint64_t);
    const uint64_t variable = find_export(tracee->pid, "ld-", "_rtld_global", rv_elf_variable);
    while (variable && n < sizeof bytes && rv_tracee_read(tracee, variable + n, bytes + n, sizeof(uint64_t)) == 0)
        n += sizeof(uint64_t);
    while (at + 2 * sizeof(pthread_mutex_t) <= n && !is_loader_lock(bytes + at))
        at += sizeof(uint64_t);
    return at + 2 * sizeof(pthread_mutex_t) <= n ? variable + at : 0;
}

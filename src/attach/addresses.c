#include "attach/addresses.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mappings.h"
#include "symbols/elf_symbols.h"

#define VARIABLE_BYTES 8192u /* of _rtld_global, which has 4,336 in glibc 2.36 */
#define MOST_NAMESPACES 16u
#define MOST_OBJECTS 1024u
#define N(array) (sizeof(array) / sizeof *(array))

struct bases { /* of the program's own objects */
    uint64_t bases[MOST_OBJECTS];
    size_t n; /* 0: not known */
};

/* own NULL, or not known: any object may be meant. */
static bool has_base(const struct bases *own, uint64_t base)
{
    bool has = !own || !own->n;
    for (size_t i = 0; !has && i < own->n; i++)
        has = own->bases[i] == base;
    return has;
}

/* The first mapping whose path fits. */
static uint64_t find(pid_t pid, const char *name, bool (*fits)(const char *path, const char *name),
                     const struct bases *own, char file[PATH_MAX])
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    uint64_t start = 0;
    if (rv_mappings_open(&mappings, pid) != 0)
        return 0;
    while (!start && rv_mappings_next(&mappings, &mapping))
        if (*mapping.path == '/' && fits(mapping.path, name) && has_base(own, mapping.start)) {
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
    return find(pid, path, is_path, NULL, file);
}

/* What a library exports by a name; prefix: of its file's name. 0: nothing. */
static uint64_t find_export(pid_t pid, const char *prefix, const char *name,
                            bool (*look)(const struct rv_elf *elf, const char *name, uint64_t *address),
                            const struct bases *own)
{
    char file[PATH_MAX], path[PATH_MAX + 32];
    uint64_t address = 0;
    const uint64_t base = find(pid, prefix, has_prefix, own, file);
    if (!base)
        return 0;
    if (!rv_mappings_link_deleted(pid, base, path))
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, file);
    struct rv_elf *elf = rv_elf_open(path, &(struct rv_elf_identity){0});
    const bool is_there = elf && look(elf, name, &address);
    rv_elf_close(elf);
    return is_there ? base + address : 0;
}

/* From the list that the loader keeps for debuggers: dlmopen's copies of a library are in others. */
static void read_bases(const struct rv_ptrace *tracee, struct bases *own)
{
    struct r_debug debug;
    struct link_map object = {0};
    const uint64_t list = find_export(tracee->pid, "ld-", "_r_debug", rv_elf_variable, NULL);
    if (list && rv_ptrace_read(tracee, list, &debug, sizeof debug) == 0)
        object.l_next = debug.r_map;
    while (object.l_next && own->n < MOST_OBJECTS &&
           rv_ptrace_read(tracee, (uint64_t)(uintptr_t)object.l_next, &object, sizeof object) == 0)
        own->bases[own->n++] = object.l_addr;
}

uint64_t rv_addresses_dlopen(const struct rv_ptrace *tracee)
{
    static const char *const FILES[] = {"libc.so.6", "libc-2."}, *const NAMES[] = {"dlopen", "__libc_dlopen_mode"};
    struct bases own = {.n = 0};
    uint64_t address = 0;
    read_bases(tracee, &own);
    for (size_t i = 0; !address && i < N(FILES) * N(NAMES); i++)
        address = find_export(tracee->pid, FILES[i / N(NAMES)], NAMES[i % N(NAMES)], rv_elf_exported_function, &own);
    return address;
}

/* Behind what a signal handler returns to: mov $SYS_rt_sigreturn, %rax; syscall */
static const uint8_t RESTORER[] = {0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05};

static uint64_t find_restorer(const struct rv_ptrace *tracee, uint64_t start, uint64_t end)
{
    uint8_t code[64 << 10];
    for (uint64_t at = start; at < end; at += sizeof code - sizeof RESTORER) {
        const size_t n = end - at < sizeof code ? (size_t)(end - at) : sizeof code;
        const uint8_t *found =
            rv_ptrace_read(tracee, at, code, n) == 0 ? memmem(code, n, RESTORER, sizeof RESTORER) : NULL;
        if (found)
            return at + (uint64_t)(found - code);
    }
    return 0;
}

uint64_t rv_addresses_restorer(const struct rv_ptrace *tracee)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    struct bases own = {.n = 0};
    uint64_t found = 0, base = 0;
    read_bases(tracee, &own);
    if (rv_mappings_open(&mappings, tracee->pid) != 0)
        return 0;
    while (!found && rv_mappings_next(&mappings, &mapping)) {
        base = mapping.offset ? base : mapping.start;
        if (mapping.is_executable && strstr(mapping.path, "/libc") && has_base(&own, base))
            found = find_restorer(tracee, mapping.start, mapping.end);
    }
    rv_mappings_close(&mappings);
    return found;
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

uint64_t rv_addresses_loader_lock(const struct rv_ptrace *tracee)
{
    uint8_t bytes[VARIABLE_BYTES];
    size_t n = 0, at = sizeof(uint64_t);
    const uint64_t variable = find_export(tracee->pid, "ld-", "_rtld_global", rv_elf_variable, NULL);
    while (variable && n < sizeof bytes && rv_ptrace_read(tracee, variable + n, bytes + n, sizeof(uint64_t)) == 0)
        n += sizeof(uint64_t);
    while (at + 2 * sizeof(pthread_mutex_t) <= n && !is_loader_lock(bytes + at))
        at += sizeof(uint64_t);
    return at + 2 * sizeof(pthread_mutex_t) <= n ? variable + at : 0;
}

#include "producers/native/loaded_objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/own_syscalls.h"

#define N_NAMESPACES 16u
#define MOST_HEADERS 32u
#define HAS_NAMESPACES 2 /* r_version of glibc 2.35 and later */

/* volatile: a compiler that knows the size of _r_debug lets nobody read what follows it in later glibc. */
static const struct r_debug *first(void)
{
    const struct r_debug *volatile space = &_r_debug;
    return space;
}

/* The namespace after one; NULL: none, or they are not told. */
static const struct r_debug *next(const struct r_debug *space)
{
    return space->r_version >= HAS_NAMESPACES ? (const struct r_debug *)((const struct r_debug_extended *)space)->r_next
                                              : NULL;
}

bool rv_loaded_objects_are_changing(void)
{
    const struct r_debug *space = first();
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        if (space->r_state != RT_CONSISTENT)
            return true;
    return false;
}

bool rv_loaded_objects_have(uint64_t base, const char *name)
{
    const struct r_debug *space = first();
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map; map = map->l_next)
            if (map->l_addr == base && strcmp(map->l_name, name) == 0)
                return true;
    return false;
}

uint64_t rv_loaded_objects_sum(void)
{
    const struct r_debug *space = first();
    uint64_t sum = 0;
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map; map = map->l_next)
            sum += (uint64_t)(uintptr_t)map->l_ld * 0x9e3779b97f4a7c15u;
    return sum;
}

/* ---- the loader's lock ---- */

/* That of dl_iterate_phdr(), which is recursive; NULL: not known. */
static const pthread_mutex_t *lock;

/* How often this thread has taken it. */
static unsigned count_own(const pthread_mutex_t *mutex)
{
    const bool is_own = mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__lock &&
                        mutex->__data.__owner == (int)rv_os_own_tid();
    return is_own ? mutex->__data.__count : 0;
}

struct question {
    const pthread_mutex_t *mutex;
    unsigned n_within; /* how often it is taken within dl_iterate_phdr() */
};

static int count_within(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct question *question = context;
    (void)info;
    (void)n_bytes;
    question->n_within = count_own(question->mutex);
    return 1;
}

static bool is_taken_by_iterating(const pthread_mutex_t *mutex)
{
    struct question question = {.mutex = mutex};
    const unsigned n_before = count_own(mutex);
    dl_iterate_phdr(count_within, &question);
    return question.n_within == n_before + 1;
}

/* It is somewhere in the loader's variable, in each version of glibc elsewhere. */
__attribute__((constructor)) static void find_lock(void)
{
    Dl_info file;
    void *symbol = NULL;
    const uint8_t *variable = dlsym(RTLD_DEFAULT, "_rtld_global");
    if (!variable || !dladdr1(variable, &file, &symbol, RTLD_DL_SYMENT) || !symbol)
        return;
    const size_t n_bytes = ((const ElfW(Sym) *)symbol)->st_size;
    for (size_t at = 0; !lock && at + sizeof *lock <= n_bytes; at += sizeof(void *)) {
        const pthread_mutex_t *mutex = (const void *)(variable + at);
        if (mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP && is_taken_by_iterating(mutex))
            lock = mutex;
    }
}

/* Its owner is written down once it is taken, and crossed out before it is given back. */
bool rv_loaded_objects_can_be_read(void)
{
    return !lock || !__atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED) ||
           __atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED);
}

/* ---- the list ---- */

struct walk {
    rv_loaded_objects_fn *look;
    void *context;
    bool has_seen_others;
    bool are_changing;
};

/* A signal's handler may have interrupted dlclose(), whose thread has the lock: between its unmapping and the change of the
 * list. All of an object is unmapped at once. */
static bool is_gone(const struct walk *walk, const void *in_object)
{
    return walk->are_changing && !rv_os_is_readable(in_object);
}

/* From its file: of a namespace but the first nothing tells where they are mapped. False: it is not that file any more. */
static bool read_headers(const struct link_map *map, ElfW(Phdr) headers[MOST_HEADERS], ElfW(Half) * n)
{
    ElfW(Ehdr) header;
    bool is_dynamic = false;
    const int fd = open(map->l_name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_phentsize == sizeof *headers &&
        header.e_phnum <= MOST_HEADERS &&
        pread(fd, headers, header.e_phnum * sizeof *headers, (off_t)header.e_phoff) ==
            (ssize_t)(header.e_phnum * sizeof *headers))
        for (*n = 0; *n < header.e_phnum; ++*n)
            is_dynamic |= headers[*n].p_type == PT_DYNAMIC &&
                          map->l_addr + headers[*n].p_vaddr == (ElfW(Addr))(uintptr_t)map->l_ld;
    close(fd);
    return is_dynamic;
}

/* But for the loader, which all namespaces share. */
static int look_at_map(const struct walk *walk, const struct link_map *map, const struct dl_phdr_info *counters)
{
    ElfW(Phdr) headers[MOST_HEADERS];
    struct dl_phdr_info info = *counters;
    if (map->l_addr == _r_debug.r_ldbase || is_gone(walk, map->l_ld) || !read_headers(map, headers, &info.dlpi_phnum))
        return 0;
    info.dlpi_addr = map->l_addr;
    info.dlpi_name = map->l_name;
    info.dlpi_phdr = headers;
    return walk->look(&info, sizeof info, walk->context);
}

/* Together with the first one: only within this call is the lock held under which the lists are changed. */
static int look_at_object(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct walk *walk = context;
    const struct r_debug *space = walk->has_seen_others ? NULL : next(first());
    int result = 0;
    walk->has_seen_others = true;
    for (unsigned i = 1; space && !result && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map && !result; map = map->l_next)
            result = look_at_map(walk, map, info);
    return result || is_gone(walk, info->dlpi_phdr) ? result : walk->look(info, n_bytes, walk->context);
}

int rv_loaded_objects_each(rv_loaded_objects_fn *look, void *context)
{
    struct walk walk = {.look = look, .context = context, .are_changing = rv_loaded_objects_are_changing()};
    return dl_iterate_phdr(look_at_object, &walk);
}

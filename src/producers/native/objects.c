#include "producers/native/objects.h"

#include <elf.h>
#include <string.h>

#define N_NAMESPACES 16u
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

bool rv_objects_are_changing(void)
{
    const struct r_debug *space = first();
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        if (space->r_state != RT_CONSISTENT)
            return true;
    return false;
}

bool rv_objects_have(uint64_t base, const char *name)
{
    const struct r_debug *space = first();
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map; map = map->l_next)
            if (map->l_addr == base && strcmp(map->l_name, name) == 0)
                return true;
    return false;
}

uint64_t rv_objects_sum(void)
{
    const struct r_debug *space = first();
    uint64_t sum = 0;
    for (unsigned i = 0; space && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map; map = map->l_next)
            sum += (uint64_t)(uintptr_t)map->l_ld * 0x9e3779b97f4a7c15u;
    return sum;
}

struct walk {
    rv_objects_fn *look;
    void *context;
    bool has_seen_others;
};

/* But for the loader, which all namespaces share. A library's file header is the first that is mapped of it. */
static void look_at_map(const struct walk *walk, const struct link_map *map, const struct dl_phdr_info *counters)
{
    const ElfW(Ehdr) *header = (const void *)map->l_addr;
    if (!header || map->l_addr == _r_debug.r_ldbase || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    struct dl_phdr_info info = *counters;
    info.dlpi_addr = map->l_addr;
    info.dlpi_name = map->l_name;
    info.dlpi_phdr = (const void *)(map->l_addr + header->e_phoff);
    info.dlpi_phnum = header->e_phnum;
    walk->look(&info, sizeof info, walk->context);
}

/* Together with the first one: only within this call is the lock held under which the lists are changed. */
static int look_at_object(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct walk *walk = context;
    const struct r_debug *space = walk->has_seen_others ? NULL : next(first());
    walk->has_seen_others = true;
    for (unsigned i = 1; space && i < N_NAMESPACES; i++, space = next(space))
        for (const struct link_map *map = space->r_map; map; map = map->l_next)
            look_at_map(walk, map, info);
    return walk->look(info, n_bytes, walk->context);
}

void rv_objects_each(rv_objects_fn *look, void *context)
{
    struct walk walk = {.look = look, .context = context};
    dl_iterate_phdr(look_at_object, &walk);
}

/* Strings are interned once in an arena of pages that never move; entries refer to them and may be redefined. */
#include "model/subroutines.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/full_name.h"
#include "base/hash_index.h"
#include "base/text.h"
#include "base/vec.h"
#include "model/short_name.h"
#include "ringviz/wire.h"

#define PAGE_BYTES 65536u
#define NAME_LEAST 8u /* bytes: a shorter begin of a name tells nothing */

struct page {
    struct page *next;
    size_t n_used, n_bytes;
    char bytes[];
};

struct interned {
    const char *string;
    uint32_t package_idx; /* 0 when not a package's name */
};

struct rv_subroutines {
    pthread_mutex_t lock;
    struct page *pages;
    struct interned *interned;
    size_t n_interned, interned_capacity;
    struct rv_hash_index interned_index; /* by string: index + 1 */
    struct rv_subroutine *entries;       /* by id; name NULL: not defined */
    size_t n_entries, capacity;
    struct rv_hash_index by_name;  /* the first id of each name, file and line, + 1 */
    struct rv_namesake *namesakes; /* of each definition */
    size_t n_defined, namesakes_capacity;
    uint32_t n_packages;
    bool joins_lines;
};

static const char *keep(struct rv_subroutines *subroutines, const char *string)
{
    size_t n_bytes = strlen(string) + 1;
    struct page *page = subroutines->pages;
    if (!page || page->n_bytes - page->n_used < n_bytes) {
        size_t room = n_bytes > PAGE_BYTES ? n_bytes : PAGE_BYTES;
        page = rv_alloc_scratch(1, sizeof *page + room);
        *page = (struct page){.next = subroutines->pages, .n_bytes = room};
        subroutines->pages = page;
    }
    char *kept = memcpy(page->bytes + page->n_used, string, n_bytes);
    page->n_used += n_bytes;
    return kept;
}

static bool is_string(const void *context, uint32_t value, const void *string)
{
    return strcmp(((const struct rv_subroutines *)context)->interned[value - 1].string, string) == 0;
}

/* Valid until the next intern. */
static struct interned *intern(struct rv_subroutines *subroutines, const char *string)
{
    uint64_t hash = rv_hash_bytes(string, strlen(string));
    uint32_t found = rv_hash_index_find(&subroutines->interned_index, hash, is_string, subroutines, string);
    if (found)
        return &subroutines->interned[found - 1];
    subroutines->interned = rv_vec_reserve(subroutines->interned, &subroutines->interned_capacity,
                                           subroutines->n_interned + 1, sizeof *subroutines->interned);
    struct interned *added = &subroutines->interned[subroutines->n_interned++];
    *added = (struct interned){.string = keep(subroutines, string)};
    rv_hash_index_put(&subroutines->interned_index, hash, (uint32_t)subroutines->n_interned);
    return added;
}

static void set_package(struct rv_subroutines *subroutines, struct rv_subroutine *entry, const char *package)
{
    struct interned *found = intern(subroutines, package);
    if (package[0] && !found->package_idx)
        found->package_idx = ++subroutines->n_packages;
    entry->package = found->string;
    entry->package_idx = found->package_idx;
}

/* Strings are interned: most equal ones have equal pointers. */
static bool is_same(const void *context, uint32_t value, const void *key)
{
    const struct rv_subroutines *subroutines = context;
    const struct rv_subroutine *a = &subroutines->entries[value - 1], *b = key;
    if ((a->line_form != b->line_form && !subroutines->joins_lines) || a->file != b->file)
        return false;
    if (a->package == b->package)
        return a->name == b->name;
    char *full = rv_subroutine_take_full_name(a), *other = rv_subroutine_take_full_name(b);
    bool is_one = strcmp(full, other) == 0;
    free(full);
    free(other);
    return is_one;
}

static uint64_t hash_of(const struct rv_subroutines *subroutines, const struct rv_subroutine *subroutine)
{
    char *full = rv_subroutine_take_full_name(subroutine);
    uint64_t hash = rv_hash_bytes(full, strlen(full));
    free(full);
    return rv_hash_combine(hash, subroutines->joins_lines ? 0 : subroutine->line_form);
}

/* The id that was put first with the name, file and line of this one, which is put where none was. */
static uint32_t put_name(const struct rv_subroutines *subroutines, struct rv_hash_index *by_name, uint32_t id)
{
    const struct rv_subroutine *entry = &subroutines->entries[id];
    const uint64_t hash = hash_of(subroutines, entry);
    const uint32_t found = rv_hash_index_find(by_name, hash, is_same, subroutines, entry);
    if (!found)
        rv_hash_index_put(by_name, hash, id + 1);
    return found ? found - 1 : id;
}

static void list_definition(struct rv_subroutines *subroutines, uint32_t id)
{
    subroutines->namesakes = rv_vec_reserve(subroutines->namesakes, &subroutines->namesakes_capacity,
                                            subroutines->n_defined + 1, sizeof *subroutines->namesakes);
    subroutines->namesakes[subroutines->n_defined++] =
        (struct rv_namesake){id, put_name(subroutines, &subroutines->by_name, id)};
}

struct rv_subroutines *rv_subroutines_create(void)
{
    struct rv_subroutines *subroutines = rv_alloc(1, sizeof *subroutines);
    pthread_mutex_init(&subroutines->lock, NULL);
    return subroutines;
}

void rv_subroutines_join_lines(struct rv_subroutines *subroutines)
{
    subroutines->joins_lines = true;
}

void rv_subroutines_destroy(struct rv_subroutines *subroutines)
{
    if (!subroutines)
        return;
    for (struct page *page = subroutines->pages, *next; page; page = next) {
        next = page->next;
        free(page);
    }
    free(subroutines->interned);
    rv_hash_index_fini(&subroutines->interned_index);
    rv_hash_index_fini(&subroutines->by_name);
    free(subroutines->namesakes);
    free(subroutines->entries);
    pthread_mutex_destroy(&subroutines->lock);
    free(subroutines);
}

void rv_subroutines_define(struct rv_subroutines *subroutines, uint32_t id, const char *package, const char *name,
                           const char *file, uint32_t line_form)
{
    pthread_mutex_lock(&subroutines->lock);
    if (id >= subroutines->n_entries) {
        subroutines->entries =
            rv_vec_extend(subroutines->entries, &subroutines->capacity, (size_t)id + 1, sizeof *subroutines->entries);
        subroutines->n_entries = (size_t)id + 1;
    }
    struct rv_subroutine entry = {.line_form = line_form, .line = rv_name_line(line_form), .is_defined = true};
    set_package(subroutines, &entry, package ? package : "");
    entry.name = intern(subroutines, name ? name : "")->string;
    entry.file = intern(subroutines, file ? file : "")->string;
    subroutines->entries[id] = entry;
    list_definition(subroutines, id);
    pthread_mutex_unlock(&subroutines->lock);
}

struct rv_subroutine rv_subroutines_get(struct rv_subroutines *subroutines, uint32_t id)
{
    pthread_mutex_lock(&subroutines->lock);
    struct rv_subroutine found = {0};
    if (id < subroutines->n_entries)
        found = subroutines->entries[id];
    if (!found.name) {
        char name[16];
        (void)snprintf(name, sizeof name, "#%u", id);
        found = (struct rv_subroutine){.name = intern(subroutines, name)->string};
        found.package = found.file = intern(subroutines, "")->string;
    }
    pthread_mutex_unlock(&subroutines->lock);
    return found;
}

uint32_t rv_subroutines_count(struct rv_subroutines *subroutines)
{
    pthread_mutex_lock(&subroutines->lock);
    uint32_t n = (uint32_t)subroutines->n_entries;
    pthread_mutex_unlock(&subroutines->lock);
    return n;
}

uint64_t rv_subroutines_version(struct rv_subroutines *subroutines)
{
    pthread_mutex_lock(&subroutines->lock);
    uint64_t version = subroutines->n_defined;
    pthread_mutex_unlock(&subroutines->lock);
    return version;
}

size_t rv_subroutines_read_namesakes(struct rv_subroutines *subroutines, uint64_t from, struct rv_namesake *out,
                                     size_t max)
{
    pthread_mutex_lock(&subroutines->lock);
    const size_t n_left = subroutines->n_defined - (size_t)from, n = n_left < max ? n_left : max;
    if (n)
        memcpy(out, subroutines->namesakes + from, n * sizeof *out);
    pthread_mutex_unlock(&subroutines->lock);
    return n;
}

char *rv_subroutine_full_name(const struct rv_subroutine *subroutine, char *out, size_t out_bytes)
{
    (void)rv_full_name(out, out_bytes, subroutine->package, subroutine->name, subroutine->line_form);
    return out;
}

char *rv_subroutines_name_of(struct rv_subroutines *subroutines, uint32_t id, char *out, size_t out_bytes)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    return rv_subroutine_full_name(&subroutine, out, out_bytes);
}

char *rv_subroutine_take_full_name(const struct rv_subroutine *subroutine)
{
    size_t n_bytes = strlen(subroutine->package) + strlen(subroutine->name) + 3;
    return rv_subroutine_full_name(subroutine, rv_alloc(n_bytes, 1), n_bytes);
}

char *rv_subroutines_brief_name_of(struct rv_subroutines *subroutines, uint32_t id, char *out, size_t out_bytes)
{
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    char *full = rv_subroutine_take_full_name(&subroutine);
    if (strlen(full) >= out_bytes)
        rv_short_name_fold(full, 0, full);
    const size_t n = strlen(full);
    const size_t n_shown = n < out_bytes ? n : rv_text_whole(full, n, out_bytes - sizeof "…");
    (void)snprintf(out, out_bytes, "%.*s%s", (int)n_shown, full, n_shown < n ? "…" : "");
    free(full);
    return out;
}

void rv_subroutines_append_brief_name(struct rv_subroutines *subroutines, const char *separator, uint32_t id, char *out,
                                      size_t out_bytes)
{
    const size_t n = strlen(out) + strlen(separator);
    if (!id || n + NAME_LEAST >= out_bytes)
        return;
    rv_text_append(out, out_bytes, separator, SIZE_MAX);
    (void)rv_subroutines_brief_name_of(subroutines, id, out + n, out_bytes - n);
}

static uint64_t hash_string(uint64_t hash, const char *string)
{
    return rv_hash_combine(hash, rv_hash_bytes(string, strlen(string)));
}

uint64_t rv_subroutines_hash(struct rv_subroutines *subroutines)
{
    pthread_mutex_lock(&subroutines->lock);
    uint64_t hash = subroutines->n_entries;
    for (size_t id = 0; id < subroutines->n_entries; id++) {
        const struct rv_subroutine *entry = &subroutines->entries[id];
        hash = rv_hash_combine(hash, entry->line_form);
        if (entry->name)
            hash = hash_string(hash_string(hash_string(hash, entry->package), entry->name), entry->file);
    }
    pthread_mutex_unlock(&subroutines->lock);
    return hash;
}

uint32_t *rv_subroutines_take_namesakes(struct rv_subroutines *subroutines, uint32_t *n)
{
    pthread_mutex_lock(&subroutines->lock);
    struct rv_hash_index by_name = {.n = 0};
    uint32_t *as_id = rv_alloc(subroutines->n_entries + 1, sizeof *as_id);
    *n = (uint32_t)subroutines->n_entries;
    for (uint32_t id = 0; id < *n; id++)
        as_id[id] = subroutines->entries[id].name ? put_name(subroutines, &by_name, id) : id;
    pthread_mutex_unlock(&subroutines->lock);
    rv_hash_index_fini(&by_name);
    return as_id;
}

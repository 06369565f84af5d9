/*
 * Groups of names: those with the same components from one on to the end differ in the component before these, those with
 * the same last component but for its template arguments differ in these, those with the same components in their arguments.
 */
#include "model/alike_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

#define NAME_BYTES 512u /* longer names are not compared */
#define COMPONENTS_MAX 16u
#define WORD_BYTES 12 /* most bytes of a word that are shown before those in which names differ */

enum { SEED_COMPONENTS, SEED_TEMPLATE, SEED_ARGUMENTS };

struct split {
    char bare[NAME_BYTES]; /* without scopes in brackets */
    const char *starts[COMPONENTS_MAX];
    size_t n;
    const char *brackets; /* arguments of the last component */
    const char *end;      /* of the components */
};

static bool split(const char *full_name, struct split *out)
{
    if (strlen(full_name) >= sizeof out->bare)
        return false;
    rv_short_name_drop_scopes(full_name, 1, out->bare);
    out->n = rv_short_name_split(out->bare, out->starts, COMPONENTS_MAX, &out->end);
    const char *last = out->starts[out->n - 1];
    const bool has_plain_name = isalnum((unsigned char)*last) || *last == '_';
    out->brackets = has_plain_name && strncmp(last, "operator", 8) != 0 ? last + strcspn(last, "<") : out->end;
    out->brackets = out->brackets < out->end ? out->brackets : out->end;
    return true;
}

static uint64_t hash_between(const char *from, const char *to, uint64_t seed)
{
    return rv_hash_bytes_seeded(from, (size_t)(to - from), seed);
}

/* The component before the one with this number, or nothing before the first. */
static const char *before(const struct split *name, size_t component)
{
    return component ? name->starts[component - 1] : name->starts[component];
}

static void add(struct rv_alike_names *names, uint64_t hash, const char *from, const char *to)
{
    const size_t n_bytes = (size_t)(to - from);
    const uint32_t place = rv_hash_index_get(&names->by_common, hash);
    if (!place) {
        names->groups = rv_vec_reserve(names->groups, &names->capacity, names->n + 1, sizeof *names->groups);
        names->groups[names->n++] = (struct rv_alike_group){.first = rv_strndup(from, n_bytes), .n_common = n_bytes};
        rv_hash_index_add(&names->by_common, hash, (uint32_t)names->n);
        return;
    }
    struct rv_alike_group *group = &names->groups[place - 1];
    size_t n = 0;
    while (n < n_bytes && n < group->n_common && from[n] == group->first[n])
        n++;
    group->differ |= n < n_bytes || n < group->n_common || group->first[n];
    group->n_common = n;
}

void rv_alike_names_add(struct rv_alike_names *names, const char *full_name)
{
    struct split name;
    if (!split(full_name, &name))
        return;
    for (size_t i = name.n; i-- > 0;)
        add(names, hash_between(name.starts[i], name.end, SEED_COMPONENTS), before(&name, i), name.starts[i]);
    add(names, hash_between(name.starts[name.n - 1], name.brackets, SEED_TEMPLATE), name.brackets, name.end);
    add(names, hash_between(name.bare, name.end, SEED_ARGUMENTS), name.end, name.end + strlen(name.end));
}

void rv_alike_names_clear(struct rv_alike_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->groups[i].first);
    free(names->groups);
    rv_hash_index_fini(&names->by_common);
    *names = (struct rv_alike_names){.n = 0};
}

static const struct rv_alike_group *find(const struct rv_alike_names *names, const char *from, const char *to,
                                         uint64_t seed)
{
    const uint32_t place = rv_hash_index_get(&names->by_common, hash_between(from, to, seed));
    return place && names->groups[place - 1].differ ? &names->groups[place - 1] : NULL;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* From the word in which they differ on. They may differ in what separates it from the next component only, and a name that
 * was not added may end before. */
static struct rv_short_name_part part_of(const struct split *name, const struct rv_alike_group *group, const char *from,
                                         const char *to)
{
    const char *differs = (size_t)(to - from) < group->n_common ? to : from + group->n_common, *word = differs;
    while (word > from && is_of_word(word[-1]))
        word--;
    word = differs - word > WORD_BYTES ? differs : word;
    while (word > from && ((unsigned char)*word & 0xC0) == 0x80)
        word--;
    const char *least = to - differs < 2 ? to : differs + 2;
    while (least < to && ((unsigned char)*least & 0xC0) == 0x80)
        least++;
    return (struct rv_short_name_part){(size_t)(word - name->bare), (size_t)(least - name->bare),
                                       (size_t)(to - name->bare)};
}

/* The end of the component before this one. */
static const char *without_separator(const struct split *name, size_t component)
{
    const char *end = name->starts[component];
    while (end > name->starts[component - 1] && strchr(":.#/", end[-1]))
        end--;
    return end;
}

/* What tells the name from the others that end as it does; none: its `to` is 0. */
static struct rv_short_name_part find_part(const struct rv_alike_names *names, const struct split *name)
{
    struct rv_short_name_part part = {0};
    const struct rv_alike_group *group = find(names, name->bare, name->end, SEED_ARGUMENTS);
    if (group)
        return part_of(name, group, name->end, name->end + strlen(name->end));
    for (size_t i = name->n; i-- > 0;) {
        group = find(names, name->starts[i], name->end, SEED_COMPONENTS);
        if (!group)
            break;
        if (i)
            part = part_of(name, group, name->starts[i - 1], without_separator(name, i));
    }
    group = part.to ? NULL : find(names, name->starts[name->n - 1], name->brackets, SEED_TEMPLATE);
    return group ? part_of(name, group, name->brackets, name->end) : part;
}

bool rv_alike_names_fit(const struct rv_alike_names *names, const char *full_name,
                        const struct rv_short_name_room *room, char *out, size_t out_bytes)
{
    struct split name;
    if (room->width_of(room->context, full_name, strlen(full_name)) <= room->width || !split(full_name, &name))
        return rv_short_name_fit(full_name, room, out, out_bytes);
    const struct rv_short_name_part part = find_part(names, &name);
    return part.to ? rv_short_name_fit_part(name.bare, &part, room, out, out_bytes)
                   : rv_short_name_fit(name.bare, room, out, out_bytes);
}

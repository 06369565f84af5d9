#include "model/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NAME_BYTES 4096u /* longer names are matched by their first bytes */

void rv_name_set_init(struct rv_name_set *matches, enum rv_name_set_of of, const struct rv_regex *pattern)
{
    *matches = (struct rv_name_set){.of = of, .pattern = pattern};
}

void rv_name_set_fini(struct rv_name_set *matches)
{
    free(matches->seen);
    free(matches->bits);
    *matches = (struct rv_name_set){.of = matches->of};
}

void rv_name_set_follow(struct rv_name_set *into, const struct rv_name_set *from)
{
    into->bits = rv_vec_reserve(into->bits, &into->words_capacity, from->n_words, sizeof *into->bits);
    if (from->n_words)
        memcpy(into->bits, from->bits, from->n_words * sizeof *into->bits);
    into->n_words = from->n_words;
}

static void grow(struct rv_name_set *matches, uint32_t n_ids)
{
    if (n_ids <= matches->n_seen)
        return;
    size_t n_words = (n_ids + 63) / 64;
    matches->seen = rv_vec_reserve(matches->seen, &matches->seen_capacity, n_ids, sizeof *matches->seen);
    memset(matches->seen + matches->n_seen, 0, (n_ids - matches->n_seen) * sizeof *matches->seen);
    matches->n_seen = n_ids;
    if (n_words <= matches->n_words)
        return;
    matches->bits = rv_vec_reserve(matches->bits, &matches->words_capacity, n_words, sizeof *matches->bits);
    memset(matches->bits + matches->n_words, 0, (n_words - matches->n_words) * sizeof *matches->bits);
    matches->n_words = n_words;
}

static void judge(struct rv_name_set *matches, uint32_t id, const struct rv_subroutine *subroutine)
{
    char full[NAME_BYTES];
    const char *text = subroutine->package;
    if (matches->of == RV_NAME_SET_NAME)
        text = rv_subroutine_full_name(subroutine, full, sizeof full);
    bool is_match = matches->pattern && rv_regex_has(matches->pattern, text);
    if (is_match == rv_name_set_has(matches, id))
        return;
    matches->bits[id / 64] ^= UINT64_C(1) << (id % 64);
    matches->n_matching += is_match ? 1 : UINT32_MAX;
    matches->generation++;
}

bool rv_name_set_update(struct rv_name_set *matches, struct rv_subroutines *subroutines, size_t most)
{
    uint64_t version = rv_subroutines_version(subroutines);
    uint32_t n_ids = rv_subroutines_count(subroutines);
    if (version != matches->version)
        matches->next = 0;
    matches->version = version;
    grow(matches, n_ids);
    for (; matches->next < n_ids && most > 0; matches->next++) {
        struct rv_subroutine subroutine = rv_subroutines_get(subroutines, matches->next);
        struct rv_name_set_seen *seen = &matches->seen[matches->next];
        if (seen->name == subroutine.name && seen->package == subroutine.package)
            continue;
        *seen = (struct rv_name_set_seen){subroutine.package, subroutine.name};
        judge(matches, matches->next, &subroutine);
        most--;
    }
    return matches->next == n_ids;
}

#include "model/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NAME_BYTES 4096u /* longer names are matched by their first bytes */

void rv_name_set_init(struct rv_name_set *matches, enum rv_name_set_of of, const struct rv_regex *pattern)
{
    *matches = (struct rv_name_set){.of = of, .pattern = pattern};
}

static void free_bits(struct rv_name_bits *bits)
{
    for (struct rv_name_bits *smaller; bits; bits = smaller) {
        smaller = bits->smaller;
        free(bits);
    }
}

void rv_name_set_fini(struct rv_name_set *matches)
{
    free(matches->seen);
    free_bits(atomic_load_explicit(&matches->bits, memory_order_relaxed));
    *matches = (struct rv_name_set){.of = matches->of};
}

static void copy_words(struct rv_name_bits *into, const struct rv_name_bits *from)
{
    for (size_t i = 0; from && i < from->n_words; i++)
        atomic_init(&into->words[i], atomic_load_explicit(&from->words[i], memory_order_relaxed));
}

/* At least doubled, so that the smaller ones that are kept take no more than the largest. */
static void grow_bits(struct rv_name_set *matches, size_t n_words)
{
    struct rv_name_bits *smaller = atomic_load_explicit(&matches->bits, memory_order_relaxed);
    if (n_words <= (smaller ? smaller->n_words : 0))
        return;
    if (smaller && n_words < 2 * smaller->n_words)
        n_words = 2 * smaller->n_words;
    struct rv_name_bits *bits = rv_alloc(1, sizeof *bits + n_words * sizeof *bits->words);
    bits->smaller = smaller;
    bits->n_words = n_words;
    copy_words(bits, smaller);
    atomic_store_explicit(&matches->bits, bits, memory_order_release); /* NS1 -> NS2 */
}

void rv_name_set_follow(struct rv_name_set *into, const struct rv_name_set *from)
{
    const struct rv_name_bits *bits = atomic_load_explicit(&from->bits, memory_order_relaxed);
    free_bits(atomic_load_explicit(&into->bits, memory_order_relaxed));
    atomic_init(&into->bits, NULL);
    if (!bits)
        return;
    grow_bits(into, bits->n_words);
    copy_words(atomic_load_explicit(&into->bits, memory_order_relaxed), bits);
}

static void grow(struct rv_name_set *matches, uint32_t n_ids)
{
    if (n_ids <= matches->n_seen)
        return;
    matches->seen = rv_vec_reserve(matches->seen, &matches->seen_capacity, n_ids, sizeof *matches->seen);
    memset(matches->seen + matches->n_seen, 0, (n_ids - matches->n_seen) * sizeof *matches->seen);
    matches->n_seen = n_ids;
    grow_bits(matches, (n_ids + 63) / 64);
}

void rv_name_set_clear(struct rv_name_set *matches)
{
    struct rv_name_bits *bits = atomic_load_explicit(&matches->bits, memory_order_relaxed);
    for (size_t i = 0; bits && i < bits->n_words; i++)
        atomic_store_explicit(&bits->words[i], 0, memory_order_relaxed);
    matches->n_matching = 0;
}

/* Begin again, for another table. */
static void turn_to(struct rv_name_set *matches, const struct rv_subroutines *subroutines)
{
    rv_name_set_clear(matches);
    matches->subroutines = subroutines;
    matches->n_seen = matches->next = 0;
}

static void flip(struct rv_name_set *matches, uint32_t id, bool is_match)
{
    struct rv_name_bits *bits = atomic_load_explicit(&matches->bits, memory_order_relaxed);
    atomic_fetch_xor_explicit(&bits->words[id / 64], UINT64_C(1) << (id % 64), memory_order_relaxed);
    matches->n_matching += is_match ? 1 : UINT32_MAX;
    atomic_fetch_add_explicit(&matches->generation, 1, memory_order_relaxed);
}

void rv_name_set_add(struct rv_name_set *matches, uint32_t id)
{
    grow_bits(matches, (size_t)id / 64 + 1);
    if (!rv_name_set_has(matches, id))
        flip(matches, id, true);
}

static void judge(struct rv_name_set *matches, uint32_t id, const struct rv_subroutine *subroutine)
{
    char full[NAME_BYTES];
    const char *text = subroutine->package;
    if (matches->of == RV_NAME_SET_NAME)
        text = rv_subroutine_full_name(subroutine, full, sizeof full);
    bool is_match = matches->pattern && rv_regex_has(matches->pattern, text);
    if (is_match != rv_name_set_has(matches, id))
        flip(matches, id, is_match);
}

bool rv_name_set_update(struct rv_name_set *matches, struct rv_subroutines *subroutines, size_t most)
{
    if (matches->subroutines != subroutines)
        turn_to(matches, subroutines);
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

#include "export/table_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/short_name.h"

enum { DEPTH_MAX = 4 };

struct entry {
    const char *name;
    char *text;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

/* Move names that read alike to the front. Returns how many they are. */
static size_t take_ambiguous(struct entry *entries, size_t n)
{
    size_t n_ambiguous = 0;
    qsort(entries, n, sizeof *entries, by_text);
    for (size_t i = 0, end; i < n; i = end) {
        bool differs = false;
        for (end = i + 1; end < n && by_text(&entries[i], &entries[end]) == 0; end++)
            differs |= strcmp(entries[i].name, entries[end].name) != 0;
        for (size_t j = i; differs && j < end; j++) {
            struct entry entry = entries[n_ambiguous];
            entries[n_ambiguous++] = entries[j];
            entries[j] = entry;
        }
    }
    return n_ambiguous;
}

char **rv_table_names_create(const void *rows, size_t row_bytes, size_t name_offset, size_t n)
{
    char **texts = rv_alloc(n, sizeof *texts);
    struct entry *entries = rv_alloc(n, sizeof *entries);
    for (size_t i = 0; i < n; i++) {
        const char *name = *(char *const *)(const void *)((const char *)rows + i * row_bytes + name_offset);
        texts[i] = rv_alloc(strlen(name) + 1, 1);
        entries[i] = (struct entry){name, texts[i]};
    }
    size_t n_left = n;
    for (unsigned depth = 0; depth < DEPTH_MAX && n_left; depth++) {
        for (size_t i = 0; i < n_left; i++)
            rv_short_name_fold(entries[i].name, depth, entries[i].text);
        n_left = take_ambiguous(entries, n_left);
    }
    for (size_t i = 0; i < n_left; i++)
        strcpy(entries[i].text, entries[i].name);
    free(entries);
    return texts;
}

void rv_table_names_destroy(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

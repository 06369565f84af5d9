#include "patch/dynamic_section.h"

#include <string.h>

/* Of the n-th entry of that kind. */
static uint64_t find_number(const struct rv_patch_image *image, int64_t tag, size_t n)
{
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(image, image->dynamic, &n_bytes);
    for (Elf64_Dyn entry; n_bytes >= sizeof entry; bytes += sizeof entry, n_bytes -= sizeof entry) {
        memcpy(&entry, bytes, sizeof entry);
        if (entry.d_tag == tag && n-- == 0)
            return entry.d_un.d_val;
        if (entry.d_tag == DT_NULL)
            return 0;
    }
    return 0;
}

const uint8_t *rv_patch_dynamic_section_table(const struct rv_patch_image *image, int64_t tag, int64_t size_tag,
                                              size_t *n_bytes)
{
    const uint64_t address = find_number(image, tag, 0);
    *n_bytes = 0;
    if (!address)
        return NULL;
    const uint8_t *bytes = rv_patch_image_at(image, address, n_bytes);
    if (!bytes)
        bytes = rv_patch_image_at(image, address + image->bias, n_bytes);
    const uint64_t size = size_tag == DT_NULL ? *n_bytes : find_number(image, size_tag, 0);
    *n_bytes = *n_bytes < size ? *n_bytes : (size_t)size;
    return bytes;
}

static const char *find_name(const struct rv_patch_image *image, uint64_t at)
{
    size_t n;
    const uint8_t *names = rv_patch_dynamic_section_table(image, DT_STRTAB, DT_STRSZ, &n);
    return names && at < n && memchr(names + at, '\0', n - at) ? (const char *)names + at : NULL;
}

const char *rv_patch_dynamic_section_needed(const struct rv_patch_image *image, size_t n)
{
    const uint64_t at = find_number(image, DT_NEEDED, n);
    return at ? find_name(image, at) : NULL;
}

const char *rv_patch_dynamic_section_symbol(const struct rv_patch_image *image, uint32_t index, Elf64_Sym *symbol)
{
    size_t n_symbols;
    const uint8_t *symbols = rv_patch_dynamic_section_table(image, DT_SYMTAB, DT_NULL, &n_symbols);
    if (!symbols || index >= n_symbols / sizeof *symbol)
        return NULL;
    memcpy(symbol, symbols + index * sizeof *symbol, sizeof *symbol);
    return find_name(image, symbol->st_name);
}

/* ---- DT_GNU_HASH: a filter, buckets with the index of their first symbol, and a hash for each symbol; all words ---- */

struct hash_table {
    const uint8_t *words;
    size_t n; /* words */
    uint32_t n_buckets, first_symbol, buckets_at, hashes_at;
};

static uint32_t word_of(const struct hash_table *table, uint64_t i)
{
    uint32_t word = 0;
    if (i < table->n)
        memcpy(&word, table->words + i * sizeof word, sizeof word);
    return word;
}

static bool find_hash_table(const struct rv_patch_image *image, struct hash_table *table)
{
    size_t n_bytes;
    *table = (struct hash_table){.words = rv_patch_dynamic_section_table(image, DT_GNU_HASH, DT_NULL, &n_bytes)};
    table->n = n_bytes / sizeof(uint32_t);
    const uint64_t buckets_at = 4 + 2 * (uint64_t)word_of(table, 2);
    table->n_buckets = word_of(table, 0);
    table->first_symbol = word_of(table, 1);
    if (!table->words || !table->n_buckets || buckets_at + table->n_buckets > table->n)
        return false;
    table->buckets_at = (uint32_t)buckets_at;
    table->hashes_at = (uint32_t)buckets_at + table->n_buckets;
    return true;
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (uint8_t)*name;
    return hash;
}

static bool is_export(const struct rv_patch_image *image, uint32_t index, const char *name)
{
    Elf64_Sym symbol;
    const char *its = rv_patch_dynamic_section_symbol(image, index, &symbol);
    return its && symbol.st_shndx != SHN_UNDEF && rv_patch_dynamic_section_is_function(&symbol) &&
           strcmp(its, name) == 0;
}

bool rv_patch_dynamic_section_exports(const struct rv_patch_image *image, const char *name)
{
    struct hash_table table;
    const uint32_t hash = hash_of(name);
    if (!find_hash_table(image, &table))
        return false;
    uint32_t index = word_of(&table, table.buckets_at + hash % table.n_buckets);
    for (uint64_t at; index >= table.first_symbol; index++) {
        at = (uint64_t)table.hashes_at + (index - table.first_symbol);
        const uint32_t its = word_of(&table, at);
        if ((its | 1) == (hash | 1) && is_export(image, index, name))
            return true;
        if (its & 1 || at >= table.n || index == UINT32_MAX) /* the last of its bucket */
            return false;
    }
    return false;
}

/* ---- names ---- */

static bool is_one_of(const char *name, size_t n_room, const char *const *wanted, size_t n_wanted)
{
    bool is_one = false;
    for (size_t i = 0; i < n_wanted && !is_one; i++) {
        const size_t n = strlen(wanted[i]) + 1;
        is_one = n <= n_room && memcmp(name, wanted[i], n) == 0;
    }
    return is_one;
}

static bool has_among_first(const struct rv_patch_image *image, uint32_t n_first, const char *const *wanted,
                            size_t n_wanted)
{
    size_t n_symbols, n_names;
    const uint8_t *symbols = rv_patch_dynamic_section_table(image, DT_SYMTAB, DT_NULL, &n_symbols);
    const char *names = (const char *)rv_patch_dynamic_section_table(image, DT_STRTAB, DT_STRSZ, &n_names);
    Elf64_Sym symbol;
    bool has = false;
    for (size_t i = 0; names && i < n_first && i < n_symbols / sizeof symbol && !has; i++) {
        memcpy(&symbol, symbols + i * sizeof symbol, sizeof symbol);
        has = symbol.st_name < n_names &&
              is_one_of(names + symbol.st_name, n_names - symbol.st_name, wanted, n_wanted);
    }
    return has;
}

static bool has_name(const struct rv_patch_image *image, const char *wanted)
{
    size_t n_bytes;
    const char *names = (const char *)rv_patch_dynamic_section_table(image, DT_STRTAB, DT_STRSZ, &n_bytes);
    const char *from = names, *end = names + n_bytes, *found;
    for (; names && (found = memmem(from, (size_t)(end - from), wanted, strlen(wanted) + 1)); from = found + 1)
        if (found > names && found[-1] == '\0') /* the table begins with a 0 */
            return true;
    return false;
}

/* The table of symbols has those of others first, where there are hashes of its own ones: node has 4 MB of names. A table
 * without hashes says that the first is the first of its own. */
bool rv_patch_dynamic_section_names(const struct rv_patch_image *image, const char *const *wanted, size_t n_wanted)
{
    struct hash_table table;
    const bool are_divided = find_hash_table(image, &table) && table.first_symbol > 1;
    bool names = are_divided && has_among_first(image, table.first_symbol, wanted, n_wanted);
    for (size_t i = 0; i < n_wanted && !names; i++)
        names = (are_divided ? rv_patch_dynamic_section_exports : has_name)(image, wanted[i]);
    return names;
}

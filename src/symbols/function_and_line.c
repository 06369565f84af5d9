#include "symbols/function_and_line.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "ringviz/wire.h"
#include "symbols/demangle.h"
#include "symbols/dwarf_declarations.h"
#include "symbols/elf_symbols.h"

#define MAX_OPEN 128u

struct rv_function_and_line_file {
    struct rv_elf *elf; /* NULL: not open, or unusable */
    uint64_t last_use;
    bool is_unusable;
};

/* Symbols and paths are untrusted: escape them, like all names. */
static const char *keep(struct rv_function_and_line *namer, struct rv_demangle_piece piece)
{
    size_t shown_bytes = 4 * piece.n_bytes + 1;
    char *shown = rv_alloc(shown_bytes, 1);
    size_t n_bytes = rv_text_escape(shown, shown_bytes, piece.text, piece.n_bytes);
    const char *kept = rv_string_pool_keep(&namer->strings, shown, n_bytes);
    free(shown);
    return kept;
}

static const char *keep_string(struct rv_function_and_line *namer, const char *string)
{
    return keep(namer, (struct rv_demangle_piece){string, strlen(string)});
}

static void close_file(struct rv_function_and_line *namer, struct rv_function_and_line_file *file)
{
    rv_elf_close(file->elf);
    namer->n_open -= file->elf != NULL;
    file->elf = NULL;
}

static void close_least_used(struct rv_function_and_line *namer)
{
    struct rv_function_and_line_file *least = NULL;
    for (size_t i = 0; i < namer->n_files; i++)
        if (namer->files[i].elf && (!least || namer->files[i].last_use < least->last_use))
            least = &namer->files[i];
    if (least)
        close_file(namer, least);
}

static struct rv_function_and_line_file *open_file(struct rv_function_and_line *namer, const struct rv_code_file *code)
{
    if (code->number >= namer->n_files)
        namer->files = rv_vec_extend(namer->files, &namer->n_files, (size_t)code->number + 1, sizeof *namer->files);
    struct rv_function_and_line_file *file = &namer->files[code->number];
    file->last_use = ++namer->n_uses;
    if (file->elf || file->is_unusable)
        return file;
    if (namer->n_open >= MAX_OPEN)
        close_least_used(namer);
    const struct rv_elf_identity identity = {code->device, code->inode, code->build_id, code->build_id_bytes};
    file->elf = rv_elf_open(code->path, &identity);
    if (!file->elf && code->link)
        file->elf = rv_elf_open(code->link, &identity);
    file->is_unusable = !file->elf;
    namer->n_open += file->elf != NULL;
    return file;
}

static void name_hex(struct rv_function_and_line *namer, uint64_t address, struct rv_symbolizer_name *name)
{
    char hex[2 + 16 + 1];
    int n_bytes = snprintf(hex, sizeof hex, "0x%" PRIx64, address);
    name->name = rv_string_pool_keep(&namer->strings, hex, (size_t)n_bytes);
}

static void name_symbol(struct rv_function_and_line *namer, const char *symbol, struct rv_symbolizer_name *name)
{
    struct rv_demangled demangled;
    rv_demangle(symbol, &demangled);
    name->name = keep(namer, demangled.name);
    if (demangled.package.n_bytes)
        name->package = keep(namer, demangled.package);
    free(demangled.owned);
}

static void name_declaration(struct rv_function_and_line *namer, struct rv_function_and_line_file *file, uint64_t start,
                             struct rv_symbolizer_name *name)
{
    struct rv_dwarf *dwarf = rv_elf_dwarf(file->elf);
    char path[PATH_MAX];
    uint32_t line;
    if (!dwarf || !rv_dwarf_find(dwarf, start, path, sizeof path, &line))
        return;
    name->file = keep_string(namer, path);
    name->line_form = rv_name_line_form(line, 0);
}

static void name_without_symbol(struct rv_function_and_line *namer, const struct rv_code_file *code,
                                uint64_t link_address, struct rv_symbolizer_name *name)
{
    name_hex(namer, link_address, name);
    name->file = keep_string(namer, code->path);
}

/* ---- imports ---- */

void rv_function_and_line_know(struct rv_function_and_line *namer, const struct rv_code_file *file)
{
    namer->known = rv_vec_reserve(namer->known, &namer->known_capacity, namer->n_known + 1, sizeof *namer->known);
    namer->known[namer->n_known++] = file;
}

static bool is_named(const struct rv_code_file *code, const char *base_name)
{
    const char *slash = strrchr(code->path, '/');
    return strcmp(slash ? slash + 1 : code->path, base_name) == 0;
}

static bool has_export(struct rv_function_and_line *namer, const struct rv_code_file *code, const char *symbol)
{
    uint64_t address;
    const struct rv_function_and_line_file *file = open_file(namer, code);
    return file->elf && rv_elf_exported_function(file->elf, symbol, &address);
}

/* Kept: another file may be closed for one that is opened. */
static const char *needed_by(struct rv_function_and_line *namer, const struct rv_code_file *code, size_t i)
{
    const struct rv_function_and_line_file *file = open_file(namer, code);
    const char *needed = file->elf ? rv_elf_needed(file->elf, i) : NULL;
    return needed ? rv_string_pool_keep(&namer->strings, needed, strlen(needed)) : NULL;
}

/* Of the files that have such a function one that the caller says it needs, else the first; NULL: none has. */
static const struct rv_code_file *find_exporter(struct rv_function_and_line *namer, const struct rv_code_file *caller,
                                                const char *symbol)
{
    const char *needed;
    for (size_t i = 0; (needed = needed_by(namer, caller, i)); i++)
        for (size_t k = 0; k < namer->n_known; k++)
            if (is_named(namer->known[k], needed) && has_export(namer, namer->known[k], symbol))
                return namer->known[k];
    for (size_t k = 0; k < namer->n_known; k++)
        if (namer->known[k] != caller && has_export(namer, namer->known[k], symbol))
            return namer->known[k];
    return NULL;
}

static void name_import(struct rv_function_and_line *namer, const struct rv_code_file *code, const char *import,
                        struct rv_symbolizer_name *name)
{
    const char *symbol = rv_string_pool_keep(&namer->strings, import, strlen(import));
    const struct rv_code_file *exporter = find_exporter(namer, code, symbol);
    if (exporter)
        name->package = keep(namer, rv_demangle_module(exporter->path));
    name_symbol(namer, symbol, name);
    name->file = keep_string(namer, code->path);
}

/* ---- code ---- */

void rv_function_and_line_name_code(struct rv_function_and_line *namer, const struct rv_code_file *code,
                                    uint64_t link_address, struct rv_symbolizer_name *name)
{
    struct rv_function_and_line_file *file = open_file(namer, code);
    uint64_t start;
    const char *import = file->elf ? rv_elf_import_at(file->elf, link_address) : NULL,
               *symbol = file->elf ? rv_elf_function(file->elf, link_address, &start) : NULL;
    *name = (struct rv_symbolizer_name){.package = keep(namer, rv_demangle_module(code->path)), .file = ""};
    if (import) {
        name_import(namer, code, import, name);
    } else if (symbol) {
        name_symbol(namer, symbol, name);
        name_declaration(namer, file, start, name);
    } else {
        name_without_symbol(namer, code, link_address, name);
    }
}

void rv_function_and_line_name_site(struct rv_function_and_line *namer, const struct rv_code_file *code,
                                    uint64_t link_address, struct rv_symbolizer_name *name)
{
    rv_function_and_line_name_code(namer, code, link_address, name);
    const struct rv_function_and_line_file *file = open_file(namer, code);
    struct rv_dwarf *dwarf = file->elf ? rv_elf_dwarf(file->elf) : NULL;
    char path[PATH_MAX];
    uint32_t line;
    const bool is_found = dwarf && rv_dwarf_find_code(dwarf, link_address, path, sizeof path, &line);
    name->line_form = is_found ? rv_name_line_form(line, 0) : 0;
    name->file = is_found ? keep_string(namer, path) : "";
}

/* "+0x28" behind the name of a variable that the object is a part of. */
static void add_offset(struct rv_function_and_line *namer, uint64_t offset, struct rv_symbolizer_name *name)
{
    const size_t most = strlen(name->name) + sizeof "+0x" + 16;
    char *text = rv_alloc(most, 1);
    int n_bytes = snprintf(text, most, "%s+0x%" PRIx64, name->name, offset);
    name->name = rv_string_pool_keep(&namer->strings, text, (size_t)n_bytes);
    free(text);
}

void rv_function_and_line_name_object(struct rv_function_and_line *namer, const struct rv_code_file *code,
                                      uint64_t link_address, struct rv_symbolizer_name *name)
{
    struct rv_function_and_line_file *file = open_file(namer, code);
    uint64_t start;
    const char *symbol = file->elf ? rv_elf_variable_at(file->elf, link_address, &start) : NULL;
    *name = (struct rv_symbolizer_name){.package = keep(namer, rv_demangle_module(code->path)), .file = ""};
    if (symbol) {
        name_symbol(namer, symbol, name);
        if (link_address > start)
            add_offset(namer, link_address - start, name);
    } else {
        name_without_symbol(namer, code, link_address, name);
    }
}

void rv_function_and_line_name_address(struct rv_function_and_line *namer, uint64_t address,
                                       struct rv_symbolizer_name *name)
{
    *name = (struct rv_symbolizer_name){.package = "", .file = ""};
    name_hex(namer, address, name);
}

void rv_function_and_line_fini(struct rv_function_and_line *namer)
{
    for (size_t i = 0; i < namer->n_files; i++)
        close_file(namer, &namer->files[i]);
    free(namer->files);
    free(namer->known);
    rv_string_pool_fini(&namer->strings);
    *namer = (struct rv_function_and_line){0};
}

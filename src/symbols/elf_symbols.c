#include "symbols/elf_symbols.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/vec.h"
#include "symbols/debug_file.h"
#include "symbols/dwarf_declarations.h"

struct symbol {
    uint64_t value, n_bytes; /* n_bytes 0: unknown: up to the next symbol */
    const char *name;        /* owned by libelf */
    uint8_t rank;            /* priority among names of one address: lower wins */
};

struct symbol_table { /* sorted by address, one name each */
    struct symbol *all;
    size_t n, capacity;
};

struct rv_elf {
    struct rv_elf_file *file, *debug; /* debug: may be NULL */
    struct symbol_table functions, variables, imports;
    struct rv_dwarf *dwarf;
    bool is_dwarf_tried, has_variables, has_imports;
};

static bool is_expected(const struct rv_elf_file *file, const struct rv_elf_identity *expected)
{
    if (file->build_id_bytes && expected->build_id_bytes)
        return rv_elf_file_has_build_id(file, expected->build_id, expected->build_id_bytes);
    if (!expected->device && !expected->inode)
        return true;
    return file->status.st_dev == expected->device && file->status.st_ino == expected->inode;
}

static uint8_t rank_of(const GElf_Sym *symbol)
{
    int binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static bool is_function(unsigned type)
{
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

static bool is_variable(unsigned type)
{
    return type == STT_OBJECT;
}

static void add_symbol(struct symbol_table *table, Elf *from, const GElf_Shdr *header, const GElf_Sym *symbol)
{
    const char *name = elf_strptr(from, header->sh_link, symbol->st_name);
    if (!name || !*name)
        return;
    table->all = rv_vec_reserve(table->all, &table->capacity, table->n + 1, sizeof *table->all);
    table->all[table->n++] =
        (struct symbol){.value = symbol->st_value, .n_bytes = symbol->st_size, .name = name, .rank = rank_of(symbol)};
}

static void add_symbols(struct symbol_table *table, const struct rv_elf_file *from, uint32_t section_type,
                        bool (*is_wanted)(unsigned type))
{
    GElf_Shdr header;
    Elf_Scn *section = rv_elf_file_find(from, section_type, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t symbol_bytes = gelf_fsize(from->elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!data || !data->d_buf || !symbol_bytes)
        return;
    GElf_Sym symbol;
    for (size_t i = 0; i < data->d_size / symbol_bytes && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++)
        if (symbol.st_shndx != SHN_UNDEF && is_wanted(GELF_ST_TYPE(symbol.st_info)))
            add_symbol(table, from->elf, &header, &symbol);
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->n_bytes != b->n_bytes)
        return a->n_bytes > b->n_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_symbols(struct symbol_table *table)
{
    if (!table->n)
        return;
    qsort(table->all, table->n, sizeof *table->all, compare_symbols);
    size_t n = 1;
    for (size_t i = 1; i < table->n; i++)
        if (table->all[i].value != table->all[n - 1].value)
            table->all[n++] = table->all[i];
    table->n = n;
}

static void read_symbols(const struct rv_elf *elf, struct symbol_table *table, bool (*is_wanted)(unsigned type))
{
    add_symbols(table, elf->file, SHT_SYMTAB, is_wanted);
    if (!table->n && elf->debug)
        add_symbols(table, elf->debug, SHT_SYMTAB, is_wanted);
    if (!table->n)
        add_symbols(table, elf->file, SHT_DYNSYM, is_wanted);
    sort_symbols(table);
}

struct rv_elf *rv_elf_open(const char *path, const struct rv_elf_identity *expected)
{
    struct rv_elf_file *file = rv_elf_file_open(path);
    if (!file || !is_expected(file, expected)) {
        rv_elf_file_close(file);
        return NULL;
    }
    struct rv_elf *elf = rv_alloc(1, sizeof *elf);
    elf->file = file;
    elf->debug = rv_debug_file_open(file);
    read_symbols(elf, &elf->functions, is_function);
    return elf;
}

static const char *find_symbol(const struct symbol_table *table, uint64_t link_address, uint64_t *start)
{
    size_t n = rv_bisect_count(table->all, table->n, sizeof *table->all, offsetof(struct symbol, value), link_address);
    if (n == 0)
        return NULL;
    const struct symbol *symbol = &table->all[n - 1];
    if (symbol->n_bytes && link_address - symbol->value >= symbol->n_bytes)
        return NULL;
    *start = symbol->value;
    return symbol->name;
}

const char *rv_elf_function(const struct rv_elf *elf, uint64_t link_address, uint64_t *start)
{
    return find_symbol(&elf->functions, link_address, start);
}

const char *rv_elf_variable_at(struct rv_elf *elf, uint64_t link_address, uint64_t *start)
{
    if (!elf->has_variables)
        read_symbols(elf, &elf->variables, is_variable);
    elf->has_variables = true;
    return find_symbol(&elf->variables, link_address, start);
}

/* ---- imports ---- */

static void add_import(struct rv_elf *elf, const GElf_Rela *relocation, const GElf_Shdr *symbols, Elf_Data *data)
{
    GElf_Sym symbol;
    const unsigned type = GELF_R_TYPE(relocation->r_info);
    const size_t index = GELF_R_SYM(relocation->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || index > INT32_MAX ||
        !gelf_getsym(data, (int)index, &symbol))
        return;
    symbol.st_value = relocation->r_offset;
    symbol.st_size = sizeof(uint64_t);
    add_symbol(&elf->imports, elf->file->elf, symbols, &symbol);
}

/* Of a section of relocations that name dynamic symbols. */
static void add_imports(struct rv_elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Shdr symbols;
    Elf_Scn *names = elf_getscn(elf->file->elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL), *symbol_data = names ? elf_getdata(names, NULL) : NULL;
    if (!data || !symbol_data || !gelf_getshdr(names, &symbols) || symbols.sh_type != SHT_DYNSYM)
        return;
    GElf_Rela relocation;
    for (int i = 0; gelf_getrela(data, i, &relocation); i++)
        add_import(elf, &relocation, &symbols, symbol_data);
}

static void read_imports(struct rv_elf *elf)
{
    GElf_Shdr header;
    GElf_Ehdr file;
    if (!gelf_getehdr(elf->file->elf, &file) || file.e_machine != EM_X86_64)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->file->elf, section));)
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
            add_imports(elf, section, &header);
    sort_symbols(&elf->imports);
}

static bool is_in_data(const struct rv_elf *elf, uint64_t link_address)
{
    GElf_Phdr segment;
    size_t n = 0;
    if (elf_getphdrnum(elf->file->elf, &n) != 0)
        return false;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(elf->file->elf, (int)i, &segment); i++)
        if (segment.p_type == PT_LOAD && !(segment.p_flags & PF_X) && link_address >= segment.p_vaddr &&
            link_address - segment.p_vaddr < segment.p_memsz)
            return true;
    return false;
}

const char *rv_elf_import_at(struct rv_elf *elf, uint64_t link_address)
{
    uint64_t start;
    if (!is_in_data(elf, link_address))
        return NULL;
    if (!elf->has_imports)
        read_imports(elf);
    elf->has_imports = true;
    const char *name = find_symbol(&elf->imports, link_address, &start);
    return name && start == link_address ? name : NULL;
}

const char *rv_elf_needed(const struct rv_elf *elf, size_t i)
{
    GElf_Shdr header;
    GElf_Dyn entry;
    Elf_Scn *section = rv_elf_file_find(elf->file, SHT_DYNAMIC, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    for (int at = 0; data && gelf_getdyn(data, at, &entry) && entry.d_tag != DT_NULL; at++)
        if (entry.d_tag == DT_NEEDED && i-- == 0)
            return elf_strptr(elf->file->elf, header.sh_link, entry.d_un.d_val);
    return NULL;
}

/* ---- the file ---- */

struct rv_elf_image rv_elf_image(const struct rv_elf *elf)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    struct rv_elf_image image = {.first_address = UINT64_MAX};
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t n = 0;
    image.is_relocatable = gelf_getehdr(elf->file->elf, &header) && header.e_type == ET_DYN;
    if (elf_getphdrnum(elf->file->elf, &n) != 0)
        n = 0;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(elf->file->elf, (int)i, &segment); i++) {
        uint64_t start = segment.p_vaddr & ~(page_bytes - 1);
        if (segment.p_type == PT_LOAD && start < image.first_address)
            image.first_address = start;
    }
    return image;
}

static bool find_export(const struct rv_elf *elf, const char *name, bool (*is_wanted)(unsigned type), uint64_t *address)
{
    GElf_Shdr header;
    Elf_Scn *section = rv_elf_file_find(elf->file, SHT_DYNSYM, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t symbol_bytes = gelf_fsize(elf->file->elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!data || !data->d_buf || !symbol_bytes)
        return false;
    GElf_Sym symbol;
    for (size_t i = 0; i < data->d_size / symbol_bytes && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        const char *its = elf_strptr(elf->file->elf, header.sh_link, symbol.st_name);
        if (!is_wanted(GELF_ST_TYPE(symbol.st_info)) || symbol.st_shndx == SHN_UNDEF || !its || strcmp(its, name) != 0)
            continue;
        *address = symbol.st_value;
        return true;
    }
    return false;
}

bool rv_elf_variable(const struct rv_elf *elf, const char *name, uint64_t *address)
{
    return find_export(elf, name, is_variable, address);
}

bool rv_elf_exported_function(const struct rv_elf *elf, const char *name, uint64_t *address)
{
    return find_export(elf, name, is_function, address);
}

const char *rv_elf_function_at(const struct rv_elf *elf, size_t idx, uint64_t *start)
{
    if (idx >= elf->functions.n)
        return NULL;
    *start = elf->functions.all[idx].value;
    return elf->functions.all[idx].name;
}

struct rv_dwarf *rv_elf_dwarf(struct rv_elf *elf)
{
    if (elf->is_dwarf_tried)
        return elf->dwarf;
    elf->is_dwarf_tried = true;
    elf->dwarf = rv_dwarf_open(elf->file);
    if (!elf->dwarf && elf->debug)
        elf->dwarf = rv_dwarf_open(elf->debug);
    return elf->dwarf;
}

void rv_elf_close(struct rv_elf *elf)
{
    if (!elf)
        return;
    rv_dwarf_close(elf->dwarf);
    rv_elf_file_close(elf->debug);
    rv_elf_file_close(elf->file);
    free(elf->functions.all);
    free(elf->variables.all);
    free(elf->imports.all);
    free(elf);
}

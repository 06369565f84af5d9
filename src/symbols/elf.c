#include "symbols/elf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <libelf.h>

#include "base/bisect.h"
#include "base/vec.h"

#define MAX_BUILD_ID_BYTES 64u
#define DEBUG_FOLDER "/usr/lib/debug/.build-id"

struct function {
    uint64_t value, n_bytes; /* n_bytes 0: up to the next one */
    const char *name;        /* libelf's */
    uint8_t rank;            /* among names of one address: lower is better */
};

struct opened {
    int fd;
    Elf *elf;
};

struct rv_elf {
    struct opened file, debug; /* debug.elf: NULL where there is no split debug file */
    struct function *functions;
    size_t n_functions, capacity;
    Dwarf *dwarf;
    bool is_dwarf_tried;
};

static void close_opened(struct opened *opened)
{
    if (opened->elf)
        elf_end(opened->elf);
    if (opened->fd >= 0)
        close(opened->fd);
    *opened = (struct opened){.fd = -1};
}

/* Non-blocking, since a path may name a pipe by now. */
static bool open_file(struct opened *opened, const char *path, struct stat *status)
{
    *opened = (struct opened){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (opened->fd < 0)
        return false;
    if (fstat(opened->fd, status) == 0 && S_ISREG(status->st_mode))
        opened->elf = elf_begin(opened->fd, ELF_C_READ, NULL);
    if (opened->elf && elf_kind(opened->elf) == ELF_K_ELF)
        return true;
    close_opened(opened);
    return false;
}

static uint32_t build_id_of(Elf *elf, const uint8_t **build_id)
{
    const void *bytes = NULL;
    ssize_t n_bytes = dwelf_elf_gnu_build_id(elf, &bytes);
    *build_id = bytes;
    return n_bytes > 0 ? (uint32_t)n_bytes : 0;
}

static bool is_expected(const struct opened *opened, const struct stat *status, const struct rv_elf_identity *expected)
{
    const uint8_t *build_id;
    uint32_t build_id_bytes = build_id_of(opened->elf, &build_id);
    if (build_id_bytes && expected->build_id_bytes)
        return build_id_bytes == expected->build_id_bytes && memcmp(build_id, expected->build_id, build_id_bytes) == 0;
    if (!expected->device && !expected->inode)
        return true;
    return status->st_dev == expected->device && status->st_ino == expected->inode;
}

static void open_debug_file(struct rv_elf *elf)
{
    const uint8_t *build_id;
    uint32_t build_id_bytes = build_id_of(elf->file.elf, &build_id);
    if (build_id_bytes < 2 || build_id_bytes > MAX_BUILD_ID_BYTES)
        return;
    char path[sizeof DEBUG_FOLDER + 2 * MAX_BUILD_ID_BYTES + sizeof "//.debug"];
    int at = snprintf(path, sizeof path, "%s/%02x/", DEBUG_FOLDER, build_id[0]);
    for (uint32_t i = 1; i < build_id_bytes; i++)
        at += snprintf(path + at, sizeof path - (size_t)at, "%02x", build_id[i]);
    snprintf(path + at, sizeof path - (size_t)at, ".debug");
    struct stat status;
    struct rv_elf_identity same = {.build_id = build_id, .build_id_bytes = build_id_bytes};
    if (open_file(&elf->debug, path, &status) && !is_expected(&elf->debug, &status, &same))
        close_opened(&elf->debug);
}

static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

static uint8_t rank_of(const GElf_Sym *symbol)
{
    int binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static void add_function(struct rv_elf *elf, Elf *from, const GElf_Shdr *header, const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF)
        return;
    const char *name = elf_strptr(from, header->sh_link, symbol->st_name);
    if (!name || !*name)
        return;
    elf->functions = rv_vec_reserve(elf->functions, &elf->capacity, elf->n_functions + 1, sizeof *elf->functions);
    elf->functions[elf->n_functions++] =
        (struct function){.value = symbol->st_value, .n_bytes = symbol->st_size, .name = name, .rank = rank_of(symbol)};
}

static void add_functions(struct rv_elf *elf, Elf *from, uint32_t section_type)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(from, section_type, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t symbol_bytes = gelf_fsize(from, ELF_T_SYM, 1, EV_CURRENT);
    if (!data || !data->d_buf || !symbol_bytes)
        return;
    GElf_Sym symbol;
    for (size_t i = 0; i < data->d_size / symbol_bytes && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++)
        add_function(elf, from, &header, &symbol);
}

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->n_bytes != b->n_bytes)
        return a->n_bytes > b->n_bytes ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Sorted by address, one name each. */
static void sort_functions(struct rv_elf *elf)
{
    if (!elf->n_functions)
        return;
    qsort(elf->functions, elf->n_functions, sizeof *elf->functions, compare_functions);
    size_t n = 1;
    for (size_t i = 1; i < elf->n_functions; i++)
        if (elf->functions[i].value != elf->functions[n - 1].value)
            elf->functions[n++] = elf->functions[i];
    elf->n_functions = n;
}

struct rv_elf *rv_elf_open(const char *path, const struct rv_elf_identity *expected)
{
    elf_version(EV_CURRENT);
    struct opened opened;
    struct stat status;
    if (!open_file(&opened, path, &status))
        return NULL;
    if (!is_expected(&opened, &status, expected)) {
        close_opened(&opened);
        return NULL;
    }
    struct rv_elf *elf = rv_alloc(1, sizeof *elf);
    elf->file = opened;
    elf->debug.fd = -1;
    open_debug_file(elf);
    add_functions(elf, elf->file.elf, SHT_SYMTAB);
    if (!elf->n_functions && elf->debug.elf)
        add_functions(elf, elf->debug.elf, SHT_SYMTAB);
    if (!elf->n_functions)
        add_functions(elf, elf->file.elf, SHT_DYNSYM);
    sort_functions(elf);
    return elf;
}

const char *rv_elf_function(const struct rv_elf *elf, uint64_t link_address, uint64_t *start)
{
    size_t n = rv_bisect_count(elf->functions, elf->n_functions, sizeof *elf->functions,
                               offsetof(struct function, value), link_address);
    if (n == 0)
        return NULL;
    const struct function *function = &elf->functions[n - 1];
    if (function->n_bytes && link_address - function->value >= function->n_bytes)
        return NULL;
    *start = function->value;
    return function->name;
}

struct rv_elf_image rv_elf_image(const struct rv_elf *elf)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    struct rv_elf_image image = {.first_address = UINT64_MAX};
    GElf_Ehdr header;
    GElf_Phdr segment;
    size_t n = 0;
    image.is_relocatable = gelf_getehdr(elf->file.elf, &header) && header.e_type == ET_DYN;
    if (elf_getphdrnum(elf->file.elf, &n) != 0)
        n = 0;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(elf->file.elf, (int)i, &segment); i++) {
        uint64_t start = segment.p_vaddr & ~(page_bytes - 1), alignment = segment.p_align ? segment.p_align : 1;
        if (segment.p_type == PT_LOAD && start < image.first_address)
            image.first_address = start;
        if (segment.p_type == PT_TLS)
            image.tls_bytes = (segment.p_memsz + alignment - 1) / alignment * alignment;
    }
    return image;
}

bool rv_elf_variable(const struct rv_elf *elf, const char *name, struct rv_elf_variable *variable)
{
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf->file.elf, SHT_DYNSYM, &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t symbol_bytes = gelf_fsize(elf->file.elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!data || !data->d_buf || !symbol_bytes)
        return false;
    GElf_Sym symbol;
    for (size_t i = 0; i < data->d_size / symbol_bytes && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        int type = GELF_ST_TYPE(symbol.st_info);
        const char *its = elf_strptr(elf->file.elf, header.sh_link, symbol.st_name);
        if ((type != STT_OBJECT && type != STT_TLS) || symbol.st_shndx == SHN_UNDEF || !its || strcmp(its, name) != 0)
            continue;
        *variable = (struct rv_elf_variable){symbol.st_value, type == STT_TLS};
        return true;
    }
    return false;
}

/* libdw takes it for granted that strings end inside their section. */
static bool has_ended_strings(Elf *elf)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!name || (strcmp(name, ".debug_str") != 0 && strcmp(name, ".debug_line_str") != 0 &&
                      strcmp(name, ".zdebug_str") != 0))
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || (data->d_size && (!data->d_buf || ((const char *)data->d_buf)[data->d_size - 1] != '\0')))
            return false;
    }
    return true;
}

static Dwarf *open_dwarf(Elf *elf)
{
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    if (dwarf && !has_ended_strings(elf)) {
        dwarf_end(dwarf);
        return NULL;
    }
    return dwarf;
}

struct Dwarf *rv_elf_dwarf(struct rv_elf *elf)
{
    if (elf->is_dwarf_tried)
        return elf->dwarf;
    elf->is_dwarf_tried = true;
    elf->dwarf = open_dwarf(elf->file.elf);
    if (!elf->dwarf)
        elf->dwarf = open_dwarf(elf->debug.elf);
    return elf->dwarf;
}

void rv_elf_close(struct rv_elf *elf)
{
    if (!elf)
        return;
    if (elf->dwarf)
        dwarf_end(elf->dwarf);
    close_opened(&elf->debug);
    close_opened(&elf->file);
    free(elf->functions);
    free(elf);
}

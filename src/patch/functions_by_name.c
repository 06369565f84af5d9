#include "patch/functions_by_name.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/debug_paths.h"
#include "base/module_name.h"
#include "patch/array.h"
#include "patch/pattern_words.h"

struct file {
    const uint8_t *bytes;
    size_t n_bytes;
};

/* NULL: not all of it is in the file. */
static const uint8_t *bytes_at(const struct file *file, uint64_t offset, uint64_t n_bytes)
{
    return offset <= file->n_bytes && n_bytes <= file->n_bytes - offset ? file->bytes + offset : NULL;
}

/* NULL, too, where it is not aligned. */
static const void *at(const struct file *file, uint64_t offset, uint64_t n_bytes)
{
    return offset % 8 == 0 ? bytes_at(file, offset, n_bytes) : NULL;
}

/* Called with each function's name, address and size; 0: it has none. A negative errno ends it. */
typedef int symbol_fn(void *context, const char *name, uint64_t address, uint64_t n_bytes);

static int add_address(struct rv_patch_names *names, uint64_t address)
{
    uint64_t *addresses = rv_patch_array_grown(names->addresses, names->n, &names->capacity, sizeof *addresses);
    if (!addresses)
        return -ENOMEM;
    names->addresses = addresses;
    addresses[names->n++] = address;
    return 0;
}

struct by_pattern {
    struct rv_patch_names *names;
    const regex_t *pattern;
};

static int add_matching(void *context, const char *name, uint64_t address, uint64_t n_bytes)
{
    const struct by_pattern *by = context;
    (void)n_bytes;
    return regexec(by->pattern, name, 0, NULL, 0) == 0 ? add_address(by->names, address) : 0;
}

struct by_name {
    const struct rv_patch_name *wanted;
    struct rv_patch_named *named;
    size_t n_wanted, n, capacity;
};

static int compare_names(const void *name, const void *wanted)
{
    return strcmp(name, ((const struct rv_patch_name *)wanted)->name);
}

static int add_named(void *context, const char *name, uint64_t address, uint64_t n_bytes)
{
    struct by_name *by = context;
    (void)n_bytes;
    const struct rv_patch_name *found = bsearch(name, by->wanted, by->n_wanted, sizeof *by->wanted, compare_names);
    if (!found)
        return 0;
    struct rv_patch_named *named = rv_patch_array_grown(by->named, by->n, &by->capacity, sizeof *named);
    if (!named)
        return -ENOMEM;
    by->named = named;
    named[by->n++] = (struct rv_patch_named){address, found->number};
    return 0;
}

static int walk_symbols(const struct file *file, const Elf64_Shdr *symbols, const Elf64_Shdr *strings, uint64_t bias,
                        symbol_fn *each, void *context)
{
    const Elf64_Sym *all = at(file, symbols->sh_offset, symbols->sh_size);
    if (!all || strings->sh_offset > file->n_bytes || strings->sh_size > file->n_bytes - strings->sh_offset)
        return -EBADMSG;
    const char *text = (const char *)file->bytes + strings->sh_offset;
    int error = 0;
    for (size_t i = 0; i < symbols->sh_size / sizeof *all && !error; i++) {
        const int type = ELF64_ST_TYPE(all[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || all[i].st_shndx == SHN_UNDEF ||
            all[i].st_name >= strings->sh_size ||
            !memchr(text + all[i].st_name, '\0', strings->sh_size - all[i].st_name))
            continue;
        error = each(context, text + all[i].st_name, bias + all[i].st_value, all[i].st_size);
    }
    return error;
}

/* Difference of mapped addresses to those in the headers. */
static uint64_t find_bias(const struct file *file, const Elf64_Ehdr *header, const struct rv_patch_image *image)
{
    const Elf64_Phdr *segments = at(file, header->e_phoff, header->e_phnum * sizeof *segments);
    for (size_t i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_filesz && image->n_segments)
            return image->segments[0].start - segments[i].p_vaddr;
    return 0;
}

static int walk_file(const struct file *file, const struct rv_patch_image *image, symbol_fn *each, void *context)
{
    const Elf64_Ehdr *header = at(file, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(Elf64_Shdr))
        return -EBADMSG;
    const Elf64_Shdr *sections = at(file, header->e_shoff, header->e_shnum * sizeof *sections), *found = NULL;
    for (size_t i = 0; sections && i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found))
            found = &sections[i];
    if (!found)
        return 0;
    if (found->sh_link >= header->e_shnum)
        return -EBADMSG;
    return walk_symbols(file, found, &sections[found->sh_link], find_bias(file, header, image), each, context);
}

static int open_file(struct file *file, const char *path)
{
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    file->bytes = MAP_FAILED;
    if (fstat(fd, &status) == 0) {
        file->n_bytes = (size_t)status.st_size;
        file->bytes = mmap(NULL, file->n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    const int error = file->bytes == MAP_FAILED ? -errno : 0;
    close(fd);
    return error;
}

static void close_file(const struct file *file)
{
    munmap((void *)(uintptr_t)file->bytes, file->n_bytes);
}

static int walk_path(const char *path, const struct rv_patch_image *image, symbol_fn *each, void *context)
{
    struct file file;
    int error = open_file(&file, path);
    if (error)
        return error;
    error = walk_file(&file, image, each, context);
    close_file(&file);
    return error;
}

/* ---- names in another file ---- */

static bool is_there(void *unused, const char *path)
{
    (void)unused;
    return access(path, F_OK) == 0;
}

static const uint8_t *bytes_of(const struct file *file, const Elf64_Shdr *section)
{
    return section->sh_type != SHT_NOBITS ? bytes_at(file, section->sh_offset, section->sh_size) : NULL;
}

/* A section with the build id alone, as linkers write it; or with the name of a file. */
static bool leads_elsewhere(const struct file *file, const char *path, const Elf64_Shdr *section, const char *name)
{
    enum { ID_AT = 16 };
    const uint8_t *bytes = bytes_of(file, section);
    if (bytes && strcmp(name, ".note.gnu.build-id") == 0 && section->sh_size > ID_AT)
        return rv_debug_paths_by_id(path, bytes + ID_AT, section->sh_size - ID_AT, is_there, NULL);
    return bytes && strcmp(name, ".gnu_debuglink") == 0 && memchr(bytes, '\0', section->sh_size) &&
           rv_debug_paths_by_link(path, (const char *)bytes, is_there, NULL);
}

static bool leads_any_elsewhere(const struct file *file, const char *path)
{
    const Elf64_Ehdr *header = at(file, 0, sizeof *header);
    const Elf64_Shdr *sections = header && header->e_shentsize == sizeof *sections
                                     ? at(file, header->e_shoff, header->e_shnum * sizeof *sections)
                                     : NULL;
    if (!sections || header->e_shstrndx >= header->e_shnum)
        return false;
    const Elf64_Shdr *strings = &sections[header->e_shstrndx];
    const char *names = (const char *)bytes_of(file, strings);
    bool leads = false;
    for (size_t i = 0; names && i < header->e_shnum && !leads; i++) {
        const uint64_t name_at = sections[i].sh_name;
        if (sections[i].sh_type == SHT_SYMTAB) /* then it has all names itself */
            return false;
        leads = name_at < strings->sh_size && memchr(names + name_at, '\0', strings->sh_size - name_at) &&
                leads_elsewhere(file, path, &sections[i], names + name_at);
    }
    return leads;
}

/* Do readers find names of its functions in a file of separate debug information? */
static bool may_have_debug_file(const char *path)
{
    struct file file;
    if (open_file(&file, path) != 0)
        return true;
    const bool may_have = leads_any_elsewhere(&file, path);
    close_file(&file);
    return may_have;
}

/* Those that are called by their addresses; what is no function is never asked for. */
static int add_addresses(struct by_name *by, uint64_t bias)
{
    int error = 0;
    for (size_t i = 0; i < by->n_wanted && !error; i++) {
        const char *name = by->wanted[i].name;
        if (strncmp(name, "0x", 2) == 0)
            error = add_named(by, name, strtoull(name, NULL, 16) + bias, 0);
    }
    return error;
}

int rv_patch_names_read(struct rv_patch_names *names, const char *path, const char *pattern,
                        const struct rv_patch_image *image)
{
    regex_t compiled;
    *names = (struct rv_patch_names){0};
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return -EINVAL;
    int error = walk_path(path, image, add_matching, &(struct by_pattern){names, &compiled});
    rv_patch_array_sort(names->addresses, names->n, sizeof *names->addresses);
    regfree(&compiled);
    return error;
}

static int count_down(void *n_left, const char *name, uint64_t address, uint64_t n_bytes)
{
    (void)name;
    (void)address;
    (void)n_bytes;
    return --*(size_t *)n_left ? 0 : -ECANCELED;
}

bool rv_patch_names_are_fewer(const char *path, const struct rv_patch_image *image, size_t n)
{
    size_t n_left = n;
    if (n_left)
        (void)walk_path(path, image, count_down, &n_left);
    return n_left;
}

bool rv_patch_names_has_addresses(const char *pattern)
{
    return strstr(pattern, "0x") != NULL;
}

int rv_patch_names_add_addresses(struct rv_patch_names *names, const char *pattern, const struct rv_patch_image *image,
                                 const struct rv_patch_functions *all)
{
    regex_t compiled;
    char name[2 + 16 + 1];
    int error = 0;
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return -EINVAL;
    for (size_t i = 0; i < all->n_functions && !error; i++) {
        snprintf(name, sizeof name, "0x%" PRIx64, all->functions[i].address - image->bias);
        error = add_matching(&(struct by_pattern){names, &compiled}, name, all->functions[i].address, 0);
    }
    rv_patch_array_sort(names->addresses, names->n, sizeof *names->addresses);
    regfree(&compiled);
    return error;
}

struct by_filter {
    struct rv_patch_names *rejected, kept;
    const char *module;
    int n_module;
    regex_t include, exclude;
    bool has_include, has_exclude;
    struct rv_pattern_words included; /* of these a name that is included has one */
};

static bool is_shown_otherwise(const char *name)
{
    return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || strpbrk(name, ".@");
}

static bool is_rejected(const struct by_filter *by, const char *name)
{
    char full[1024];
    if (is_shown_otherwise(name))
        return !rv_pattern_words_may_match(&by->included, name);
    if (snprintf(full, sizeof full, "%.*s::%s", by->n_module, by->module, name) >= (int)sizeof full)
        return false;
    return (by->has_include && regexec(&by->include, full, 0, NULL, 0) != 0) ||
           (by->has_exclude && regexec(&by->exclude, full, 0, NULL, 0) == 0);
}

static int add_judged(void *context, const char *name, uint64_t address, uint64_t n_bytes)
{
    struct by_filter *by = context;
    (void)n_bytes;
    return add_address(is_rejected(by, name) ? by->rejected : &by->kept, address);
}

static void remove_kept(struct by_filter *by)
{
    size_t n = 0;
    rv_patch_array_sort(by->kept.addresses, by->kept.n, sizeof *by->kept.addresses);
    for (size_t i = 0; i < by->rejected->n; i++)
        if (!rv_patch_names_match(&by->kept, by->rejected->addresses[i]))
            by->rejected->addresses[n++] = by->rejected->addresses[i];
    by->rejected->n = n;
}

static bool compile(regex_t *regex, const char *pattern, bool *has)
{
    *has = pattern && regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB) == 0;
    return *has || !pattern;
}

/* ---- functions without a symbol: readers call them by their addresses ---- */

struct covered { /* by a symbol */
    uint64_t address, end; /* end 0: up to the next one */
};

struct cover {
    struct covered *all; /* rising */
    size_t n, capacity;
};

static int add_covered(void *context, const char *name, uint64_t address, uint64_t n_bytes)
{
    struct cover *cover = context;
    struct covered *all = rv_patch_array_grown(cover->all, cover->n, &cover->capacity, sizeof *all);
    (void)name;
    if (!all)
        return -ENOMEM;
    cover->all = all;
    all[cover->n++] = (struct covered){address, n_bytes ? address + n_bytes : 0};
    return 0;
}

static bool has_symbol(const struct cover *cover, uint64_t address)
{
    const size_t n = rv_bisect_count(cover->all, cover->n, sizeof *cover->all, 0, address);
    const struct covered *last = n ? &cover->all[n - 1] : NULL;
    return last && (last->address == address || !last->end || address < last->end);
}

static int add_nameless(struct by_filter *by, const struct cover *cover, const struct rv_patch_image *image,
                        const struct rv_patch_functions *all)
{
    char name[2 + 16 + 1];
    int error = 0;
    for (size_t i = 0; i < all->n_functions && !error; i++) {
        const uint64_t address = all->functions[i].address;
        snprintf(name, sizeof name, "0x%" PRIx64, address - image->bias);
        if (!has_symbol(cover, address) && is_rejected(by, name))
            error = add_address(by->rejected, address);
    }
    return error;
}

static int judge_nameless(struct by_filter *by, const char *path, const struct rv_patch_image *image,
                          const struct rv_patch_functions *all)
{
    struct cover cover = {0};
    int error = walk_path(path, image, add_covered, &cover);
    rv_patch_array_sort(cover.all, cover.n, sizeof *cover.all);
    if (!error)
        error = add_nameless(by, &cover, image, all);
    free(cover.all);
    return error;
}

int rv_patch_names_filter(struct rv_patch_names *names, const char *path, const char *called,
                          const struct rv_patch_filter *filter, const struct rv_patch_image *image,
                          const struct rv_patch_functions *all)
{
    size_t n_module;
    struct by_filter by = {.rejected = names, .module = rv_module_name(called, &n_module)};
    *names = (struct rv_patch_names){0};
    by.n_module = (int)n_module;
    if (filter->include)
        rv_pattern_words_find(&by.included, filter->include, by.module, n_module);
    int error =
        compile(&by.include, filter->include, &by.has_include) && compile(&by.exclude, filter->exclude, &by.has_exclude)
            ? walk_path(path, image, add_judged, &by)
            : -EINVAL;
    remove_kept(&by);
    if (!error && !may_have_debug_file(path))
        error = judge_nameless(&by, path, image, all);
    rv_patch_array_sort(names->addresses, names->n, sizeof *names->addresses);
    rv_patch_names_end(&by.kept);
    if (by.has_include)
        regfree(&by.include);
    if (by.has_exclude)
        regfree(&by.exclude);
    return error;
}

int rv_patch_names_find(const char *path, const struct rv_patch_image *image, const struct rv_patch_name *wanted,
                        size_t n, struct rv_patch_named **named, size_t *n_named)
{
    struct by_name by = {.wanted = wanted, .n_wanted = n};
    int error = n ? walk_path(path, image, add_named, &by) : 0;
    if (!error)
        error = add_addresses(&by, image->bias);
    rv_patch_array_sort(by.named, by.n, sizeof *by.named);
    *named = by.named;
    *n_named = by.n;
    return error;
}

bool rv_patch_names_match(const struct rv_patch_names *names, uint64_t address)
{
    size_t n = rv_bisect_count(names->addresses, names->n, sizeof *names->addresses, 0, address);
    return n && names->addresses[n - 1] == address;
}

void rv_patch_names_end(struct rv_patch_names *names)
{
    free(names->addresses);
    *names = (struct rv_patch_names){0};
}

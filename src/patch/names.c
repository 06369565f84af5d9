#include "patch/names.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"

struct file {
    const uint8_t *bytes;
    size_t n_bytes;
};

/* NULL: not all of it is in the file, or it is not aligned. */
static const void *at(const struct file *file, uint64_t offset, uint64_t n_bytes)
{
    return offset % 8 == 0 && offset <= file->n_bytes && n_bytes <= file->n_bytes - offset ? file->bytes + offset
                                                                                           : NULL;
}

static int add(struct rv_patch_names *names, uint64_t address)
{
    if (names->n == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 256;
        uint64_t *grown = realloc(names->addresses, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        names->addresses = grown;
        names->capacity = capacity;
    }
    names->addresses[names->n++] = address;
    return 0;
}

static int add_matching(struct rv_patch_names *names, const struct file *file, const Elf64_Shdr *symbols,
                        const Elf64_Shdr *strings, const regex_t *pattern, uint64_t bias)
{
    const Elf64_Sym *all = at(file, symbols->sh_offset, symbols->sh_size);
    if (!all || strings->sh_offset > file->n_bytes || strings->sh_size > file->n_bytes - strings->sh_offset)
        return -EBADMSG;
    const char *text = (const char *)file->bytes + strings->sh_offset;
    for (size_t i = 0; i < symbols->sh_size / sizeof *all; i++) {
        const int type = ELF64_ST_TYPE(all[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || all[i].st_shndx == SHN_UNDEF ||
            all[i].st_name >= strings->sh_size ||
            !memchr(text + all[i].st_name, '\0', strings->sh_size - all[i].st_name))
            continue;
        if (regexec(pattern, text + all[i].st_name, 0, NULL, 0) == 0 && add(names, bias + all[i].st_value) != 0)
            return -ENOMEM;
    }
    return 0;
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* What is mapped differs from what is in the headers by how far the lowest segment was moved. */
static uint64_t find_bias(const struct file *file, const Elf64_Ehdr *header, const struct rv_patch_image *image)
{
    const Elf64_Phdr *segments = at(file, header->e_phoff, header->e_phnum * sizeof *segments);
    for (size_t i = 0; segments && i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD && segments[i].p_filesz && image->n_segments)
            return image->segments[0].start - segments[i].p_vaddr;
    return 0;
}

static int read_file(struct rv_patch_names *names, const struct file *file, const regex_t *pattern,
                     const struct rv_patch_image *image)
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
    int error = add_matching(names, file, found, &sections[found->sh_link], pattern, find_bias(file, header, image));
    if (names->n)
        qsort(names->addresses, names->n, sizeof *names->addresses, compare);
    return error;
}

int rv_patch_names_read(struct rv_patch_names *names, const char *path, const char *pattern,
                        const struct rv_patch_image *image)
{
    regex_t compiled;
    struct stat status;
    struct file file = {0};
    *names = (struct rv_patch_names){0};
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return -EINVAL;
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
    if (fd < 0 || fstat(fd, &status) != 0) {
        error = -errno;
    } else {
        file.n_bytes = (size_t)status.st_size;
        file.bytes = mmap(NULL, file.n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        error = file.bytes == MAP_FAILED ? -errno : read_file(names, &file, &compiled, image);
    }
    if (file.bytes && file.bytes != MAP_FAILED)
        munmap((void *)(uintptr_t)file.bytes, file.n_bytes);
    if (fd >= 0)
        close(fd);
    regfree(&compiled);
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

#include "patch/image.h"

#include <errno.h>
#include <string.h>

#include "base/static_program.h"

#define MOST_TIMES 4u

static bool has_bytes(const Elf64_Phdr *header)
{
    return header->p_type == PT_LOAD && header->p_filesz != 0;
}

static int add_segment(struct rv_patch_image *image, const Elf64_Phdr *header, uint64_t bias, const uint8_t *bytes)
{
    const uint64_t start = bias + header->p_vaddr, end = start + header->p_filesz;
    if (image->n_segments == RV_PATCH_SEGMENTS || header->p_filesz > header->p_memsz || end < start)
        return -EBADMSG;
    image->segments[image->n_segments++] = (struct rv_patch_segment){.start = start,
                                                                     .end = end,
                                                                     .bytes = bytes,
                                                                     .offset = header->p_offset,
                                                                     .is_code = header->p_flags & PF_X,
                                                                     .is_readable = header->p_flags & PF_R,
                                                                     .is_writable = header->p_flags & PF_W};
    return 0;
}

static void set_records(struct rv_patch_image *image, uint64_t address, uint64_t n_bytes)
{
    image->unwind_records = address;
    image->unwind_records_end = address + n_bytes;
}

int rv_patch_image_mapped(struct rv_patch_image *image, const Elf64_Phdr *headers, size_t n_headers, uint64_t bias)
{
    *image = (struct rv_patch_image){.bias = bias};
    for (size_t i = 0; i < n_headers; i++) {
        const Elf64_Phdr *header = &headers[i];
        const uint8_t *bytes = (const uint8_t *)(uintptr_t)(bias + header->p_vaddr);
        if (header->p_type == PT_GNU_EH_FRAME)
            image->unwind_table = bias + header->p_vaddr;
        if (header->p_type == RV_STATIC_PROGRAM_FRAMES)
            set_records(image, bias + header->p_vaddr, header->p_memsz);
        if (header->p_type == PT_DYNAMIC)
            image->dynamic = bias + header->p_vaddr;
        if (has_bytes(header) && add_segment(image, header, bias, bytes) != 0)
            return -EBADMSG;
    }
    return 0;
}

static bool is_file(const Elf64_Ehdr *header, size_t n_bytes)
{
    return n_bytes >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == EM_X86_64 && header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phoff % 8 == 0 &&
           header->e_phoff <= n_bytes && (n_bytes - header->e_phoff) / sizeof(Elf64_Phdr) >= header->e_phnum;
}

/* In a file, the section tells; statically linked programs have no index. */
static void find_records(struct rv_patch_image *image, const uint8_t *file, size_t n_bytes)
{
    static const char NAME[] = ".eh_frame";
    const Elf64_Ehdr *header = (const void *)file;
    if (header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 || header->e_shoff > n_bytes ||
        (n_bytes - header->e_shoff) / sizeof(Elf64_Shdr) < header->e_shnum || header->e_shstrndx >= header->e_shnum)
        return;
    const Elf64_Shdr *sections = (const void *)(file + header->e_shoff);
    const uint64_t names = sections[header->e_shstrndx].sh_offset;
    for (size_t i = 0; i < header->e_shnum; i++) {
        const uint64_t room = names < n_bytes ? n_bytes - names : 0;
        if (sections[i].sh_name < room && room - sections[i].sh_name >= sizeof NAME &&
            memcmp(file + names + sections[i].sh_name, NAME, sizeof NAME) == 0)
            set_records(image, sections[i].sh_addr, sections[i].sh_size);
    }
}

int rv_patch_image_file(struct rv_patch_image *image, const uint8_t *file, size_t n_bytes)
{
    const Elf64_Ehdr *header = (const void *)file;
    *image = (struct rv_patch_image){0};
    if (!is_file(header, n_bytes))
        return -EBADMSG;
    const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
    image->entry = header->e_entry;
    image->is_unlinked = header->e_type == ET_DYN;
    for (size_t i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type == PT_GNU_EH_FRAME)
            image->unwind_table = segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC)
            image->dynamic = segment->p_vaddr;
        if (!has_bytes(segment))
            continue;
        if (segment->p_offset > n_bytes || segment->p_filesz > n_bytes - segment->p_offset ||
            add_segment(image, segment, 0, file + segment->p_offset) != 0)
            return -EBADMSG;
    }
    if (!image->unwind_table)
        find_records(image, file, n_bytes);
    return 0;
}

const struct rv_patch_segment *rv_patch_image_segment(const struct rv_patch_image *image, uint64_t address)
{
    for (size_t i = 0; i < image->n_segments; i++)
        if (address >= image->segments[i].start && address < image->segments[i].end)
            return &image->segments[i];
    return NULL;
}

bool rv_patch_image_has_code(const struct rv_patch_image *image, uint64_t address, uint64_t n_bytes)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(image, address);
    return segment && segment->is_code && n_bytes <= segment->end - address;
}

const uint8_t *rv_patch_image_at(const struct rv_patch_image *image, uint64_t address, size_t *n_bytes)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(image, address);
    *n_bytes = 0;
    if (!segment || !segment->is_readable)
        return NULL;
    *n_bytes = (size_t)(segment->end - address);
    return segment->bytes + (address - segment->start);
}

uint64_t rv_patch_image_bytes(const struct rv_patch_image *image)
{
    uint64_t n = 0;
    for (size_t i = 0; i < image->n_segments; i++)
        n += image->segments[i].end - image->segments[i].start;
    return n;
}

uint64_t rv_patch_image_most_read(const struct rv_patch_image *image)
{
    return MOST_TIMES * rv_patch_image_bytes(image) + 65536;
}

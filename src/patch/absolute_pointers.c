#include "patch/absolute_pointers.h"

#include <elf.h>
#include <string.h>

#include "patch/dynamic_section.h"

static void read_data(const struct rv_patch_segment *segment, rv_patch_pointer_fn *found, void *context)
{
    const uint8_t *bytes = segment->bytes + (-segment->start & 7);
    for (; bytes + sizeof(uint64_t) <= segment->bytes + (segment->end - segment->start); bytes += sizeof(uint64_t)) {
        uint64_t pointer;
        memcpy(&pointer, bytes, sizeof pointer);
        found(context, pointer);
    }
}

static void read_relocations(const struct rv_patch_image *image, rv_patch_pointer_fn *found, void *context)
{
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_dynamic_section_table(image, DT_RELA, DT_RELASZ, &n_bytes);
    for (Elf64_Rela entry; n_bytes >= sizeof entry; bytes += sizeof entry, n_bytes -= sizeof entry) {
        memcpy(&entry, bytes, sizeof entry);
        if (ELF64_R_TYPE(entry.r_info) == R_X86_64_RELATIVE)
            found(context, image->bias + (uint64_t)entry.r_addend);
    }
}

/* Those that are packed are where they belong, in a file, too. */
static bool has_addresses(const struct rv_patch_image *image)
{
    size_t n_bytes;
    return !image->is_unlinked || rv_patch_dynamic_section_table(image, DT_RELR, DT_RELRSZ, &n_bytes);
}

void rv_patch_pointers_read(const struct rv_patch_image *image, rv_patch_pointer_fn *found, void *context)
{
    for (size_t i = 0; i < image->n_segments && has_addresses(image); i++)
        if (image->segments[i].is_readable && !image->segments[i].is_code)
            read_data(&image->segments[i], found, context);
    read_relocations(image, found, context);
}

/* By the names in its dynamic section, and by its headers. */
#include "producers/native/image_facts.h"

#include <string.h>

#include "base/hash.h"
#include "base/own_syscalls.h"
#include "patch/dynamic_section.h"

static const char *const HOOK_NAMES[] = {"__cyg_profile_func_enter", "mcount", "_mcount", "__fentry__"};
/* What C and C++ programs need anyway: names up to ".so". */
static const char *const COMMON_LIBRARIES[] = {"libc",      "libm",      "libdl",           "libpthread", "librt",
                                               "libutil",   "libresolv", "ld-linux-x86-64", "libmvec",    "libgcc_s",
                                               "libstdc++", "libatomic", "libgomp"};
#define MOST_THIN_BYTES (UINT64_C(64) << 10) /* of code: 350 of the programs of a Debian with 2,500; xz has 40 KiB */
#define MOST_WORK_BYTES (UINT64_C(16) << 20) /* of code: some 40,000 functions, 0.2 s; libLLVM has 60 MiB, libR 2 */
#define PAGE 4096u
#define N(array) (sizeof(array) / sizeof *(array))

bool rv_image_has_hooks(const struct rv_patch_image *image)
{
    return rv_patch_dynamic_section_names(image, HOOK_NAMES, N(HOOK_NAMES));
}

/* A library that has no name of its own is needed by its path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_common(const char *library)
{
    const size_t n = strcspn(library, ".");
    for (size_t i = 0; i < N(COMMON_LIBRARIES); i++)
        if (strlen(COMMON_LIBRARIES[i]) == n && memcmp(COMMON_LIBRARIES[i], library, n) == 0)
            return true;
    return false;
}

static uint64_t code_bytes(const struct rv_patch_image *image)
{
    uint64_t n = 0;
    for (size_t i = 0; i < image->n_segments; i++)
        n += image->segments[i].is_code ? image->segments[i].end - image->segments[i].start : 0;
    return n;
}

bool rv_image_is_thin(const struct rv_patch_image *program)
{
    const char *library;
    bool has_others = false;
    for (size_t i = 0; !has_others && (library = rv_patch_dynamic_section_needed(program, i)); i++)
        has_others = !is_common(name_of(library));
    return has_others && code_bytes(program) <= MOST_THIN_BYTES;
}

bool rv_image_is_worked_by(const struct rv_patch_image *program, const struct rv_patch_image *image, const char *path)
{
    const char *name = name_of(path), *library;
    size_t i = 0;
    if (is_common(name) || code_bytes(image) > MOST_WORK_BYTES)
        return false;
    while ((library = rv_patch_dynamic_section_needed(program, i)) && strcmp(name_of(library), name) != 0)
        i++;
    return library;
}

static uint64_t hash_notes(uint64_t hash, const uint8_t *bytes, size_t n_bytes, const Elf64_Phdr *header)
{
    const bool is_within =
        header->p_type == PT_NOTE && header->p_offset <= n_bytes && header->p_filesz <= n_bytes - header->p_offset;
    return is_within ? rv_hash_bytes_seeded(bytes + header->p_offset, header->p_filesz, hash) : hash;
}

uint64_t rv_image_fingerprint(const struct rv_patch_image *image)
{
    const struct rv_patch_segment *first = &image->segments[0];
    const uint8_t *bytes = (const void *)(uintptr_t)first->start;
    const size_t n_bytes = first->end - first->start < PAGE ? first->end - first->start : PAGE;
    const Elf64_Ehdr *header = (const void *)bytes;
    if (!image->n_segments || first->offset || n_bytes < sizeof *header || !rv_os_is_readable(bytes) ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff % _Alignof(Elf64_Phdr) ||
        header->e_phoff > n_bytes || header->e_phnum > (n_bytes - header->e_phoff) / sizeof(Elf64_Phdr))
        return 0;
    const Elf64_Phdr *headers = (const void *)(bytes + header->e_phoff);
    uint64_t hash = rv_hash_bytes(header, sizeof *header);
    hash = rv_hash_bytes_seeded(headers, header->e_phnum * sizeof *headers, hash);
    for (size_t i = 0; i < header->e_phnum; i++)
        hash = hash_notes(hash, bytes, n_bytes, &headers[i]);
    return hash;
}

/*
 * Instructions are found by their two first bytes, at any place in code, and taken for such where their displacement
 * leads to the begin of one of these words: in 100 MB of random bytes one of 1,000 words would be met by chance once in
 * 1,400 programs.
 */
#include "patch/imports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "patch/array.h"
#include "patch/dynamic_section.h"

/* ---- words ---- */

static int add_import(struct rv_patch_imports *imports, uint64_t address, const char *name)
{
    struct rv_patch_import *all = rv_patch_array_grown(imports->all, imports->n, &imports->capacity, sizeof *all);
    if (!all)
        return -ENOMEM;
    imports->all = all;
    all[imports->n++] = (struct rv_patch_import){address, name};
    return 0;
}

static int add_table(struct rv_patch_imports *imports, const struct rv_patch_image *image, int64_t tag,
                     int64_t size_tag)
{
    size_t n_bytes;
    int error = 0;
    const uint8_t *bytes = rv_patch_dynamic_section_table(image, tag, size_tag, &n_bytes);
    for (Elf64_Rela entry; n_bytes >= sizeof entry && !error; bytes += sizeof entry, n_bytes -= sizeof entry) {
        Elf64_Sym symbol;
        memcpy(&entry, bytes, sizeof entry);
        const uint32_t type = ELF64_R_TYPE(entry.r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
            continue;
        const char *name = rv_patch_dynamic_section_symbol(image, (uint32_t)ELF64_R_SYM(entry.r_info), &symbol);
        if (name && *name && symbol.st_shndx == SHN_UNDEF && rv_patch_dynamic_section_is_function(&symbol))
            error = add_import(imports, image->bias + entry.r_offset, name);
    }
    return error;
}

/* ---- instructions ---- */

static const struct rv_patch_import *find_import(const struct rv_patch_imports *imports, uint64_t address)
{
    const size_t n = rv_bisect_count(imports->all, imports->n, sizeof *imports->all,
                                     offsetof(struct rv_patch_import, address), address);
    return n && imports->all[n - 1].address == address ? &imports->all[n - 1] : NULL;
}

/* bytes: RV_PATCH_USE_BYTES */
static int look_at(struct rv_patch_imports *imports, const uint8_t *bytes, uint64_t address)
{
    int32_t displacement;
    memcpy(&displacement, bytes + 2, sizeof displacement);
    const uint64_t word = address + RV_PATCH_USE_BYTES + (uint64_t)(int64_t)displacement;
    if (!rv_patch_import_is_used(bytes) || word < imports->all[0].address ||
        word > imports->all[imports->n - 1].address)
        return 0;
    const struct rv_patch_import *import = find_import(imports, word);
    if (!import)
        return 0;
    struct rv_patch_use *uses =
        rv_patch_array_grown(imports->uses, imports->n_uses, &imports->use_capacity, sizeof *uses);
    if (!uses)
        return -ENOMEM;
    imports->uses = uses;
    uses[imports->n_uses++] = (struct rv_patch_use){address, (size_t)(import - imports->all)};
    return 0;
}

/* By their second byte, which is rarer than the first. */
static int look_at_segment(struct rv_patch_imports *imports, const struct rv_patch_segment *segment, uint8_t second)
{
    const size_t n = (size_t)(segment->end - segment->start);
    int error = 0;
    for (size_t i = 0; !error && i + RV_PATCH_USE_BYTES <= n; i++) {
        const uint8_t *found = memchr(segment->bytes + i + 1, second, n - i - (RV_PATCH_USE_BYTES - 1));
        if (!found)
            break;
        i = (size_t)(found - segment->bytes) - 1;
        error = look_at(imports, found - 1, segment->start + i);
    }
    return error;
}

int rv_patch_imports_find(struct rv_patch_imports *imports, const struct rv_patch_image *image)
{
    *imports = (struct rv_patch_imports){0};
    int error = add_table(imports, image, DT_JMPREL, DT_PLTRELSZ);
    if (!error)
        error = add_table(imports, image, DT_RELA, DT_RELASZ);
    rv_patch_array_sort(imports->all, imports->n, sizeof *imports->all);
    for (size_t i = 0; imports->n && i < image->n_segments && !error; i++) {
        const struct rv_patch_segment *segment = &image->segments[i];
        if (!segment->is_code || !segment->is_readable || segment->is_writable)
            continue;
        error = look_at_segment(imports, segment, RV_PATCH_USE_CALL);
        if (!error)
            error = look_at_segment(imports, segment, RV_PATCH_USE_JUMP);
    }
    rv_patch_array_sort(imports->uses, imports->n_uses, sizeof *imports->uses);
    return error;
}

void rv_patch_imports_end(struct rv_patch_imports *imports)
{
    free(imports->all);
    free(imports->uses);
    *imports = (struct rv_patch_imports){0};
}

/* ---- which ---- */

bool rv_patch_import_may_be_called(const char *name)
{
    static const char *const PARTS[] = {"setjmp", "vfork", "getcontext", "swapcontext", "savectx", "morestack"};
    static const char *const NAMES[] = {"dlopen", "dlmopen", "dlsym",      "dlvsym",           "__libc_dlopen_mode",
                                        "mcount", "_mcount", "__fentry__", "__libc_start_main"};
    static const char *const BEGINS[] = {"__cyg_profile_func_", "ringviz_"};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (strstr(name, PARTS[i]))
            return false;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(name, NAMES[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof BEGINS / sizeof *BEGINS; i++)
        if (strncmp(name, BEGINS[i], strlen(BEGINS[i])) == 0)
            return false;
    return true;
}

#include "symbols/elf_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

/* Read the build id note, from a segment or a section. */
static bool read_note(struct rv_elf_file *file, Elf_Data *data)
{
    GElf_Nhdr note;
    size_t name, content, next = 0;
    while (data && (next = gelf_getnote(data, next, &note, &name, &content)) > 0) {
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof "GNU" ||
            memcmp((const char *)data->d_buf + name, "GNU", sizeof "GNU") != 0 || note.n_descsz > RV_BUILD_ID_MAX)
            continue;
        file->build_id_bytes = note.n_descsz;
        memcpy(file->build_id, (const char *)data->d_buf + content, note.n_descsz);
        return true;
    }
    return false;
}

static void read_build_id(struct rv_elf_file *file)
{
    GElf_Shdr section;
    GElf_Phdr segment;
    size_t n = 0;
    for (Elf_Scn *it = NULL; (it = elf_nextscn(file->elf, it));)
        if (gelf_getshdr(it, &section) && section.sh_type == SHT_NOTE && read_note(file, elf_getdata(it, NULL)))
            return;
    if (elf_getphdrnum(file->elf, &n) != 0)
        n = 0;
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(file->elf, (int)i, &segment); i++)
        if (segment.p_type == PT_NOTE &&
            read_note(file, elf_getdata_rawchunk(file->elf, (int64_t)segment.p_offset, segment.p_filesz,
                                                 segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR)))
            return;
}

/* Non-blocking, since the path may have become a pipe. */
struct rv_elf_file *rv_elf_file_open(const char *path)
{
    struct rv_elf_file *file = rv_alloc(1, sizeof *file);
    elf_version(EV_CURRENT);
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd >= 0 && fstat(file->fd, &file->status) == 0 && S_ISREG(file->status.st_mode))
        file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
        rv_elf_file_close(file);
        return NULL;
    }
    file->path = rv_strdup(path);
    read_build_id(file);
    return file;
}

static Elf_Data *unpack(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
    if (header->sh_type == SHT_NOBITS)
        return NULL;
    if ((header->sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0)
        return NULL;
    if (strncmp(name, ".z", 2) == 0 && elf_compress_gnu(section, 0, 0) < 0)
        return NULL;
    return elf_rawdata(section, NULL);
}

/* Is it the section, or its old GNU name for compressed sections (.zdebug_*)? */
static bool is_section(const char *its, const char *name)
{
    return strcmp(its, name) == 0 || (strncmp(its, ".z", 2) == 0 && strcmp(its + 2, name + 1) == 0);
}

/* The next section of a name after one, or the first; its is how the file calls it. */
static Elf_Scn *next_named(const struct rv_elf_file *file, Elf_Scn *section, const char *name, GElf_Shdr *header,
                           const char **its)
{
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return NULL;
    while ((section = elf_nextscn(file->elf, section))) {
        *its = gelf_getshdr(section, header) ? elf_strptr(file->elf, names, header->sh_name) : NULL;
        if (*its && is_section(*its, name))
            return section;
    }
    return NULL;
}

struct rv_elf_bytes rv_elf_file_section(struct rv_elf_file *file, const char *name)
{
    GElf_Shdr header;
    const char *its;
    for (Elf_Scn *section = NULL; (section = next_named(file, section, name, &header, &its));) {
        const Elf_Data *data = unpack(section, &header, its);
        if (data && data->d_buf)
            return (struct rv_elf_bytes){data->d_buf, data->d_size};
    }
    return (struct rv_elf_bytes){0};
}

bool rv_elf_file_has_section(const struct rv_elf_file *file, const char *name)
{
    GElf_Shdr header;
    const char *its;
    return next_named(file, NULL, name, &header, &its) != NULL;
}

Elf_Scn *rv_elf_file_find(const struct rv_elf_file *file, uint32_t type, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == type)
            return section;
    return NULL;
}

bool rv_elf_file_has_build_id(const struct rv_elf_file *file, const uint8_t *build_id, uint32_t build_id_bytes)
{
    return file->build_id_bytes == build_id_bytes && memcmp(file->build_id, build_id, build_id_bytes) == 0;
}

void rv_elf_file_close(struct rv_elf_file *file)
{
    if (!file)
        return;
    if (file->elf)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file);
}

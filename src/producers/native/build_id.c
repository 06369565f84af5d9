#include "producers/native/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

/* Name and text are padded, but the last text of a segment may not be. */
static uint64_t padded(uint32_t n)
{
    return ((uint64_t)n + 3) & ~UINT64_C(3);
}

static bool is_build_id(const ElfW(Nhdr) * note, const uint8_t *name)
{
    return note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof ELF_NOTE_GNU &&
           memcmp(name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
}

uint32_t rv_build_id_find(const uint8_t *notes, size_t n_bytes, uint8_t *out, size_t most)
{
    ElfW(Nhdr) note;
    for (uint64_t at = 0; at + sizeof note <= n_bytes;) {
        memcpy(&note, notes + at, sizeof note);
        const uint64_t name = at + sizeof note, text = name + padded(note.n_namesz);
        if (text + note.n_descsz > n_bytes)
            break;
        if (is_build_id(&note, notes + name) && note.n_descsz <= most) {
            memcpy(out, notes + text, note.n_descsz);
            return note.n_descsz;
        }
        at = text + padded(note.n_descsz);
    }
    return 0;
}

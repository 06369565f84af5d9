#include "producers/ruby/machine_code.h"

#include <link.h>
#include <string.h>

#include "producers/ruby/ruby_api.h"

#define CALL 0xe8u
#define CALL_BYTES 5u
#define ENTRY_BYTES 6u /* of the linkage table: a jump by a word */

struct range {
    uintptr_t begin, end;
};

static struct range code, data;

static bool is_in(const struct range *range, uintptr_t address, size_t n)
{
    return address >= range->begin && address < range->end && n <= range->end - address;
}

static int find(struct dl_phdr_info *object, size_t n, void *unused)
{
    (void)n;
    (void)unused;
    code = data = (struct range){0};
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        const struct range range = {begin, begin + part->p_memsz};
        if (part->p_type == PT_LOAD && part->p_flags == (PF_R | PF_X) && is_in(&range, (uintptr_t)rb_add_event_hook, 1))
            code = range;
        if (part->p_type == PT_LOAD && part->p_flags == (PF_R | PF_W))
            data = range;
    }
    return code.end > 0;
}

bool rv_machine_code_find(void)
{
    return dl_iterate_phdr(find, NULL) != 0;
}

bool rv_machine_code_has_constant(const uint8_t *function, size_t n, uint32_t constant)
{
    return is_in(&code, (uintptr_t)function, n) && memmem(function, n, &constant, sizeof constant);
}

const uint8_t *rv_machine_code_called(uintptr_t word)
{
    const uint8_t *call = (const uint8_t *)(word - CALL_BYTES); /* NOLINT */
    int32_t displacement;
    if (!is_in(&code, (uintptr_t)call, CALL_BYTES) || *call != CALL)
        return NULL;
    memcpy(&displacement, call + 1, sizeof displacement);
    const uint8_t *to = call + CALL_BYTES + displacement; /* NOLINT */
    if (!is_in(&code, (uintptr_t)to, ENTRY_BYTES) || to[0] != 0xff || to[1] != 0x25)
        return to;
    memcpy(&displacement, to + 2, sizeof displacement);
    const uint8_t *slot = to + ENTRY_BYTES + displacement;
    if (is_in(&data, (uintptr_t)slot, sizeof to))
        memcpy(&to, slot, sizeof to);
    return to;
}

/*
 * The program's C library reads program headers by the auxiliary vector: it is shown others, in which the initial image of
 * thread-local data (PT_TLS) has that of our objects in front of its own.
 */
#include "producers/native/static_program.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/own_syscalls.h"
#include "base/static_program.h"
#include "producers/native/process.h"
#include "producers/native/replaced_returns.h"
#include "producers/native/static_frames.h"
#include "producers/native/thread.h"

#define MOST_HEADERS 32u

/* What the program is shown. */
struct shown {
    ElfW(Phdr) headers[MOST_HEADERS];
    size_t n_headers;
    uint8_t *image; /* image of thread-local data, which ends where thread pointers point */
    size_t n_image, alignment;
    uint64_t bias;
};

struct objects {
    struct shown *shown;
    uint64_t thread_pointer, lowest;
    const ElfW(Phdr) * own; /* the program's headers */
    size_t n_own;
};

static uint64_t thread_pointer(void)
{
    return (uint64_t)(uintptr_t)__builtin_thread_pointer();
}

static const ElfW(Phdr) * find_header(const struct dl_phdr_info *info, uint32_t type)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == type)
            return &info->dlpi_phdr[i];
    return NULL;
}

static int measure(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct objects *objects = context;
    const ElfW(Phdr) *data = find_header(info, PT_TLS), *mark = find_header(info, RV_STATIC_PROGRAM_HEADERS);
    const uint64_t at = (uint64_t)(uintptr_t)info->dlpi_tls_data;
    (void)n_bytes;
    if (mark && !*info->dlpi_name) {
        objects->own = (const ElfW(Phdr) *)(uintptr_t)mark->p_vaddr;
        objects->n_own = mark->p_memsz;
        objects->shown->bias = info->dlpi_addr;
    }
    if (data && at && at < objects->lowest)
        objects->lowest = at;
    if (data && data->p_align > objects->shown->alignment)
        objects->shown->alignment = data->p_align;
    return !objects->own; /* the program comes first */
}

/* ---- the image ---- */

/* The program's part of the image, where its own relocations are still to be made. */
struct part {
    uint64_t start, end; /* addresses of the original */
    uint8_t *copy;
    uint64_t bias;
};

static void relocate(const struct part *part, uint64_t address, uint64_t added)
{
    uint64_t word;
    if (address < part->start || address >= part->end || part->end - address < sizeof word)
        return;
    uint8_t *at = part->copy + (address - part->start);
    memcpy(&word, at, sizeof word);
    word += added;
    memcpy(at, &word, sizeof word);
}

/* An even entry is an address; each bit of an odd one stands for one of the next 63 words. */
static void relocate_packed(const struct part *part, const uint64_t *entries, size_t n)
{
    uint64_t next = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(entries[i] & 1)) {
            relocate(part, part->bias + entries[i], part->bias);
            next = part->bias + entries[i] + sizeof next;
            continue;
        }
        for (uint64_t bits = entries[i] >> 1, at = next; bits; bits >>= 1, at += sizeof at)
            if (bits & 1)
                relocate(part, at, part->bias);
        next += 63 * sizeof next;
    }
}

static uint64_t find_dynamic(const ElfW(Dyn) * dynamic, int64_t tag)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag == tag)
            return dynamic->d_un.d_val;
    return 0;
}

static void relocate_part(const struct objects *objects, const struct part *part)
{
    for (size_t i = 0; i < objects->n_own; i++)
        if (objects->own[i].p_type == PT_DYNAMIC) {
            const ElfW(Dyn) *dynamic = (const ElfW(Dyn) *)(uintptr_t)(part->bias + objects->own[i].p_vaddr);
            relocate_packed(part, (const uint64_t *)(uintptr_t)(part->bias + find_dynamic(dynamic, DT_RELR)),
                            find_dynamic(dynamic, DT_RELRSZ) / sizeof(uint64_t));
        }
}

static int copy(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    const struct objects *objects = context;
    const ElfW(Phdr) *data = find_header(info, PT_TLS);
    const uint64_t at = (uint64_t)(uintptr_t)info->dlpi_tls_data;
    (void)n_bytes;
    if (!data || !at)
        return 0;
    const uint64_t start = info->dlpi_addr + data->p_vaddr;
    const struct part part = {.start = start,
                              .end = start + data->p_filesz,
                              .copy = objects->shown->image + objects->shown->n_image - (objects->thread_pointer - at),
                              .bias = info->dlpi_addr};
    memcpy(part.copy, (const void *)(uintptr_t)start, data->p_filesz);
    if (!*info->dlpi_name)
        relocate_part(objects, &part);
    return 0;
}

static bool make_image(struct objects *objects)
{
    struct shown *shown = objects->shown;
    const uint64_t below = objects->thread_pointer - objects->lowest;
    shown->n_image = (below + shown->alignment - 1) & ~(uint64_t)(shown->alignment - 1);
    shown->image = mmap(NULL, shown->n_image, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (shown->image == MAP_FAILED)
        return false;
    dl_iterate_phdr(copy, objects);
    return mprotect(shown->image, shown->n_image, PROT_READ) == 0;
}

static ElfW(Phdr) header_of(const struct shown *shown, uint32_t type, uint64_t at, size_t n_bytes)
{
    return (ElfW(Phdr)){.p_type = type,
                        .p_flags = PF_R,
                        .p_vaddr = at - shown->bias,
                        .p_paddr = at - shown->bias,
                        .p_filesz = n_bytes,
                        .p_memsz = n_bytes};
}

/* Unwinders use the table of the object that has the address in one of its segments. */
static bool add_frames(const struct objects *objects)
{
    struct shown *shown = objects->shown;
    size_t n_bytes;
    const uint64_t at = rv_static_frames_make(objects->own, objects->n_own, shown->bias, &n_bytes);
    if (!at)
        return false;
    shown->headers[shown->n_headers++] = header_of(shown, PT_GNU_EH_FRAME, at, n_bytes);
    shown->headers[shown->n_headers++] =
        header_of(shown, PT_LOAD, (uint64_t)(uintptr_t)rv_returns_trampolines, sizeof rv_returns_trampolines);
    return true;
}

/* Show the program its own headers, except those of thread-local data, unwinding, and the headers themselves. */
static bool fill_headers(const struct objects *objects)
{
    struct shown *shown = objects->shown;
    if (!add_frames(objects))
        return false;
    for (size_t i = 0; i < objects->n_own; i++)
        if (objects->own[i].p_type != PT_TLS && objects->own[i].p_type != PT_GNU_EH_FRAME) {
            shown->headers[shown->n_headers] = objects->own[i];
            if (objects->own[i].p_type == PT_PHDR)
                shown->headers[shown->n_headers].p_vaddr = (uint64_t)(uintptr_t)shown->headers - shown->bias;
            shown->n_headers++;
        }
    shown->headers[shown->n_headers] = header_of(shown, PT_TLS, (uint64_t)(uintptr_t)shown->image, shown->n_image);
    shown->headers[shown->n_headers++].p_align = shown->alignment;
    return true;
}

/* The auxiliary vector lies behind the environment. */
static void tell(const char *const *environment, const struct shown *shown)
{
    while (*environment)
        environment++;
    for (ElfW(auxv_t) *entry = (ElfW(auxv_t) *)(uintptr_t)(environment + 1); entry->a_type != AT_NULL; entry++)
        if (entry->a_type == AT_PHDR)
            entry->a_un.a_val = (uint64_t)(uintptr_t)shown->headers;
        else if (entry->a_type == AT_PHNUM)
            entry->a_un.a_val = shown->n_headers;
}

/*
 * The loader's C library has registered the first thread's restartable sequences (rseq(2)), of which a thread has one: the
 * program's own would be refused, and that C library would then leave out those of all threads. Weak: glibc before 2.35 has none.
 */
static void give_up_sequences(void)
{
    enum { N_BYTES = 32, UNREGISTER = 1, SIGNATURE = 0x53053053 };
    extern const ptrdiff_t __rseq_offset __attribute__((weak));
    if (&__rseq_offset)
        (void)rv_os_call(SYS_rseq, (long)thread_pointer() + __rseq_offset, N_BYTES, UNREGISTER, SIGNATURE, 0, 0);
}

bool rv_static_program_begin(const char *const *environment)
{
    static struct shown shown = {.alignment = sizeof(uint64_t)};
    struct objects objects = {.shown = &shown, .thread_pointer = thread_pointer(), .lowest = thread_pointer()};
    dl_iterate_phdr(measure, &objects);
    rv_thread_is_foreign = objects.own != NULL;
    if (!rv_thread_is_foreign)
        return true;
    rv_process_set_gate(RV_GATE_CLOSED);
    if (objects.n_own > MOST_HEADERS - 3 || !make_image(&objects) || !fill_headers(&objects))
        return false;
    tell(environment, &shown);
    give_up_sequences();
    return true;
}

void rv_static_program_set_thread(void)
{
    rv_process_set_gate(0);
}

#else

bool rv_static_program_begin(const char *const *environment)
{
    (void)environment;
    return true;
}

#endif

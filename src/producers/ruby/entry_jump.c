/*
 * A page within reach of the jump has a longer jump to the replacement, and the instructions that were overwritten. They
 * only save registers, or mark an entry, so they are the same anywhere.
 */
#include "producers/ruby/entry_jump.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define JUMP 0xe9u
#define ALIGNMENT 8u    /* of what lies in one page */
#define PUSH 0x50u      /* to 0x57: one of eight registers */
#define PUSH_HIGH 0x41u /* before it: of eight others */
#define MARK_BYTES 4u   /* endbr64, where indirect branches may lead */
#define MOVED_AT 16u    /* behind the longer jump */
#define STEP (16ull << 20)
#define N_TRIES 100u /* all are within reach */

/* Bytes of whole instructions that the jump overwrites; 0: there are others than pushes. */
static size_t n_moved(const uint8_t *entry)
{
    static const uint8_t mark[MARK_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t n = memcmp(entry, mark, sizeof mark) == 0 ? sizeof mark : 0;
    while (n < RV_ENTRY_JUMP_BYTES) {
        n += entry[n] == PUSH_HIGH;
        if ((entry[n++] & 0xf8u) != PUSH)
            return 0;
    }
    return n;
}

bool rv_entry_jump_fits(const uint8_t *entry)
{
    return (uintptr_t)entry % ALIGNMENT == 0 && n_moved(entry) > 0;
}

static uint8_t *map_at(uintptr_t address, size_t n)
{
    void *at = (void *)address; /* NOLINT */
    void *page = mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == at)
        return page;
    if (page != MAP_FAILED)
        munmap(page, n);
    return NULL;
}

/* Below it at first: above a program, its heap grows. */
static uint8_t *map_near(const uint8_t *entry, size_t n)
{
    const uintptr_t middle = (uintptr_t)entry & ~(n - 1);
    uint8_t *page = NULL;
    for (unsigned i = 1; i <= N_TRIES && !page && middle > i * STEP; i++)
        page = map_at(middle - i * STEP, n);
    for (unsigned i = 1; i <= N_TRIES && !page; i++)
        page = map_at(middle + i * STEP, n);
    return page;
}

static void put_jump(uint8_t *place, const uint8_t *address, const uint8_t *target)
{
    const int32_t displacement = (int32_t)(target - (address + RV_ENTRY_JUMP_BYTES));
    place[0] = JUMP;
    memcpy(place + 1, &displacement, sizeof displacement);
}

static void fill(uint8_t *page, const uint8_t *entry, void (*replacement)(void))
{
    static const uint8_t jump_by_next_word[] = {0xff, 0x25, 0, 0, 0, 0};
    const size_t n = n_moved(entry);
    memcpy(page, jump_by_next_word, sizeof jump_by_next_word);
    memcpy(page + sizeof jump_by_next_word, &replacement, sizeof replacement);
    memcpy(page + MOVED_AT, entry, n);
    put_jump(page + MOVED_AT + n, page + MOVED_AT + n, entry + n);
}

/*
 * By the kernel, which needs no writable page: another thread may be changing the page's protection, such as one that patches
 * functions. Nothing executes the entry meanwhile: the caller has the only GVL.
 */
static bool store(uint8_t *entry, const uint8_t bytes[RV_ENTRY_JUMP_BYTES])
{
    const int memory = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
    const bool is_stored =
        memory >= 0 && pwrite(memory, bytes, RV_ENTRY_JUMP_BYTES, (off_t)(uintptr_t)entry) == RV_ENTRY_JUMP_BYTES;
    if (memory >= 0)
        close(memory);
    return is_stored;
}

bool rv_entry_jump_write(struct rv_entry_jump *jump, uint8_t *entry, void (*replacement)(void))
{
    const size_t n_page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t bytes[RV_ENTRY_JUMP_BYTES], *page = rv_entry_jump_fits(entry) ? map_near(entry, n_page) : NULL;
    if (!page)
        return false;
    fill(page, entry, replacement);
    *jump = (struct rv_entry_jump){.entry = entry, .original = page + MOVED_AT};
    memcpy(jump->overwritten, entry, sizeof jump->overwritten);
    put_jump(bytes, entry, page);
    if (mprotect(page, n_page, PROT_READ | PROT_EXEC) == 0 && store(entry, bytes))
        return true;
    munmap(page, n_page);
    return false;
}

void rv_entry_jump_undo(const struct rv_entry_jump *jump)
{
    (void)store(jump->entry, jump->overwritten);
}

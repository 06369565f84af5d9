/* Objects on a page each, such as named semaphores, are all known at the same time, and each is looked up once. */
#include "producers/native/process_shared_locks.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "producers/native/file_text.h"
#include "producers/native/own_files.h"

#define N_PAGES 256u
#define PAGE 4096u

static char *memory;
static unsigned n_searches;

void rv_own_files_run(void (*run)(void *context), void *context)
{
    n_searches++;
    run(context);
}

uint32_t rv_file_text_id_in(const char *path, ino_t inode, uint64_t at)
{
    return path && inode ? (uint32_t)(at / PAGE) + 1 : 0;
}

static void begin(void)
{
    const int file = memfd_create("objects", MFD_CLOEXEC);
    cr_assert_eq(ftruncate(file, N_PAGES * PAGE), 0);
    memory = mmap(NULL, N_PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);
    cr_assert_neq(memory, MAP_FAILED);
    close(file);
    for (unsigned turn = 0; turn < 2; turn++)
        for (unsigned i = 0; i < N_PAGES; i++)
            rv_process_shared_locks_learn(memory + i * PAGE);
}

TestSuite(process_shared_locks, .init = begin, .timeout = 30);

Test(process_shared_locks, objects_on_adjacent_pages_are_each_learned_once)
{
    cr_expect_eq(n_searches, N_PAGES);
    for (unsigned i = 0; i < N_PAGES; i++)
        cr_expect_eq(rv_process_shared_locks_name(memory + i * PAGE), i + 1);
}

Test(process_shared_locks, only_objects_in_unmapped_memory_are_forgotten)
{
    rv_process_shared_locks_forget(memory + 2 * PAGE, 3 * PAGE);
    for (unsigned i = 0; i < N_PAGES; i++)
        cr_expect_eq(rv_process_shared_locks_name(memory + i * PAGE), i >= 2 && i < 5 ? 0 : i + 1);
}

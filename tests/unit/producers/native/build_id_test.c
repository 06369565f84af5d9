/* Notes of any program are read: other notes before the build id, and such as end before they should. */
#include "producers/native/build_id.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

TestSuite(build_id, .timeout = 30);

enum { PAGE = 4096, MOST = 20 };

/* The notes end where their pages do: what is read beyond them ends the test. */
static uint32_t find_in(const void *notes, size_t n_bytes, uint8_t out[MOST])
{
    uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(pages, MAP_FAILED);
    cr_assert_eq(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
    uint8_t *at = memcpy(pages + PAGE - n_bytes, notes, n_bytes);
    const uint32_t n = rv_build_id_find(at, n_bytes, out, MOST);
    munmap(pages, 2 * PAGE);
    return n;
}

static const uint32_t OTHER[] = {4, 16, 1, 0x00554e47, 0, 3, 2, 0};
static const uint32_t OWN[] = {4, 8, 3, 0x00554e47, 0x11223344, 0x55667788};
static const uint8_t ODD[] = {4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 'O', 'd', 'd', 0, 1, 2, 3};

Test(build_id, is_found_behind_other_notes)
{
    uint8_t notes[sizeof OTHER + sizeof OWN], found[MOST] = {0};
    memcpy(notes, OTHER, sizeof OTHER);
    memcpy(notes + sizeof OTHER, OWN, sizeof OWN);
    cr_assert_eq(find_in(notes, sizeof notes, found), 8);
    cr_assert_eq(memcmp(found, &OWN[4], 8), 0);
}

Test(build_id, is_none_where_the_last_note_is_not_padded)
{
    uint8_t found[MOST];
    cr_assert_eq(find_in(ODD, sizeof ODD, found), 0);
    cr_assert_eq(find_in(OTHER, sizeof OTHER, found), 0);
}

Test(build_id, is_none_where_notes_are_cut_short)
{
    uint8_t found[MOST];
    for (size_t n = 0; n < sizeof OWN; n++)
        cr_assert_eq(find_in(OWN, n, found), 0, "%zu bytes", n);
    cr_assert_eq(find_in(OWN, sizeof OWN, found), 8);
}

Test(build_id, is_none_where_a_note_has_lengths_that_cannot_be)
{
    uint8_t found[MOST];
    for (size_t field = 0; field < 2; field++) {
        uint32_t notes[sizeof OWN / sizeof *OWN];
        memcpy(notes, OWN, sizeof OWN);
        notes[field] = UINT32_MAX;
        cr_assert_eq(find_in(notes, sizeof notes, found), 0);
    }
}

Test(build_id, is_none_that_has_no_room)
{
    uint8_t found[MOST];
    cr_assert_eq(rv_build_id_find((const uint8_t *)OWN, sizeof OWN, found, 7), 0);
}

/* Texts beside a ring: taken, read in the order of their events, and refused where there is no room. */
#include "fixture.h"

#include "ring/texts.h"

#define N_BYTES 4096u

static void open_texts(struct fixture *f, struct rv_texts *owner, struct rv_texts *reader, enum rv_policy policy)
{
    struct rv_map_params params = small_params();
    params.captures = "12345678";
    params.n_capture_bytes = 8;
    params.text_bytes = N_BYTES;
    params.policy = policy;
    open_fixture(f, &params);
    struct rv_ring ring;
    rv_ring_view(&ring, &f->other, 1);
    rv_texts_view(owner, &ring);
    rv_ring_view(&ring, &f->map, 1);
    rv_texts_view(reader, &ring);
}

static uint64_t put(struct rv_texts *owner, uint8_t byte, uint32_t n_bytes)
{
    struct rv_wire_text *text = rv_texts_take(owner, N_BYTES / 4);
    if (!text)
        return UINT64_MAX;
    text->capture = byte;
    text->n_bytes = n_bytes;
    memset(text + 1, byte, n_bytes);
    rv_texts_shorten(owner, text, N_BYTES / 4);
    return text->position;
}

static bool get(struct rv_texts *reader, uint64_t position, uint8_t byte, uint32_t n_bytes)
{
    struct rv_wire_text head;
    uint8_t bytes[N_BYTES];
    if (!rv_texts_read(reader, position, &head, bytes, sizeof bytes))
        return false;
    cr_assert_eq(head.n_bytes, n_bytes);
    for (uint32_t i = 0; i < n_bytes; i++)
        cr_assert_eq(bytes[i], byte);
    return true;
}

Test(texts, texts_are_read_lap_after_lap, .timeout = 60)
{
    struct fixture f;
    struct rv_texts owner, reader;
    open_texts(&f, &owner, &reader, RV_POLICY_SWITCH);
    for (unsigned i = 0; i < 10000; i++) {
        const uint64_t position = put(&owner, (uint8_t)i, i % 700);
        cr_assert_neq(position, UINT64_MAX);
        cr_assert(get(&reader, position, (uint8_t)i, i % 700));
    }
    cr_assert_eq(owner.control->n_texts_refused, 0);
}

Test(texts, texts_without_room_are_counted, .timeout = 60)
{
    struct fixture f;
    struct rv_texts owner, reader;
    open_texts(&f, &owner, &reader, RV_POLICY_SWITCH);
    uint64_t first = put(&owner, 1, 900);
    unsigned n = 1;
    while (put(&owner, 2, 900) != UINT64_MAX)
        n++;
    cr_assert_eq(n, 4);
    cr_assert_eq(owner.control->n_texts_refused, 1);
    cr_assert(get(&reader, first, 1, 900));
    rv_texts_release(&reader, rv_texts_head(&reader));
    cr_assert_neq(put(&owner, 3, 900), UINT64_MAX);
    cr_assert_null(rv_texts_take(&owner, N_BYTES));
}

Test(texts, overwritten_texts_are_not_read, .timeout = 60)
{
    struct fixture f;
    struct rv_texts owner, reader;
    open_texts(&f, &owner, &reader, RV_POLICY_RING);
    uint64_t first = put(&owner, 1, 900);
    for (unsigned i = 0; i < 5; i++)
        cr_assert_neq(put(&owner, 2, 900), UINT64_MAX);
    cr_assert_not(get(&reader, first, 1, 900));
}

Test(texts, a_hostile_header_gives_no_text_outside_the_area, .timeout = 60)
{
    struct fixture f;
    struct rv_texts owner, reader;
    struct rv_wire_text head;
    uint8_t bytes[64];
    open_texts(&f, &owner, &reader, RV_POLICY_SWITCH);
    uint64_t position = put(&owner, 1, 40);
    struct rv_wire_text *text = (struct rv_wire_text *)(void *)(owner.bytes + position);
    cr_assert(rv_texts_read(&reader, position, &head, bytes, sizeof bytes));
    text->n_bytes = UINT32_MAX;
    cr_assert_not(rv_texts_read(&reader, position, &head, bytes, sizeof bytes));
    text->n_bytes = 65;
    cr_assert_not(rv_texts_read(&reader, position, &head, bytes, sizeof bytes));
    for (uint64_t at = 0; at < 3 * N_BYTES; at++)
        (void)rv_texts_read(&reader, at << (at % 48), &head, bytes, sizeof bytes);
    owner.control->text_head = UINT64_MAX;
    owner.control->text_tail = 12345;
    cr_assert_not(rv_texts_read(&reader, position, &head, bytes, sizeof bytes));
    (void)rv_texts_take(&owner, 64);
}

Test(texts, the_room_of_a_shortened_text_is_used_again, .timeout = 60)
{
    struct fixture f;
    struct rv_texts owner, reader;
    open_texts(&f, &owner, &reader, RV_POLICY_SWITCH);
    struct rv_wire_text *text = rv_texts_take(&owner, 800);
    cr_assert_not_null(text);
    const uint64_t seen = rv_texts_head(&reader);
    text->n_bytes = 8;
    rv_texts_shorten(&owner, text, 800);
    rv_texts_release(&reader, seen);
    cr_assert_not_null(rv_texts_take(&owner, 40));
}

#include "ring/texts.h"

#include <errno.h>
#include <string.h>

#include "base/os.h"
#include "ring/full_ring_policy.h"

#define WAIT_NS 10000000u

enum { PAGES_UNKNOWN, PAGES_THERE, PAGES_REFUSED };

void rv_texts_view(struct rv_texts *texts, const struct rv_ring *ring)
{
    *texts = (struct rv_texts){.header = ring->header,
                               .control = ring->control,
                               .bytes = ring->texts,
                               .n_bytes = ring->n_text_bytes,
                               .policy = ring->policy,
                               .map = ring->map};
    texts->tail = __atomic_load_n(&texts->control->text_tail, __ATOMIC_RELAXED);
}

/* ---- the owner ---- */

static bool has_pages(const struct rv_texts *texts)
{
    uint32_t *state = &texts->control->texts_have_pages;
    if (__atomic_load_n(state, __ATOMIC_RELAXED) == PAGES_UNKNOWN) {
        const int error = rv_map_allocate(texts->map, rv_map_offset(texts->map, texts->bytes), texts->n_bytes);
        __atomic_store_n(state, error ? PAGES_REFUSED : PAGES_THERE, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(state, __ATOMIC_RELAXED) == PAGES_THERE;
}

/* Where a text begins that is not to wrap. */
static uint64_t begin_of(const struct rv_texts *texts, uint64_t head, uint32_t n_bytes)
{
    const uint64_t n_left = texts->n_bytes - (head & (texts->n_bytes - 1));
    return n_bytes <= n_left ? head : head + n_left;
}

static bool has_room(const struct rv_texts *texts, uint64_t end)
{
    const uint64_t tail = __atomic_load_n(&texts->control->text_tail, __ATOMIC_ACQUIRE); /* T2 <- T1 */
    /* The tail may be ahead of a head that was moved back, by what a text was shortened. */
    return texts->policy == RV_POLICY_RING || (int64_t)(end - tail) <= (int64_t)texts->n_bytes;
}

static void wait_for_room(const struct rv_texts *texts, uint64_t end)
{
    struct rv_wire_header *header = texts->header;
    const int saved = errno;
    while (!has_room(texts, end) && rv_full_ring_is_tracing(header, texts->control) &&
           rv_full_ring_has_consumer(header)) {
        const uint32_t n_turns = __atomic_load_n(&header->drain_turns, __ATOMIC_ACQUIRE); /* T2 <- T1 */
        rv_ring_wake_consumer(header);
        if (!has_room(texts, end))
            rv_os_futex_wait(&header->drain_turns, n_turns, WAIT_NS);
    }
    errno = saved;
}

void rv_texts_refuse(const struct rv_texts *texts)
{
    __atomic_fetch_add(&texts->control->n_texts_refused, 1, __ATOMIC_RELAXED);
}

struct rv_wire_text *rv_texts_take(const struct rv_texts *texts, uint32_t n_bytes)
{
    const uint32_t n_all = n_bytes + (uint32_t)sizeof(struct rv_wire_text);
    uint64_t *head_word = &texts->control->text_head, head, begin;
    if (n_all > texts->n_bytes / 2 || !has_pages(texts)) {
        rv_texts_refuse(texts);
        return NULL;
    }
    do {
        head = __atomic_load_n(head_word, __ATOMIC_RELAXED);
        begin = begin_of(texts, head, n_all);
        if (!has_room(texts, begin + n_all) && texts->policy == RV_POLICY_BLOCK)
            wait_for_room(texts, begin + n_all);
        if (!has_room(texts, begin + n_all)) {
            rv_texts_refuse(texts);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(head_word, &head, begin + n_all, false, __ATOMIC_ACQ_REL, /* T3 -> T4 */
                                          __ATOMIC_RELAXED));
    struct rv_wire_text *text = (struct rv_wire_text *)(void *)(texts->bytes + (begin & (texts->n_bytes - 1)));
    text->position = begin;
    return text;
}

void rv_texts_shorten(const struct rv_texts *texts, const struct rv_wire_text *text, uint32_t n_bytes_taken)
{
    uint64_t end = text->position + sizeof *text + n_bytes_taken;
    const uint64_t shorter = text->position + sizeof *text + (text->n_bytes + 7u) / 8 * 8;
    __atomic_compare_exchange_n(&texts->control->text_head, &end, shorter, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- the consumer ---- */

uint64_t rv_texts_head(const struct rv_texts *texts)
{
    return __atomic_load_n(&texts->control->text_head, __ATOMIC_ACQUIRE); /* T4 <- T3 */
}

void rv_texts_release(struct rv_texts *texts, uint64_t head)
{
    if ((int64_t)(head - texts->tail) > 0)
        texts->tail = head;
    __atomic_store_n(&texts->control->text_tail, texts->tail, __ATOMIC_RELEASE); /* T1 -> T2 */
}

static bool is_whole(const struct rv_texts *texts, uint64_t position)
{
    const uint64_t n_behind = rv_texts_head(texts) - position;
    return n_behind && n_behind <= texts->n_bytes;
}

bool rv_texts_read(struct rv_texts *texts, uint64_t position, struct rv_wire_text *head, uint8_t *out, size_t most)
{
    const uint32_t at = (uint32_t)(position & (texts->n_bytes - 1));
    if (!texts->n_bytes || at % 8 || texts->n_bytes - at < sizeof *head || !is_whole(texts, position))
        return false;
    memcpy(head, texts->bytes + at, sizeof *head);
    if (head->position != position || head->n_bytes > most || head->n_bytes > texts->n_bytes - at - sizeof *head)
        return false;
    memcpy(out, texts->bytes + at + sizeof *head, head->n_bytes);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* T4 <- T3 */
    if (!is_whole(texts, position))
        return false;
    rv_texts_release(texts, position + sizeof *head + (head->n_bytes + 7u) / 8 * 8);
    return true;
}

/* Memory of the program is read by the kernel, since an address may be wrong. */
#include "producers/native/capture_text.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "base/own_syscalls.h"
#include "producers/native/capture_operations.h"
#include "producers/native/forking.h"
#include "producers/native/pages.h"
#include "producers/native/thread.h"
#include "ring/texts.h"

#define PAGE 4096u

static pid_t *own_pid; /* [atomic] in a page that is zeroed in children, however they are made; NULL: ask each time */

void rv_capture_text_init(void)
{
    void *page = own_pid ? NULL : rv_pages_map(PAGE);
    if (page && madvise(page, PAGE, MADV_WIPEONFORK) == 0)
        own_pid = page;
}

static pid_t find_own_pid(void)
{
    pid_t pid = own_pid ? __atomic_load_n(own_pid, __ATOMIC_RELAXED) : 0;
    if (pid)
        return pid;
    pid = rv_os_own_pid();
    if (own_pid)
        __atomic_store_n(own_pid, pid, __ATOMIC_RELAXED);
    return pid;
}

/* Two parts, since a part is read as a whole or not at all. */
size_t rv_capture_text_read(void *to, uint64_t from, size_t n)
{
    const size_t n_here = PAGE - from % PAGE < n ? PAGE - from % PAGE : n;
    const struct iovec here = {.iov_base = to, .iov_len = n};
    const struct iovec there[2] = {{.iov_base = (void *)(uintptr_t)from, .iov_len = n_here},
                                   {.iov_base = (void *)(uintptr_t)(from + n_here), .iov_len = n - n_here}};
    if (!from)
        return 0;
    const long n_read = rv_os_call(SYS_process_vm_readv, find_own_pid(), RV_OS_POINTER(&here), 1, RV_OS_POINTER(there),
                                   n > n_here ? 2 : 1, 0);
    return n_read > 0 ? (size_t)n_read : 0;
}

static void put_number(uint8_t *at, size_t n)
{
    const uint16_t number = (uint16_t)n;
    memcpy(at, &number, sizeof number);
}

static uint8_t *copy_bytes(uint8_t *at, uint64_t from, size_t n)
{
    const size_t n_read = rv_capture_text_read(at + 2, from, n);
    put_number(at, n_read || !n ? n_read : RV_CAPTURE_UNREADABLE);
    return at + 2 + n_read;
}

/* A string without a NUL in n bytes is cut, if the byte behind them is no NUL either. */
static uint8_t *copy_string(uint8_t *at, uint64_t from, size_t n)
{
    const size_t n_read = rv_capture_text_read(at + 2, from, n);
    const uint8_t *end = memchr(at + 2, '\0', n_read);
    const size_t n_string = end ? (size_t)(end - at - 2) : n_read;
    uint8_t next = 0;
    const bool is_cut = !end && n_read == n && rv_capture_text_read(&next, from + n, 1) && next;
    put_number(at, !n_read ? RV_CAPTURE_UNREADABLE : is_cut ? n_string | RV_CAPTURE_CUT : n_string);
    return at + 2 + n_string;
}

static uint8_t *do_operation(uint8_t *at, const struct rv_wire_capture_operation *operation, uint64_t *values)
{
    const uint64_t value = values[operation->source];
    switch ((enum rv_capture_kind)operation->kind) {
    case RV_CAPTURE_VALUE:
        memcpy(at, &value, sizeof value);
        return at + sizeof value;
    case RV_CAPTURE_STRING:
        return copy_string(at, value, operation->n);
    case RV_CAPTURE_BYTES:
        return copy_bytes(at, value, operation->n);
    case RV_CAPTURE_LOAD:
        values[operation->target] = 0;
        if (value)
            (void)rv_capture_text_read(&values[operation->target], value + operation->n, sizeof value);
        break;
    case RV_CAPTURE_KIND_COUNT:
        break;
    }
    return at;
}

uint64_t rv_capture_text_copy(uint32_t number, bool is_result, uint64_t *values)
{
    const struct rv_capture_operations_plan *plan = rv_capture_operations_plan(number);
    const struct rv_wire_capture_operation *operations = is_result ? plan->returns : plan->calls;
    const uint32_t n = is_result ? plan->n_returns : plan->n_calls, most_bytes = (plan->most_bytes + 7) / 8 * 8;
    struct rv_texts texts;
    if (rv_thread_ring() < 0 || rv_forking_is_child())
        return RV_CAPTURE_NO_TEXT;
    rv_texts_view(&texts, &rv_thread.pusher.state->ring);
    struct rv_wire_text *text = rv_texts_take(&texts, most_bytes);
    if (!text)
        return RV_CAPTURE_NO_TEXT;
    const uint64_t position = text->position;
    uint8_t *begin = (uint8_t *)(text + 1), *at = begin;
    for (uint32_t i = 0; i < n; i++)
        at = do_operation(at, &operations[i], values);
    text->capture = number - 1;
    text->n_bytes = (uint32_t)(at - begin);
    rv_texts_shorten(&texts, text, most_bytes);
    return position;
}

void rv_capture_text_refuse(void)
{
    struct rv_texts texts;
    if (rv_thread_ring() < 0)
        return;
    rv_texts_view(&texts, &rv_thread.pusher.state->ring);
    rv_texts_refuse(&texts);
}

void rv_capture_text_push(uint64_t next, uint64_t stack, uint64_t position, uint64_t ticks)
{
    struct rv_pusher *pusher = &rv_thread.pusher;
    if (position == RV_CAPTURE_NO_TEXT && (next = rv_push_next(pusher, stack)) == RV_PUSH_NESTED)
        pusher->cursor -= rv_push_poison(stack);
    else if (position == RV_CAPTURE_NO_TEXT)
        rv_push_cancel(pusher, next);
    else if (!rv_push_behind(pusher, next, (uint64_t)RV_EVENT_ARGUMENTS << RV_EVENT_KIND_SHIFT | ticks,
                             rv_event_word_at(position, 0), stack))
        rv_capture_text_refuse();
    if (rv_forking_is_under_way())
        rv_thread_look(); /* the child's first push has to be a slow one */
}

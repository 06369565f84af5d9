#include "source/outside_wakers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "base/vec.h"

enum { MOST = 65536, SHOWN_BYTES = 4 * RV_PERF_NAME_BYTES };

void rv_outside_wakers_fini(struct rv_outside_wakers *wakers)
{
    free(wakers->all);
    rv_hash_index_fini(&wakers->by_tid);
}

void rv_outside_wakers_ask_name(uint32_t tid, char name[RV_PERF_NAME_BYTES])
{
    char line[RV_PERF_NAME_BYTES + 1];
    const size_t n = rv_os_read_proc((pid_t)tid, "comm", line, sizeof line);
    memset(name, 0, RV_PERF_NAME_BYTES);
    memcpy(name, line, n ? n - 1 : 0); /* a newline ends it */
}

/* Escaped. */
static void show_name(uint32_t tid, char shown[SHOWN_BYTES])
{
    char name[RV_PERF_NAME_BYTES];
    rv_outside_wakers_ask_name(tid, name);
    rv_text_escape(shown, SHOWN_BYTES, name, strnlen(name, sizeof name));
}

void rv_outside_wakers_see(struct rv_outside_wakers *wakers, uint32_t pid, uint32_t tid)
{
    uint32_t *known = rv_hash_index_at(&wakers->by_tid, tid);
    if ((known && wakers->all[*known - 1].pid == pid) || wakers->n == MOST)
        return;
    wakers->all = rv_vec_reserve(wakers->all, &wakers->capacity, wakers->n + 1, sizeof *wakers->all);
    wakers->all[wakers->n++] = (struct rv_outside_waker){pid, tid};
    if (known)
        *known = (uint32_t)wakers->n;
    else
        rv_hash_index_add(&wakers->by_tid, tid, (uint32_t)wakers->n);
}

static void tell(const struct rv_outside_waker *waker, const struct rv_intake *intake)
{
    char thread[SHOWN_BYTES], process[SHOWN_BYTES], name[3 * SHOWN_BYTES];
    show_name(waker->tid, thread);
    if (waker->tid == waker->pid) {
        intake->name_outside(intake->context, waker->tid, thread);
        return;
    }
    show_name(waker->pid, process);
    snprintf(name, sizeof name, "%s of %s %u", thread, process, waker->pid);
    intake->name_outside(intake->context, waker->tid, name);
}

void rv_outside_wakers_tell(struct rv_outside_wakers *wakers, const struct rv_intake *intake)
{
    if (!intake->name_outside)
        return;
    for (; wakers->n_told < wakers->n; wakers->n_told++)
        tell(&wakers->all[wakers->n_told], intake);
}

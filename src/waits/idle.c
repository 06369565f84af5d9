/*
 * For how long others waited for a thread follows from the sums: from the waits that the thread ended. Of those waits
 * only the part that is not idle counts, so the parts are found in rounds, starting at none: they only grow.
 */
#include "waits/idle.h"

#include <float.h>
#include <stdlib.h>

#include "base/vec.h"

enum { MOST_ROUNDS = 16 };
#define GROWTH_OF_NOTE 0.001 /* rounds end with less growth */

struct waiter { /* the waiting of one thread in one sum, without waits for clients */
    uint32_t sum, lane;
    uint64_t n_ns;
};

struct finding {
    const struct rv_wait_sums *sums;
    struct waiter *waiters;
    size_t n_waiters;
    size_t n_lanes;
    bool *is_first;     /* by lane */
    double *awaited_ns; /* by lane: for how long others waited for it */
    double *needed_ns;  /* by sum: the waiting that is not idle */
};

/*
 * The first thread of the command's process, whose end ends the command. A child process is needed only as far as its
 * parent waits for it.
 */
static void find_first(struct finding *finding, const struct rv_lanes *lanes)
{
    struct rv_hash_index pids = {0}; /* 1 each */
    for (size_t i = 0; i < finding->n_lanes; i++) {
        const uint32_t pid = rv_lanes_get(lanes, i)->pid;
        if (!rv_hash_index_get(&pids, pid))
            rv_hash_index_add(&pids, pid, 1);
    }
    for (size_t i = 0; i < finding->n_lanes; i++) {
        const struct rv_lane *lane = rv_lanes_get(lanes, i);
        finding->is_first[i] = lane->tid == lane->pid && !rv_hash_index_get(&pids, lane->parent_pid);
    }
    rv_hash_index_fini(&pids);
}

static void find_waiters(struct finding *finding)
{
    const struct rv_wait_sums *sums = finding->sums;
    struct rv_hash_index numbers = {0}; /* 1 + waiter */
    finding->waiters = rv_alloc(sums->n_shares + 1, sizeof *finding->waiters);
    for (size_t i = 0; i < sums->n_shares; i++) {
        const struct rv_wait_share *share = &sums->shares[i];
        const uint64_t key = (uint64_t)share->sum << 32 | share->lane;
        uint32_t number = rv_hash_index_get(&numbers, key);
        if (share->lane >= finding->n_lanes)
            continue;
        if (!number) {
            finding->waiters[finding->n_waiters++] = (struct waiter){.sum = share->sum, .lane = share->lane};
            number = (uint32_t)finding->n_waiters;
            rv_hash_index_add(&numbers, key, number);
        }
        finding->waiters[number - 1].n_ns += share->n_ns - share->clients_ns;
    }
    rv_hash_index_fini(&numbers);
}

/* Find each sum's waiting that is not idle, by how long its threads were waited for so far. Returns the growth. */
static double find_needed(struct finding *finding)
{
    const struct rv_wait_sums *sums = finding->sums;
    double growth = 0.0;
    for (size_t i = 0; i < sums->n; i++) {
        growth -= finding->needed_ns[i];
        finding->needed_ns[i] = 0.0;
    }
    for (size_t i = 0; i < finding->n_waiters; i++) {
        const struct waiter *waiter = &finding->waiters[i];
        const double n_ns = (double)waiter->n_ns, awaited_ns = finding->awaited_ns[waiter->lane];
        finding->needed_ns[waiter->sum] += n_ns < awaited_ns ? n_ns : awaited_ns;
    }
    for (size_t i = 0; i < sums->n; i++) {
        if (rv_wait_kind_is_lock(sums->sums[i].kind))
            finding->needed_ns[i] = (double)sums->sums[i].total_ns;
        growth += finding->needed_ns[i];
    }
    return growth;
}

/*
 * The part that is not idle of the waiting that a thread ended: the same part as of the whole sum. Threads and
 * processes are waited for one after the other, but all their ends are needed.
 */
static double awaited_of(const struct finding *finding, const struct rv_wait_share *share)
{
    const struct rv_wait_sum_of *sum = &finding->sums->sums[share->sum];
    const double needed_ns = finding->needed_ns[share->sum];
    if (sum->kind == RV_WAIT_JOIN || sum->kind == RV_WAIT_PROCESS)
        return needed_ns;
    return sum->total_ns ? needed_ns * ((double)share->n_ns / (double)sum->total_ns) : 0.0;
}

static void find_awaited(struct finding *finding)
{
    const struct rv_wait_sums *sums = finding->sums;
    for (size_t i = 0; i < finding->n_lanes; i++)
        finding->awaited_ns[i] = finding->is_first[i] ? DBL_MAX : 0.0;
    for (size_t i = 0; i < sums->n_shares; i++) {
        const struct rv_wait_share *share = &sums->shares[i];
        if (share->waker.lane && share->waker.lane->idx < finding->n_lanes)
            finding->awaited_ns[share->waker.lane->idx] += awaited_of(finding, share);
    }
}

void rv_wait_idle_set(const struct rv_wait_sums *sums, const struct rv_lanes *lanes, struct rv_waits_row *rows)
{
    const size_t n_lanes = rv_lanes_n(lanes);
    struct finding finding = {.sums = sums,
                              .n_lanes = n_lanes,
                              .is_first = rv_alloc(n_lanes + 1, sizeof *finding.is_first),
                              .needed_ns = rv_alloc(sums->n + 1, sizeof *finding.needed_ns),
                              .awaited_ns = rv_alloc(n_lanes + 1, sizeof *finding.awaited_ns)};
    double needed_ns = 0.0, growth = 1.0;
    find_first(&finding, lanes);
    find_waiters(&finding);
    for (unsigned i = 0; i < MOST_ROUNDS && growth > GROWTH_OF_NOTE * needed_ns; i++) {
        find_awaited(&finding);
        growth = find_needed(&finding);
        needed_ns += growth;
    }
    for (size_t i = 0; i < sums->n; i++)
        rows[i].idle_ns =
            finding.needed_ns[i] < (double)rows[i].total_ns ? rows[i].total_ns - (uint64_t)finding.needed_ns[i] : 0;
    free(finding.waiters);
    free(finding.is_first);
    free(finding.needed_ns);
    free(finding.awaited_ns);
}

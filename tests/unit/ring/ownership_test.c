#include "fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/os.h"
#include "ring/file_pages.h"
#include "ring/process_liveness.h"
#include "ring/push.h"

#define LATE_NS 700000000u

Test(ownership, a_claimed_ring_is_live_until_released_and_free_after_reclaim, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    int process = rv_ownership_enter_process(&f.other);
    cr_assert_eq(process, 0);
    int ring = rv_ownership_claim(&f.other, (uint32_t)process);
    cr_assert_eq(ring, 0);
    const struct rv_wire_control *control = rv_map_control(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_LIVE);
    cr_assert_eq(control->generation, 1);
    cr_assert_eq(control->owner_pid, (uint32_t)getpid());
    cr_assert(rv_ownership_has_live_owner(&f.map, 0));
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_LIVE, "a living owner keeps its ring");
    rv_ownership_release(&f.other, 0);
    cr_assert_eq(control->state, RV_RING_EXITED);
    cr_assert_gt(control->exited_ticks, 0);
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_FREE);
    cr_assert_eq(f.map.header->total_claims, 1);
    close_fixture(&f);
}

Test(ownership, claims_skip_rings_known_to_be_taken, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, &(struct rv_map_params){.n_rings = 4});
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    for (int i = 0; i < 4; i++) {
        cr_assert(rv_ownership_has_free_ring(&f.map));
        cr_assert_eq(rv_ownership_claim(&f.other, process), i);
        cr_assert_eq(f.map.header->first_free_ring, (uint32_t)i + 1);
    }
    cr_assert_not(rv_ownership_has_free_ring(&f.map));
    cr_assert_eq(rv_ownership_claim(&f.other, process), -ENOSPC);
    for (uint32_t i = 2; i > 0; i--) {
        rv_ownership_release(&f.other, i);
        rv_ownership_reclaim(&f.map, i);
        cr_assert_eq(f.map.header->first_free_ring, i);
    }
    cr_assert_eq(f.map.header->n_rings_freed, 2);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 1);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 2);
    cr_assert_eq(rv_ownership_claim(&f.other, process), -ENOSPC);
    cr_assert_not(rv_ownership_has_free_ring(&f.map));
    close_fixture(&f);
}

static uint64_t n_allocated(const struct rv_map *map)
{
    struct stat status;
    cr_assert_eq(fstat(map->fd, &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

static void push_calls(struct rv_pusher *pusher, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        rv_push(pusher, RV_EVENT_CALL_AT, rv_event_word_at(i, 0), 0x7000, rv_push_slow);
}

/* The owner has released the ring and the consumer has freed it, but the owner has not dropped its lock yet. */
Test(ownership, a_ring_that_another_thread_still_holds_is_found_later, .timeout = 60)
{
    struct fixture f;
    struct rv_map_params params = small_params();
    params.n_rings = 1;
    open_fixture(&f, &params);
    f.other.held_rings[0] = 1;
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC);
    f.other.held_rings[0] = 0;
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    close_fixture(&f);
}

Test(ownership, a_ring_has_pages_for_what_is_written, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_pusher pusher = {0};
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    open_fixture(&f, &(struct rv_map_params){.n_rings = 2, .ring_events = 1 << 16, .policy = RV_POLICY_SWITCH});
    f.map.header->is_recording = 1;
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    uint64_t n_bytes = n_allocated(&f.map);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 0);
    cr_assert_lt(n_allocated(&f.map) - n_bytes, 128 << 10, "a thread that calls little costs little");

    rv_ring_view(&ring, &f.other, 0);
    rv_pusher_attach(&pusher, state, &ring, 0);
    push_calls(&pusher, (1 << 16) + 10);
    cr_assert_geq(n_allocated(&f.map) - n_bytes, 1 << 20, "all of it is used");
    cr_assert_eq(rv_ring_account(&ring).n_dropped, 10);
    free(state);
    close_fixture(&f);
}

/* Whether the page of this address is mapped by now. */
static bool is_mapped(const void *address)
{
    uint64_t entry = 0;
    const int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    cr_assert_eq(pread(fd, &entry, sizeof entry, (off_t)((uintptr_t)address / RV_WIRE_PAGE * sizeof entry)),
                 (ssize_t)sizeof entry);
    close(fd);
    return entry >> 63;
}

/* Most threads of thousands call little: the consumer does not map the pages of their events. */
Test(ownership, the_first_events_are_read_from_the_file, .timeout = 60)
{
    struct fixture f;
    struct rv_ring written, read;
    struct rv_pusher pusher = {0};
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    struct rv_event out[400];
    open_fixture(&f, &(struct rv_map_params){.n_rings = 2, .ring_events = 1 << 12});
    f.map.header->is_recording = 1;
    cr_assert_eq(rv_file_pages_prepare(&f.map, 0), 0);
    cr_assert_eq(rv_ownership_claim(&f.other, (uint32_t)rv_ownership_enter_process(&f.other)), 0);
    rv_ring_view(&written, &f.other, 0);
    rv_pusher_attach(&pusher, state, &written, 0);
    rv_ring_view(&read, &f.map, 0);
    read.reads_file = true;
    for (uint64_t n_read = 0, n; n_read < 800; n_read += n) {
        push_calls(&pusher, n = n_read < 200 ? 100 : 300);
        cr_assert_eq(rv_ring_pop(&read, out, 400).n, n);
        for (uint64_t i = 0; i < n; i++)
            cr_assert_eq(rv_event_address(&out[i]), i);
        cr_assert_eq(is_mapped(read.events), n_read + n > RV_BACKING_FIRST_EVENTS);
    }
    free(state);
    close_fixture(&f);
}

/* Thousands of threads may start at once: a claim gives each pages for what it uses, not for its whole ring. */
Test(ownership, a_claim_gives_two_pages, .timeout = 60)
{
    enum { N_CLAIMS = 64 };
    struct fixture f;
    open_fixture(&f, &(struct rv_map_params){.n_rings = N_CLAIMS, .ring_events = 1 << 12});
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    uint64_t n_bytes = n_allocated(&f.map);
    for (int i = 0; i < N_CLAIMS; i++)
        cr_assert_eq(rv_ownership_claim(&f.other, process), i);
    cr_assert_leq(n_allocated(&f.map) - n_bytes, N_CLAIMS * 2 * RV_WIRE_PAGE);
    close_fixture(&f);
}

/* One call finds all locks of a process, whose rings are neighbours, and not a free ring between them. */
Test(ownership, live_owners_are_found_together, .timeout = 60)
{
    enum { N_CLAIMS = 200, LEFT = 70 };
    uint64_t has_live_owner[(N_CLAIMS + 63) / 64] = {0};
    struct fixture f;
    open_fixture(&f, &(struct rv_map_params){.n_rings = N_CLAIMS, .ring_events = 64});
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    for (int i = 0; i < N_CLAIMS; i++)
        cr_assert_eq(rv_ownership_claim(&f.other, process), i);
    rv_ownership_release(&f.other, LEFT);
    rv_ownership_find_live_owners(&f.map, has_live_owner);
    for (unsigned i = 0; i < N_CLAIMS; i++)
        cr_assert_eq(has_live_owner[i / 64] >> i % 64 & 1, i != LEFT, "ring %u", i);
    close_fixture(&f);
}

/* The consumer makes pages ready before the claim; pages that an earlier owner got are not asked for again. */
Test(ownership, a_ring_that_is_ready_needs_no_pages, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, &(struct rv_map_params){.n_rings = 2, .ring_events = 1 << 12});
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    cr_assert_eq(rv_file_pages_prepare(&f.map, 0), 0);
    cr_assert_eq(f.map.header->n_rings_ready, 1);
    uint64_t n_bytes = n_allocated(&f.map);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 0);
    cr_assert_eq(n_allocated(&f.map), n_bytes);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 1);
    cr_assert_eq(n_allocated(&f.map), n_bytes + 2 * RV_WIRE_PAGE);

    cr_assert_eq(rv_file_pages_give_events(&f.other, 1, 300, 1000), 0);
    cr_assert_eq(rv_map_control(&f.other, 1)->n_backed, RV_BACKING_FIRST_EVENTS, "not those between");
    cr_assert_eq(rv_file_pages_give_events(&f.other, 1, RV_BACKING_FIRST_EVENTS, 1000), 0);
    cr_assert_eq(rv_map_control(&f.other, 1)->n_backed, RV_BACKING_FIRST_EVENTS + 1000);
    cr_assert_eq(rv_file_pages_give_events(&f.other, 1, (1 << 12) - 10, 1 << 12), 0);
    cr_assert_eq(rv_map_control(&f.other, 1)->n_backed, (1 << 12) - 10);
    close_fixture(&f);
}

Test(ownership, events_without_pages_are_dropped_and_counted, .timeout = 60)
{
    struct fixture f;
    struct rv_ring ring;
    struct rv_pusher pusher = {0};
    struct rv_pusher_state *state = calloc(1, sizeof *state);
    open_fixture(&f, &(struct rv_map_params){.n_rings = 2, .ring_events = 1 << 16, .policy = RV_POLICY_BLOCK});
    f.map.header->is_recording = 1;
    uint32_t process = (uint32_t)rv_ownership_enter_process(&f.other);
    cr_assert_eq(rv_ownership_claim(&f.other, process), 0);
    rv_ring_view(&ring, &f.other, 0);
    rv_pusher_attach(&pusher, state, &ring, 0);
    struct rv_map out_of_reach = f.other;
    uint8_t *nowhere = mmap(NULL, f.other.n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq((void *)nowhere, MAP_FAILED);
    munmap(nowhere, f.other.n_bytes); /* no page can be given there */
    out_of_reach.geometry.rings.offset = (uint64_t)(nowhere - f.other.base);
    state->ring.map = &out_of_reach;
    push_calls(&pusher, 20000);
    struct rv_ring_account account = rv_ring_account(&ring);
    cr_assert_eq(account.n_produced, 20000);
    cr_assert_eq(account.n_dropped, 20000 - (RV_BACKING_FIRST_EVENTS - 1));

    state->ring.map = &f.other;
    push_calls(&pusher, 20000);
    account = rv_ring_account(&ring);
    cr_assert_eq(account.n_produced, 40000);
    cr_assert_lt(account.n_dropped, 24100, "it is asked for again");
    free(state);
    close_fixture(&f);
}

Test(ownership, a_process_entry_identifies_its_process, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_ownership_enter_process(&f.other), 0);
    const struct rv_wire_process *process = rv_map_process(&f.map, 0);
    cr_assert_eq(process->state, RV_PROCESS_LIVE);
    cr_assert_eq(process->pid, (uint32_t)getpid());
    cr_assert_eq(process->parent_pid, (uint32_t)getppid());
    cr_assert_gt(process->start, 0);
    cr_assert_str_eq(process->name, program_invocation_short_name, "as it was called");
    rv_ownership_leave_process(&f.other, 0);
    cr_assert_eq(process->state, RV_PROCESS_ENDED);
    cr_assert_geq(process->ended_ticks, process->born_ticks);
    close_fixture(&f);
}

Test(ownership, a_process_in_a_pid_namespace_is_known_by_the_number_that_others_see, .timeout = 60)
{
    struct fixture f;
    int status;
    open_fixture(&f, NULL);
    pid_t child = fork_child();
    if (child == 0) {
        if (unshare(CLONE_NEWPID) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
            _exit(77); /* not permitted */
        pid_t first = fork_child();
        if (first == 0)
            _exit(getpid() == 1 && rv_ownership_enter_process(&f.other) == 0 ? 0 : 1);
        waitpid(first, &status, 0);
        const struct rv_wire_process *process = rv_map_process(&f.map, 0);
        _exit(status == 0 && process->pid == (uint32_t)first && process->start >= rv_os_process_start(getpid()) ? 0
                                                                                                                : 1);
    }
    waitpid(child, &status, 0);
    cr_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
    close_fixture(&f);
}

Test(ownership, a_full_process_table_is_an_error, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    for (int i = 0; i < 64; i++)
        cr_assert_eq(rv_ownership_enter_process(&f.other), i);
    cr_assert_eq(rv_ownership_enter_process(&f.other), -ENOSPC);
    close_fixture(&f);
}

Test(ownership, a_thread_that_finds_no_ring_is_counted, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(rv_ownership_claim(&f.other, 0), i);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC);
    cr_assert_eq(f.map.header->n_threads_without_ring, 1);
    close_fixture(&f);
}

Test(ownership, a_ring_with_unread_events_is_not_reused, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_ring ring;
    rv_ownership_claim(&f.other, 0);
    rv_ring_view(&ring, &f.other, 0);
    push(&ring, 3);
    rv_ownership_release(&f.other, 0);
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(ring.control->state, RV_RING_EXITED);
    struct rv_event events[64];
    rv_ring_view(&ring, &f.map, 0);
    cr_assert_eq(rv_ring_pop(&ring, events, 64).n, 3);
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(ring.control->state, RV_RING_FREE);
    cr_assert_eq(f.map.header->total_produced, 3);
    cr_assert_eq(f.map.header->total_consumed, 3);

    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    cr_assert_eq(ring.control->generation, 2);
    cr_assert_eq(ring.control->claim_head, f.map.geometry.ring_events, "it begins where it has pages: the next lap");
    cr_assert_eq(rv_ring_account(&ring).n_produced, 0);
    close_fixture(&f);
}

/* In a child: open the file and claim its first ring. Returns the process. */
static uint32_t claim_first(struct rv_map *map, const char *path)
{
    if (rv_map_open(map, path, RV_MAP_PRODUCER, true))
        _exit(101);
    const uint32_t process = (uint32_t)rv_ownership_enter_process(map);
    if (rv_ownership_claim(map, process) != 0)
        _exit(102);
    return process;
}

/* A child that claims a ring, pushes n events and then waits to be killed. */
static pid_t start_owner(const struct fixture *f, uint32_t n_events)
{
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct rv_map map;
        struct rv_ring ring;
        if (rv_map_open(&map, f->path, RV_MAP_PRODUCER, true))
            _exit(1);
        int idx = rv_ownership_claim(&map, (uint32_t)rv_ownership_enter_process(&map));
        rv_ring_view(&ring, &map, (uint32_t)idx);
        push(&ring, n_events);
        say_ready(ready);
        for (;;)
            pause();
    }
    wait_ready(ready);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

/* The consumer reads only when it is woken, and late, as on a busy machine. */
static void read_when_woken(struct rv_map *map)
{
    struct rv_ring ring;
    struct rv_event events[64];
    uint32_t before = __atomic_load_n(&map->header->consumer_wake, __ATOMIC_ACQUIRE);
    if (rv_ownership_attach_consumer(map) != 0)
        _exit(1);
    while (__atomic_load_n(&map->header->consumer_wake, __ATOMIC_ACQUIRE) == before)
        rv_ring_turn_done(map->header);
    rv_os_sleep_ns(LATE_NS);
    rv_ring_view(&ring, map, 0);
    rv_ring_pop(&ring, events, 64);
    rv_ownership_reclaim(map, 0);
    rv_ring_turn_done(map->header);
    for (;;)
        pause();
}

Test(ownership, a_claim_waits_for_a_ring_that_will_be_drained, .timeout = 100)
{
    struct fixture f;
    struct rv_map_params params = small_params();
    params.n_rings = 1;
    params.policy = RV_POLICY_BLOCK;
    open_fixture(&f, &params);
    struct rv_ring ring;
    rv_ownership_claim(&f.other, 0);
    rv_ring_view(&ring, &f.other, 0);
    push(&ring, 3);
    rv_ownership_release(&f.other, 0);
    pid_t pid = fork_child();
    if (pid == 0)
        read_when_woken(&f.map);
    while (!__atomic_load_n(&f.map.header->consumer_pid, __ATOMIC_ACQUIRE))
        rv_os_sleep_ns(1000000);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    cr_assert_eq(f.map.header->n_threads_without_ring, 0);
    cr_assert_eq(f.map.header->total_consumed, 3);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC, "one that is used is not");
    kill(pid, SIGKILL);
    reap(pid);
    close_fixture(&f);
}

/* The consumer frees a ring before it gives the lock byte back; what it does between may take long. */
Test(ownership, a_claim_waits_for_a_ring_that_is_being_freed, .timeout = 100)
{
    struct fixture f;
    struct rv_map_params params = small_params();
    params.n_rings = 1;
    params.policy = RV_POLICY_BLOCK;
    open_fixture(&f, &params);
    rv_ownership_claim(&f.other, 0);
    rv_ownership_release(&f.other, 0);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0);
    rv_ownership_reclaim(&f.map, 0);
    cr_assert(rv_process_liveness_lock(f.map.fd, 1));
    pid_t pid = fork_child();
    if (pid == 0) {
        rv_os_sleep_ns(LATE_NS);
        rv_process_liveness_unlock(f.map.fd, 1);
        for (;;)
            pause();
    }
    int ring_idx = rv_ownership_claim(&f.other, 0);
    kill(pid, SIGKILL);
    reap(pid);
    cr_assert_eq(ring_idx, 0);
    cr_assert_eq(f.map.header->n_threads_without_ring, 0);
    close_fixture(&f);
}

/* The consumer was killed before it had published where claims begin to look. */
Test(ownership, a_free_ring_that_claims_skip_is_found, .timeout = 60)
{
    struct fixture f;
    struct rv_map_params params = small_params();
    params.n_rings = 2;
    params.policy = RV_POLICY_BLOCK;
    open_fixture(&f, &params);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 1);
    rv_ownership_release(&f.other, 0);
    rv_ownership_reclaim(&f.map, 0);
    f.map.header->first_free_ring = 2;
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    close_fixture(&f);
}

Test(ownership, what_a_killed_owner_had_published_is_read_before_its_ring_is_free, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = start_owner(&f, 64);
    cr_assert(rv_ownership_has_live_owner(&f.map, 0));
    kill(pid, SIGKILL);
    /* Not reaped yet: a zombie does not count as alive. */
    siginfo_t info;
    cr_assert_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    struct rv_ring ring;
    struct rv_event events[64];
    rv_ring_view(&ring, &f.map, 0);
    cr_assert_eq(rv_ring_pop(&ring, events, 64).n, 64);
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(ring.control->state, RV_RING_FREE);
    cr_assert_eq(reap(pid), -SIGKILL);
    close_fixture(&f);
}

static int claim_from_the_dead(enum rv_policy policy, struct rv_wire_header *header)
{
    struct fixture f;
    struct rv_map_params params = small_params();
    params.policy = policy;
    params.n_rings = 1;
    open_fixture(&f, &params);
    pid_t pid = start_owner(&f, 5);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC, "a living owner keeps its ring");
    kill(pid, SIGKILL);
    cr_assert_eq(reap(pid), -SIGKILL);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC, "a consumer decides itself");
    rv_ownership_detach_consumer(&f.map);
    int ring = rv_ownership_claim(&f.other, 0);
    *header = *f.map.header;
    close_fixture(&f);
    return ring;
}

Test(ownership, events_of_dead_owners_are_discarded_where_the_oldest_may_be, .timeout = 60)
{
    struct rv_wire_header header;
    cr_assert_eq(claim_from_the_dead(RV_POLICY_RING, &header), 0);
    cr_assert_eq(header.total_produced, 5);
    cr_assert_eq(header.total_dropped, 5);
    cr_assert_eq(claim_from_the_dead(RV_POLICY_BLOCK, &header), -ENOSPC);
    cr_assert_eq(header.total_dropped, 0);
}

Test(ownership, a_claimer_that_died_halfway_does_not_keep_the_ring, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_wire_control *control = rv_map_control(&f.map, 0);
    control->state = RV_RING_CLAIMED;
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(control->state, RV_RING_FREE);
    close_fixture(&f);
}

/* The child of a fork must not keep its parent's rings alive, and has rings of its own. */
static void check_fork(bool is_unlinked)
{
    struct fixture f;
    open_fixture(&f, NULL);
    int ready[2], go[2];
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(go), 0);
    pid_t parent = fork();
    if (parent == 0) {
        struct rv_map map;
        if (rv_map_open(&map, f.path, RV_MAP_PRODUCER, true))
            _exit(1);
        if (is_unlinked)
            unlink(f.path);
        if (rv_ownership_claim(&map, (uint32_t)rv_ownership_enter_process(&map)) != 0)
            _exit(2);
        int fd = map.fd;
        if (fork() == 0) {
            int error = rv_ownership_after_fork(&map);
            bool is_fine =
                !error && map.fd == fd && rv_ownership_claim(&map, (uint32_t)rv_ownership_enter_process(&map)) == 1;
            if (is_fine)
                say_ready(ready);
            char byte;
            _exit(read(go[0], &byte, 1) != 1);
        }
        for (;;)
            pause();
    }
    wait_ready(ready);
    cr_assert(rv_ownership_has_live_owner(&f.map, 0));
    kill(parent, SIGKILL);
    cr_assert_eq(reap(parent), -SIGKILL);
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    cr_assert(rv_ownership_has_live_owner(&f.map, 1));
    say_ready(go);
    close_fixture(&f);
}

Test(ownership, a_forked_child_has_locks_of_its_own, .timeout = 60)
{
    check_fork(false);
}

Test(ownership, a_forked_child_finds_a_file_that_was_unlinked, .timeout = 60)
{
    check_fork(true);
}

Test(ownership, a_forked_child_that_may_not_open_the_file_closes_it, .timeout = 60)
{
    if (geteuid() != 0)
        cr_skip_test("needs root to become another user");
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    int ready[2], go[2];
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(go), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char byte;
        if (setresuid(65534, 65534, 65534) || rv_ownership_after_fork(&f.other) != -EBADF ||
            rv_ownership_claim(&f.other, 0) != -ENOSPC)
            _exit(1);
        say_ready(ready);
        _exit(read(go[0], &byte, 1) != 1);
    }
    wait_ready(ready);
    cr_assert(rv_process_liveness_is_locked(f.map.fd, 1, 1));
    rv_map_close(&f.other); /* as if the parent had died */
    cr_assert_not(rv_process_liveness_is_locked(f.map.fd, 1, 1));
    say_ready(go);
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

Test(ownership, a_program_that_closes_all_descriptors_keeps_its_ring, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct rv_map map;
        uint32_t process = claim_first(&map, f.path);
        for (int fd = 3; fd < 2000; fd++)
            if (fd != ready[1])
                close(fd);
        /* A file of the program gets the trace file's descriptor: it must be neither locked nor replaced. */
        int theirs = open("/dev/null", O_RDWR);
        if (dup2(theirs, map.fd) != map.fd)
            _exit(3);
        if (rv_ownership_claim(&map, process) != 1)
            _exit(4);
        say_ready(ready);
        for (;;)
            pause();
    }
    wait_ready(ready);
    cr_assert(rv_ownership_has_live_owner(&f.map, 0), "alive without its lock");
    cr_assert(rv_ownership_has_live_owner(&f.map, 1));
    rv_ownership_reclaim(&f.map, 0);
    cr_assert_eq(rv_map_control(&f.map, 0)->state, RV_RING_LIVE);
    kill(pid, SIGKILL);
    reap(pid);
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    close_fixture(&f);
}

Test(ownership, an_image_that_was_replaced_by_exec_is_gone, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    int ready[2];
    cr_assert_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct rv_map map;
        (void)claim_first(&map, f.path);
        dup2(ready[1], 1);
        execlp("sh", "sh", "-c", "echo; exec sleep 100", NULL);
        _exit(3);
    }
    wait_ready(ready);
    cr_assert_not(rv_ownership_has_live_owner(&f.map, 0));
    kill(pid, SIGKILL);
    reap(pid);
    close_fixture(&f);
}

Test(ownership, at_most_one_consumer_drains, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(f.other.header->consumer_pid, 0);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0);
    cr_assert_eq(f.other.header->consumer_pid, (uint32_t)getpid());
    struct rv_map second;
    cr_assert_eq(rv_map_open(&second, f.path, RV_MAP_CONSUMER, true), 0);
    cr_assert_eq(rv_ownership_attach_consumer(&second), -EBUSY);
    rv_ownership_detach_consumer(&f.map);
    cr_assert_eq(f.other.header->consumer_pid, 0);
    cr_assert_eq(rv_ownership_attach_consumer(&second), 0);
    rv_map_close(&second);
    cr_assert_eq(rv_ownership_attach_consumer(&f.map), 0, "the lock went with the descriptor");
    close_fixture(&f);
}

Test(ownership, thread_names_are_cut_and_made_printable, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    char name[64], longest[100];
    rv_ownership_thread_name(&f.map, 0, name);
    cr_assert_str_eq(name, "test_ring_owner", "the kernel's name of the thread to begin with");
    rv_ownership_set_thread_name(&f.other, 0, "work\ner\x1b[2J\xc2\x9b\xff");
    rv_ownership_thread_name(&f.map, 0, name);
    cr_assert_str_eq(name, "work\\x0aer\\x1b[2J\\xc2\\x9b\\xff");
    memset(longest, 'x', 99);
    longest[99] = '\0';
    rv_ownership_set_thread_name(&f.other, 0, longest);
    rv_ownership_thread_name(&f.map, 0, name);
    cr_assert_eq(strlen(name), 63);
    rv_map_control(&f.map, 0)->name_is_set |= 1; /* its owner died while writing */
    rv_ownership_thread_name(&f.map, 0, name);
    close_fixture(&f);
}

Test(ownership, keeps_errno, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    errno = 1234;
    int process = rv_ownership_enter_process(&f.other);
    rv_ownership_claim(&f.other, (uint32_t)process);
    rv_ownership_release(&f.other, 0);
    close(f.other.fd);
    rv_ownership_claim(&f.other, (uint32_t)process);
    rv_ownership_after_fork(&f.other);
    rv_ownership_has_live_owner(&f.other, 0);
    rv_ownership_leave_process(&f.other, (uint32_t)process);
    cr_assert_eq(errno, 1234);
    close_fixture(&f);
}

#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "ring/names.h"

static bool has_fallocate = true;

/* The C library's fallocate(), or one that fails as on a file system without it. */
int fallocate(int fd, int mode, off_t offset, off_t n_bytes)
{
    if (has_fallocate)
        return (int)syscall(SYS_fallocate, fd, mode, offset, n_bytes);
    errno = EOPNOTSUPP;
    return -1;
}

Test(map, what_was_created_opens_with_the_same_geometry, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(memcmp(&f.map.geometry, &f.other.geometry, offsetof(struct rv_wire_header, reserved0)), 0);
    cr_assert_eq(f.other.geometry.n_rings, 4);
    cr_assert_eq(f.other.geometry.ring_events, 64);
    cr_assert_eq(f.other.geometry.control_bytes % 4096, 0);
    cr_assert_str_eq(f.other.path, f.path);
    struct stat status;
    cr_assert_eq(stat(f.path, &status), 0);
    cr_assert_eq(status.st_mode & 07777, 0600);
    cr_assert_eq((uint64_t)status.st_size, f.map.geometry.file_bytes);
    close_fixture(&f);
}

Test(map, sizes_are_rounded_up, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = small_params();
    params.ring_events = 65;
    params.slot_bytes = 33;
    params.message_bytes = 1;
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    cr_assert_eq(f.map.geometry.ring_events, 128);
    cr_assert_eq(f.map.geometry.slot_bytes, 40);
    cr_assert_eq(f.map.geometry.message_bytes, 8);
    rv_map_close(&f.map);
    remove_folder(&f);
}

Test(map, a_parameter_out_of_range_is_refused_and_leaves_no_file, .timeout = 60)
{
    const struct rv_map_params bad[] = {
        {.n_rings = 1 << 20},
        {.ring_events = 1 << 21},
        {.ring_events = UINT32_MAX},
        {.n_slots = UINT32_MAX},
        {.slot_bytes = UINT32_MAX},
        {.message_bytes = UINT32_MAX},
        {.global_bytes = UINT32_MAX},
        {.n_processes = UINT32_MAX},
        {.n_modules = UINT32_MAX},
        {.n_names = UINT32_MAX},
        {.n_names = 1},
        {.name_heap_bytes = UINT64_MAX},
        {.policy = RV_POLICY_COUNT},
        {.n_rings = 16384, .n_slots = 65536, .slot_bytes = 16384},
    };
    struct fixture f = {0};
    make_folder(&f);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_eq(rv_map_create(&f.map, f.path, &bad[i]), -EINVAL, "case %zu", i);
        cr_assert_eq(access(f.path, F_OK), -1, "case %zu", i);
    }
    remove_folder(&f);
}

Test(map, creation_never_takes_what_is_there, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = small_params();
    cr_assert_eq(symlink("/nonexistent/target", f.path), 0);
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), -EEXIST);
    unlink(f.path);
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    struct rv_map second;
    cr_assert_eq(rv_map_create(&second, f.path, &params), -EEXIST);
    cr_assert_eq(access(f.path, F_OK), 0);
    rv_map_close(&f.map);
    remove_folder(&f);
}

Test(map, a_file_size_limit_is_an_error_not_a_signal, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
        struct rv_map_params params = small_params();
        _exit(rv_map_create(&f.map, f.path, &params) == -EFBIG ? 0 : 1);
    }
    cr_assert_eq(reap(pid), 0);
    cr_assert_eq(access(f.path, F_OK), -1);
    remove_folder(&f);
}

/* In a child with a file system of n_bytes at f.folder: what `body` returns; 77 when none can be mounted. */
static int on_small_disk(struct fixture *f, const char *size, int (*body)(struct fixture *))
{
    make_folder(f);
    pid_t pid = fork();
    if (pid == 0) {
        if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("tmpfs", f->folder, "tmpfs", 0, size))
            _exit(77);
        _exit(body(f));
    }
    int status = reap(pid);
    remove_folder(f);
    return status;
}

static int create_on_full_disk(struct fixture *f)
{
    struct rv_map_params params = small_params();
    return rv_map_create(&f->map, f->path, &params) == -ENOSPC && access(f->path, F_OK) != 0 ? 0 : 1;
}

static int create_on_full_disk_without_fallocate(struct fixture *f)
{
    has_fallocate = false;
    return create_on_full_disk(f);
}

Test(map, a_full_disk_is_reported_at_creation, .timeout = 60)
{
    struct fixture f = {0};
    int status = on_small_disk(&f, "size=4k", create_on_full_disk);
    if (status == 77)
        cr_skip_test("cannot mount a file system here");
    cr_expect_eq(status, 0);
    cr_expect_eq(on_small_disk(&f, "size=4k", create_on_full_disk_without_fallocate), 0);
}

/* Otherwise many rings, or room for many names, would make the start slow. */
Test(map, a_new_file_has_no_pages_for_unused_parts, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = {.n_rings = 4096, .n_names = 1 << 20};
    struct stat status;
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    cr_assert_eq(stat(f.path, &status), 0);
    cr_expect_leq(status.st_blocks * 512, 8 * RV_WIRE_PAGE);
    cr_assert_eq(rv_names_intern(&f.map, &(struct rv_name){.name = "x"}), 1);
    cr_assert_eq(rv_ownership_claim(&f.map, 0), 0);
    cr_assert_eq(stat(f.path, &status), 0);
    cr_expect_leq(status.st_blocks * 512, 256 << 10);
    rv_map_close(&f.map);
    remove_folder(&f);
}

/* Settle the clock late, as a creator does that waits for a CPU. */
static void *settle_late(void *map)
{
    usleep(300000);
    rv_map_settle_clock(map);
    return NULL;
}

Test(map, an_observer_waits_for_the_clock_while_the_creator_runs, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = small_params();
    params.clock_kind = RV_CLOCK_TSC; /* the one that has to be settled */
    params.settles_clock_later = true;
    pthread_t creator;
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    cr_assert_eq(pthread_create(&creator, NULL, settle_late, &f.map), 0);
    cr_expect_eq(rv_map_open(&f.other, f.path, RV_MAP_OBSERVER, true), 0);
    pthread_join(creator, NULL);
    rv_map_close(&f.other);
    rv_map_close(&f.map);
    remove_folder(&f);
}

Test(map, a_producer_need_not_wait_until_the_clock_is_settled, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = small_params();
    params.clock_kind = RV_CLOCK_TSC; /* the one that has to be settled */
    params.settles_clock_later = true;
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    cr_assert_eq(rv_map_open(&f.other, f.path, RV_MAP_PRODUCER, true), 0);
    struct rv_map watcher;
    if (f.map.clock.kind == RV_CLOCK_TSC) {
        cr_expect_eq(rv_map_open(&watcher, f.path, RV_MAP_OBSERVER, true), -EBADMSG);
        cr_expect_eq(rv_map_clock(&f.other).mult, 0);
    }
    rv_map_settle_clock(&f.map);
    cr_expect_neq(f.map.clock.mult, 0);
    cr_expect_eq(rv_map_clock(&f.other).mult, f.map.clock.mult);
    cr_assert_eq(rv_map_open(&watcher, f.path, RV_MAP_OBSERVER, true), 0);
    cr_expect_eq(watcher.clock.mult, f.map.clock.mult);
    cr_expect_eq(rv_clock_to_ns(&watcher.clock, f.map.clock.ticks0), f.map.clock.mono0_ns);
    rv_map_close(&watcher);
    rv_map_close(&f.other);
    rv_map_close(&f.map);
    remove_folder(&f);
}

/* Its creator was killed before. */
Test(map, an_observer_settles_the_clock_of_one_that_has_ended, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    struct rv_map_params params = small_params();
    params.clock_kind = RV_CLOCK_TSC;
    params.settles_clock_later = true;
    cr_assert_eq(rv_map_create(&f.map, f.path, &params), 0);
    if (f.map.clock.kind == RV_CLOCK_TSC) {
        f.map.header->creator_start++; /* no such process */
        cr_assert_eq(rv_map_open(&f.other, f.path, RV_MAP_OBSERVER, true), 0);
        const struct rv_clock_instant now = rv_clock_instant(RV_CLOCK_TSC);
        const uint64_t ns = rv_clock_to_ns(&f.other.clock, now.ticks);
        cr_expect_lt(ns > now.mono_ns ? ns - now.mono_ns : now.mono_ns - ns, 10000000, "of %llu ns",
                     (unsigned long long)(now.mono_ns - f.map.clock.mono0_ns));
        rv_map_close(&f.other);
        f.map.header->clock_real0_ns -= UINT64_C(3600000000000); /* of another boot */
        cr_expect_eq(rv_map_open(&f.other, f.path, RV_MAP_OBSERVER, true), -EBADMSG);
    }
    rv_map_close(&f.map);
    remove_folder(&f);
}

/* Everything that makes something visible fails by a code, never by SIGBUS. */
static int use_full_disk(struct fixture *f)
{
    struct rv_map_params params = small_params();
    params.ring_events = 1 << 12;
    params.name_heap_bytes = 1 << 20;
    if (rv_map_create(&f->map, f->path, &params))
        return 1;
    if (rv_map_open(&f->other, f->path, RV_MAP_PRODUCER, true))
        return 2;
    char filler[200];
    snprintf(filler, sizeof filler, "%s/filler", f->folder);
    int fd = open(filler, O_CREAT | O_WRONLY, 0600);
    static char block[4096];
    while (write(fd, block, sizeof block) > 0)
        continue;
    if (rv_ownership_enter_process(&f->other) != -ENOSPC)
        return 3;
    if (rv_ownership_claim(&f->other, 0) != -ENOSPC || f->map.header->n_threads_without_ring != 1)
        return 4;
    if (rv_ownership_n_rings_used(&f->map) != 0)
        return 5;
    if (rv_names_intern(&f->other, &(struct rv_name){.name = "x"}) != 0 || f->map.header->n_names_lost != 1)
        return 6;
    close(fd);
    unlink(filler);
    if (rv_ownership_enter_process(&f->other) != 0 || rv_ownership_claim(&f->other, 0) != 0)
        return 7;
    return rv_names_intern(&f->other, &(struct rv_name){.name = "x"}) == 1 ? 0 : 8;
}

Test(map, a_disk_that_fills_up_later_is_an_error_of_each_call, .timeout = 60)
{
    struct fixture f = {0};
    int status = on_small_disk(&f, "size=1m", use_full_disk);
    if (status == 77)
        cr_skip_test("cannot mount a file system here");
    cr_assert_eq(status, 0, "step %d", status);
}

static int use_full_disk_without_fallocate(struct fixture *f)
{
    has_fallocate = false;
    return use_full_disk(f);
}

Test(map, a_full_disk_without_fallocate_is_reported_at_creation, .timeout = 60)
{
    struct fixture f = {0};
    int status = on_small_disk(&f, "size=1m", use_full_disk_without_fallocate);
    if (status == 77)
        cr_skip_test("cannot mount a file system here");
    cr_assert_eq(status, 0, "step %d", status);
}

Test(map, a_ring_behind_the_end_of_a_shortened_file_is_not_given, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(truncate(f.path, (off_t)f.map.geometry.rings.offset), 0);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), -ENOSPC);
    close_fixture(&f);
}

Test(map, an_observer_cannot_write, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct rv_map observer;
        if (rv_map_open(&observer, f.path, RV_MAP_OBSERVER, true))
            _exit(1);
        signal(SIGSEGV, SIG_DFL);
        observer.header->single = 1;
        _exit(2);
    }
    cr_assert_eq(reap(pid), -SIGSEGV);
    close_fixture(&f);
}

Test(map, a_producers_descriptor_keeps_clear_of_low_numbers, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_geq(f.other.fd, 100);
    cr_assert(fcntl(f.other.fd, F_GETFD) & FD_CLOEXEC);
    close_fixture(&f);
}

Test(map, a_relative_path_stays_valid_after_chdir, .timeout = 60)
{
    struct fixture f = {0};
    make_folder(&f);
    cr_assert_eq(chdir(f.folder), 0);
    struct rv_map_params params = small_params();
    cr_assert_eq(rv_map_create(&f.map, "trace", &params), 0);
    cr_assert_str_eq(f.map.path, f.path);
    cr_assert_eq(chdir("/"), 0);
    rv_map_close(&f.map);
    remove_folder(&f);
}

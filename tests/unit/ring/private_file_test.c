#include "fixture.h"

/* A folder that no other ringviz tidies up meanwhile. */
static struct fixture f;

static void begin(void)
{
    make_folder(&f);
    setenv("TMPDIR", f.folder, 1);
}

static void end(void)
{
    remove_folder(&f);
}

TestSuite(private_file, .init = begin, .fini = end, .timeout = 60);

/* A viewer's private file in `path`, made by a child that is killed, or that lives on. */
static pid_t make_private_file(char path[300], bool is_killed)
{
    int ready[2], names[2];
    cr_assert_eq(pipe(ready), 0);
    cr_assert_eq(pipe(names), 0);
    pid_t pid = fork_child();
    if (pid == 0) {
        struct rv_map map;
        char given[200], own[300] = {0};
        struct rv_map_params params = small_params();
        if (rv_map_default_path(given, sizeof given, 1 << 20))
            _exit(1);
        snprintf(own, sizeof own, "%s%s", f.folder, strrchr(given, '/'));
        if (rv_map_create(&map, own, &params) || rv_ownership_attach_consumer(&map) ||
            write(names[1], own, sizeof own) != sizeof own)
            _exit(1);
        say_ready(ready);
        for (;;)
            pause();
    }
    wait_ready(ready);
    cr_assert_eq(read(names[0], path, 300), 300);
    if (is_killed) {
        kill(pid, SIGKILL);
        cr_assert_eq(reap(pid), -SIGKILL);
    }
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(names[i]);
    }
    return pid;
}

Test(private_file, is_removed_once_its_viewer_is_dead)
{
    char dead[300], living[300];
    make_private_file(dead, true);
    pid_t pid = make_private_file(living, false);
    cr_assert_eq(access(dead, F_OK), 0);
    rv_map_remove_stale();
    cr_assert_eq(access(dead, F_OK), -1);
    cr_assert_eq(access(living, F_OK), 0);
    kill(pid, SIGKILL);
    reap(pid);
    rv_map_remove_stale();
    cr_assert_eq(access(living, F_OK), -1);
}

Test(private_file, stays_while_a_tracee_still_writes_to_it)
{
    char path[300];
    make_private_file(path, true);
    struct rv_map map;
    cr_assert_eq(rv_map_open(&map, path, RV_MAP_PRODUCER, false), 0);
    cr_assert_eq(rv_ownership_claim(&map, (uint32_t)rv_ownership_enter_process(&map)), 0);
    rv_map_remove_stale();
    cr_assert_eq(access(path, F_OK), 0);
    rv_map_close(&map);
    rv_map_remove_stale();
    cr_assert_eq(access(path, F_OK), -1);
}

Test(private_file, removal_touches_nothing_else)
{
    const char *names[] = {"ringviz-0-1-notours", "ringviz", "ringviz-0-999999-0123456789abcdef", "other"};
    char path[200];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f.folder, names[i]);
        int fd = open(path, O_CREAT | O_WRONLY, 0600);
        cr_assert_eq(write(fd, "something of the user's", 23), 23);
        close(fd);
    }
    rv_map_remove_stale();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", f.folder, names[i]);
        cr_assert_eq(unlink(path), 0, "%s is gone", names[i]);
    }
}

Test(private_file, goes_where_there_is_room)
{
    char path[300];
    cr_assert_eq(rv_map_default_path(path, sizeof path, 1 << 20), 0);
    cr_assert_eq(strncmp(path, "/dev/shm/ringviz-", 17), 0);
    cr_assert_eq(rv_map_default_path(path, sizeof path, 1ull << 60), -ENOSPC);
    cr_assert_eq(rv_map_default_path(path, 20, 1 << 20), -ENAMETOOLONG);
}

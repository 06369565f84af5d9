/* The parts of include/ringviz/monitor.h that the Perl modules do not use; their own suite tests the others. */
#include "ringviz/monitor.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/ringviz-monitor-XXXXXX", path[64];
static struct ringviz_file *file;

static void open_file(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rings", folder);
    const struct ringviz_file_params params = {.n_rings = 3, .slot_bytes = 10, .message_bytes = 9};
    cr_assert_eq(ringviz_file_create(&file, path, &params), 0);
}

static void close_file(void)
{
    ringviz_file_close(file);
    unlink(path);
    rmdir(folder);
}

TestSuite(monitor, .init = open_file, .fini = close_file, .timeout = 60);

Test(monitor, sizes_are_rounded_up_and_defaults_applied)
{
    struct ringviz_file_params sizes;
    ringviz_file_params(file, &sizes);
    cr_assert_eq(sizes.n_rings, 3);
    cr_assert_eq(sizes.n_slots, 10);
    cr_assert_eq(sizes.slot_bytes, 16);
    cr_assert_eq(sizes.message_bytes, 16);
    cr_assert_eq(sizes.global_bytes, 16384);
}

Test(monitor, a_ring_that_does_not_exist_is_refused_by_all)
{
    int32_t value;
    struct ringviz_ring ring;
    struct ringviz_slot slot;
    char text[600];
    struct ringviz_command command = {.message = text, .capacity = sizeof text};
    const uint32_t beyond[] = {3, 1000, UINT32_MAX};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = beyond[i];
        cr_assert_eq(ringviz_flag_get(file, n, RINGVIZ_TRACE, &value), -EINVAL);
        cr_assert_eq(ringviz_flag_set(file, n, RINGVIZ_SIGNAL, 1, &value), -EINVAL);
        cr_assert_eq(ringviz_ring_free(file, n), -EINVAL);
        cr_assert_not(ringviz_ring_is_free(file, n));
        cr_assert_eq(ringviz_ring_read(file, n, &ring), -EINVAL);
        cr_assert_null(ringviz_ring_address(file, n));
        cr_assert_eq(ringviz_slot_push(file, n, "x"), -EINVAL);
        cr_assert_eq(ringviz_slot_pop(file, n), -EINVAL);
        cr_assert_eq(ringviz_slot_update(file, n, 1), -EINVAL);
        cr_assert_eq(ringviz_slot_read(file, n, 0, &slot, text, sizeof text), -EINVAL);
        cr_assert_eq(ringviz_command_post(file, n, "RUN", "", 0), -EINVAL);
        cr_assert_eq(ringviz_command_wait(file, n, &command, 0), -EINVAL);
        cr_assert_eq(ringviz_response_post(file, n, "OK", "", 0), -EINVAL);
        cr_assert_eq(ringviz_response_wait(file, n, &command, 0), -EINVAL);
        cr_assert_eq(ringviz_watch_add(file, n, "1"), -EINVAL);
        cr_assert_eq(ringviz_watch_remove(file, n, 0), -EINVAL);
        cr_assert_eq(ringviz_watch_take(file, n, 0, text), -EINVAL);
        cr_assert_eq(ringviz_watch_set_result(file, n, 0, "1", 1, false), -EINVAL);
        cr_assert_eq(ringviz_watch_get_result(file, n, 0, text, &value), -EINVAL);
    }
    cr_assert_eq(ringviz_flag_get(file, 0, RINGVIZ_FLAG_COUNT, &value), -EINVAL);
}

Test(monitor, a_ring_is_freed_by_the_file_that_claimed_it)
{
    struct ringviz_file *other;
    cr_assert_eq(ringviz_file_open(&other, path), 0);
    cr_assert_eq(ringviz_ring_claim(file, 7), 0);
    cr_assert_eq(ringviz_ring_free(other, 0), -EBUSY);
    cr_assert_eq(ringviz_ring_claim(other, 8), 1);
    struct ringviz_ring ring;
    cr_assert_eq(ringviz_ring_read(other, 0, &ring), 0);
    cr_assert_eq(ring.pid, (uint32_t)getpid());
    cr_assert_eq(ring.thread, 7);
    cr_assert_eq(ringviz_ring_free(file, 0), 0);
    cr_assert_eq(ringviz_ring_free(file, 0), -ENOENT);
    ringviz_file_close(other);
}

Test(monitor, truncation_keeps_characters_whole)
{
    char name[64];
    struct ringviz_slot slot;
    cr_assert_eq(ringviz_ring_claim(file, 0), 0);
    cr_assert_eq(ringviz_slot_push(file, 0, "12345678901234\xc3\xa9"), 1); /* 16 bytes, room for 15 */
    cr_assert_eq(ringviz_slot_read(file, 0, 0, &slot, name, sizeof name), 0);
    cr_assert_str_eq(name, "12345678901234");
    cr_assert_eq(ringviz_slot_push(file, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 2);
    cr_assert_eq(ringviz_slot_read(file, 0, 1, &slot, name, sizeof name), 0);
    cr_assert_eq(strlen(name), 4 * 15); /* bytes that are no character are escaped */
}

Test(monitor, a_ring_of_a_dead_process_is_claimed_again)
{
    for (unsigned i = 0; i < 3; i++)
        cr_assert_eq(ringviz_ring_claim(file, 0), (int)i);
    cr_assert_eq(ringviz_ring_claim(file, 0), -ENOSPC);
    cr_assert_eq(ringviz_ring_free(file, 1), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(ringviz_ring_claim(file, 0) == 1 && ringviz_slot_push(file, 0, "x") == -EPERM ? 0 : 1);
    int status;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    cr_assert(ringviz_ring_is_free(file, 1));
    cr_assert_eq(ringviz_ring_claim(file, 0), 1);
}

Test(monitor, a_child_that_no_fork_handler_knows_of_does_not_own_its_parents_rings)
{
    const int ring = ringviz_ring_claim(file, 1);
    struct ringviz_command command = {.code = ""};
    int status = -1;
    cr_assert(ring >= 0);
    const pid_t child = _Fork();
    if (child == 0) {
        const bool is_refused = ringviz_command_wait(file, (uint32_t)ring, &command, 0) == -EPERM;
        const int own = ringviz_ring_claim(file, 2);
        _exit(!is_refused || own < 0 || own == ring);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect_eq(status, 0);
    cr_expect_eq(ringviz_command_wait(file, (uint32_t)ring, &command, 0), -EAGAIN);
}

Test(monitor, a_thread_gets_attention_stops_and_sees_its_monitor)
{
    struct ringviz_file *monitor;
    enum ringviz_state state;
    uint32_t n_stops;
    cr_assert_eq(ringviz_file_open(&monitor, path), 0);
    cr_assert_eq(ringviz_ring_claim(file, 0), 0);
    const uint32_t *word = ringviz_attention(file, 0);
    cr_assert_not_null(word);
    cr_assert_null(ringviz_attention(file, 3));
    cr_assert_eq(ringviz_state_set(file, 0, RINGVIZ_RUNNING), 0);
    cr_assert_eq(*word, 0);
    cr_assert_eq(ringviz_attention_wait(file, 0, 1), 0);
    cr_assert_eq(ringviz_attention_wait(file, 1, 1), -ENOENT);
    cr_assert_not(ringviz_has_monitor(file));
    cr_assert_eq(ringviz_monitor_attach(monitor), 0);
    cr_assert(ringviz_has_monitor(file));
    cr_assert_eq(ringviz_command_post(monitor, 0, "stop", "", 0), 0);
    cr_assert_neq(*word, 0);
    cr_assert(ringviz_attention_take(file, 0));
    cr_assert_not(ringviz_attention_take(file, 0));
    cr_assert_eq(ringviz_state_set(file, 0, RINGVIZ_STOPPED), 0);
    cr_assert_eq(ringviz_state_get(monitor, 0, &state, &n_stops), 0);
    cr_assert_eq(state, RINGVIZ_STOPPED);
    cr_assert_eq(n_stops, 1);
    cr_assert_eq(ringviz_state_get(monitor, 3, &state, &n_stops), -EINVAL);
    ringviz_monitor_detach(monitor);
    cr_assert_not(ringviz_has_monitor(file));
    struct ringviz_file *own;
    uint32_t ring;
    cr_assert_eq(ringviz_own_ring(&own, &ring), -ENOENT, "this process is not traced");
    ringviz_file_close(monitor);
}

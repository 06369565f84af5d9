#include "fixture.h"

#include "ring/commands.h"

static const uint64_t SECOND = 1000000000, DEADLINE_NS = 60000000000;

Test(commands, setters_return_the_previous_value, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    cr_assert_eq(rv_commands_set_signal(&f.map, 1, 5), 0);
    cr_assert_eq(rv_commands_set_signal(&f.map, 1, 9), 5);
    cr_assert_eq(rv_commands_flags(&f.other, 1), 4);
    cr_assert_eq(rv_commands_flags(&f.other, 0), 0);
    cr_assert_eq(rv_commands_set_single(&f.map, 1), 0);
    cr_assert_eq(rv_commands_flags(&f.other, 1), 5);
    cr_assert_eq(rv_commands_flags(&f.other, 0), 1, "single is for all rings");
    cr_assert_eq(rv_commands_signal(&f.other, 1), 9);
    close_fixture(&f);
}

Test(commands, new_rings_begin_as_the_file_says, .timeout = 60)
{
    struct rv_map_params params = small_params();
    params.stop_on_create = params.trace_on_create = true;
    struct fixture f;
    open_fixture(&f, &params);
    rv_commands_set_signal(&f.map, 0, 3);
    cr_assert_eq(rv_ownership_claim(&f.other, 0), 0);
    cr_assert_eq(rv_commands_flags(&f.map, 0), 6, "traced, and signalled to stop");
    close_fixture(&f);
}

Test(commands, a_command_is_answered, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char text[64];
    struct rv_command command = {.message = text, .capacity = sizeof text};
    cr_assert_eq(rv_commands_wait(&f.other, 0, &command, 0), -EAGAIN);
    cr_assert_eq(rv_commands_post(&f.map, 0, "eval", "$x + 1", 6), 0);
    cr_assert_eq(rv_commands_post(&f.map, 0, "also", "", 0), -EBUSY);
    cr_assert_eq(rv_commands_wait_response(&f.map, 0, &command, 0), -EAGAIN);
    cr_assert_eq(rv_commands_wait(&f.other, 0, &command, 0), 0);
    cr_assert_str_eq(command.code, "eval");
    cr_assert_eq(command.n_bytes, 6);
    cr_assert_eq(memcmp(text, "$x + 1", 6), 0);
    cr_assert_eq(rv_commands_respond(&f.other, 0, "ok", "42", 2), 0);
    cr_assert_eq(rv_commands_wait(&f.other, 0, &command, 0), -EAGAIN);
    cr_assert_eq(rv_commands_wait_response(&f.map, 0, &command, 0), 0);
    cr_assert_str_eq(command.code, "ok");
    cr_assert_eq(command.n_bytes, 2);
    cr_assert_eq(rv_commands_post(&f.map, 0, "next", "", 0), 0);
    close_fixture(&f);
}

Test(commands, messages_are_cut_to_the_area_and_to_the_buffer, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char text[100], out[100];
    memset(text, 'm', sizeof text);
    rv_commands_post(&f.map, 0, "longer than four", text, sizeof text);
    struct rv_command command = {.message = out, .capacity = sizeof out};
    cr_assert_eq(rv_commands_wait(&f.other, 0, &command, 0), 0);
    cr_assert_str_eq(command.code, "long");
    cr_assert_eq(command.n_bytes, 32);
    command.capacity = 10;
    rv_commands_wait(&f.other, 0, &command, 0);
    cr_assert_eq(command.n_bytes, 10);
    rv_map_control(&f.map, 0)->message_bytes = INT32_MAX;
    command.capacity = sizeof out;
    rv_commands_wait(&f.other, 0, &command, 0);
    cr_assert_eq(command.n_bytes, 32);
    rv_map_control(&f.map, 0)->message_bytes = -1;
    rv_commands_wait(&f.other, 0, &command, 0);
    cr_assert_eq(command.n_bytes, 0);
    close_fixture(&f);
}

Test(commands, waits_end, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    struct rv_command command = {0};
    uint64_t begin = rv_clock_mono_ns();
    cr_assert_eq(rv_commands_wait(&f.other, 0, &command, SECOND / 50), -ETIMEDOUT);
    cr_assert_geq(rv_clock_mono_ns() - begin, SECOND / 50);
    rv_commands_post(&f.map, 0, "x", "", 0);
    cr_assert_eq(rv_commands_wait_response(&f.map, 0, &command, SECOND / 50), -ETIMEDOUT);
    rv_commands_cancel(&f.map, 0);
    cr_assert_eq(rv_commands_respond(&f.other, 0, "late", "", 0), -ECANCELED);
    cr_assert_eq(rv_commands_post(&f.map, 0, "y", "", 0), 0);
    close_fixture(&f);
}

Test(commands, a_writer_that_died_does_not_block_the_channel, .timeout = 60)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = fork_child();
    if (pid == 0)
        _exit(0);
    reap(pid);
    rv_map_control(&f.map, 0)->command_ready = 16 + (uint32_t)pid;
    cr_assert_eq(rv_commands_post(&f.map, 0, "x", "", 0), 0);
    rv_map_control(&f.map, 0)->command_ready = 16 + (uint32_t)getppid();
    cr_assert_eq(rv_commands_post(&f.map, 0, "x", "", 0), -EBUSY);
    close_fixture(&f);
}

enum { N_PINGS = 10000 };

static int answer_pings(const char *path)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_PRODUCER, true))
        return 1;
    uint32_t number;
    struct rv_command command = {.message = (char *)&number, .capacity = sizeof number};
    for (uint32_t i = 0; i < N_PINGS; i++) {
        if (rv_commands_wait(&map, 0, &command, DEADLINE_NS) || number != i)
            return 2;
        number = ~number;
        if (rv_commands_respond(&map, 0, "pong", &number, sizeof number))
            return 3;
    }
    return 0;
}

Test(commands, ten_thousand_commands_between_two_processes, .timeout = 200)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = fork_child();
    if (pid == 0)
        _exit(answer_pings(f.path));
    uint32_t number;
    struct rv_command response = {.message = (char *)&number, .capacity = sizeof number};
    for (uint32_t i = 0; i < N_PINGS; i++) {
        cr_assert_eq(rv_commands_post(&f.map, 0, "ping", &i, sizeof i), 0);
        cr_assert_eq(rv_commands_wait_response(&f.map, 0, &response, DEADLINE_NS), 0);
        cr_assert_eq(number, ~i);
    }
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

/* Both ends of a connection give its queues the same numbers, and ask the kernel for each other as rarely as can be. */
#include "producers/native/file_queue.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "producers/native/own_files.h"
#include "producers/native/process.h"

#define UNIX_SOCKET RV_WAIT_ON_UNIX_SOCKET

static unsigned n_asked;
static int listener;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

void rv_own_files_run(void (*run)(void *context), void *context)
{
    n_asked++;
    run(context);
}

bool rv_process_is_confined(void)
{
    return false;
}

struct connection {
    int client, server;
};

static struct connection connect_once(void)
{
    struct connection made = {.client = socket(AF_UNIX, SOCK_STREAM, 0)};
    cr_assert_eq(connect(made.client, (struct sockaddr *)&address, sizeof address), 0);
    made.server = accept(listener, NULL, NULL);
    cr_assert_geq(made.server, 0);
    return made;
}

static void begin(void)
{
    (void)snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "file_queue_test-%d", getpid());
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    cr_assert_eq(listen(listener, 8), 0);
    const struct connection first = connect_once(); /* the first connection shows that the kernel tells peers */
    (void)rv_file_queue_out(first.client, UNIX_SOCKET);
    n_asked = 0;
}

TestSuite(file_queue, .init = begin, .timeout = 30);

static void expect_queues(int a, int b)
{
    const uint64_t there = rv_file_queue_out(a, UNIX_SOCKET), back = rv_file_queue_in(a, UNIX_SOCKET);
    cr_expect_neq(there, 0);
    cr_expect_neq(back, 0);
    cr_expect_neq(there, back);
    cr_expect_eq(rv_file_queue_in(b, UNIX_SOCKET), there);
    cr_expect_eq(rv_file_queue_out(b, UNIX_SOCKET), back);
}

Test(file_queue, only_the_end_that_was_accepted_asks_for_the_other_and_once)
{
    const struct connection a = connect_once(), b = connect_once();
    const uint64_t to_a = rv_file_queue_out(a.client, UNIX_SOCKET), to_b = rv_file_queue_out(b.client, UNIX_SOCKET);
    cr_expect_neq(to_a, to_b);
    cr_expect_eq(n_asked, 0);
    for (unsigned turn = 0; turn < 3; turn++) {
        expect_queues(a.client, a.server);
        expect_queues(b.client, b.server);
    }
    cr_expect_eq(n_asked, 2);
}

Test(file_queue, ends_that_both_have_names_find_each_other)
{
    struct sockaddr_un own = address;
    strcat(own.sun_path + 1, "-client");
    struct connection named = {.client = socket(AF_UNIX, SOCK_STREAM, 0)};
    cr_assert_eq(bind(named.client, (struct sockaddr *)&own, sizeof own), 0);
    cr_assert_eq(connect(named.client, (struct sockaddr *)&address, sizeof address), 0);
    named.server = accept(listener, NULL, NULL);
    for (unsigned turn = 0; turn < 3; turn++)
        expect_queues(named.client, named.server);
    cr_expect_leq(n_asked, 1);
}

Test(file_queue, a_pair_is_known_without_a_question)
{
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    rv_file_queue_pair(pair[0], pair[1]);
    expect_queues(pair[0], pair[1]);
    cr_expect_eq(n_asked, 0);
}

Test(file_queue, a_socket_for_datagrams_may_get_another_peer)
{
    int sockets[3];
    struct sockaddr_un own[3];
    for (unsigned i = 0; i < 3; i++) {
        own[i] = address;
        own[i].sun_path[sizeof own[i].sun_path - 1] = (char)('a' + i);
        sockets[i] = socket(AF_UNIX, SOCK_DGRAM, 0);
        cr_assert_eq(bind(sockets[i], (struct sockaddr *)&own[i], sizeof own[i]), 0);
    }
    for (unsigned i = 1; i < 3; i++) {
        cr_assert_eq(connect(sockets[0], (struct sockaddr *)&own[i], sizeof own[i]), 0);
        cr_expect_eq(rv_file_queue_out(sockets[0], UNIX_SOCKET), rv_file_queue_in(sockets[i], UNIX_SOCKET));
    }
}

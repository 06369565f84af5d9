#include "fixture.h"

#include <pthread.h>

#include "base/os.h"
#include "ring/global_message.h"

static const uint64_t SECOND = 1000000000, DEADLINE_NS = 60000000000;
enum { AREA = 100 };

static char *make_message(size_t n_bytes)
{
    char *message = malloc(n_bytes + 1);
    for (size_t i = 0; i < n_bytes; i++)
        message[i] = (char)(i * 7 + i / 100);
    return message;
}

/* A child that sends messages of these sizes. */
static pid_t start_sender(const struct fixture *f, const size_t *sizes, size_t n_sizes)
{
    pid_t pid = fork_child();
    if (pid)
        return pid;
    struct rv_map map;
    if (rv_map_open(&map, f->path, RV_MAP_PRODUCER, true))
        _exit(1);
    for (size_t i = 0; i < n_sizes; i++) {
        char *message = make_message(sizes[i]);
        if (rv_global_message_post(&map, message, sizes[i], DEADLINE_NS))
            _exit(2);
        free(message);
    }
    _exit(0);
}

Test(global_message, any_length_arrives_whole, .timeout = 100)
{
    static const size_t sizes[] = {0, 1, AREA - 1, AREA, AREA + 1, 5 * AREA / 2, 3 * AREA, 100000};
    const size_t n_sizes = sizeof sizes / sizeof *sizes;
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = start_sender(&f, sizes, n_sizes);
    char *out = malloc(100000), *expected = make_message(100000);
    for (size_t i = 0; i < n_sizes; i++) {
        size_t n_bytes;
        cr_assert_eq(rv_global_message_receive(&f.map, out, 100000, &n_bytes, DEADLINE_NS), 0, "message %zu", i);
        cr_assert_eq(n_bytes, sizes[i]);
        cr_assert_eq(memcmp(out, expected, n_bytes), 0, "message %zu", i);
    }
    cr_assert_eq(reap(pid), 0);
    free(out);
    free(expected);
    close_fixture(&f);
}

Test(global_message, waits_end, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char out[2 * AREA] = "";
    size_t n_bytes;
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND / 50), -ETIMEDOUT);
    cr_assert_eq(rv_global_message_post(&f.map, out, sizeof out, SECOND / 50), -ETIMEDOUT);
    cr_assert_eq(f.map.header->message_owner, 0);
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND / 50), -ETIMEDOUT,
                 "nobody sends any more");
    close_fixture(&f);
}

Test(global_message, a_buffer_that_is_too_small_gets_the_size_needed, .timeout = 100)
{
    static const size_t size = 50;
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t pid = start_sender(&f, &size, 1);
    char out[50];
    size_t n_bytes;
    cr_assert_eq(rv_global_message_receive(&f.map, out, 10, &n_bytes, DEADLINE_NS), -EMSGSIZE);
    cr_assert_eq(n_bytes, 50);
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, DEADLINE_NS), 0);
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

/* A child that sends one chunk of a longer message, and is killed while it waits. */
static void die_midway(const struct fixture *f, struct rv_map *map)
{
    static const size_t size = 1000;
    pid_t pid = start_sender(f, &size, 1);
    uint64_t begin = rv_clock_mono_ns();
    while ((__atomic_load_n(&map->header->message_state, __ATOMIC_ACQUIRE) & 3) != 1)
        cr_assert_lt(rv_clock_mono_ns() - begin, DEADLINE_NS);
    kill(pid, SIGKILL);
    cr_assert_eq(reap(pid), -SIGKILL);
}

Test(global_message, a_sender_that_dies_midway_is_noticed_and_replaced, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    die_midway(&f, &f.map);
    char out[1000];
    size_t n_bytes;
    uint64_t begin = rv_clock_mono_ns();
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, DEADLINE_NS), -EPIPE);
    cr_assert_lt(rv_clock_mono_ns() - begin, DEADLINE_NS / 2);

    die_midway(&f, &f.map);
    static const size_t sizes[] = {250};
    pid_t pid = start_sender(&f, sizes, 1);
    int error;
    while ((error = rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, DEADLINE_NS)) == -EPIPE)
        continue;
    cr_assert_eq(error, 0);
    cr_assert_eq(n_bytes, 250);
    char *expected = make_message(250);
    cr_assert_eq(memcmp(out, expected, 250), 0);
    free(expected);
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

Test(global_message, a_second_sender_waits_for_the_first, .timeout = 100)
{
    static const size_t size = 500;
    struct fixture f;
    open_fixture(&f, NULL);
    pid_t first = start_sender(&f, &size, 1);
    uint64_t begin = rv_clock_mono_ns();
    while ((__atomic_load_n(&f.map.header->message_state, __ATOMIC_ACQUIRE) & 3) != 1)
        cr_assert_lt(rv_clock_mono_ns() - begin, DEADLINE_NS);
    cr_assert_eq(rv_global_message_post(&f.map, "x", 1, SECOND / 100), -EBUSY);
    pid_t second = start_sender(&f, &size, 1);
    char out[500];
    size_t n_bytes;
    for (int i = 0; i < 2; i++)
        cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, DEADLINE_NS), 0);
    cr_assert_eq(reap(first), 0);
    cr_assert_eq(reap(second), 0);
    close_fixture(&f);
}

static void *send_from_thread(void *argument)
{
    return (void *)(intptr_t)rv_global_message_post(argument, "from a thread of the same process", 33, DEADLINE_NS);
}

Test(global_message, threads_of_one_process_can_talk_too, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, send_from_thread, &f.map), 0);
    char out[100];
    size_t n_bytes;
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, DEADLINE_NS), 0);
        cr_assert_eq(n_bytes, 33);
    }
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        cr_assert_eq((intptr_t)result, 0);
    }
    close_fixture(&f);
}

/* Send the first half of a message again and again, each as soon as the one before was taken. */
static void *begin_messages(void *argument)
{
    struct rv_map *map = argument;
    struct rv_wire_header *header = map->header;
    uint64_t begin = rv_clock_mono_ns();
    uint32_t state = 0;
    header->message_owner = (uint32_t)rv_os_tid();
    header->message_total_bytes = 2;
    header->message_chunk_bytes = 1;
    while (__atomic_load_n(&header->message_reader, __ATOMIC_RELAXED) != UINT32_MAX &&
           rv_clock_mono_ns() - begin < DEADLINE_NS) {
        if ((__atomic_load_n(&header->message_state, __ATOMIC_ACQUIRE) & 3) == 1)
            continue;
        header->message_serial++;
        __atomic_store_n(&header->message_state, (state += 4) | 1, __ATOMIC_RELEASE);
        rv_os_futex_wake(&header->message_state);
    }
    return NULL;
}

Test(global_message, a_receiver_keeps_its_timeout_whatever_arrives, .timeout = 100)
{
    struct fixture f;
    pthread_t sender;
    char out[100];
    size_t n_bytes;
    open_fixture(&f, NULL);
    cr_assert_eq(pthread_create(&sender, NULL, begin_messages, &f.map), 0);
    uint64_t begin = rv_clock_mono_ns();
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND / 10), -ETIMEDOUT);
    cr_assert_lt(rv_clock_mono_ns() - begin, DEADLINE_NS / 2);
    __atomic_store_n(&f.map.header->message_reader, UINT32_MAX, __ATOMIC_RELAXED); /* stops the sender */
    pthread_join(sender, NULL);
    close_fixture(&f);
}

Test(global_message, invalid_words_are_refused, .timeout = 100)
{
    struct fixture f;
    open_fixture(&f, NULL);
    char out[100];
    size_t n_bytes;
    struct rv_wire_header *header = f.map.header;
    header->message_state = 4 | 1;
    header->message_total_bytes = 50;
    header->message_chunk_bytes = 51;
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND), -EBADMSG);
    header->message_total_bytes = UINT64_MAX;
    header->message_offset = UINT64_MAX;
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND), -EBADMSG);
    header->message_total_bytes = 1000;
    header->message_offset = 0;
    header->message_chunk_bytes = 101;
    cr_assert_eq(rv_global_message_receive(&f.map, out, sizeof out, &n_bytes, SECOND), -EBADMSG);
    close_fixture(&f);
}

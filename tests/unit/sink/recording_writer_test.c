/* A recording of a whole session does not count the calls again that the session has counted. */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pipeline/recorded.h"
#include "model/stats.h"
#include "recording/index_chunk.h"
#include "recording/chunk_reader.h"
#include "sink/check_recording.h"
#include "sink/recording_writer.h"

static char path[80];

static void enter(void)
{
    snprintf(path, sizeof path, "/tmp/ringviz-record-test-%d.rvz", (int)getpid());
}

static void leave(void)
{
    unlink(path);
}

TestSuite(recording_writer, .init = enter, .fini = leave, .timeout = 60);

/* f calls g, which takes from 20 to 30 of 10 to 50. */
static const struct rv_event EVENTS[] = {{.when = 10, .id = 1, .frame = 0},
                                         {.when = 20, .id = 2, .frame = 1},
                                         {.when = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | 30, .frame = 1},
                                         {.when = (uint64_t)RV_EVENT_RETURN << RV_EVENT_KIND_SHIFT | 50, .frame = 0}};

static struct rv_stats *count(uint32_t first_id)
{
    struct rv_stats *stats = rv_stats_create();
    rv_stats_add_call(stats, first_id, &(struct rv_stats_call){.total_ns = 40, .self_ns = 30, .duration_ns = 40});
    rv_stats_add_call(stats, 2, &(struct rv_stats_call){.total_ns = 10, .self_ns = 10, .duration_ns = 10});
    return stats;
}

/* The session says so at its end; NULL: the recording is stopped before. */
static void record(const struct rv_stats *totals)
{
    const struct rv_recording_writer_params params = {.path = path, .program = "p", .is_all = true};
    struct rv_recording_writer *record = rv_recording_writer_create(1);
    struct rv_sink sink = rv_recording_writer_sink(record);
    struct rv_recording_writer_totals written;
    cr_assert_eq(rv_recording_writer_start(record, &params), 0);
    sink.begin(sink.context, 0);
    sink.open(sink.context, 0, &(struct rv_stream_info){.pid = 7, .tid = 7, .process_name = "p", .thread_name = "t"});
    sink.events(sink.context, 0, EVENTS, 4);
    if (totals) {
        sink.close(sink.context, 0, 60, &(struct rv_stream_account){4, 4, 0});
        sink.end(sink.context, totals);
    }
    cr_assert_eq(rv_recording_writer_stop(record, &written), 0);
    cr_assert_eq(written.n_events, 4);
    if (!totals)
        sink.end(sink.context, NULL);
    rv_recording_writer_destroy(record);
}

static struct rv_check_result verify(void)
{
    struct rv_check_result found;
    cr_assert_eq(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found), 0);
    return found;
}

/* The last INDEX chunk, by the END chunk. */
static uint64_t last_index(void)
{
    struct rv_rec_reader *reader;
    struct rv_rec_end end;
    cr_assert_eq(rv_rec_reader_open(&reader, path, &(struct rv_rec_reader_params){0}), 0);
    cr_assert_eq(rv_rec_reader_end(reader, &end), 1);
    rv_rec_reader_close(reader);
    return end.last_index;
}

Test(recording_writer, totals_are_those_of_the_session)
{
    struct rv_stats *totals = count(1);
    record(totals);
    cr_assert(last_index());
    struct rv_check_result found = verify(); /* counts anew, and compares */
    cr_assert(rv_check_is_whole(&found));
    rv_stats_destroy(totals);
}

Test(recording_writer, totals_of_other_calls_are_detected)
{
    struct rv_stats *totals = count(3);
    record(totals);
    cr_assert_eq(verify().n_damages, 1);
    rv_stats_destroy(totals);
}

Test(recording_writer, self_times_of_an_older_recorder_are_accepted)
{
    struct rv_stats *totals = count(1);
    rv_stats_put(totals, &(struct rv_stats_row){.id = 1, .self_ns = 5, .min_ns = 40}, &(struct rv_histogram){0});
    record(totals);
    cr_assert_eq(verify().n_damages, 1);
    recorded_age(path);
    struct rv_check_result found = verify();
    cr_assert(rv_check_is_whole(&found));
    rv_stats_destroy(totals);
}

Test(recording_writer, stopped_before_its_session_it_has_no_index)
{
    record(NULL);
    cr_assert_eq(last_index(), 0);
    struct rv_check_result found = verify();
    cr_assert(rv_check_is_whole(&found));
    cr_assert_eq(found.n_events, 4);
}

Test(recording_writer, totals_beyond_what_an_index_holds_are_left_out)
{
    struct rv_stats *totals = count(1u << 22);
    record(totals);
    cr_assert_eq(last_index(), 0);
    rv_stats_destroy(totals);
}

/* ---- a private file on a disk that does not answer ---- */

static atomic_uint n_failures;

static void ignore_offset(void *context, uint64_t offset)
{
    (void)context;
    (void)offset;
}

static void count_failure(void *context, int error)
{
    (void)context;
    cr_assert_eq(error, -ETIMEDOUT);
    atomic_fetch_add(&n_failures, 1);
}

static struct rv_recording_writer *record_into_pipe(int fd)
{
    static struct rv_recording_writer *record; /* stays, as it must */
    static struct rv_event events[1 << 16];
    record = rv_recording_writer_create(1);
    const struct rv_recording_writer_params params = {.fd = fd,
                                                      .follower = {ignore_offset, ignore_offset, count_failure, NULL}};
    struct rv_sink sink = rv_recording_writer_sink(record);
    cr_assert_eq(rv_recording_writer_start(record, &params), 0);
    sink.begin(sink.context, 0);
    sink.open(sink.context, 0, &(struct rv_stream_info){.pid = 7, .tid = 7, .process_name = "p", .thread_name = "t"});
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        events[i] =
            (struct rv_event){.when = 1000 * i + recorded_draw(1000), .id = 1 + (uint32_t)recorded_draw(1 << 20)};
    for (unsigned i = 0; i < 100; i++)
        sink.events(sink.context, 0, events, sizeof events / sizeof *events);
    sink.close(sink.context, 0, UINT64_C(1) << 40, &(struct rv_stream_account){0});
    sink.end(sink.context, NULL);
    return record;
}

/* The sender of events waits for the disk once, for a second: one failure is reported. */
Test(recording_writer, a_recording_stops_at_a_disk_that_does_not_answer)
{
    int ends[2];
    struct rv_recording_writer_totals totals;
    cr_assert_eq(pipe(ends), 0);
    struct rv_recording_writer *record = record_into_pipe(ends[1]);
    cr_assert_eq(n_failures, 1);
    cr_assert_eq(rv_recording_writer_stop(record, &totals), -ETIMEDOUT);
}

/* Until the pipe is full and its writer waits. */
static void await_full(int fd)
{
    int n = 0, n_before = -1;
    while (n == 0 || n != n_before) {
        n_before = n;
        usleep(100000);
        cr_assert_eq(ioctl(fd, FIONREAD, &n), 0);
    }
}

/* Time in which the process was stopped does not count as waiting for the disk. */
Test(recording_writer, a_disk_has_its_time_after_the_process_was_stopped)
{
    int ends[2], status;
    static char bytes[1 << 16];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        (void)record_into_pipe(ends[1]);
        _exit((int)n_failures);
    }
    close(ends[1]);
    await_full(ends[0]);
    cr_assert_eq(kill(child, SIGSTOP), 0);
    usleep(1500000);
    cr_assert_eq(kill(child, SIGCONT), 0);
    usleep(50000);
    while (read(ends[0], bytes, sizeof bytes) > 0)
        continue;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    cr_assert_eq(WEXITSTATUS(status), 0);
}

/*
 * A recording under many threads: streams of random events are given to the recorder's sink side by side, as workers
 * do, and read back through the replay source. Same events, names and accounts, in every stream's order. Cut at any
 * byte, its recorder killed or out of room at any moment, it gives the beginning of every stream and nothing else. Runs
 * under ThreadSanitizer.
 *
 *     recording [CUTS [KILLS]]    of a large one
 */
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "sink/check_recording.h"
#include "sink/recording_writer.h"
#include "source/replay.h"

enum { N_STREAMS = 4, N_NAMES = 50, SMALL_EVENTS = 60, CUT_EVENTS = 75000, LARGE_EVENTS = 150000 };

#if defined __SANITIZE_THREAD__ /* it checks threads, and forked processes cannot start any under it */
enum { SMALL_CUTS = 20, LARGE_CUTS = 3, N_KILLS = 0, N_FULL = 6 };
#elif defined __SANITIZE_ADDRESS__
enum { SMALL_CUTS = 300, LARGE_CUTS = 8, N_KILLS = 6, N_FULL = 6 }; /* memory for each reader is dear under it */
#else
enum { SMALL_CUTS = INT_MAX /* at every byte */, LARGE_CUTS = 300, N_KILLS = 100, N_FULL = 20 };
#endif
static const uint64_t KILL_DEADLINE_NS = 60000000000;

static unsigned n_failures;
static char what[64]; /* is read at the moment */

struct stream { /* what was written, or what came back */
    struct rv_event *events;
    size_t n, capacity;
    uint64_t end_ns;
    struct rv_stream_account account;
    bool is_open, is_closed;
    char name[32];
};

struct world {
    struct stream streams[N_STREAMS];
    uint32_t names[N_NAMES + 1]; /* by our id: what it was called, from its line */
    struct rv_batch batch;
};

/* Prints the first of them. Main thread. */
static bool check(bool is_right, const char *format, ...)
{
    if (is_right)
        return true;
    if (++n_failures <= 20) {
        va_list arguments;
        va_start(arguments, format);
        printf("%s: ", what);
        vprintf(format, arguments);
        putchar('\n');
        va_end(arguments);
    }
    return false;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void make_events(struct stream *stream, uint64_t *seed, size_t n)
{
    uint64_t now = 1000;
    uint32_t depth = 0, open[64];
    stream->events = rv_alloc(n, sizeof *stream->events);
    for (size_t i = 0; i < n; i++) {
        uint64_t random = next_random(seed);
        bool is_call = depth == 0 || (depth < 60 && random >> 20 & 1);
        now += random % 97;
        if (is_call)
            open[depth++] = 1 + (uint32_t)(random >> 24) % N_NAMES;
        else
            depth--;
        uint32_t frame = is_call ? depth - 1 : depth;
        stream->events[i] = (struct rv_event){
            .when = (uint64_t)!is_call << RV_EVENT_KIND_SHIFT | now, .id = open[frame], .frame = (uint16_t)frame};
    }
    stream->n = n;
    stream->end_ns = now + 5;
    stream->account = (struct rv_stream_account){n + 3, n, 3};
}

static void make_world(struct world *world, uint64_t *seed, size_t n)
{
    for (unsigned i = 0; i < N_STREAMS; i++)
        make_events(&world->streams[i], seed, n + i);
}

/* ---- write ---- */

/* Holds the givers back: each may give n_open portions, one more for every file of the recording that has begun. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t has_news;
    size_t n_open, n_portions;
    size_t wanted[N_STREAMS]; /* the portion that each waits for, or is giving */
};

struct giver {
    struct rv_sink *sink;
    struct gate *gate; /* NULL = all at once */
    struct stream *stream;
    uint32_t number;
};

static void wait_at(struct gate *gate, uint32_t number, size_t portion)
{
    pthread_mutex_lock(&gate->lock);
    if (portion > gate->wanted[number])
        gate->wanted[number] = portion;
    pthread_cond_broadcast(&gate->has_news);
    while (portion >= gate->n_open)
        pthread_cond_wait(&gate->has_news, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

/* Allow one more portion; returns at once, or when all givers have given it. */
static void open_gate(struct gate *gate, bool is_waited_for)
{
    pthread_mutex_lock(&gate->lock);
    gate->n_open++;
    pthread_cond_broadcast(&gate->has_news);
    for (unsigned i = 0; i < N_STREAMS && is_waited_for; i++)
        while (gate->wanted[i] < gate->n_open)
            pthread_cond_wait(&gate->has_news, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

/* Streams open one after another, the last number first; each then gives the portions that are open already. */
static void *give(void *context)
{
    struct giver *giver = context;
    struct rv_sink *sink = giver->sink;
    uint64_t seed = giver->number + 1;
    size_t n_events = giver->stream->n;
    if (giver->gate)
        wait_at(giver->gate, giver->number, (N_STREAMS - 1 - giver->number) * giver->gate->n_portions / N_STREAMS);
    sink->open(sink->context, giver->number,
               &(struct rv_stream_info){
                   .pid = 7, .tid = giver->number, .process_name = "p\n", .thread_name = "old", .born_ns = 1});
    for (size_t at = 0; at < n_events;) {
        if (giver->gate)
            wait_at(giver->gate, giver->number, at * giver->gate->n_portions / n_events);
        size_t n = 1 + next_random(&seed) % (1 + n_events / 30), left = n_events - at;
        n = n < left ? n : left;
        sink->events(sink->context, giver->number, giver->stream->events + at, n);
        if (at == 0)
            sink->rename(sink->context, giver->number, "new");
        at += n;
    }
    sink->close(sink->context, giver->number, giver->stream->end_ns, &giver->stream->account);
    return NULL;
}

static void begin_giving(struct rv_sink *sink, struct gate *gate, struct world *world, struct giver *givers,
                         pthread_t *threads)
{
    sink->begin(sink->context, 0);
    for (uint32_t i = 0; i < N_STREAMS; i++) {
        givers[i] = (struct giver){sink, gate, &world->streams[i], i};
        pthread_create(&threads[i], NULL, give, &givers[i]);
    }
    for (uint32_t id = 1; id <= N_NAMES; id++)
        sink->define(sink->context, &(struct rv_definition){id, "p", "n", "f", 1000 + id}, 1);
}

/* Returns whether all of it was written. */
static bool write_recording(const char *path, struct world *world, unsigned n_encoders)
{
    struct rv_recording_writer *record = rv_recording_writer_create(n_encoders);
    struct rv_recording_writer_params params = {.path = path, .program = "stress", .is_forced = true};
    if (rv_recording_writer_start(record, &params) != 0) { /* not even its head has room */
        rv_recording_writer_destroy(record);
        return false;
    }
    struct rv_sink sink = rv_recording_writer_sink(record);
    pthread_t threads[N_STREAMS];
    struct giver givers[N_STREAMS];
    begin_giving(&sink, NULL, world, givers, threads);
    for (uint32_t i = 0; i < N_STREAMS; i++)
        pthread_join(threads[i], NULL);
    sink.end(sink.context, NULL);
    struct rv_recording_writer_totals totals;
    int error = rv_recording_writer_stop(record, &totals);
    rv_recording_writer_destroy(record);
    return error == 0;
}

/* ---- read ---- */

static void *open_stream(void *context, const struct rv_stream_info *info)
{
    struct world *world = context;
    struct stream *stream = &world->streams[info->tid % N_STREAMS];
    check(!stream->is_open, "stream %u: opened twice", info->tid);
    check(info->pid == 7 && strcmp(info->process_name, "p\\x0a") == 0, "stream %u: of process %u, '%s'", info->tid,
          info->pid, info->process_name);
    stream->is_open = true;
    snprintf(stream->name, sizeof stream->name, "%s", info->thread_name);
    return stream;
}

static void rename_stream(void *context, void *stream, const char *name)
{
    (void)context;
    snprintf(((struct stream *)stream)->name, sizeof((struct stream *)stream)->name, "%s", name);
}

static void account_stream(void *context, void *stream, const struct rv_stream_account *account)
{
    (void)context;
    ((struct stream *)stream)->account = *account;
}

static void close_stream(void *context, void *stream, uint64_t end_ns)
{
    (void)context;
    ((struct stream *)stream)->end_ns = end_ns;
    ((struct stream *)stream)->is_closed = true;
}

static struct rv_batch *acquire_batch(void *context)
{
    struct world *world = context;
    world->batch.n = world->batch.n_specials = 0;
    return &world->batch;
}

static void submit_batch(void *context, struct rv_batch *batch)
{
    (void)context;
    struct stream *stream = batch->stream;
    stream->events = rv_vec_reserve(stream->events, &stream->capacity, stream->n + batch->n, sizeof *stream->events);
    memcpy(stream->events + stream->n, batch->events, batch->n * sizeof *stream->events);
    stream->n += batch->n;
}

static bool is_stopping(void *context)
{
    (void)context;
    return false;
}

static void define(void *context, const struct rv_definition *definitions, size_t n)
{
    struct world *world = context;
    for (size_t i = 0; i < n; i++) {
        if (check(definitions[i].id <= N_NAMES, "id %u: defined", definitions[i].id))
            world->names[definitions[i].id] = definitions[i].line_form - 1000;
    }
}

static bool read_recording(const char *path, struct world *world)
{
    struct rv_intake intake = {.context = world,
                               .open_stream = open_stream,
                               .rename_stream = rename_stream,
                               .account_stream = account_stream,
                               .close_stream = close_stream,
                               .acquire_batch = acquire_batch,
                               .submit_batch = submit_batch,
                               .is_stopping = is_stopping,
                               .define = define};
    struct rv_source *source = rv_replay_open(path);
    if (!source)
        return false;
    rv_batch_init(&world->batch, RV_BATCH_EVENTS);
    while (source->poll(source, &intake) != RV_SOURCE_ENDED)
        ;
    source->close(source);
    rv_batch_fini(&world->batch);
    return true;
}

/* ---- compare ---- */

/* The recording has ids of its own: one for each of ours. Ids without a name are equal. */
static bool is_same_event(const struct world *back, const struct rv_event *ours, const struct rv_event *theirs)
{
    uint32_t named = theirs->id <= N_NAMES ? back->names[theirs->id] : UINT32_MAX;
    return ours->when == theirs->when && ours->frame == theirs->frame && ours->aux == theirs->aux &&
           (named == ours->id || named == 0);
}

static void check_account(unsigned number, const struct rv_stream_account *account, uint64_t n_consumed)
{
    check(account->n_consumed == n_consumed && account->n_produced == n_consumed + account->n_dropped,
          "stream %u: account: %llu produced, %llu consumed, %llu dropped; %llu events", number,
          (unsigned long long)account->n_produced, (unsigned long long)account->n_consumed,
          (unsigned long long)account->n_dropped, (unsigned long long)n_consumed);
}

/* All of the stream came back. */
static void check_whole(unsigned number, const struct stream *ours, const struct stream *theirs)
{
    check(theirs->n == ours->n, "stream %u: %zu of %zu events", number, theirs->n, ours->n);
    check(theirs->end_ns == ours->end_ns, "stream %u: ends at %llu, not at %llu", number,
          (unsigned long long)theirs->end_ns, (unsigned long long)ours->end_ns);
    check(strcmp(theirs->name, "new") == 0, "stream %u: its name is '%s'", number, theirs->name);
    check(theirs->account.n_dropped == ours->account.n_dropped, "stream %u: %llu dropped, not %llu", number,
          (unsigned long long)theirs->account.n_dropped, (unsigned long long)ours->account.n_dropped);
}

/* Are the events that were read a prefix of those written, or all of them? */
static void compare(const struct world *given, const struct world *back, bool is_whole)
{
    for (unsigned s = 0; s < N_STREAMS; s++) {
        const struct stream *ours = &given->streams[s], *theirs = &back->streams[s];
        size_t n_same = 0, n = theirs->n < ours->n ? theirs->n : ours->n;
        while (n_same < n && is_same_event(back, &ours->events[n_same], &theirs->events[n_same]))
            n_same++;
        check(n_same == theirs->n, "stream %u: event %zu of %zu is another", s, n_same, theirs->n);
        check(theirs->is_open == theirs->is_closed, "stream %u: %s", s, theirs->is_open ? "not closed" : "not opened");
        check_account(s, &theirs->account, theirs->n);
        if (is_whole)
            check_whole(s, ours, theirs);
    }
}

static void free_world(struct world *world)
{
    for (unsigned i = 0; i < N_STREAMS; i++)
        free(world->streams[i].events);
}

static void check_reading(const char *path, const struct world *given, bool is_whole)
{
    struct world *back = rv_alloc(1, sizeof *back);
    if (read_recording(path, back))
        compare(given, back, is_whole);
    else
        check(!is_whole, "does not open");
    free_world(back);
    free(back);
}

static void run(const char *path, size_t n_events, unsigned n_encoders, unsigned n_cuts)
{
    struct world *given = rv_alloc(1, sizeof *given);
    uint64_t seed = 0x9e3779b97f4a7c15ull + n_encoders;
    make_world(given, &seed, n_events);
    snprintf(what, sizeof what, "%zu events by %u threads", n_events, n_encoders);
    check(write_recording(path, given, n_encoders), "is not written");
    check_reading(path, given, true);
    struct stat status = {0};
    check(stat(path, &status) == 0, "is not there");
    n_cuts = n_cuts < status.st_size ? n_cuts : (unsigned)status.st_size;
    for (unsigned i = 0; i < n_cuts; i++) { /* ever shorter */
        off_t step = status.st_size / (off_t)n_cuts, n_bytes = status.st_size * (off_t)(n_cuts - 1 - i) / (off_t)n_cuts;
        n_bytes += (off_t)(next_random(&seed) % (uint64_t)step);
        snprintf(what, sizeof what, "%zu events by %u threads cut to %lld bytes", n_events, n_encoders,
                 (long long)n_bytes);
        check(truncate(path, n_bytes) == 0, "does not get shorter");
        check_reading(path, given, false);
    }
    free_world(given);
    free(given);
}

/* ---- recorders that are killed or run out of room ---- */

static off_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_size : 0;
}

/* Wait until the file has n_bytes. False: its writer ended with fewer, or does not come on. */
static bool wait_for_bytes(const char *path, off_t n_bytes, pid_t writer)
{
    uint64_t deadline_ns = rv_clock_mono_ns() + KILL_DEADLINE_NS;
    siginfo_t ended = {0};
    while (size_of(path) < n_bytes && rv_clock_mono_ns() < deadline_ns) {
        if (waitid(P_PID, (id_t)writer, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == writer)
            break; /* it may have written the rest since the file was last read */
        sched_yield();
    }
    return size_of(path) >= n_bytes;
}

/* It is killed when it has written at least so much, anywhere in the file. */
static void run_killed(const char *path, struct world *given, off_t n_bytes)
{
    snprintf(what, sizeof what, "killed at %lld bytes", (long long)n_bytes);
    unlink(path);
    pid_t writer = fork();
    if (writer == 0) {
        write_recording(path, given, 2);
        _exit(0);
    }
    check(writer > 0 && wait_for_bytes(path, n_bytes, writer), "it does not come so far");
    if (writer > 0) {
        kill(writer, SIGKILL);
        waitpid(writer, NULL, 0);
    }
    check_reading(path, given, false);
}

static void run_kills(const char *path, unsigned n_kills)
{
    struct world *given = rv_alloc(1, sizeof *given);
    uint64_t seed = 3;
    make_world(given, &seed, CUT_EVENTS);
    snprintf(what, sizeof what, "not killed");
    check(write_recording(path, given, 2), "is not written");
    off_t n_bytes = size_of(path);
    for (unsigned i = 0; i < n_kills; i++)
        run_killed(path, given, (off_t)(next_random(&seed) % (uint64_t)n_bytes * 9 / 10));
    free_world(given);
    free(given);
}

/* The disk has room for so many bytes only: the recorder reports it, and the file opens. */
static void run_full(const char *path, unsigned n_full)
{
    struct world *given = rv_alloc(1, sizeof *given);
    uint64_t seed = 4;
    struct rlimit all;
    make_world(given, &seed, CUT_EVENTS);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    for (unsigned i = 0; i < n_full; i++) {
        rlim_t n_bytes = next_random(&seed) % 500000;
        snprintf(what, sizeof what, "no room after %llu bytes", (unsigned long long)n_bytes);
        unlink(path);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){n_bytes, all.rlim_max});
        bool is_written = write_recording(path, given, 2);
        setrlimit(RLIMIT_FSIZE, &all);
        check(!is_written, "a full disk is not reported");
        check(size_of(path) <= (off_t)n_bytes, "it has %lld bytes", (long long)size_of(path));
        check_reading(path, given, false);
    }
    free_world(given);
    free(given);
}

/* ---- files that begin and end in the middle ---- */

/* The events of a file are some of those given, without a gap. */
static bool is_slice(const struct world *back, const struct stream *ours, const struct stream *theirs)
{
    size_t at = 0;
    if (theirs->n == 0)
        return true;
    for (; at + theirs->n <= ours->n; at++) {
        size_t i = 0;
        while (i < theirs->n && is_same_event(back, &ours->events[at + i], &theirs->events[i]))
            i++;
        if (i == theirs->n)
            return true;
    }
    return false;
}

static void check_part(const char *path, const struct world *given, uint64_t *n_events)
{
    struct rv_check_result found;
    check(rv_check_read(path, &(struct rv_rec_reader_params){0}, NULL, false, &found) == 0 && rv_check_is_whole(&found),
          "not whole");
    check(found.n_missing == 0, "%llu events are missing", (unsigned long long)found.n_missing);
    struct world *back = rv_alloc(1, sizeof *back);
    check(read_recording(path, back), "does not open");
    for (unsigned s = 0; s < N_STREAMS; s++) {
        const struct stream *theirs = &back->streams[s];
        check(is_slice(back, &given->streams[s], theirs), "stream %u: a gap in its %zu events", s, theirs->n);
        check_account(s, &theirs->account, theirs->n);
        *n_events += theirs->n;
    }
    free_world(back);
    free(back);
}

/* Several files, one after another, while events come: each is complete, and no event is in two. */
static void run_switching(const char *folder)
{
    enum { N_FILES = 12 };
    struct world *given = rv_alloc(1, sizeof *given);
    struct rv_recording_writer *record = rv_recording_writer_create(2);
    struct rv_sink sink = rv_recording_writer_sink(record);
    struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, N_FILES, {0}};
    struct giver givers[N_STREAMS];
    pthread_t threads[N_STREAMS];
    char path[N_FILES][96];
    uint64_t seed = 7, n_given = 0, n_events = 0;
    make_world(given, &seed, LARGE_EVENTS);
    for (unsigned i = 0; i < N_STREAMS; i++)
        n_given += given->streams[i].n;
    begin_giving(&sink, &gate, given, givers, threads);
    for (unsigned i = 0; i < N_FILES; i++) {
        struct rv_recording_writer_totals totals;
        snprintf(path[i], sizeof path[i], "%s/%u.rvz", folder, i);
        snprintf(what, sizeof what, "file %u", i);
        check(rv_recording_writer_start(record,
                                        &(struct rv_recording_writer_params){.path = path[i], .program = "part"}) == 0,
              "does not begin");
        open_gate(&gate, i % 2 && i + 1 < N_FILES);
        if (i + 1 == N_FILES)
            for (uint32_t k = 0; k < N_STREAMS; k++)
                pthread_join(threads[k], NULL);
        check(rv_recording_writer_stop(record, &totals) == 0, "does not end");
    }
    sink.end(sink.context, NULL);
    rv_recording_writer_destroy(record);
    for (unsigned i = 0; i < N_FILES; i++) {
        snprintf(what, sizeof what, "file %u", i);
        check_part(path[i], given, &n_events);
        unlink(path[i]);
    }
    snprintf(what, sizeof what, "all files");
    check(n_events > 0 && n_events <= n_given, "%llu events of %llu", (unsigned long long)n_events,
          (unsigned long long)n_given);
    free_world(given);
    free(given);
}

int main(int argc, char **argv)
{
    unsigned n_cuts = argc > 1 ? (unsigned)atoi(argv[1]) : LARGE_CUTS;
    unsigned n_kills = argc > 2 ? (unsigned)atoi(argv[2]) : N_KILLS;
    char folder[] = "/tmp/ringviz-recording-XXXXXX", path[64];
    if (!mkdtemp(folder) || !freopen("/dev/null", "w", stderr))
        return 1;
    snprintf(path, sizeof path, "%s/a.rvz", folder);
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* memory is kept: giving it back takes longer than reading a recording */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    run(path, SMALL_EVENTS, 1, SMALL_CUTS);
    run(path, CUT_EVENTS, 1, n_cuts);
    for (unsigned n_encoders = 2; n_encoders <= 3; n_encoders++)
        run(path, LARGE_EVENTS, n_encoders, 0);
    if (n_kills)
        run_kills(path, n_kills);
    run_full(path, N_FULL);
    unlink(path);
    run_switching(folder);
    rmdir(folder);
    printf("%u cuts, %u kills, %d times no room: %u failures\n", n_cuts, n_kills, N_FULL, n_failures);
    return n_failures ? 1 : 0;
}

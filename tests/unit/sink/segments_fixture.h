/*
 * For suites of recordings in segments: records the calls of four threads with and without a limit, and reads the
 * files.
 */
#ifndef RV_TEST_SEGMENTS_FIXTURE_H
#define RV_TEST_SEGMENTS_FIXTURE_H

#include "recording/codec.h"
#include "recording/chunk_reader.h"
#include "sink/recording_writer.h"

enum { N_STREAMS = 4, N_STACKS = 3, N_IDS = 40, MOST_DEPTH = 30, SLACK_BYTES = 64 << 10 };

extern char all[80], newest[80], mended[80]; /* paths */
extern struct rv_codec *codec;
extern uint32_t n_names;
extern uint64_t slowness; /* times between events are so many times as long */

/* Of a suite. */
void enter(void);
void leave(void);

/* ---- the events ---- */

struct thread { /* on its way through its calls */
    uint32_t stack, depth[N_STACKS], ids[N_STACKS][MOST_DEPTH];
    uint64_t now_ns, step_ns;
};

uint64_t draw(uint64_t below);
struct rv_event next_event(struct thread *thread);
void define_names(const struct rv_sink *sink);

/* The same events every time. */
struct rv_recording_writer_totals record(const char *path, size_t n_events, struct rv_record_limit limit);

/* ---- what is in a file ---- */

struct stream {
    bool is_known;
    struct rv_event *open, *events;
    size_t n_open, open_capacity, n, capacity;
    uint64_t first; /* ordinal of the first event */
    struct rv_rec_account before, account;
    uint64_t first_segment;
};

struct range {
    uint64_t from_ns, to_ns;
};

struct content { /* behind the last gap, if there is one */
    struct stream streams[N_STREAMS];
    const struct content *whole; /* before the gaps, too, events are those of it; NULL: not compared */
    struct range wanted;
    uint64_t n_wanted, n_all; /* events in that range, and everywhere, before gaps as well */
    uint64_t n_gaps, next_segment;
    uint64_t n_segments, n_names_at_begin;
    uint64_t first_ns, last_ns;
    bool is_finished;
    unsigned n_damages;
    struct rv_rec_segment past;
};

void read_content(const char *path, struct content *content);
void read_against(const char *path, struct content *content, const struct content *whole, struct range wanted);
void free_streams(struct content *content);

/* is_whole: the part has all events up to the end, else only some of those after the discarded ones */
void compare(const struct content *whole, const struct content *part, bool is_whole);
uint64_t count_events(const struct content *content);
uint64_t bytes_on_disk(const char *path);

#endif

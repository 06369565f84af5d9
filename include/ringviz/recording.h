/*
 * A recording (.rvz), byte by byte.
 *
 * Little-endian. A file is a sequence of chunks; it only grows, by one whole chunk at a time. Every chunk begins at a
 * multiple of 64 bytes with a header, then its payload, then zeros up to the next multiple. The first chunk is FILE. A
 * killed recorder leaves whole chunks and at most one torn one at the end, which the checksum reveals; a finished
 * recording ends with END.
 *
 *   FILE     struct rv_rec_file, then the program's name
 *   STREAM   struct rv_rec_stream, then the process's and the thread's name, and struct rv_wire_instrumentation, which
 *            older recorders left out; before the stream's events, and again when the thread is renamed
 *   STRINGS  a column of subroutines: struct rv_rec_string with package, name and file; a later definition of an id
 *            replaces an earlier one. May come after the events that use the id
 *   EVENTS   struct rv_rec_events, then its columns: up to RV_REC_MAX_EVENTS of one stream, in the stream's order
 *   ACCOUNT  struct rv_rec_account: the stream's counts so far; with is_closed it is the stream's last chunk
 *   INDEX    struct rv_rec_index, then its columns: where the chunks since the INDEX before are, and what a picture of
 *            all needs of them. Found from its successor, the last one from END; a file without them is read in full
 *   SILENT   struct rv_rec_silent, then a struct rv_rec_silent_thread for each thread listed: threads that the kernel
 *            reported and that have no stream, since they made no traced call; at the end, where there were any
 *   OUTSIDE  a struct rv_rec_outside_thread for each thread outside of what was traced that woke a thread and has a
 *            name; at the end, where there were any
 *   END      struct rv_rec_end
 *   SEGMENT  struct rv_rec_segment; only with RV_REC_IN_SEGMENTS
 *
 * With RV_REC_IN_SEGMENTS not all events are kept: the newest only, or those around what was looked for. After FILE the
 * file is segments, each a row of chunks that begins with SEGMENT; the oldest, and any between, are given back whole:
 * their bytes become zeros that take no room, and nothing else moves. Where one's number is not the next, those between
 * were given back; END names no INDEX then. A segment can be read without any other: behind its SEGMENT all names are
 * told again, and of every stream that is not closed its STREAM, an ACCOUNT with is_before, and EVENTS with
 * RV_REC_OPEN: a SWITCH to each stack and a SYNC for each frame that is open there, behind it a LINE with the ns that
 * calls took in it that have ended (in id, frame and aux, from the lowest bits up) if there were any; with
 * RV_REC_TELLS_WAITS a SWITCH to each stack that waits, and for each of its waits a WAIT and a WOKEN with
 * RV_WAKE_BEGAN, and one with RV_WAKE_HELD where its holder is known; and a last SWITCH to the stack in force. An INDEX
 * covers one segment.
 *
 * Texts end with a NUL. Times are ns of CLOCK_MONOTONIC where it was recorded. Readers skip chunk types and columns
 * that they do not know, accept headers and structs that are longer, and refuse a FILE with an incompatible bit or a
 * major version that they do not know. Everything in the file is input: validate it on use.
 *
 * The events of a block are stored as columns. Most fields of an event can be predicted from the preceding events:
 *
 * - level: the frame tag of the next CALL, `first_level` at the beginning. A CALL has frame == level and raises it
 *   by one, a RETURN has frame == level - 1 and lowers it to that. Events with another tag are in ODD_TAGS, and level
 *   continues from there. All mod 65536.
 * - names: names[frame] is the id of the last CALL, RETURN or SYNC with that tag in this block, 0 before. A RETURN
 *   has id == names[frame], or 0 with RV_REC_BARE_RETURNS; other ids are in ODD_IDS.
 *
 * The low bytes of the times are one column, or one per context, which predicts much of a step's duration. An event's
 * context is, from the lowest bit up: its kind, the previous event's kind (both as in KINDS), and the two low bits of
 * the previous event's id; for the first event the latter bits are 0.
 *
 * Blocks do not refer to each other, so they can be written and read on any thread in any order.
 */
#ifndef RINGVIZ_RECORDING_H
#define RINGVIZ_RECORDING_H

#include "ringviz/wire.h"

#define RV_REC_CHUNK_MAGIC 0x435a5652u          /* "RVZC" */
#define RV_REC_FILE_MAGIC 0x5a565276676e6972ull /* "ringvRVZ" */
#define RV_REC_MAJOR 1u
#define RV_REC_MINOR 0u
#define RV_REC_ALIGNMENT 64u
#define RV_REC_MAX_PAYLOAD (1ull << 30)
#define RV_REC_MAX_EVENTS 65536u
#define RV_REC_MAX_STREAMS (1u << 22)
#define RV_REC_MAX_STRINGS (1u << 26) /* raw bytes of a STRINGS column */

enum rv_rec_type {
    RV_REC_FILE = 1,
    RV_REC_STREAM = 2,
    RV_REC_STRINGS = 3,
    RV_REC_EVENTS = 4,
    RV_REC_ACCOUNT = 5,
    RV_REC_END = 6,
    RV_REC_INDEX = 7,
    RV_REC_SEGMENT = 8,
    RV_REC_SILENT = 9,
    RV_REC_OUTSIDE = 10
};

enum rv_rec_feature { /* of feature_incompat */
                      RV_REC_IN_SEGMENTS = 1,
                      RV_REC_IN_CONTEXTS = 2, /* EVENTS may have RV_REC_TIMES_IN_CONTEXTS */
                      RV_REC_IN_STEPS = 4,    /* a MARK may be a step of a flow or task: see rv_event_step() */
                      RV_REC_FEATURES = 7
};

enum rv_rec_compat { /* of feature_compat */
                     RV_REC_HAS_WAITS =
                         1, /* each INDEX has the waits that there were: none means that there were none */
                     RV_REC_TELLS_WAITS = 2 /* each segment tells the waits that had not ended when it began */
};

struct rv_rec_chunk {
    uint32_t magic;
    uint16_t type;          /* enum rv_rec_type */
    uint16_t flags;         /* EVENTS: enum rv_rec_events_flag */
    uint32_t header_bytes;  /* 64; readers skip the excess */
    uint32_t n_events;      /* EVENTS */
    uint64_t payload_bytes; /* without the padding */
    uint64_t sequence;      /* from 0, increasing by one */
    uint64_t first_ns;      /* EVENTS: of the first and the last event */
    uint64_t last_ns;
    uint32_t stream;    /* EVENTS, STREAM, ACCOUNT: from 0, in order of opening */
    uint32_t end_level; /* EVENTS: level after the last event */
    uint64_t checksum;  /* XXH3 of the 56 bytes above, seeded with the XXH3 of the payload */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_chunk) == 64);
RV_WIRE_ASSERT(offsetof(struct rv_rec_chunk, payload_bytes) == 16);
RV_WIRE_ASSERT(offsetof(struct rv_rec_chunk, stream) == 48);
RV_WIRE_ASSERT(offsetof(struct rv_rec_chunk, checksum) == 56);

struct rv_rec_file {
    uint64_t magic;
    uint16_t major, minor;
    uint32_t endian;           /* RV_WIRE_ENDIAN */
    uint32_t feature_incompat; /* unknown bits: refuse */
    uint32_t feature_compat;   /* unknown bits: ignore */
    uint64_t mono_ns, real_ns; /* CLOCK_MONOTONIC and CLOCK_REALTIME at the same time */
    uint8_t uuid[16];
    uint32_t pid; /* of the recorded program; 0 = unknown */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_file) == 64);

struct rv_rec_stream {
    uint32_t pid, parent_pid, tid, ring;
    uint64_t process_key; /* distinguishes images and reused pids */
    uint64_t born_ns;
    uint32_t tag_mode; /* 0: tags are depths, as struct rv_event has them */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_stream) == 40);

struct rv_rec_string {
    uint32_t id;        /* dense, from 1 */
    uint32_t line_form; /* ringviz/wire.h */
    /* package, name, file */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_string) == 8);

struct rv_rec_account {
    uint64_t n_produced, n_consumed, n_dropped;
    uint64_t end_ns; /* with is_closed: open calls end here */
    uint32_t is_closed;
    uint32_t is_before; /* counts at the begin of a segment; n_consumed is the next event's ordinal */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_account) == 40);

struct rv_rec_segment {
    uint64_t number;            /* from 0 */
    uint64_t n_events;          /* in earlier segments */
    uint64_t first_ns, last_ns; /* of those events; 0: there are none */
    uint64_t last_index;        /* offset of the previous INDEX; 0: none */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_segment) == 40);

struct rv_rec_silent_times {
    uint64_t n_switches;                          /* away from a CPU */
    uint64_t running_ns, runnable_ns, blocked_ns; /* between its switches */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_silent_times) == 32);

struct rv_rec_silent {
    uint64_t n_threads; /* of which some may not be listed */
    struct rv_rec_silent_times times;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_silent) == 40);

struct rv_rec_silent_thread {
    uint32_t pid, tid;
    char name[64]; /* with NUL; may be "" */
    struct rv_rec_silent_times times;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_silent_thread) == 104);

struct rv_rec_outside_thread {
    uint32_t tid;  /* of a WOKEN with RV_WIRE_OUTSIDE */
    char name[60]; /* NUL-terminated */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_outside_thread) == 64);

struct rv_rec_end {
    uint64_t n_events;
    uint64_t n_streams;
    uint64_t last_index; /* offset of the last INDEX; 0 or absent: none */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_end) == 24);

/* ---- events ---- */

#define RV_REC_N_CONTEXTS 16

enum rv_rec_events_flag {
    RV_REC_BARE_RETURNS = 1,       /* a RETURN's id is 0 unless ODD_IDS has it */
    RV_REC_IDS_8 = 2,              /* IDS are bytes */
    RV_REC_IDS_16 = 4,             /* 16 bits; else 32 */
    RV_REC_OPEN = 8,               /* frames open at the begin of a segment or stream; events not counted */
    RV_REC_TIMES_IN_CONTEXTS = 16, /* CONTEXTS instead of TIMES_LOW */
    RV_REC_EVENTS_FLAGS = 31
};

struct rv_rec_events {
    uint64_t first_ordinal; /* number of the stream's events in earlier blocks */
    uint16_t first_level;
    uint16_t n_columns;
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_events) == 16);

/* An absent column is empty, or all zeros if its length is known. */
enum rv_rec_column_id {
    RV_REC_KINDS = 1,        /* a bit per event, lowest first: 1 RETURN, 0 CALL or special */
    RV_REC_TIMES_LOW = 2,    /* a byte per event: ns since the previous event (the first: since first_ns), low byte */
    RV_REC_TIMES_HIGH = 3,   /* the next byte; 0xffff in both: see TIMES_WIDE */
    RV_REC_TIMES_WIDE = 4,   /* 64 bits each, mod 2^60 */
    RV_REC_IDS = 5,          /* of CALLs */
    RV_REC_ODD_TAGS = 6,     /* struct rv_rec_odd_tag, increasing positions */
    RV_REC_ODD_IDS = 7,      /* struct rv_rec_odd_id of RETURNs, increasing positions */
    RV_REC_CALL_LINES = 8,   /* 16 bits per CALL: aux */
    RV_REC_RETURN_LINES = 9, /* 16 bits per RETURN: aux */
    RV_REC_SPECIALS = 10,    /* struct rv_rec_special: events that are not CALL or RETURN, increasing positions */
    RV_REC_CONTEXTS = 11,    /* and 15 more, one per context: as TIMES_LOW, for the events in that context */
    RV_REC_COLUMN_END = RV_REC_CONTEXTS + RV_REC_N_CONTEXTS
};

enum rv_rec_method { RV_REC_STORED = 0, RV_REC_ZSTD = 1 };

struct rv_rec_column {
    uint16_t id;     /* enum rv_rec_column_id, increasing */
    uint16_t method; /* enum rv_rec_method */
    uint32_t raw_bytes;
    uint32_t stored_bytes; /* these follow */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_column) == 12);

struct rv_rec_odd_tag {
    uint16_t position; /* index of the event in the block */
    uint16_t frame;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_odd_tag) == 4);

struct rv_rec_odd_id {
    uint16_t position;
    uint16_t id_low, id_high;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_odd_id) == 6);

/* A SYNC describes the past: its time is here, and its entry in the time columns is 0. */
struct rv_rec_special {
    uint64_t when; /* kind << 60, and of SYNC the ns */
    uint32_t id;
    uint16_t position;
    uint16_t frame, aux;
    uint16_t reserved[3];
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_special) == 24);

/* ---- index ---- */

/*
 * Every INDEX can be read by itself: a stream's first block in it lists all frames open at the block's beginning, later
 * blocks list only changes.
 *
 * Calls are summarized per block and stack, by their ends: calls shorter than a cell of the stack's level go into
 * CELLS, the others into SPANS. A cell of level k is 2^(13 + 2 (k - 1)) ns wide, from a multiple of that; calls deeper
 * than its last row are in that row.
 */
#define RV_REC_INDEX_LEVELS 16u /* from 1 */
#define RV_REC_INDEX_ROWS 4096u
#define RV_REC_INDEX_OLD_NOTES 1024u
#define RV_REC_INDEX_COVERED 65534u          /* coverage of a completely covered cell */
#define RV_REC_MAX_INDEX_COLUMN (64u << 20)  /* raw bytes */
#define RV_REC_HISTOGRAM_BUCKETS (59u * 64u) /* 64 an octave; the first octave counts by ns */

enum rv_rec_index_flag {
    RV_REC_INDEX_HAS_INNERS = 1, /* INNERS has all that there are. Without it they are unknown: the recorder did not
                                    know all names in time, or is an older one */
    RV_REC_INDEX_HAS_STATES = 2  /* NOTES has all changes of states and stacks. Older recorders left out what came
                                    after RV_REC_INDEX_OLD_NOTES notes of a stack and block */
};

struct rv_rec_index {
    uint64_t previous; /* offset of the previous INDEX; 0: none */
    uint64_t begin;    /* this one covers the chunks from here to its own offset */
    uint32_t n_columns;
    uint32_t flags; /* enum rv_rec_index_flag; unknown bits: ignore */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index) == 24);

/*
 * As struct rv_rec_column, increasing ids; absent: empty. A column's rows are stored as planes: the first byte of all
 * rows, then the second, to the last.
 */
enum rv_rec_index_column {
    RV_REC_INDEX_CHUNKS = 1,
    RV_REC_INDEX_BLOCKS = 2,
    RV_REC_INDEX_STACKS = 3, /* n_stacks of each block, in the order of BLOCKS; the following
                                likewise, of each stack */
    RV_REC_INDEX_FRAMES = 4,
    RV_REC_INDEX_CELLS = 5,   /* increasing columns */
    RV_REC_INDEX_SPANS = 6,   /* increasing ends */
    RV_REC_INDEX_NOTES = 7,   /* struct rv_event: notes, times in ns; marks and values only the first of a stack and
                                 block. What was blocked is runnable from a later note on: a switch to PREEMPTED that
                                 is earlier than when it ran. A SWITCH says that another stack is current, or the
                                 note's own again; older recorders wrote none */
    RV_REC_INDEX_TOTALS = 8,  /* calls in these blocks, and in earlier ones not covered by any TOTALS */
    RV_REC_INDEX_BUCKETS = 9, /* n_buckets of each of TOTALS, increasing */
    RV_REC_INDEX_DEPTHS = 10, /* one of each of STACKS; older recorders wrote none, and no doubtful FRAMES */
    RV_REC_INDEX_WAITERS =
        11, /* of blocks and stacks, in the order of BLOCKS, those that had waits or released objects */
    RV_REC_INDEX_WAITS = 12,    /* n_waits of each of WAITERS, by their ends; pictures do without these two */
    RV_REC_INDEX_RELEASES = 13, /* n_releases of each of WAITERS, by time */
    RV_REC_INDEX_FOLDS = 14,    /* by stream and time, of some blocks: sums of critical paths. Older recorders wrote
                                   none */
    RV_REC_INDEX_PARTS = 15,    /* n_parts of each of FOLDS, by time; the following likewise, of each part */
    RV_REC_INDEX_SUMS = 16,
    RV_REC_INDEX_CALLS = 17,
    RV_REC_INDEX_INNERS = 18, /* of some of TOTALS, in their order; see RV_REC_INDEX_HAS_INNERS */
    RV_REC_INDEX_COLUMN_END
};

struct rv_rec_index_chunk { /* STREAM, STRINGS, ACCOUNT, SILENT or OUTSIDE */
    uint64_t offset;
    uint32_t stream;
    uint32_t type;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_chunk) == 16);

struct rv_rec_index_block { /* EVENTS; with n_events 0: the ACCOUNT that closes the stream, with the calls open then */
    uint64_t offset;
    uint64_t first_ns, last_ns;
    uint32_t n_events, stream;
    uint32_t n_stacks;
    uint32_t stack; /* stack selected at its beginning */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_block) == 40);

struct rv_rec_index_stack {
    uint64_t first_ns;   /* of the stack's first call or return */
    uint32_t stack;      /* stack key */
    uint32_t base_depth; /* of its lowest open frame */
    uint32_t n_kept;     /* lowest frames still open since the stack's last entry in this INDEX */
    uint32_t n_frames;   /* FRAMES above these at the block's beginning */
    uint32_t n_cells, n_spans, n_notes;
    uint32_t level; /* of the cells */
    uint32_t max_depth;
    uint32_t n_events;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_stack) == 48);

struct rv_rec_index_frame {
    uint64_t start_ns;
    uint32_t id;
    uint16_t frame;
    uint16_t flags; /* as of spans: 8 doubtful */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_frame) == 16);

struct rv_rec_index_cell {
    uint64_t column;  /* begins at column << (13 + 2 (level - 1)) ns */
    uint32_t n_calls; /* that end in it */
    uint32_t id;      /* majority subroutine */
    uint16_t row;     /* depth */
    uint16_t coverage;
    uint32_t until_ns; /* in a stack's last cell: from its begin until 1 ns after the stack's last call ended; 0: more
                          than fits, or an older recorder */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_cell) == 24);

struct rv_rec_index_span {
    uint64_t start_ns, end_ns;
    uint32_t id, depth;
    uint32_t flags; /* 1 not ended by its RETURN, 2 CALL not seen, 4 open at the end, 8 doubtful */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_span) == 32);

struct rv_rec_index_total {
    uint64_t n_calls, total_ns, self_ns, min_ns, max_ns;
    uint32_t id;
    uint32_t n_buckets;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_total) == 48);

struct rv_rec_index_inner {
    uint64_t inner_ns; /* part of total_ns: of calls inside calls of another subroutine of that name, file and line */
    uint32_t total;    /* which of TOTALS */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_inner) == 16);

struct rv_rec_index_bucket {
    uint64_t n_calls;
    uint32_t bucket; /* octave * 64 + sixty-fourth */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_bucket) == 16);

/* State before the block that its events depend on. Frames are depths without the wrap. */
struct rv_rec_index_depth {
    int64_t least;    /* least frame of all events of the stack; INT64_MAX: none. FRAMES begin at most 65535 above */
    int64_t last;     /* of its last event */
    uint64_t n_lost;  /* events lost since then; a loss between two blocks counts before the second */
    uint64_t last_ns; /* of the stream's last call or return; 0: none */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_depth) == 32);

/* The waits and releases of a stack in a block, summarized. A wait belongs to the block in which it ended. */
struct rv_rec_index_waiter {
    uint64_t begin_ns;          /* the least begin of its waits */
    uint64_t first_ns, last_ns; /* the ends of the first and the last one */
    uint64_t total_ns, longest_ns;
    uint64_t first_release_ns, last_release_ns;
    uint32_t stream, stack;
    uint32_t n_waits, n_releases;
    uint32_t longest; /* which of them; of several the first */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_waiter) == 80);

#define RV_REC_WAIT_SINCE_UNKNOWN UINT64_MAX

struct rv_rec_index_wait {
    uint64_t end_ns;
    uint64_t waited_ns; /* until then */
    uint64_t since_ns;  /* from the moment when the waker acted until then, or RV_REC_WAIT_SINCE_UNKNOWN */
    uint32_t object;    /* id of its name; 0: none */
    uint32_t call;      /* id of the innermost call that waited; 0: none */
    uint32_t waker;     /* tid, in the stream's process; 0: unknown */
    uint8_t kind, wake; /* enum rv_wait_kind, enum rv_wake */
    uint16_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_wait) == 40);

struct rv_rec_index_release { /* of an object that other threads waited for */
    uint64_t at_ns;
    uint32_t object, call; /* likewise; object with RV_REC_RELEASE_IS_TAKEN: it was taken instead */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_release) == 16);
#define RV_REC_RELEASE_IS_TAKEN (1u << 31)

/*
 * The time of a stack in blocks of its stream that follow each other, whose events are calls and returns within one
 * another. A critical path comes or goes where threads wait, wake others, or leave a CPU: such stretches of time, each
 * between two calls or returns, are listed one by one, and the time between them is summed up.
 */
struct rv_rec_index_fold {
    uint64_t from_ns, to_ns; /* of the stream's last call or return before these blocks, and of the last one in them */
    uint32_t stream, stack;
    uint32_t n_parts; /* of all the time, one after the other */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_fold) == 32);

struct rv_rec_index_part { /* time that is summed up, then a stretch */
    uint64_t stretch_ns;   /* 0: none */
    uint32_t n_sums;       /* of each subroutine that had calls; their own times are all of the time that is summed
                              up */
    uint32_t n_kept;       /* open in the stretch: the lowest calls of those of the fold's stretch before, */
    uint32_t n_calls;      /* and then CALLS, the innermost last */
    uint32_t reserved;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_part) == 24);

struct rv_rec_index_sum {
    uint64_t own_ns;
    uint64_t callees_ns; /* of calls of it, without time that is own_ns */
    uint32_t n;          /* stretches of own time */
    uint32_t id;         /* or RV_REC_SUM_OUTSIDE */
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_sum) == 24);
#define RV_REC_SUM_OUTSIDE UINT32_MAX /* outside of calls */

struct rv_rec_index_call {
    uint32_t id;
};
RV_WIRE_ASSERT(sizeof(struct rv_rec_index_call) == 4);

#endif

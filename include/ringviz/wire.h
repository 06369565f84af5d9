/*
 * The trace file, byte by byte: one mmap'd file shared by every traced process and by ringviz.
 *
 * Little-endian, no pointers, offsets from the start of the file. Layout, each section page-aligned:
 *
 *   header | processes | modules | ring controls | global message | name index | name ids | name heap | ring data |
 *   verdicts of a filter | captures | texts | filter | transfers
 *
 * The file is sparse. Pages are allocated before their contents become visible: page 0 and the global message from
 * creation on, transfers from the first process on, everything else by the claim, the push, the append or the intern
 * that makes it visible. So a full disk is an error code of that call, never a SIGBUS, and a file is created in no
 * time, however large it may become.
 *
 * Everything in the file is untrusted input: validate every offset, length, index, id and kind on use.
 *
 * Words marked [atomic] are read and written by several processes, always through __atomic builtins or
 * C11 atomics of the same width; plain words are written once, before the state that publishes them.
 */
#ifndef RINGVIZ_WIRE_H
#define RINGVIZ_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define RV_WIRE_ASSERT(condition) static_assert(condition, #condition)
#else
#define RV_WIRE_ASSERT(condition) _Static_assert(condition, #condition)
#endif

#define RV_WIRE_MAGIC 0x315a5649474e4952ull /* "RINGVIZ1" */
#define RV_WIRE_MAJOR 8u
#define RV_WIRE_MINOR 0u
#define RV_WIRE_ENDIAN 0x01020304u
#define RV_WIRE_PAGE 4096u

/* ---- events ---- */

enum rv_event_kind {
    RV_EVENT_CALL = 0,    /* id = name id, frame = tag, aux = caller's line mod 65536 */
    RV_EVENT_RETURN = 1,  /* id = name id or 0 */
    RV_EVENT_CALL_AT = 2, /* id and aux: 48-bit function address, low 32 bits in id */
    RV_EVENT_RETURN_AT = 3,
    RV_EVENT_GC_START = 4,
    RV_EVENT_GC_END = 5,
    RV_EVENT_THREAD = 6,     /* aux = enum rv_thread_state, of the ring's thread */
    RV_EVENT_SWITCH = 7,     /* the events that follow are on another stack; id = stack, 0 = the ring's first */
    RV_EVENT_LINE = 8,       /* a statement begins in the innermost frame: see rv_event_line(). In a ring, with
                                RV_LINE_AT_ADDRESS in frame: its next call is made by the code before the 48-bit address
                                in id and aux */
    RV_EVENT_MARK = 9,       /* id = name id; a step of a flow or task where aux is not 0: see rv_event_step() */
    RV_EVENT_VALUE = 10,     /* id = name id, frame (low) and aux (high) = a float's bits */
    RV_EVENT_LOST = 11,      /* id = number of events dropped between this tick and the next event's */
    RV_EVENT_SYNC = 12,      /* an open frame: id = name id, frame = tag, ticks = its call, outermost first */
    RV_EVENT_ARGUMENTS = 13, /* of the CALL or RETURN before it: arguments, or results. In a ring, at the same tick: the
                                address is a position of text (struct rv_wire_text). Elsewhere id = name id of the text,
                                aux and frame: see rv_event_lag(), and RV_EVENT_IS_RESULT in frame */
    RV_EVENT_WAIT = 14,      /* a wait begins; id and aux: 48-bit address of the object, or an enum rv_wait_on, frame =
                                enum rv_wait_kind; with RV_WAIT_RELEASE: the thread releases an object that others wait
                                for; with RV_WAIT_TAKEN, too: it has taken one; with RV_WAIT_PAST: it has begun
                                before, and ends now; with RV_WAIT_NAMED: id = name id of the object */
    RV_EVENT_WOKEN = 15,     /* the wait has ended; id = waker's tid | enum rv_wake << 24, aux and frame: see
                                rv_event_since(). With RV_WAKE_BEGAN instead: see rv_event_since_begin(); with
                                RV_WAKE_HELD: the wait has not ended; the thread with this tid holds the lock */
    RV_EVENT_KIND_COUNT
};

enum rv_thread_state {
    RV_THREAD_STARTED,
    RV_THREAD_READY,
    RV_THREAD_SUSPENDED,
    RV_THREAD_RESUMED,
    RV_THREAD_EXITED,
    RV_THREAD_RUNNING,   /* from here on: by the kernel's scheduler; frame = CPU, id = changes of any thread that were
                            lost and that no other event counts */
    RV_THREAD_PREEMPTED, /* ready, but the CPU was taken away */
    RV_THREAD_BLOCKED,   /* waits */
    RV_THREAD_UNKNOWN,   /* any of them: changes were lost */
    RV_THREAD_MADE,      /* no state: id = objects that the innermost call has made since the thread's last MADE */
    RV_THREAD_STATE_COUNT
};

/* What a thread waits for. */
enum rv_wait_kind {
    RV_WAIT_MUTEX,
    RV_WAIT_READ_LOCK,
    RV_WAIT_WRITE_LOCK,
    RV_WAIT_CONDITION,
    RV_WAIT_SEMAPHORE,
    RV_WAIT_JOIN, /* the end of a thread */
    RV_WAIT_BARRIER,
    RV_WAIT_ONCE,  /* what another thread does once (pthread_once) */
    RV_WAIT_FUTEX, /* a word of the program's own */
    RV_WAIT_SLEEP, /* from here on: calls that blocked; the object is an enum rv_wait_on */
    RV_WAIT_READ,
    RV_WAIT_WRITE,
    RV_WAIT_POLL, /* any of several files */
    RV_WAIT_ACCEPT,
    RV_WAIT_CONNECT,
    RV_WAIT_SYNC, /* fsync and the like */
    RV_WAIT_FILE_LOCK,
    RV_WAIT_PROCESS, /* a child's end or stop */
    RV_WAIT_SIGNAL,
    RV_WAIT_MESSAGE,   /* message queues */
    RV_WAIT_START,     /* the thread's own: from the call that created it, or its process, to its beginning */
    RV_WAIT_FULL_RING, /* for room in the thread's ring: the policy is `block` */
    RV_WAIT_KIND_COUNT
};

/* What a blocking call's file is. */
enum rv_wait_on {
    RV_WAIT_ON_NOTHING, /* no file, or unknown */
    RV_WAIT_ON_FILE,
    RV_WAIT_ON_PIPE,
    RV_WAIT_ON_UNIX_SOCKET,
    RV_WAIT_ON_INTERNET_SOCKET,
    RV_WAIT_ON_SOCKET, /* another */
    RV_WAIT_ON_TERMINAL,
    RV_WAIT_ON_DEVICE,
    RV_WAIT_ON_EVENTFD,
    RV_WAIT_ON_TIMERFD,
    RV_WAIT_ON_OTHER,
    RV_WAIT_ON_COUNT
};

#define RV_BLOCKING_KIND_BITS 8 /* of struct rv_wire_control's blocking */
#define RV_WAIT_KIND_MASK 0xffu /* of a WAIT's frame */
#define RV_WAIT_RELEASE 0x100u
#define RV_WAIT_PAST 0x200u
#define RV_WAIT_NESTED 0x400u /* within a wait that goes on: in a signal handler */
#define RV_WAIT_NAMED 0x800u
#define RV_WAIT_TAKEN 0x1000u /* with RV_WAIT_RELEASE */

/* What is known about who ended a wait. */
enum rv_wake {
    RV_WAKE_UNKNOWN, /* nobody in this process that was seen */
    RV_WAKE_EXACT,   /* this thread, at this moment */
    RV_WAKE_OWNER,   /* this thread, at an unknown moment of the wait */
    RV_WAKE_LIKELY,  /* this thread was the last that could, but others may have been the cause */
    RV_WAKE_TIMEOUT, /* its time ran out */
    RV_WAKE_COUNT
};

/* Is the moment of such a wake exact, where it is known? */
static inline bool rv_wake_has_moment(enum rv_wake wake)
{
    return wake == RV_WAKE_EXACT || wake == RV_WAKE_TIMEOUT;
}

#define RV_EVENT_WAKE_SHIFT 24       /* of a WOKEN event's id; Linux has no tid above 2^22: */
#define RV_WIRE_FIRST_TID (1u << 22) /* these are threads that change native threads, numbered by their process */
#define RV_WIRE_OUTSIDE (1u << 23)   /* or'ed: a thread outside of what is traced; alone: the kernel, in an interrupt */
#define RV_WAKE_BEGAN 0xffu          /* in place of an enum rv_wake: the wait has not ended; it began before its WAIT */
#define RV_WAKE_HELD 0xfeu           /* likewise: the wait has not ended; the waker holds the lock */

/* Which step of a flow or task a MARK is. */
enum rv_step_kind {
    RV_STEP_NONE,       /* it is a mark */
    RV_STEP_FLOW_BEGIN, /* id = name id of the flow, as in all its steps */
    RV_STEP_FLOW,
    RV_STEP_FLOW_END,
    RV_STEP_TASK_BEGIN,  /* id = name id; it is the thread's current task from here on */
    RV_STEP_TASK_SWITCH, /* the task is the thread's current one; 0: none is */
    RV_STEP_TASK_END,    /* current or not */
    RV_STEP_HIGH,        /* of the next step: id = the flow's or task's id without its lower RV_STEP_LOW_BITS */
    RV_STEP_KIND_COUNT
};

#define RV_STEP_KIND_SHIFT 13 /* of a MARK's aux */
#define RV_STEP_HAS_HIGH 0x1000u
#define RV_STEP_LOW_BITS 28 /* in frame, and from the lowest bit of aux up */
#define RV_STEP_ID_MASK ((1ull << (RV_STEP_LOW_BITS + 32)) - 1)

struct rv_event {
    uint64_t when; /* kind << 60 | ticks */
    uint32_t id;
    uint16_t aux;   /* next to id, so that an address is contiguous */
    uint16_t frame; /* tag: depth of the frame pushed or popped, mod 65536; not every depth need be used */
};
RV_WIRE_ASSERT(sizeof(struct rv_event) == 16);

#define RV_EVENT_KIND_SHIFT 60
#define RV_EVENT_FRAME_SHIFT 48 /* in the second word, whose lower bits are id and aux, or the address */
#define RV_EVENT_ADDRESS_MASK ((1ull << RV_EVENT_FRAME_SHIFT) - 1)
#define RV_EVENT_TICKS_MASK ((1ull << RV_EVENT_KIND_SHIFT) - 1)

/* enum rv_event_kind of an event. */
static inline unsigned rv_event_kind(const struct rv_event *event)
{
    return (unsigned)(event->when >> RV_EVENT_KIND_SHIFT);
}

#define RV_LINE_AT_ADDRESS 0xffffu
#define RV_LINE_OF_CALL                                                                                                \
    0xfffeffffu /* in place of a line: that of the name id, of a call; the statement ends when it does */

/* Does a LINE tell its file? Then its id is a name id, whose file it is. */
static inline bool rv_event_has_file(const struct rv_event *event)
{
    return event->frame || event->aux;
}

/* The line of a LINE, and the name id that has its file; 0: the file of the innermost frame. */
static inline uint32_t rv_event_line(const struct rv_event *event)
{
    return rv_event_has_file(event) ? (uint32_t)event->frame << 16 | event->aux : event->id;
}

static inline uint32_t rv_event_line_file(const struct rv_event *event)
{
    return rv_event_has_file(event) ? event->id : 0;
}

/* What a MARK is a step of. */
static inline enum rv_step_kind rv_event_step(const struct rv_event *event)
{
    return (enum rv_step_kind)(event->aux >> RV_STEP_KIND_SHIFT);
}

/* The lower bits of a step's id. */
static inline uint32_t rv_event_step_low(const struct rv_event *event)
{
    return (event->aux & (RV_STEP_HAS_HIGH - 1u)) << 16 | event->frame;
}

/* Is the id of such an event in a ring a name id? */
static inline bool rv_event_has_name(const struct rv_event *event)
{
    switch ((enum rv_event_kind)rv_event_kind(event)) {
    case RV_EVENT_MARK:
        return rv_event_step(event) != RV_STEP_HIGH;
    case RV_EVENT_CALL:
    case RV_EVENT_RETURN:
    case RV_EVENT_VALUE:
    case RV_EVENT_SYNC:
        return true;
    case RV_EVENT_LINE:
        return rv_event_has_file(event) && event->frame != RV_LINE_AT_ADDRESS;
    case RV_EVENT_CALL_AT:
    case RV_EVENT_RETURN_AT:
    case RV_EVENT_GC_START:
    case RV_EVENT_GC_END:
    case RV_EVENT_THREAD:
    case RV_EVENT_SWITCH:
    case RV_EVENT_LOST:
    case RV_EVENT_ARGUMENTS:
    case RV_EVENT_WAIT:
    case RV_EVENT_WOKEN:
    case RV_EVENT_KIND_COUNT:
        break;
    }
    return false;
}

/* The time of an event, in ticks of the file's clock. */
static inline uint64_t rv_event_ticks(const struct rv_event *event)
{
    return event->when & RV_EVENT_TICKS_MASK;
}

/* The code address of a CALL or RETURN. */
static inline uint64_t rv_event_address(const struct rv_event *event)
{
    return (uint64_t)event->aux << 32 | event->id;
}

#define RV_EVENT_IS_RESULT 0x8000u
#define RV_EVENT_MOST_LAG (UINT32_MAX >> 1)

/* How many ns an ARGUMENTS event outside of a ring is behind the begin or end of its call. */
static inline uint32_t rv_event_lag(const struct rv_event *event)
{
    return (uint32_t)(event->frame & (RV_EVENT_IS_RESULT - 1)) << 16 | event->aux;
}

/* How long before a WOKEN event with RV_WAKE_BEGAN its wait began, in the unit of its ticks, 56 bits. */
static inline uint64_t rv_event_since_begin(const struct rv_event *event)
{
    return (uint64_t)(event->id & ((1u << RV_EVENT_WAKE_SHIFT) - 1)) << 32 | (uint64_t)event->frame << 16 | event->aux;
}

/* How long before a WOKEN event its waker acted, in the unit of its ticks; UINT32_MAX: longer, or unknown. */
static inline uint32_t rv_event_since(const struct rv_event *event)
{
    return (uint32_t)event->frame << 16 | event->aux;
}

/* The second word of a CALL_AT or RETURN_AT, composed in registers. */
static inline uint64_t rv_event_word_at(uint64_t address, uint16_t frame)
{
    return (address & RV_EVENT_ADDRESS_MASK) | (uint64_t)frame << RV_EVENT_FRAME_SHIFT;
}

/* The second word of an event: id, aux and frame. */
static inline uint64_t rv_event_word(uint32_t id, uint16_t frame, uint16_t aux)
{
    return rv_event_word_at((uint64_t)aux << 32 | id, frame);
}

/* The second word of a step. */
static inline uint64_t rv_event_word_of_step(enum rv_step_kind kind, uint64_t id, uint32_t name)
{
    const uint32_t high = (id & RV_STEP_ID_MASK) >> RV_STEP_LOW_BITS ? RV_STEP_HAS_HIGH : 0;
    const uint32_t aux = (uint32_t)kind << RV_STEP_KIND_SHIFT | high | (uint32_t)(id >> 16 & (RV_STEP_HAS_HIGH - 1u));
    return rv_event_word(name, (uint16_t)id, (uint16_t)aux);
}

/* Of the HIGH before it, where its id has upper bits. */
static inline uint64_t rv_event_word_of_high(uint64_t id)
{
    return rv_event_word((uint32_t)(id >> RV_STEP_LOW_BITS), 0, (uint16_t)(RV_STEP_HIGH << RV_STEP_KIND_SHIFT));
}

/* The word of such a WOKEN. */
static inline uint64_t rv_event_word_since_begin(uint64_t since)
{
    const uint64_t high = since >> 32 & ((1u << RV_EVENT_WAKE_SHIFT) - 1);
    return rv_event_word((uint32_t)(high | RV_WAKE_BEGAN << RV_EVENT_WAKE_SHIFT), (uint16_t)(since >> 16),
                         (uint16_t)since);
}

/* The word of a WOKEN; since: the waker acted so long before, if that fits in 32 bits; else, and so for UINT64_MAX,
 * unknown. */
static inline uint64_t rv_event_word_woken(uint32_t id, uint64_t since)
{
    const uint32_t ticks = since < UINT32_MAX ? (uint32_t)since : UINT32_MAX;
    return rv_event_word(id, (uint16_t)(ticks >> 16), (uint16_t)ticks);
}

/* The same without a waker. */
static inline uint64_t rv_event_word_woken_by_none(void)
{
    return rv_event_word_woken((uint32_t)RV_WAKE_UNKNOWN << RV_EVENT_WAKE_SHIFT, UINT64_MAX);
}

/* The word of a WOKEN with RV_WAKE_HELD. */
static inline uint64_t rv_event_word_held(uint32_t tid)
{
    return rv_event_word(tid | RV_WAKE_HELD << RV_EVENT_WAKE_SHIFT, UINT16_MAX, UINT16_MAX);
}

/* ---- policies: what a full ring means ---- */

enum rv_policy {
    RV_POLICY_BLOCK,  /* the producer waits for room while a consumer lives */
    RV_POLICY_SWITCH, /* drop the newest and count */
    RV_POLICY_FILL,   /* the first full ring stops tracing in all rings */
    RV_POLICY_RING,   /* overwrite the oldest */
    RV_POLICY_COUNT
};

enum rv_file_state {
    RV_FILE_UNREADY,
    RV_FILE_READY,
    RV_FILE_STOPPED /* tracing has ended (fill, or by the viewer) */
};

/* Run state of a ring's owner, for monitors. */
enum rv_run_state {
    RV_RUN_UNSTEERED, /* it answers no commands */
    RV_RUN_RUNNING,
    RV_RUN_STOPPED,
    RV_RUN_STATE_COUNT
};

enum rv_ring_state { RV_RING_FREE, RV_RING_CLAIMED, RV_RING_LIVE, RV_RING_EXITED, RV_RING_STATE_COUNT };

struct rv_wire_area {
    uint64_t offset;
    uint64_t n_bytes;
};

/* ---- page 0 ---- */

#define RV_WIRE_INDEX_PARTS 512u /* whole pages each; the last ones of a small index are empty */

/* Why the loader preloads nothing into a program that a traced one starts. */
enum rv_not_preloaded {
    RV_NOT_PRELOADED_PRIVILEGED, /* set-user-ID and the like */
    RV_NOT_PRELOADED_ELSEWHERE,  /* in another root or mount namespace */
    RV_NOT_PRELOADED_STATIC,     /* there is no loader */
    RV_NOT_PRELOADED_MACHINE,    /* it is for another one */
    RV_NOT_PRELOADED_LIBC,       /* it has another C library than GNU's */
    RV_NOT_PRELOADED_COUNT
};

#define RV_WIRE_NOT_PRELOADED_BYTES 252u

/* The first program for a reason. */
struct rv_wire_not_preloaded {
    uint32_t state;                         /* [atomic] 0: none, 1: being written, 2: there */
    char path[RV_WIRE_NOT_PRELOADED_BYTES]; /* NUL-terminated, cut */
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_not_preloaded) == 256);

struct rv_wire_header {
    /* 0x000 identity and geometry: written once, before state becomes READY */
    uint64_t magic;
    uint16_t major, minor;
    uint32_t endian;
    uint32_t header_bytes;
    uint32_t feature_incompat; /* unknown bits: refuse */
    uint64_t file_bytes;
    struct rv_wire_area processes, modules, controls, global_message, name_index, name_ids, name_heap, rings;
    uint32_t n_processes, n_modules, n_rings, n_name_ids;
    uint32_t n_index_slots; /* power of two */
    uint32_t control_bytes; /* stride of one ring's control */
    uint32_t ring_events;   /* power of two */
    uint32_t n_slots, slot_bytes, message_bytes, n_watches;
    uint32_t policy, clock_kind;
    uint32_t creator_pid;
    uint64_t creator_start;
    /* clock: enum rv_clock_kind and the conversion of base/clock.h; clock_mult is 0 while it is measured, and
     * [atomic] */
    uint64_t clock_mult, clock_ticks0, clock_mono0_ns, clock_real0_ns;
    uint32_t clock_shift;
    uint32_t max_depth; /* calls at this depth and deeper need not be written; 0 = no limit */
    struct rv_wire_area verdicts;
    uint32_t n_verdicts; /* capacity of the list, in records */
    uint32_t text_bytes; /* of a ring's texts: a power of two, or 0 */
    struct rv_wire_area captures, texts;
    uint32_t is_filtered;    /* only calls of functions that a verdict keeps count for max_depth */
    uint32_t has_call_sites; /* before each CALL_AT, producers write a LINE with the address behind the call */
    struct rv_wire_area filter, transfers;
    uint32_t is_private; /* only its creator reads it, and commands no threads: none need be ready for monitors */
    uint8_t reserved0[0x200 - 0x16c];

    /* 0x200 life */
    uint32_t state;             /* [atomic] enum rv_file_state */
    uint32_t stop_reason;       /* [atomic] 0, or 1 + index of the ring that filled */
    uint64_t stop_ticks;        /* [atomic] */
    uint64_t n_static_programs; /* [atomic] started by programs that are traced: nothing can be preloaded into them */
    uint8_t reserved1[40];

    /* 0x240 the draining consumer */
    uint32_t consumer_pid;  /* [atomic] 0 when none is attached */
    uint32_t consumer_wake; /* [atomic] futex: bumped by a producer that waits or starts while the consumer sleeps */
    uint64_t heartbeat_ns;  /* [atomic] CLOCK_MONOTONIC at the consumer's last turn */
    uint32_t consumer_is_asleep; /* [atomic] 1: for its interval; 2: longer, so that a new ring wakes it */
    uint32_t drain_turns;        /* [atomic] futex: bumped after each drain; `block` producers wait on it */
    uint32_t n_new_rings;        /* [atomic] bumped by each claim and each ring's first event */
    uint8_t reserved2[36];

    /* 0x280 monitor to producers, read on slow paths */
    uint32_t is_recording;      /* [atomic] 0: producers stop at their next slow path */
    uint32_t single;            /* [atomic] Devel::RingBuffer's global single-step word */
    uint32_t stop_on_create;    /* [atomic] */
    uint32_t trace_on_create;   /* [atomic] */
    uint32_t tick;              /* [atomic] clock_kind TICK: moves about every 100 us */
    uint32_t n_verdicts_used;   /* [atomic] records in the list */
    uint32_t n_verdict_changes; /* [atomic] of records that were in the list */
    uint8_t reserved3[36];

    /* 0x2c0 claims and shortages */
    uint32_t n_rings_used;             /* [atomic] high-water mark: rings from here on were never claimed */
    uint32_t n_processes_used;         /* [atomic] high-water mark */
    uint32_t n_modules_used;           /* [atomic] high-water mark; a record is valid when its `is_published` is 1 */
    uint32_t module_generation;        /* [atomic] bumped after each change of the module table */
    uint64_t n_threads_without_ring;   /* [atomic] */
    uint64_t n_names_lost;             /* [atomic] interned when heap or ids were full */
    uint64_t n_events_without_ring;    /* [atomic] */
    uint32_t first_free_ring;          /* [atomic] rings below are probably taken; changes together with: */
    uint32_t n_rings_freed;            /* [atomic] futex: bumped by each ring that becomes free */
    uint64_t n_programs_not_preloaded; /* [atomic] started by programs that are traced */
    uint32_t n_rings_left;             /* [atomic] bumped by each ring that its owner has left */
    uint32_t n_rings_ready;            /* [atomic] rings below have the pages of a claim, from the consumer */

    /* 0x300 name allocation */
    uint64_t name_heap_used; /* [atomic] bytes */
    uint32_t next_name_id;   /* [atomic] first free id; ids start at 1 */
    uint32_t reserved5a;
    uint64_t name_heap_ready; /* [atomic] bytes of the heap with allocated pages */
    uint64_t name_ids_ready;  /* [atomic] bytes of the ids with allocated pages */
    uint8_t reserved5[32];

    /* 0x340 totals of reclaimed rings [atomic] */
    uint64_t total_produced, total_consumed, total_dropped, total_claims;
    uint8_t reserved6[32];

    /* 0x380 global message: one sender, one receiver, in chunks (ring/global_message.h) */
    uint32_t message_owner;  /* [atomic] tid of the sender; 0 when none */
    uint32_t message_reader; /* [atomic] tid of the receiver; 0 when none */
    uint32_t message_state;  /* [atomic] futex: chunk count << 2 | 0 idle, 1 a chunk is there, 2 it was taken */
    uint32_t message_serial; /* bumped as each message begins */
    uint64_t message_total_bytes, message_offset;
    uint32_t message_chunk_bytes;
    uint8_t reserved7[28];

    /* 0x3c0 [atomic] a bit for each part of the name index: its pages are allocated (ring/names.c) */
    uint64_t name_index_ready[RV_WIRE_INDEX_PARTS / 64];

    /* 0x400 programs that nothing was preloaded into, by enum rv_not_preloaded (ring/not_preloaded.c) */
    struct rv_wire_not_preloaded first_not_preloaded[RV_NOT_PRELOADED_COUNT];

    uint8_t reserved8[RV_WIRE_PAGE - 0x400 - RV_NOT_PRELOADED_COUNT * sizeof(struct rv_wire_not_preloaded)];
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_header) == RV_WIRE_PAGE);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, state) == 0x200);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, consumer_pid) == 0x240);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, is_recording) == 0x280);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, n_rings_used) == 0x2c0);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, first_free_ring) % 8 == 0);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, name_heap_used) == 0x300);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, total_produced) == 0x340);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, message_owner) == 0x380);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, name_index_ready) == 0x3c0);
RV_WIRE_ASSERT(offsetof(struct rv_wire_header, first_not_preloaded) == 0x400);

/* ---- processes ---- */

/* What produces a process's events; bits. */
enum rv_instrument {
    RV_INSTRUMENT_HOOKS = 1,         /* of -finstrument-functions */
    RV_INSTRUMENT_PROFILE_HOOKS = 2, /* of -pg, -mfentry, -Z instrument-mcount */
    RV_INSTRUMENT_PATCHES = 4,
    RV_INSTRUMENT_RUNTIME = 8,     /* a language's, that says which */
    RV_INSTRUMENT_SYSCALLS = 16,   /* patches at the instructions that make system calls */
    RV_INSTRUMENT_WAITS = 32,      /* functions in which threads wait: where they are not, waits are not known */
    RV_INSTRUMENT_SHARED_PLAN = 64 /* none: the functions that are patched had been found before */
};

/* Why a function is not patched. */
enum rv_patch_refusal {
    RV_PATCH_FITS,                /* it can be */
    RV_PATCH_TOO_SHORT,           /* less than a jump, and no padding behind it */
    RV_PATCH_BRANCH_INTO,         /* a branch, a jump table or a pointer leads into the bytes to be displaced, */
    RV_PATCH_LANDING_INTO,        /* an exception does */
    RV_PATCH_CALL_WITHIN,         /* a call returns there */
    RV_PATCH_UNKNOWN_INSTRUCTION, /* or data in the text */
    RV_PATCH_STRANGE_INSTRUCTION, /* one that cannot be moved */
    RV_PATCH_RETURN_ADDRESS,      /* it uses its own return address: setjmp and the like */
    RV_PATCH_TOO_FAR,             /* what it refers to is out of reach of where it would be moved to */
    RV_PATCH_IS_ENTRY,            /* of the process: the stack holds no return address there */
    RV_PATCH_NOT_CODE,            /* outside code that is mapped and not writable */
    RV_PATCH_REFUSAL_COUNT
};

/* What a process is traced by. Zeroed: not known. */
struct rv_wire_instrumentation {
    uint32_t instruments;   /* [atomic] enum rv_instrument, by bits */
    uint32_t n_functions;   /* [atomic] that were to be patched: those patched, trivial, filtered or refused */
    uint32_t n_patched;     /* [atomic] */
    uint32_t n_trivial;     /* [atomic] left as they are, since a call of them takes less time than its events */
    uint32_t n_refused[11]; /* [atomic] by enum rv_patch_refusal */
    uint32_t n_imports;     /* [atomic] functions of other objects, calls of which are seen where they are made */
    char runtime[60];       /* NUL-terminated: the language and what of it is traced */
    uint32_t n_filtered;    /* [atomic] left as they are, since the capture filter rejects their names */
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_instrumentation) == 128);
RV_WIRE_ASSERT(RV_PATCH_REFUSAL_COUNT <= 11);

enum rv_process_state { RV_PROCESS_FREE, RV_PROCESS_CLAIMED, RV_PROCESS_LIVE, RV_PROCESS_ENDED };

/* One program image in one process: exec claims a new entry. */
struct rv_wire_process {
    uint32_t state; /* [atomic] enum rv_process_state */
    uint32_t pid;
    uint32_t parent_pid;
    uint32_t n_verdicts; /* [atomic] records that were added for it, and their changes */
    uint64_t start;      /* field 22 of /proc/PID/stat: pid and start identify a process for ever */
    uint64_t born_ticks;
    uint64_t ended_ticks;
    char name[80];        /* NUL-terminated: of an interpreter its script, else the executable's base name */
    uint64_t patching_ns; /* [atomic] of CPU time that patching it has taken so far */
    struct rv_wire_instrumentation instrumentation;
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_process) == 256);

/* ---- modules: what was mapped where, when ---- */

struct rv_wire_module {
    uint32_t is_published; /* [atomic] 1 when the record is complete */
    uint32_t process;      /* index into processes */
    uint64_t start, end;   /* the mapped range */
    uint64_t bias;         /* run-time address minus link-time address */
    uint64_t loaded_ticks;
    uint64_t unloaded_ticks; /* [atomic] 0 while mapped */
    uint32_t path_name;      /* name id of its path */
    uint32_t reserved;
    uint64_t device, inode; /* of the file when it was mapped; 0 = unknown */
    uint8_t build_id[20];
    uint32_t build_id_bytes;
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_module) == 96);

/* ---- verdicts of the capture filter: calls of the functions that it rejects need not be written ---- */

struct rv_wire_verdict {
    uint64_t address;
    uint64_t ticks; /* of one of its calls: determines which module was mapped at the address */
    uint32_t process;
    uint32_t is_kept; /* [atomic] 1 kept, 0 rejected: changes while the filter does */
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_verdict) == 24);

/* ---- the capture filter ---- */

#define RV_WIRE_REQUEST_BYTES 2048u

/* The section begins with this; the two patterns follow, each with its NUL. */
struct rv_wire_filter {
    uint32_t request_ready; /* [atomic] whose turn it is, as a ring's command_ready */
    int32_t request_bytes;  /* of text */
    char request[4];        /* a change that a monitor wants (source/capture_control.h), and the response */
    /* Bytes of --include and --exclude, 0: none. Written by the creator before the file is ready. */
    uint32_t include_bytes, exclude_bytes;
    uint32_t reserved[3];
    char text[RV_WIRE_REQUEST_BYTES];
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_filter) == 32 + RV_WIRE_REQUEST_BYTES);

/* ---- transfers: who wrote and read last ---- */

#define RV_WIRE_TRANSFERS 1024u

/* A hash table of queues of bytes, such as pipes, without order: a newer one takes the place of an older one. */
struct rv_wire_transfer {
    uint64_t
        who; /* [atomic] key << 32 | tid; 0: nobody. A key is of bytes that were written into a queue, or of room in
                it */
    uint64_t when; /* [atomic] ticks */
    uint32_t on;   /* [atomic] enum rv_wait_on: a thread waited for it, and events tell; RV_WAIT_ON_NOTHING: none did */
    uint32_t n_waiters; /* [atomic] for objects that processes share, of any key; too many, once a waiter was killed */
    uint32_t reserved[2];
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_transfer) == 32);

/* ---- captures: which arguments and results producers copy ---- */

/*
 * The section holds struct rv_wire_captures, the text of the prototypes (ltrace.conf(5)), and n_captures records, one
 * for each prototype of the text in its order: struct rv_wire_capture, its name, NUL-terminated, padding to 8 bytes,
 * and n_calls and n_returns operations. Written by the creator before the file is ready.
 */
#define RV_WIRE_FEATURE_CAPTURES 1u /* in feature_incompat */

struct rv_wire_captures {
    uint32_t n_text_bytes;
    uint32_t n_captures;
    uint32_t string_bytes; /* most of a string that is copied */
    uint32_t reserved;
};

struct rv_wire_capture {
    uint32_t record_bytes; /* a multiple of 8 */
    uint16_t name_bytes;   /* without the NUL */
    uint16_t n_calls;      /* operations as the function is called, */
    uint16_t n_returns;    /* and as it returns: those need the call's values where needs_call is set */
    uint16_t needs_call;
    uint32_t most_bytes; /* that either copies */
};

/*
 * An operation on values: 64 bits each, numbered. What it copies is appended to the text.
 *
 *   VALUE   source itself
 *   STRING  at the address in source, up to a NUL: 16 bits, their number, then the bytes, at most n
 *   BYTES   n bytes from that address: likewise; fewer where memory ends
 *   LOAD    the value at the address in source, n bytes further, becomes target's; 0 where it cannot be read
 *
 * The number has RV_CAPTURE_CUT where a string is longer; it is RV_CAPTURE_UNREADABLE where no byte could be read.
 */
enum rv_capture_kind { RV_CAPTURE_VALUE, RV_CAPTURE_STRING, RV_CAPTURE_BYTES, RV_CAPTURE_LOAD, RV_CAPTURE_KIND_COUNT };

enum rv_capture_value {
    RV_CAPTURE_INTEGER = 0,       /* six registers, as x86-64 has them: rdi, rsi, rdx, rcx, r8, r9 */
    RV_CAPTURE_FLOAT = 6,         /* eight: xmm0 to xmm7, their low halves */
    RV_CAPTURE_STACK = 14,        /* 16 words */
    RV_CAPTURE_RESULT = 30,       /* rax, rdx */
    RV_CAPTURE_FLOAT_RESULT = 32, /* xmm0, xmm1 */
    RV_CAPTURE_LOADED = 34,
    RV_CAPTURE_VALUES = 40
};

#define RV_CAPTURE_INTEGERS 6u
#define RV_CAPTURE_FLOATS 8u
#define RV_CAPTURE_STACK_WORDS 16u
#define RV_CAPTURE_CUT 0x8000u
#define RV_CAPTURE_UNREADABLE 0xffffu
#define RV_CAPTURE_MOST_OPERATIONS 96u /* of a call, and of a return */
#define RV_CAPTURE_MOST_STRING 4096u

struct rv_wire_capture_operation {
    uint8_t kind; /* enum rv_capture_kind */
    uint8_t source, target;
    uint8_t reserved;
    uint32_t n;
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_captures) == 16 && sizeof(struct rv_wire_capture) == 16);
RV_WIRE_ASSERT(sizeof(struct rv_wire_capture_operation) == 8);

/* Between the arguments in a text, which is printable ASCII otherwise: the sign for a unit separator. */
#define RV_ARGUMENTS_SEPARATOR "\xe2\x90\x9f"

/*
 * What was copied lies in a ring of bytes beside the ring of events, at the position that an ARGUMENTS event has: how
 * many bytes were taken before. A text does not wrap.
 */
struct rv_wire_text {
    uint64_t position; /* the same: another one has taken its place if not */
    uint32_t n_bytes;  /* of what follows */
    uint32_t capture;  /* index */
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_text) == 16);

/* ---- ring controls ---- */

#define RV_WIRE_WATCHES 4u
#define RV_WIRE_WATCH_EXPRESSION 256u
#define RV_WIRE_WATCH_RESULT 512u

struct rv_wire_watch {
    int32_t in_use; /* [atomic] 0 free, 1 set by the monitor, -2 to be removed, 16 + pid while a monitor fills it */
    int32_t expression_bytes;
    char expression[RV_WIRE_WATCH_EXPRESSION];
    int32_t is_result_ready; /* [atomic] */
    int32_t result_bytes;    /* negative: the evaluation failed and result holds the error */
    char result[RV_WIRE_WATCH_RESULT];
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_watch) == 784);

/* One frame of the live stack; slot_bytes of subroutine text follow it, empty if there is only `name`. */
struct rv_wire_slot {
    uint32_t line;  /* [atomic] UINT32_MAX: the slot was overwritten by deeper frames: unknown */
    uint32_t name;  /* [atomic] name id; 0: text only; UINT32_MAX: unknown */
    uint64_t ticks; /* [atomic] */
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_slot) == 16);

struct rv_wire_control {
    /* 0x000 owner */
    uint32_t state;      /* [atomic] enum rv_ring_state; changes together with generation, as one 64-bit word */
    uint32_t generation; /* [atomic] bumped by each claim */
    uint32_t owner_pid, owner_tid;
    uint32_t process;  /* index into processes */
    uint32_t tag_mode; /* 0: tags are depths, as struct rv_event has them */
    uint64_t born_ticks, exited_ticks;
    uint64_t claim_head;       /* head when this generation began */
    uint32_t has_pages;        /* [atomic] 1: this struct and the first events have pages: it was claimed */
    uint32_t texts_have_pages; /* [atomic] 1: those of its texts are; 2: they could not be */
    uint32_t n_backed;         /* [atomic] slots from the ring's first on that have pages, if not more */
    uint8_t reserved0[4];

    /* 0x040 flags, read on slow paths */
    uint32_t trace;  /* [atomic] */
    uint32_t signal; /* [atomic] */
    uint32_t
        command_ready; /* [atomic] futex: 0 empty, 1 command posted, 2 response posted, 16 + pid while one is written */
    uint32_t name_is_set; /* [atomic] seqlock over thread_name: odd during writes */
    uint32_t attention;   /* [atomic] futex: not 0: a monitor has a request for the owner, who clears it first */
    uint32_t is_muted;    /* [atomic] set by a monitor: the thread's events are not written */
    uint32_t run_state;   /* [atomic] futex: number of stops << 2 | enum rv_run_state, set by the owner */
    uint8_t reserved1[36];

    /* 0x080 the producer's line */
    uint64_t head;            /* [atomic] events ever written; slot = head mod ring_events */
    uint64_t n_refused;       /* [atomic] events refused in this generation */
    uint64_t n_lost_marks;    /* [atomic] LOST events written in this generation */
    uint64_t closing_ticks;   /* [atomic] fill: when this ring stopped; 0 before */
    uint32_t is_waiting;      /* [atomic] the producer waits for room */
    uint32_t is_overwriting;  /* [atomic] policy block while no consumer lives: the producer passes tail. Set before it
                                does */
    uint64_t n_stashed;       /* [atomic] events stashed until an interrupted push is done: lost if the owner dies */
    uint64_t text_head;       /* [atomic] bytes ever taken for texts */
    uint64_t n_texts_refused; /* [atomic] texts without room */
    uint64_t blocking; /* [atomic] the call that the thread is in and that may block: ticks << 8 | enum rv_wait_kind;
                                 0: none */
    uint64_t creating; /* [atomic] ticks before the last call that was to create a process, or to be another
                                 program: for that program; 0: none */
    uint8_t reserved2[48];

    /* 0x100 the consumer's line */
    uint64_t tail;          /* [atomic] events read or skipped */
    uint64_t n_overwritten; /* [atomic] events skipped unread in this generation (policy ring) */
    uint64_t text_tail;     /* [atomic] bytes of texts that are no longer needed */
    uint8_t reserved3[104];

    /* 0x180 the live stack */
    uint32_t live_sequence;  /* [atomic] seqlock: odd while a slot changes */
    int32_t current_slot;    /* [atomic] -1 when empty */
    int32_t live_depth;      /* [atomic] may exceed n_slots: slots wrap */
    uint32_t slots_are_set;  /* [atomic] 1: the slots hold this claim's frames; 0: all frames are unknown */
    uint32_t rest_has_pages; /* [atomic] 1: slots and message have pages */
    uint8_t reserved4[108];

    /* 0x200 cold */
    char thread_name[64];
    struct rv_wire_watch watches[RV_WIRE_WATCHES];
    char command[4];
    int32_t message_bytes;
    uint32_t thread_number; /* the program's own number of the thread, such as Perl's tid; 0 = first */
    uint8_t reserved5[52];
    /* then n_slots times (struct rv_wire_slot + slot_bytes), then message_bytes of the header */
};
RV_WIRE_ASSERT(offsetof(struct rv_wire_control, trace) == 0x40);
RV_WIRE_ASSERT(offsetof(struct rv_wire_control, head) == 0x80);
RV_WIRE_ASSERT(offsetof(struct rv_wire_control, tail) == 0x100);
RV_WIRE_ASSERT(offsetof(struct rv_wire_control, live_sequence) == 0x180);
RV_WIRE_ASSERT(offsetof(struct rv_wire_control, thread_name) == 0x200);
RV_WIRE_ASSERT(sizeof(struct rv_wire_control) % 64 == 0);

/* ---- names: append-only heap, id table, hash index ---- */

enum rv_name_kind { RV_NAME_SUBROUTINE, RV_NAME_TEXT /* paths, marks, values */, RV_NAME_KIND_COUNT };

/* How a subroutine's name is joined to its package, :: otherwise, and what it is; or'ed. */
enum rv_name_form {
    RV_NAME_HASH = 1,
    RV_NAME_DOT = 2,
    RV_NAME_BLOCK = 4,     /* "block in run": the package stands before "run" */
    RV_NAME_C = 8,         /* written in C, called by a program in another language */
    RV_NAME_LIBRARY = 16,  /* not the program's own */
    RV_NAME_STATE = 32,    /* not code: the package is what goes on there, such as a wait */
    RV_NAME_STATEMENT = 64 /* in a lane beside that of its subroutine, whose time it has once more */
};

#define RV_NAME_LINE_BITS 24 /* of a line_form, the form above it; a longer line is unknown */

static inline uint32_t rv_name_line_form(uint32_t line, uint32_t form)
{
    return (line >> RV_NAME_LINE_BITS ? 0 : line) | form << RV_NAME_LINE_BITS;
}

static inline uint32_t rv_name_line(uint32_t line_form)
{
    return line_form & ((1u << RV_NAME_LINE_BITS) - 1);
}

/* Or'ed enum rv_name_form. */
static inline uint32_t rv_name_form(uint32_t line_form)
{
    return line_form >> RV_NAME_LINE_BITS;
}

/* Followed by package, name and file, each NUL-terminated, padded to 8 bytes. */
struct rv_wire_name {
    uint32_t id; /* [atomic] 0 until published; name_ids[id] points here before it is set */
    uint32_t hash;
    uint32_t line_form; /* rv_name_line_form() */
    uint16_t kind;
    uint16_t package_bytes; /* lengths without the NUL */
    uint16_t name_bytes;
    uint16_t file_bytes;
    uint32_t record_bytes;
};
RV_WIRE_ASSERT(sizeof(struct rv_wire_name) == 24);

/*
 * OFD lock bytes, far beyond the file's end: [0] the consumer, [1 + ring] each ring's owner, [1 + n_rings] the sender
 * and [2 + n_rings] the receiver of the global message; [3 + n_rings] all monitors together, shared;
 * [4 + n_rings + ring] the monitor that sends requests to the ring's owner.
 */
#define RV_WIRE_LOCK_BASE (1ll << 40)

#endif

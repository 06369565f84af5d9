/*
 * The control side of a trace file: rings and the live stacks in them, flags, commands, watches, the global message.
 * Opaque, usable from C and C++; link with libringviz (pkg-config ringviz).
 *
 * A program that keeps rings of its own creates or opens a file, claims a ring for each thread, and says what it is in
 * by slots. Any other process opens the same file to look and to steer; `ringviz FILE` draws every frame as a call,
 * with what the rings of the dead still hold. Whatever is in the file is validated on use.
 *
 * Every function may be called from any thread; a ring's slots are written by its owner thread only. Functions return 0
 * or what they say, or a negative errno: -EINVAL for a ring or index that does not exist, -EROFS where the file could
 * be opened for reading only. Times out: in ns, 0 only looks. Nothing is printed. Strings are UTF-8, and where they do
 * not fit they are cut between characters.
 */
#ifndef RINGVIZ_MONITOR_H
#define RINGVIZ_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ringviz_file;

struct ringviz_file_params { /* 0: the value behind it; the three sizes are rounded up to 8 */
    uint32_t n_rings;        /* 20 */
    uint32_t n_slots;        /* 10 */
    uint32_t slot_bytes;     /* 200 */
    uint32_t message_bytes;  /* 256 */
    uint32_t global_bytes;   /* 16384 */
    bool stop_on_create, trace_on_create;
};

/*
 * Make a file, which must not exist yet. A ring keeps its newest 16,384 events, and is never waited for. Mode 0600,
 * symbolic links are not followed. returns  0; -EEXIST, -EINVAL, -ENOSPC, ...
 */
int ringviz_file_create(struct ringviz_file **file, const char *path, const struct ringviz_file_params *params);

/* Open one of any maker, for writing where that is allowed. 0; -EBADMSG, -EPROTONOSUPPORT, -EACCES, -ENOENT, ... */
int ringviz_file_open(struct ringviz_file **file, const char *path);

/* One more to close it. */
struct ringviz_file *ringviz_file_keep(struct ringviz_file *file);

/* The last one unmaps it; rings of this process that are still claimed are then found ownerless. NULL is fine. */
void ringviz_file_close(struct ringviz_file *file);

const char *ringviz_file_path(const struct ringviz_file *file);
const void *ringviz_file_address(const struct ringviz_file *file);

/* The sizes as they are; stop_on_create and trace_on_create as they are now. */
void ringviz_file_params(const struct ringviz_file *file, struct ringviz_file_params *params);

/* ---- flags ---- */

enum ringviz_flag {
    RINGVIZ_SINGLE, /* these three are the file's, whatever the ring */
    RINGVIZ_STOP_ON_CREATE,
    RINGVIZ_TRACE_ON_CREATE,
    RINGVIZ_TRACE, /* these are the ring's */
    RINGVIZ_SIGNAL,
    RINGVIZ_MUTED, /* not 0: its thread's events are not written */
    RINGVIZ_FLAG_COUNT
};

int ringviz_flag_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t *value);

/* *before: its value until now. */
int ringviz_flag_set(struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t value, int32_t *before);

/* ---- rings ---- */

/*
 * A ring for the calling thread. Rings of owners that died are used again, when there are no others.
 *   thread   the caller's own number for this thread
 *   returns  the ring; -ENOSPC when none is free
 */
int ringviz_ring_claim(struct ringviz_file *file, uint32_t thread);

/* 0; -EBUSY while its owner lives and is not of this process, or claimed it by another file; -ENOENT when it was free.
 */
int ringviz_ring_free(struct ringviz_file *file, uint32_t ring);

/* True also of a ring whose owner is gone, and that would be claimed next. */
bool ringviz_ring_is_free(const struct ringviz_file *file, uint32_t ring);

struct ringviz_ring {
    uint32_t pid, thread;
    int32_t current_slot; /* -1: none */
    int32_t depth;        /* may exceed n_slots: slots wrap */
};

/* 0; -EAGAIN when its owner never stood still. */
int ringviz_ring_read(const struct ringviz_file *file, uint32_t ring, struct ringviz_ring *out);

const void *ringviz_ring_address(const struct ringviz_file *file, uint32_t ring);

/* The ring at such an address, and its file, which must be open and is not kept. 0; -ENOENT. */
int ringviz_ring_at(const void *address, struct ringviz_file **file, uint32_t *ring);

/* ---- slots ---- */

/* The owner: these return the depth now. -EPERM when the ring was not claimed by this process and file. */
int ringviz_slot_push(struct ringviz_file *file, uint32_t ring, const char *name);
int ringviz_slot_pop(struct ringviz_file *file, uint32_t ring);

/* The owner: the line that the innermost frame is on. -ENOENT when there is none. */
int ringviz_slot_update(struct ringviz_file *file, uint32_t ring, uint32_t line);

struct ringviz_slot {
    int32_t line; /* -1: not known, or no such slot */
    uint64_t real_ns;
};

/*
 * Anyone.
 *   name     NUL-terminated; says why where the line is -1. Control characters are escaped as \xNN.
 *   returns  0; -ENOENT for a slot that does not exist; -EAGAIN
 */
int ringviz_slot_read(const struct ringviz_file *file, uint32_t ring, int32_t slot_idx, struct ringviz_slot *slot,
                      char *name, size_t name_bytes);

/* ---- commands ---- */

/* A code of up to 4 bytes, and a message of up to message_bytes; what is longer is cut. */
struct ringviz_command {
    char code[5]; /* NUL-terminated */
    char *message;
    size_t capacity;
    size_t n_bytes;
};

/* 0; -EBUSY while another one, or its response, is there; -ENOENT: the ring has no owner. */
int ringviz_command_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                         size_t n_bytes);

/* The owner: it stays until the response. 0, -EAGAIN, -ETIMEDOUT. */
int ringviz_command_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *command,
                         uint64_t timeout_ns);

/* The owner: 0; -ECANCELED when there is no command (any more). */
int ringviz_response_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                          size_t n_bytes);

/* 0, -EAGAIN, -ETIMEDOUT. */
int ringviz_response_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *response,
                          uint64_t timeout_ns);

/* ---- watches ---- */

#define RINGVIZ_WATCHES 4
#define RINGVIZ_WATCH_EXPRESSION_BYTES 256
#define RINGVIZ_WATCH_RESULT_BYTES 512

/* Its index; -ENOSPC, -E2BIG; -ENOENT: the ring has no owner. */
int ringviz_watch_add(struct ringviz_file *file, uint32_t ring, const char *expression);

/* 0; -ENOENT. The owner lets go of it when it looks next. */
int ringviz_watch_remove(struct ringviz_file *file, uint32_t ring, unsigned watch);

/* The owner: the next watch from `first` on that wants a value, or -ENOENT. */
int ringviz_watch_take(struct ringviz_file *file, uint32_t ring, unsigned first,
                       char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1]);

/* The owner: its value, NULL for none, or an error. */
int ringviz_watch_set_result(struct ringviz_file *file, uint32_t ring, unsigned watch, const char *value,
                             size_t n_bytes, bool is_error);

/* Asks for the next value, too. *n_bytes is negative for an error. 0, -EAGAIN, -ENOENT. */
int ringviz_watch_get_result(struct ringviz_file *file, uint32_t ring, unsigned watch,
                             char result[RINGVIZ_WATCH_RESULT_BYTES], int32_t *n_bytes);

/* ---- steering: threads that monitors stop and ask ---- */

enum ringviz_state {
    RINGVIZ_UNSTEERED, /* it answers no commands */
    RINGVIZ_RUNNING,
    RINGVIZ_STOPPED
};

/* Monitors: until detach, or death, threads of whatever process may stay stopped. One attach a file. 0, -errno. */
int ringviz_monitor_attach(struct ringviz_file *file);
void ringviz_monitor_detach(struct ringviz_file *file);

/* Of a ring that is not free. *n_stops counts how often its owner has stopped. 0, -EINVAL. */
int ringviz_state_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_state *state, uint32_t *n_stops);

/*
 * What follows is the owner's, for language runtimes: the file that this process is traced to (ringviz/producer.h), and
 * the calling thread's ring in it. The file is not to be closed, and no rings are claimed by it.
 *   returns  0; -ENOENT where there is none
 */
int ringviz_own_ring(struct ringviz_file **file, uint32_t *ring);

/* A word to be looked at often: 0 while no monitor wants anything of the ring. Stays readable for ever. */
const uint32_t *ringviz_attention(const struct ringviz_file *file, uint32_t ring);

/* True, once, when a monitor wants something: a command, a watch, or to be seen. */
bool ringviz_attention_take(struct ringviz_file *file, uint32_t ring);

/* Until a monitor wants something, or for this long, or shorter. 0; -EPERM, ... when the ring is not ours any more. */
int ringviz_attention_wait(const struct ringviz_file *file, uint32_t ring, uint64_t timeout_ns);

int ringviz_state_set(struct ringviz_file *file, uint32_t ring, enum ringviz_state state);

/* Is there a monitor, other than by this file? Nobody else will let a stopped thread go on. */
bool ringviz_has_monitor(struct ringviz_file *file);

/* ---- the global message ---- */

/*
 * Any length, in chunks of global_bytes; what fits into one is left there until it is received. timeout_ns is for all
 * of it. returns  0; -EBUSY: another one sends; -ETIMEDOUT: a chunk, or the message before, was not received
 */
int ringviz_message_post(struct ringviz_file *file, const char *message, size_t n_bytes, uint64_t timeout_ns);

/* What waits to be received now: the whole message's bytes, and those of its chunk that is there. 0 and 0: nothing. */
void ringviz_message_waiting(const struct ringviz_file *file, size_t *message_bytes, size_t *chunk_bytes);

/* Within timeout_ns in all. 0, -EBUSY, -ETIMEDOUT, -EPIPE: the sender died; -EMSGSIZE: *n_bytes are needed. */
int ringviz_message_receive(struct ringviz_file *file, char *message, size_t capacity, size_t *n_bytes,
                            uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif

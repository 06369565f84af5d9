/*
 * The control side of a trace file: rings and the live stacks in them, flags, commands, watches, the global message.
 * Opaque, usable from C and C++; link with libringviz (pkg-config ringviz).
 *
 * A program with rings of its own creates or opens a file, claims a ring for each thread, and describes its current
 * stack in slots. Any other process opens the same file to observe and control it; `ringviz FILE` draws every frame as
 * a call, and reads the remaining events of dead owners. Everything in the file is validated on use.
 *
 * Every function may be called from any thread; a ring's slots are written by its owner thread only. Functions return
 * 0, the documented value, or a negative errno: -EINVAL for a ring or index that does not exist, -EROFS if the file
 * could only be opened for reading. Timeouts are in ns; 0 does not wait. Nothing is printed. Strings are UTF-8,
 * truncated between characters if too long.
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

struct ringviz_file_params { /* 0: the default given behind; the three sizes are rounded up to 8 */
    uint32_t n_rings;        /* 20 */
    uint32_t n_slots;        /* 10 */
    uint32_t slot_bytes;     /* 200 */
    uint32_t message_bytes;  /* 256 */
    uint32_t global_bytes;   /* 16384 */
    bool stop_on_create, trace_on_create;
};

/*
 * Create a file, which must not exist. A ring keeps its newest 16,384 events; producers never wait for room. Mode 0600;
 * symbolic links are not followed.
 *   returns  0; -EEXIST, -EINVAL, -ENOSPC, ...
 */
int ringviz_file_create(struct ringviz_file **file, const char *path, const struct ringviz_file_params *params);

/* Open a file of any creator, for writing if permitted. 0; -EBADMSG, -EPROTONOSUPPORT, -EACCES, -ENOENT, ... */
int ringviz_file_open(struct ringviz_file **file, const char *path);

/* Add a reference, to be closed too. */
struct ringviz_file *ringviz_file_keep(struct ringviz_file *file);

/* Drop a reference; the last one unmaps the file, and its rings claimed by this process lose their owner. NULL-safe. */
void ringviz_file_close(struct ringviz_file *file);

/* The path it was opened by, and where its map begins in this process. Valid until ringviz_file_close(). */
const char *ringviz_file_path(const struct ringviz_file *file);
const void *ringviz_file_address(const struct ringviz_file *file);

/* The actual sizes, and the current stop_on_create and trace_on_create. */
void ringviz_file_params(const struct ringviz_file *file, struct ringviz_file_params *params);

/* ---- flags ---- */

enum ringviz_flag {
    RINGVIZ_SINGLE, /* these three belong to the file; `ring` is ignored */
    RINGVIZ_STOP_ON_CREATE,
    RINGVIZ_TRACE_ON_CREATE,
    RINGVIZ_TRACE, /* these belong to the ring */
    RINGVIZ_SIGNAL,
    RINGVIZ_MUTED, /* not 0: its thread's events are not written */
    RINGVIZ_FLAG_COUNT
};

/* A flag of the file or of a ring. 0, or a negative errno. */
int ringviz_flag_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t *value);

/* *before: the previous value. */
int ringviz_flag_set(struct ringviz_file *file, uint32_t ring, enum ringviz_flag flag, int32_t value, int32_t *before);

/* ---- rings ---- */

/*
 * Claim a ring for the calling thread. Rings of dead owners are reused when no others are free.
 *   thread   the caller's own number for this thread
 *   returns  the ring; -ENOSPC when none is free
 */
int ringviz_ring_claim(struct ringviz_file *file, uint32_t thread);

/* Free a ring. 0; -EBUSY while a live owner of another process, or through another file, has it; -ENOENT if free.
 */
int ringviz_ring_free(struct ringviz_file *file, uint32_t ring);

/* Also true for a claimable ring whose owner is gone. */
bool ringviz_ring_is_free(const struct ringviz_file *file, uint32_t ring);

struct ringviz_ring {
    uint32_t pid, thread;
    int32_t current_slot; /* -1: none */
    int32_t depth;        /* may exceed n_slots: slots wrap */
};

/* 0; -EAGAIN when its owner kept writing. */
int ringviz_ring_read(const struct ringviz_file *file, uint32_t ring, struct ringviz_ring *out);

/* Where the ring begins in the map; NULL when there is no such ring. */
const void *ringviz_ring_address(const struct ringviz_file *file, uint32_t ring);

/* The ring at such an address, and its file, which must be open; adds no reference. 0; -ENOENT. */
int ringviz_ring_at(const void *address, struct ringviz_file **file, uint32_t *ring);

/* ---- slots ---- */

/* The owner: these return the new depth. -EPERM when the ring was not claimed by this process and file. */
int ringviz_slot_push(struct ringviz_file *file, uint32_t ring, const char *name);
int ringviz_slot_pop(struct ringviz_file *file, uint32_t ring);

/* The owner: set the line of the innermost frame. -ENOENT without a frame. */
int ringviz_slot_update(struct ringviz_file *file, uint32_t ring, uint32_t line);

struct ringviz_slot {
    int32_t line; /* -1: unknown, or no such slot */
    uint64_t real_ns;
};

/*
 * Any process: read a slot.
 *   name     NUL-terminated; the reason if the line is -1. Control characters are escaped as \xNN.
 *   returns  0; -ENOENT for a slot that does not exist; -EAGAIN
 */
int ringviz_slot_read(const struct ringviz_file *file, uint32_t ring, int32_t slot_idx, struct ringviz_slot *slot,
                      char *name, size_t name_bytes);

/* ---- commands ---- */

/* A code of up to 4 bytes, and a message of up to message_bytes; longer ones are truncated. */
struct ringviz_command {
    char code[5]; /* NUL-terminated */
    char *message;
    size_t capacity;
    size_t n_bytes;
};

/* Post a command. 0; -EBUSY while another command or its response is there; -ENOENT: the ring has no owner. */
int ringviz_command_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                         size_t n_bytes);

/* The owner: get the command, which stays until the response. 0, -EAGAIN, -ETIMEDOUT. */
int ringviz_command_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *command,
                         uint64_t timeout_ns);

/* The owner: respond. 0; -ECANCELED when there is no command, or no longer. */
int ringviz_response_post(struct ringviz_file *file, uint32_t ring, const char *code, const char *message,
                          size_t n_bytes);

/* Get the response. 0, -EAGAIN, -ETIMEDOUT. */
int ringviz_response_wait(struct ringviz_file *file, uint32_t ring, struct ringviz_command *response,
                          uint64_t timeout_ns);

/* ---- watches ---- */

#define RINGVIZ_WATCHES 4
#define RINGVIZ_WATCH_EXPRESSION_BYTES 256
#define RINGVIZ_WATCH_RESULT_BYTES 512

/* Watch an expression. Returns its index; -ENOSPC, -E2BIG; -ENOENT: the ring has no owner. */
int ringviz_watch_add(struct ringviz_file *file, uint32_t ring, const char *expression);

/* Remove a watch. 0; -ENOENT. Takes effect when the owner looks next. */
int ringviz_watch_remove(struct ringviz_file *file, uint32_t ring, unsigned watch);

/* The owner: the next watch from `first` on that awaits a value, or -ENOENT. */
int ringviz_watch_take(struct ringviz_file *file, uint32_t ring, unsigned first,
                       char expression[RINGVIZ_WATCH_EXPRESSION_BYTES + 1]);

/* The owner: its value, NULL for none, or an error. */
int ringviz_watch_set_result(struct ringviz_file *file, uint32_t ring, unsigned watch, const char *value,
                             size_t n_bytes, bool is_error);

/* Get a watch's value, and request the next one. *n_bytes is negative for an error. 0, -EAGAIN, -ENOENT. */
int ringviz_watch_get_result(struct ringviz_file *file, uint32_t ring, unsigned watch,
                             char result[RINGVIZ_WATCH_RESULT_BYTES], int32_t *n_bytes);

/* ---- steering: threads that monitors stop and ask ---- */

enum ringviz_state {
    RINGVIZ_UNSTEERED, /* it answers no commands */
    RINGVIZ_RUNNING,
    RINGVIZ_STOPPED
};

/* Become a monitor: until detach or death, stopped threads of any process stay stopped. One attach per file. 0,
 * -errno. */
int ringviz_monitor_attach(struct ringviz_file *file);
void ringviz_monitor_detach(struct ringviz_file *file);

/* State of a claimed ring. *n_stops counts its owner's stops. 0, -EINVAL. */
int ringviz_state_get(const struct ringviz_file *file, uint32_t ring, enum ringviz_state *state, uint32_t *n_stops);

/*
 * The following functions are for the owner, in language runtimes: the file that this process is traced to
 * (ringviz/producer.h), and the calling thread's ring in it. Do not close this file or claim rings in it.
 *   returns  0; -ENOENT if there is none
 */
int ringviz_own_ring(struct ringviz_file **file, uint32_t *ring);

/* The attention flag, to be polled: 0 while no monitor has a request for the ring. Readable for ever. */
const uint32_t *ringviz_attention(const struct ringviz_file *file, uint32_t ring);

/* Test and clear the attention flag: true when a monitor has posted a command or a watch, attached or detached. */
bool ringviz_attention_take(struct ringviz_file *file, uint32_t ring);

/* Wait for the attention flag, at most timeout_ns; may return early. 0; -EPERM, ... when the ring is no longer ours. */
int ringviz_attention_wait(const struct ringviz_file *file, uint32_t ring, uint64_t timeout_ns);

/* Publish whether the ring's thread runs, is stopped or waits. 0; -EPERM when the ring is not ours. */
int ringviz_state_set(struct ringviz_file *file, uint32_t ring, enum ringviz_state state);

/* Is there a monitor other than through this file? Without one, nobody resumes a stopped thread. */
bool ringviz_has_monitor(struct ringviz_file *file);

/* ---- the global message ---- */

/*
 * Post a message of any length, in chunks of global_bytes; the last chunk stays until received. timeout_ns is the
 * total.
 *   returns  0; -EBUSY: another sender is active; -ETIMEDOUT: a chunk, or the previous message, was not received
 */
int ringviz_message_post(struct ringviz_file *file, const char *message, size_t n_bytes, uint64_t timeout_ns);

/* Size of the waiting message and of its current chunk; 0 and 0: none. */
void ringviz_message_waiting(const struct ringviz_file *file, size_t *message_bytes, size_t *chunk_bytes);

/* Receive a message, within timeout_ns in total. 0, -EBUSY, -ETIMEDOUT, -EPIPE: the sender died; -EMSGSIZE: *n_bytes
 * are needed. */
int ringviz_message_receive(struct ringviz_file *file, char *message, size_t capacity, size_t *n_bytes,
                            uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif

#endif

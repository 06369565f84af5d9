/* Converts a recording's names, ids and threads for the pipeline. */
#ifndef RV_SOURCE_RECORDED_NAMES_H
#define RV_SOURCE_RECORDED_NAMES_H

#include <pthread.h>

#include "stream/batch.h"
#include "recording/index_chunk.h"
#include "recording/stream_chunks.h"
#include "recording/chunk_reader.h"
#include "source/source.h"

/* Ids are renumbered in order of appearance, so that tables are bounded by their number, not their values. */
struct rv_recorded_names {
    pthread_mutex_t lock;                /* covers ids and n_given: waits are read by other threads */
    uint64_t n_file_bytes, n_name_bytes; /* names so far, unpacked */
    uint32_t *ids;                       /* file's ids to ours; 0 = not seen yet */
    size_t n_ids;
    uint32_t n_given, n_alike; /* those below n_alike are the same as ours */
    bool keeps_ids;            /* the file's are ours */
    struct rv_rec_strings strings;
    struct rv_rec_buffer shown[3];
    struct rv_compressor *compressor;
};

void rv_recorded_names_init(struct rv_recorded_names *names, uint64_t n_file_bytes);
void rv_recorded_names_fini(struct rv_recorded_names *names);

/* The file's ids to ours; 0 for 0 and for an invalid one. Any thread. */
void rv_recorded_map_ids(struct rv_recorded_names *names, struct rv_batch *batch);

/* Ids below this are the same in the file. Any thread. */
uint32_t rv_recorded_n_alike(struct rv_recorded_names *names);

/* Map the ids of an INDEX. Any thread. */
void rv_recorded_map_index(struct rv_recorded_names *names, struct rv_rec_index_table *table);

/* Define the subroutines of a STRINGS chunk. False: invalid, or too many names. */
bool rv_recorded_define(struct rv_recorded_names *names, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake);

enum { RV_RECORDED_NAME_BYTES = 256 };

struct rv_recorded_who { /* of a STREAM chunk; info's strings point to the escaped ones below */
    struct rv_stream_info info;
    char process_name[RV_RECORDED_NAME_BYTES], thread_name[RV_RECORDED_NAME_BYTES];
};

/* 0 or -EBADMSG. */
int rv_recorded_who_read(struct rv_recorded_who *who, const struct rv_rec_chunk *chunk, const uint8_t *payload);

/*
 * Print one line about discarded segments, if there are any.
 *   returns  the source's begin_ns
 */
uint64_t rv_recorded_begin(const char *path, const struct rv_rec_reader *reader);

/* Add the file's losses: discarded segments and damage found so far. */
void rv_recorded_losses(const struct rv_rec_reader *reader, struct rv_losses *losses);

/* Add the threads without a stream that a SILENT chunk lists. False: invalid. */
bool rv_recorded_silent(struct rv_silent_threads *silent, const struct rv_rec_chunk *chunk, const uint8_t *payload);

/* Tell the names that an OUTSIDE chunk has. False: invalid. */
bool rv_recorded_outside(const struct rv_rec_chunk *chunk, const uint8_t *payload, const struct rv_intake *intake);

/* The counts of a stream's events after `before`. */
struct rv_stream_account rv_recorded_account(const struct rv_rec_account *account, const struct rv_rec_account *before);

#endif

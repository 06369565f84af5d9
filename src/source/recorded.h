/* What is in a recording beside its events, as the pipeline takes it: names, ids and threads. */
#ifndef RV_SOURCE_RECORDED_H
#define RV_SOURCE_RECORDED_H

#include "flow/batch.h"
#include "recording/index_table.h"
#include "recording/payload.h"
#include "recording/reader.h"
#include "source/source.h"

/* Ids are given out anew in order of first sight, so that what they may cost is bounded by how many there are. */
struct rv_recorded_names {
    uint64_t n_file_bytes, n_name_bytes; /* names so far, unpacked */
    uint32_t *ids;                       /* of the file to ours; 0 = not seen yet */
    size_t n_ids;
    uint32_t n_given;
    struct rv_rec_strings strings;
    struct rv_rec_buffer shown[3];
    struct rv_compressor *compressor;
};

void rv_recorded_names_init(struct rv_recorded_names *names, uint64_t n_file_bytes);
void rv_recorded_names_fini(struct rv_recorded_names *names);

/* Our id of the file's; 0 stays 0, as does one that is no program's. */
uint32_t rv_recorded_map_id(struct rv_recorded_names *names, uint32_t id);
void rv_recorded_map_ids(struct rv_recorded_names *names, struct rv_batch *batch);

/* The ids of an INDEX but its frames': of cells, spans, totals and notes. */
void rv_recorded_map_index(struct rv_recorded_names *names, struct rv_rec_index_table *table);

/* Define what a STRINGS chunk does. False: it makes no sense, or there are too many names. */
bool rv_recorded_define(struct rv_recorded_names *names, const struct rv_rec_chunk *chunk, const uint8_t *payload,
                        const struct rv_intake *intake);

enum { RV_RECORDED_NAME_BYTES = 256 };

struct rv_recorded_who { /* of a STREAM chunk; info's strings are those below, escaped */
    struct rv_stream_info info;
    char process_name[RV_RECORDED_NAME_BYTES], thread_name[RV_RECORDED_NAME_BYTES];
};

/* 0 or -EBADMSG. */
int rv_recorded_who_read(struct rv_recorded_who *who, const struct rv_rec_chunk *chunk, const uint8_t *payload);

/*
 * What of a recording of the newest events was let go is said in one line; of any other nothing.
 *   returns  where the source begins
 */
uint64_t rv_recorded_begin(const char *path, const struct rv_rec_reader *reader);

/* Add what is missing of the file: what was let go before its beginning, and what reading found damaged. */
void rv_recorded_losses(const struct rv_rec_reader *reader, struct rv_losses *losses);

/* What a stream's account says of the events behind `before`. */
struct rv_stream_account rv_recorded_account(const struct rv_rec_account *account, const struct rv_rec_account *before);

#endif

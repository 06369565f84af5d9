#include "recording/chunk_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file_io.h"
#include "base/vec.h"

enum {
    WINDOW_BYTES = 1 << 20, /* searched at a time for a header */
    /* Limit of the bytes read while searching for whole chunks, as a multiple of the file's allocated size: bounds the
       work on a file full of false headers. */
    EFFORT = 16,
    BLOCK_BYTES = 512, /* of st_blocks */
    /* Run of zeros that no payload contains, since payloads are compressed; only whole segments are freed. */
    MOST_ZEROS = 1 << 20
};

static const uint64_t LEAST_EFFORT = 1 << 28; /* file systems may report allocated blocks late */

static const uint64_t LATE_NS = 2000000000;

#define ANY_SEQUENCE UINT64_MAX

struct rv_rec_reader {
    struct rv_rec_reader_params params;
    int fd;
    char *path, *program;
    struct rv_rec_file file;
    struct rv_rec_reader_state state;
    uint64_t next_sequence; /* ANY_SEQUENCE: accept any */
    struct rv_rec_segment past;
    uint64_t effort_left;
    uint8_t *payload, *window;
    size_t payload_capacity;
};

bool rv_rec_is_recording(const void *bytes, size_t n_bytes)
{
    struct rv_rec_chunk chunk;
    if (n_bytes < sizeof chunk)
        return false;
    memcpy(&chunk, bytes, sizeof chunk);
    return chunk.magic == RV_REC_CHUNK_MAGIC && chunk.type == RV_REC_FILE;
}

static void note_damage(struct rv_rec_reader *reader, uint64_t offset, uint64_t n_bytes, const char *what)
{
    reader->state.n_damaged += n_bytes;
    if (reader->params.on_damage)
        reader->params.on_damage(reader->params.context, &(struct rv_rec_damage){offset, n_bytes, what});
}

/* Read up to n bytes at offset. Returns their number, or a negative errno with one line printed. */
static ssize_t read_at(const struct rv_rec_reader *reader, void *out, size_t n, uint64_t offset)
{
    const ssize_t n_read = rv_file_read_at(reader->fd, out, n, offset);
    return n_read < 0 ? rv_err_sys("%s", reader->path) : n_read;
}

/* Are bytes [offset, end) mostly a hole? Then they are no payload, and checking them would take long. */
static bool has_hole(const struct rv_rec_reader *reader, uint64_t offset, uint64_t end)
{
    while (end - offset > MOST_ZEROS) {
        off_t hole = lseek(reader->fd, (off_t)offset, SEEK_HOLE);
        if (hole < 0 || (uint64_t)hole >= end)
            return false;
        off_t data = lseek(reader->fd, hole, SEEK_DATA);
        uint64_t hole_end = data < 0 || (uint64_t)data > end ? end : (uint64_t)data;
        if (hole_end - (uint64_t)hole > MOST_ZEROS)
            return true;
        offset = hole_end;
    }
    return false;
}

/*
 * Is there a whole chunk at offset?
 *   returns  1; 0 with *what set; negative errno with one line printed
 */
static int read_chunk(struct rv_rec_reader *reader, uint64_t offset, struct rv_rec_chunk *chunk, const char **what)
{
    uint64_t n_left = reader->state.n_bytes - offset;
    *what = "a torn chunk";
    if (n_left < sizeof *chunk)
        return 0;
    ssize_t n = read_at(reader, chunk, sizeof *chunk, offset);
    if (n < (ssize_t)sizeof *chunk)
        return n < 0 ? (int)n : 0;
    *what = "no chunk begins here";
    if (!rv_chunk_is_plausible(chunk))
        return 0;
    *what = "a torn chunk";
    if (rv_chunk_bytes(chunk) > n_left || has_hole(reader, offset, offset + rv_chunk_bytes(chunk)))
        return 0;
    reader->payload = rv_vec_reserve(reader->payload, &reader->payload_capacity, chunk->payload_bytes + 1, 1);
    n = read_at(reader, reader->payload, chunk->payload_bytes, offset + chunk->header_bytes);
    if (n < (ssize_t)chunk->payload_bytes)
        return n < 0 ? (int)n : 0;
    *what = "a damaged chunk";
    return rv_chunk_is_whole(chunk, reader->payload);
}

/* End of the hole at offset, at most the file's end; offset if the file system reports no holes. */
static uint64_t pass_hole(const struct rv_rec_reader *reader, uint64_t offset)
{
    const uint64_t n_bytes = reader->state.n_bytes;
    off_t data = lseek(reader->fd, (off_t)offset, SEEK_DATA);
    if (data < 0)
        return errno == ENXIO ? n_bytes : offset;
    uint64_t begin = (uint64_t)data / RV_REC_ALIGNMENT * RV_REC_ALIGNMENT;
    return begin < n_bytes ? begin : n_bytes;
}

/* Read into the window from offset, at most to the file's end at opening. Returns as read_at(). */
static ssize_t read_window(const struct rv_rec_reader *reader, uint64_t offset)
{
    uint64_t n_left = reader->state.n_bytes - offset;
    return read_at(reader, reader->window, n_left < WINDOW_BYTES ? n_left : WINDOW_BYTES, offset);
}

/*
 * The first whole chunk at or after offset, after something damaged.
 *   returns  1 with *found; 0 when there is none; negative errno with one line printed
 */
static int find_chunk(struct rv_rec_reader *reader, uint64_t offset, struct rv_rec_chunk *chunk, uint64_t *found)
{
    const char *what;
    for (; offset < reader->state.n_bytes; offset += WINDOW_BYTES) {
        offset = pass_hole(reader, offset);
        ssize_t n = read_window(reader, offset);
        if (n < 0)
            return (int)n;
        for (ssize_t i = 0; i + (ssize_t)sizeof *chunk <= n; i += RV_REC_ALIGNMENT) {
            memcpy(chunk, reader->window + i, sizeof *chunk);
            if (!rv_chunk_is_plausible(chunk) || chunk->payload_bytes > reader->effort_left)
                continue;
            reader->effort_left -= chunk->payload_bytes;
            int is_whole = read_chunk(reader, offset + (uint64_t)i, chunk, &what);
            *found = offset + (uint64_t)i;
            if (is_whole)
                return is_whole;
        }
    }
    return 0;
}

static bool is_version_known(const struct rv_rec_file *file)
{
    return file->major == RV_REC_MAJOR && (file->feature_incompat & ~(uint32_t)RV_REC_FEATURES) == 0 &&
           file->endian == RV_WIRE_ENDIAN;
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* End of the zeros at offset, at most the file's end; or a negative errno with one line printed. */
static int pass_zeros(struct rv_rec_reader *reader, uint64_t *offset)
{
    while (*offset < reader->state.n_bytes) {
        *offset = pass_hole(reader, *offset);
        ssize_t n = read_window(reader, *offset);
        if (n < 0)
            return (int)n;
        for (ssize_t i = 0; i < n; i += RV_REC_ALIGNMENT)
            if (!is_zero(reader->window + i, n - i < (ssize_t)RV_REC_ALIGNMENT ? (size_t)(n - i) : RV_REC_ALIGNMENT)) {
                *offset += (uint64_t)i;
                return 0;
            }
        *offset += (uint64_t)n;
        if (n == 0)
            break;
    }
    return 0;
}

/* Find the first segment that was not discarded, and its counts of those that were. */
static int find_past(struct rv_rec_reader *reader)
{
    struct rv_rec_chunk chunk;
    const char *what;
    int result = pass_zeros(reader, &reader->state.begin);
    if (result < 0)
        return result;
    reader->state.n_gone = reader->state.begin - reader->state.offset;
    reader->state.offset = reader->state.begin;
    if (reader->state.n_gone)
        reader->next_sequence = ANY_SEQUENCE;
    if (reader->state.begin >= reader->state.n_bytes)
        return 0;
    result = read_chunk(reader, reader->state.begin, &chunk, &what);
    if (result > 0 && chunk.type == RV_REC_SEGMENT && chunk.payload_bytes >= sizeof reader->past)
        memcpy(&reader->past, reader->payload, sizeof reader->past);
    return result < 0 ? result : 0;
}

static int read_beginning(struct rv_rec_reader *reader)
{
    struct rv_rec_chunk chunk;
    const char *what;
    int result = read_chunk(reader, 0, &chunk, &what);
    if (result < 0)
        return result;
    if (result == 0 || chunk.type != RV_REC_FILE || chunk.payload_bytes <= sizeof reader->file)
        return rv_err(EBADMSG, "%s: not a recording, or its beginning is damaged", reader->path);
    memcpy(&reader->file, reader->payload, sizeof reader->file);
    if (reader->file.magic != RV_REC_FILE_MAGIC)
        return rv_err(EBADMSG, "%s: not a recording", reader->path);
    if (!is_version_known(&reader->file))
        return rv_err(EPROTONOSUPPORT,
                      "%s: recorded by another version (format %u.%u, features %#x); this one reads %u", reader->path,
                      reader->file.major, reader->file.minor, reader->file.feature_incompat, RV_REC_MAJOR);
    reader->payload[chunk.payload_bytes] = 0; /* the buffer has room for it */
    reader->program = rv_strdup((const char *)reader->payload + sizeof reader->file);
    reader->state.offset = rv_chunk_bytes(&chunk);
    reader->state.n_chunks = 1;
    reader->next_sequence = chunk.sequence + 1;
    reader->state.begin = reader->state.offset;
    return reader->file.feature_incompat & RV_REC_IN_SEGMENTS ? find_past(reader) : 0;
}

int rv_rec_reader_open(struct rv_rec_reader **out, const char *path, const struct rv_rec_reader_params *params)
{
    struct rv_rec_reader *reader = rv_alloc(1, sizeof *reader);
    struct stat status;
    int error = 0;
    if (params)
        reader->params = *params;
    reader->path = rv_strdup(path);
    reader->window = rv_alloc_scratch(WINDOW_BYTES, 1);
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* do not wait on a FIFO */
    if (reader->fd < 0 || fstat(reader->fd, &status) != 0)
        error = rv_err_sys("%s", path);
    else if (!S_ISREG(status.st_mode))
        error = rv_err(EINVAL, "%s: not a regular file", path);
    if (!error) {
        reader->state.n_bytes = (uint64_t)status.st_size;
        uint64_t n_room = (uint64_t)status.st_blocks * BLOCK_BYTES;
        reader->state.n_stored = n_room < reader->state.n_bytes ? n_room : reader->state.n_bytes;
        reader->effort_left = EFFORT * reader->state.n_stored + LEAST_EFFORT;
        error = read_beginning(reader);
    }
    if (error) {
        rv_rec_reader_close(reader);
        reader = NULL;
    }
    *out = reader;
    return error;
}

void rv_rec_reader_close(struct rv_rec_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    free(reader->path);
    free(reader->program);
    free(reader->payload);
    free(reader->window);
    free(reader);
}

const struct rv_rec_file *rv_rec_reader_file(const struct rv_rec_reader *reader)
{
    return &reader->file;
}

const char *rv_rec_reader_program(const struct rv_rec_reader *reader)
{
    return reader->program;
}

struct rv_rec_reader_state rv_rec_reader_state(const struct rv_rec_reader *reader)
{
    return reader->state;
}

const struct rv_rec_segment *rv_rec_reader_past(const struct rv_rec_reader *reader)
{
    return reader->past.n_events ? &reader->past : NULL;
}

uint64_t rv_rec_reader_past_ns(const struct rv_rec_reader *reader)
{
    const struct rv_rec_segment *past = &reader->past;
    return past->last_ns > past->first_ns ? past->last_ns - past->first_ns : 0;
}

/* A quiet thread's events are written up to about a second late: no event follows others that are LATE_NS later. */
uint64_t rv_rec_reader_first_ns(const struct rv_rec_reader *reader)
{
    const struct rv_rec_reader_state *state = &reader->state;
    struct rv_rec_chunk chunk;
    uint64_t first_ns = UINT64_MAX;
    for (uint64_t offset = state->begin; offset < state->n_bytes; offset += rv_chunk_bytes(&chunk)) {
        if (read_at(reader, &chunk, sizeof chunk, offset) < (ssize_t)sizeof chunk || !rv_chunk_is_plausible(&chunk))
            break;
        if (chunk.type != RV_REC_EVENTS || chunk.flags & RV_REC_OPEN)
            continue;
        if (chunk.first_ns > first_ns && chunk.first_ns - first_ns > LATE_NS)
            break;
        first_ns = chunk.first_ns < first_ns ? chunk.first_ns : first_ns;
    }
    return first_ns == UINT64_MAX ? 0 : first_ns & RV_EVENT_TICKS_MASK;
}

/*
 * Zeros at the current place, followed by a segment: the segments between were discarded.
 *   returns  1 with the chunk, now the current place; 0: not the case; negative errno with one line printed
 */
static int skip_discarded(struct rv_rec_reader *reader, struct rv_rec_chunk *chunk)
{
    struct rv_rec_reader_state *state = &reader->state;
    uint64_t offset = state->offset;
    const char *what;
    if (!(reader->file.feature_incompat & RV_REC_IN_SEGMENTS))
        return 0;
    int result = pass_zeros(reader, &offset);
    if (result < 0 || offset == state->offset || offset >= state->n_bytes)
        return result;
    result = read_chunk(reader, offset, chunk, &what);
    if (result <= 0 || chunk->type != RV_REC_SEGMENT)
        return result < 0 ? result : 0;
    state->n_gone += offset - state->offset;
    state->offset = offset;
    reader->next_sequence = ANY_SEQUENCE;
    return 1;
}

int rv_rec_reader_next(struct rv_rec_reader *reader, struct rv_rec_chunk *chunk, const uint8_t **payload)
{
    struct rv_rec_reader_state *state = &reader->state;
    const char *what;
    if (state->offset >= state->n_bytes)
        return 0;
    int result = read_chunk(reader, state->offset, chunk, &what);
    if (result == 0)
        result = skip_discarded(reader, chunk);
    uint64_t begin = state->offset, found = begin;
    if (result == 0) {
        result = find_chunk(reader, begin + RV_REC_ALIGNMENT, chunk, &found);
        if (result == 0)
            found = state->n_bytes;
        if (result >= 0)
            note_damage(reader, begin, found - begin, what);
    } else if (result > 0 && reader->next_sequence != ANY_SEQUENCE && chunk->sequence != reader->next_sequence) {
        note_damage(reader, begin, 0, "chunks are missing");
    }
    state->offset = found;
    if (result <= 0)
        return result;
    state->offset += rv_chunk_bytes(chunk);
    state->n_chunks++;
    state->is_finished = chunk->type == RV_REC_END;
    reader->next_sequence = chunk->sequence + 1;
    *payload = reader->payload;
    return 1;
}

int rv_rec_reader_at(struct rv_rec_reader *reader, uint64_t offset, struct rv_rec_chunk *chunk, const uint8_t **payload)
{
    const char *what;
    if (offset >= reader->state.n_bytes)
        return 0;
    int result = read_chunk(reader, offset, chunk, &what);
    *payload = reader->payload;
    return result;
}

int rv_rec_reader_grow(struct rv_rec_reader *reader)
{
    struct stat status;
    if (fstat(reader->fd, &status) != 0)
        return rv_err_sys("%s", reader->path);
    reader->state.n_bytes = (uint64_t)status.st_size;
    return 0;
}

/* Is there an END chunk in the file's last bytes? */
int rv_rec_reader_end(struct rv_rec_reader *reader, struct rv_rec_end *end)
{
    struct rv_rec_chunk chunk = {.header_bytes = sizeof chunk, .payload_bytes = sizeof *end};
    const uint8_t *payload;
    uint64_t n_bytes = rv_chunk_bytes(&chunk);
    if (reader->state.n_bytes < n_bytes)
        return 0;
    int result = rv_rec_reader_at(reader, reader->state.n_bytes - n_bytes, &chunk, &payload);
    if (result <= 0 || chunk.type != RV_REC_END || chunk.payload_bytes < sizeof *end)
        return result < 0 ? result : 0;
    memcpy(end, payload, sizeof *end);
    return 1;
}

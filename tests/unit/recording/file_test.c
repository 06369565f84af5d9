#include "recording/chunk_reader.h"
#include "recording/chunk_writer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_CHUNKS = 5, FIRST_BYTES = 128, CHUNK_BYTES = 192 }; /* "program" fits 64 + 64 + 64 - FILE; see make() */

static char folder[64], path[128];

static void enter(void)
{
    snprintf(folder, sizeof folder, "/tmp/ringviz-file-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.rvz", folder);
}

static void leave(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(file, .init = enter, .fini = leave, .timeout = 60);

/* Five chunks of a payload of 100 bytes that names them, then END. Returns the file's length. */
static uint64_t make(void)
{
    struct rv_rec_writer writer;
    struct rv_rec_buffer buffer = {0};
    cr_assert_eq(rv_rec_writer_open(&writer, path, &(struct rv_rec_file){.pid = 7}, "program", false), 0);
    for (unsigned i = 0; i <= N_CHUNKS; i++) {
        uint8_t payload[100];
        memset(payload, (int)i, sizeof payload);
        rv_chunk_begin(&buffer);
        rv_rec_buffer_add(&buffer, payload, i < N_CHUNKS ? sizeof payload : sizeof(struct rv_rec_end));
        rv_chunk_end(&buffer, &(struct rv_rec_chunk){.type = i < N_CHUNKS ? RV_REC_EVENTS : RV_REC_END, .stream = i});
        cr_assert_eq(rv_rec_writer_put(&writer, &buffer), 0);
    }
    uint64_t n_bytes = writer.n_bytes;
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
    rv_rec_buffer_fini(&buffer);
    return n_bytes;
}

struct seen {
    unsigned streams[2 * N_CHUNKS];
    unsigned n, n_damages;
    uint64_t n_damaged;
    bool is_finished;
};

static void count_damage(void *context, const struct rv_rec_damage *damage)
{
    struct seen *seen = context;
    seen->n_damages++;
    seen->n_damaged += damage->n_bytes;
}

static int see(struct seen *seen)
{
    *seen = (struct seen){0};
    struct rv_rec_reader *reader;
    struct rv_rec_reader_params params = {.on_damage = count_damage, .context = seen};
    int error = rv_rec_reader_open(&reader, path, &params);
    if (error)
        return error;
    struct rv_rec_chunk chunk;
    const uint8_t *payload;
    cr_assert_eq(rv_rec_reader_file(reader)->pid, 7);
    cr_assert_str_eq(rv_rec_reader_program(reader), "program");
    while (rv_rec_reader_next(reader, &chunk, &payload) > 0) {
        if (chunk.type != RV_REC_EVENTS)
            continue;
        cr_assert_eq(payload[0], chunk.stream);
        cr_assert_eq(payload[99], chunk.stream);
        seen->streams[seen->n++] = chunk.stream;
    }
    seen->is_finished = rv_rec_reader_state(reader).is_finished;
    cr_assert_eq(rv_rec_reader_state(reader).n_damaged, seen->n_damaged);
    rv_rec_reader_close(reader);
    return 0;
}

static void poke(uint64_t offset, uint8_t xored)
{
    int fd = open(path, O_RDWR);
    uint8_t byte;
    cr_assert_eq(pread(fd, &byte, 1, (off_t)offset), 1);
    byte ^= xored;
    cr_assert_eq(pwrite(fd, &byte, 1, (off_t)offset), 1);
    close(fd);
}

Test(file, written_chunks_are_read_back)
{
    struct seen seen;
    make();
    cr_assert_eq(see(&seen), 0);
    cr_assert_eq(seen.n, N_CHUNKS);
    cr_assert_eq(seen.n_damages, 0);
    cr_assert(seen.is_finished);
}

Test(file, cut_at_any_byte_it_opens_up_to_the_last_whole_chunk)
{
    uint64_t n_bytes = make(), first_bytes = n_bytes - N_CHUNKS * CHUNK_BYTES - FIRST_BYTES;
    struct seen seen;
    for (uint64_t n = n_bytes; n-- > 0;) {
        cr_assert_eq(truncate(path, (off_t)n), 0);
        if (n < first_bytes) {
            freopen("/dev/null", "w", stderr);
            cr_assert_eq(see(&seen), -EBADMSG);
            continue;
        }
        cr_assert_eq(see(&seen), 0, "at %d", (int)n);
        uint64_t n_whole = (n - first_bytes) / CHUNK_BYTES;
        cr_assert_eq(seen.n, n_whole < N_CHUNKS ? n_whole : N_CHUNKS, "at %d: %u", (int)n, seen.n);
        cr_assert_not(seen.is_finished);
        cr_assert_eq(seen.n_damaged,
                     n_whole < N_CHUNKS ? (n - first_bytes) % CHUNK_BYTES : n - first_bytes - N_CHUNKS * CHUNK_BYTES);
    }
}

Test(file, damage_anywhere_costs_the_chunk_that_it_is_in)
{
    uint64_t n_bytes = make(), first_bytes = n_bytes - N_CHUNKS * CHUNK_BYTES - FIRST_BYTES;
    struct seen seen;
    for (uint64_t at = first_bytes; at < n_bytes - FIRST_BYTES; at += 3) {
        uint64_t in_chunk = (at - first_bytes) % CHUNK_BYTES;
        poke(at, 0x10);
        cr_assert_eq(see(&seen), 0);
        if (in_chunk < 64 + 100) {
            cr_assert_eq(seen.n, N_CHUNKS - 1, "at %d", (int)at);
            cr_assert_eq(seen.n_damages, 1);
            cr_assert_eq(seen.n_damaged, CHUNK_BYTES);
        } else { /* in the zeros after the payload */
            cr_assert_eq(seen.n, N_CHUNKS);
        }
        cr_assert(seen.is_finished);
        poke(at, 0x10);
    }
}

Test(file, chunks_cut_out_of_the_middle_are_missed)
{
    uint64_t n_bytes = make(), first_bytes = n_bytes - N_CHUNKS * CHUNK_BYTES - FIRST_BYTES;
    struct seen seen;
    char *bytes = malloc(n_bytes);
    int fd = open(path, O_RDWR);
    cr_assert_eq(pread(fd, bytes, n_bytes, 0), (ssize_t)n_bytes);
    uint64_t hole = first_bytes + CHUNK_BYTES, behind = hole + 2 * CHUNK_BYTES;
    cr_assert_eq(pwrite(fd, bytes + behind, n_bytes - behind, (off_t)hole), (ssize_t)(n_bytes - behind));
    cr_assert_eq(ftruncate(fd, (off_t)(n_bytes - 2 * CHUNK_BYTES)), 0);
    close(fd);
    free(bytes);
    cr_assert_eq(see(&seen), 0);
    cr_assert_eq(seen.n, N_CHUNKS - 2);
    cr_assert_eq(seen.n_damages, 1);
    cr_assert_eq(seen.n_damaged, 0);
}

/* A sparse file may be as long as its file system allows: the search for a chunk must not read through a hole. */
Test(file, a_hole_is_skipped_at_once, .timeout = 60)
{
    struct seen seen;
    uint64_t n_bytes = make();
    cr_assert_eq(truncate(path, (off_t)1 << 40), 0);
    cr_assert_eq(see(&seen), 0);
    cr_assert_eq(seen.n, N_CHUNKS);
    cr_assert_eq(seen.n_damages, 1);
    cr_assert_eq(seen.n_damaged, ((uint64_t)1 << 40) - n_bytes);
}

/* A chunk of zeros with the right checksum, then a thousand chunks of half a GiB whose payloads are holes. The file
 * takes 4 MiB of the disk, and must be read in no time. */
Test(file, holes_are_not_chunks, .timeout = 60)
{
    enum { N_HOLES = 1000, HOLE_BYTES = 1 << 29, FIRST_HOLE = 4 << 20 };
    uint64_t n_bytes = make(), end = (uint64_t)(N_HOLES + 1) * HOLE_BYTES;
    struct rv_rec_buffer buffer = {0};
    rv_chunk_begin(&buffer);
    memset(rv_rec_buffer_reserve(&buffer, FIRST_HOLE), 0, FIRST_HOLE);
    buffer.n += FIRST_HOLE;
    rv_chunk_end(&buffer, &(struct rv_rec_chunk){.type = RV_REC_EVENTS});
    rv_chunk_seal(&buffer, N_CHUNKS + 2);
    struct rv_rec_chunk chunk;
    memcpy(&chunk, buffer.bytes, sizeof chunk);
    int fd = open(path, O_WRONLY);
    cr_assert_eq(pwrite(fd, &chunk, sizeof chunk, (off_t)n_bytes), sizeof chunk);
    chunk.payload_bytes = HOLE_BYTES - sizeof chunk;
    for (uint64_t i = 1; i <= N_HOLES; i++)
        cr_assert_eq(pwrite(fd, &chunk, sizeof chunk, (off_t)(i * HOLE_BYTES)), sizeof chunk);
    cr_assert_eq(ftruncate(fd, (off_t)end), 0);
    close(fd);
    rv_rec_buffer_fini(&buffer);
    struct seen seen;
    cr_assert_eq(see(&seen), 0);
    cr_assert_eq(seen.n, N_CHUNKS);
    cr_assert_eq(seen.n_damages, 1);
    cr_assert_eq(seen.n_damaged, end - n_bytes);
}

Test(file, is_not_overwritten_unless_forced)
{
    struct rv_rec_writer writer;
    struct rv_rec_file file = {0};
    make();
    freopen("/dev/null", "w", stderr);
    cr_assert_eq(rv_rec_writer_open(&writer, path, &file, "other", false), -EEXIST);
    cr_assert_eq(rv_rec_writer_open(&writer, folder, &file, "other", true), -EEXIST);
    cr_assert_eq(rv_rec_writer_open(&writer, path, &file, "other", true), 0);
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
}

Test(file, another_version_is_refused)
{
    make();
    freopen("/dev/null", "w", stderr);
    struct rv_rec_reader *reader;
    struct rv_rec_buffer buffer = {0};
    struct rv_rec_file file = {.magic = RV_REC_FILE_MAGIC,
                               .major = RV_REC_MAJOR,
                               .endian = RV_WIRE_ENDIAN,
                               .feature_incompat = RV_REC_FEATURES + 1};
    rv_chunk_begin(&buffer);
    rv_rec_buffer_add(&buffer, &file, sizeof file);
    rv_rec_buffer_add(&buffer, "", 1);
    rv_chunk_end(&buffer, &(struct rv_rec_chunk){.type = RV_REC_FILE});
    rv_chunk_seal(&buffer, 0);
    int fd = open(path, O_WRONLY | O_TRUNC);
    cr_assert_eq(write(fd, buffer.bytes, buffer.n), (ssize_t)buffer.n);
    close(fd);
    cr_assert_eq(rv_rec_reader_open(&reader, path, NULL), -EPROTONOSUPPORT);
    rv_rec_buffer_fini(&buffer);
}

Test(file, a_fifo_is_refused_and_not_waited_for, .timeout = 60)
{
    make();
    freopen("/dev/null", "w", stderr);
    struct rv_rec_reader *reader;
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_assert_eq(rv_rec_reader_open(&reader, path, NULL), -EINVAL);
}

Test(file, numbers_of_streams_are_bounded_by_the_file_and_in_all)
{
    struct rv_rec_chunk chunk = {.stream = 3};
    cr_assert(rv_chunk_has_stream_within(&chunk, 4 * RV_REC_ALIGNMENT));
    cr_assert_not(rv_chunk_has_stream_within(&chunk, 4 * RV_REC_ALIGNMENT - 1));
    chunk.stream = RV_REC_MAX_STREAMS - 1;
    cr_assert(rv_chunk_has_stream_within(&chunk, UINT64_MAX));
    chunk.stream = RV_REC_MAX_STREAMS;
    cr_assert_not(rv_chunk_has_stream_within(&chunk, UINT64_MAX));
    chunk.stream = UINT32_MAX;
    cr_assert_not(rv_chunk_has_stream_within(&chunk, UINT64_MAX));
}

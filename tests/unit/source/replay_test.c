#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../import/collect.h"
#include "recording/chunk_writer.h"
#include "source/replay.h"

TestSuite(replay, .timeout = 60);

static char path[] = "/tmp/ringviz-test-XXXXXX";

/* A STRINGS chunk whose one definition has a name of n_bytes. */
static void put_name(struct rv_rec_writer *writer, struct rv_compressor *compressor, uint32_t id, size_t n_bytes)
{
    struct rv_rec_buffer raw = {0}, chunk = {0};
    struct rv_rec_string head = {.id = id};
    rv_rec_buffer_add(&raw, &head, sizeof head);
    rv_rec_buffer_add(&raw, "", 1);
    memset(rv_rec_buffer_reserve(&raw, n_bytes), 'a', n_bytes);
    raw.n += n_bytes;
    rv_rec_buffer_add(&raw, "\0", 2);
    rv_chunk_begin(&chunk);
    rv_compress_column(compressor, &chunk, 0, raw.bytes, raw.n);
    rv_chunk_end(&chunk, &(struct rv_rec_chunk){.type = RV_REC_STRINGS});
    cr_assert_eq(rv_rec_writer_put(writer, &chunk), 0);
    rv_rec_buffer_fini(&raw);
    rv_rec_buffer_fini(&chunk);
}

Test(replay, names_that_unpack_to_many_times_the_file_are_skipped)
{
    enum { N_NAMES = 4, NAME_BYTES = 30 << 20 };
    struct rv_rec_writer writer = {0};
    struct rv_rec_file file = {0};
    struct rv_compressor *compressor = rv_compressor_create();
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    cr_assert_eq(rv_rec_writer_open(&writer, path, &file, "names", true), 0);
    put_name(&writer, compressor, 1, 100);
    for (uint32_t i = 0; i < N_NAMES; i++)
        put_name(&writer, compressor, 2 + i, NAME_BYTES);
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
    rv_compressor_destroy(compressor);

    struct collected collected;
    collect_init(&collected);
    struct rv_source *source = rv_replay_open(path);
    cr_assert_not_null(source);
    freopen("/dev/null", "w", stderr); /* it prints that chunks are skipped */
    collect_all(&collected, source, 100);
    size_t n_defined = 0;
    for (size_t id = 0; id < collected.n_names; id++)
        n_defined += collected.names[id] != NULL;
    cr_assert_eq(n_defined, 1 + 2, "%zu names", n_defined); /* 64 MiB have room for two of them */
    source->close(source);
    collect_fini(&collected);
    unlink(path);
}

Test(replay, a_replay_has_the_clocks_of_its_file)
{
    struct rv_rec_writer writer = {0};
    const struct rv_rec_file file = {.mono_ns = 5000, .real_ns = 1795266146649213001};
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    close(fd);
    cr_assert_eq(rv_rec_writer_open(&writer, path, &file, "moment", true), 0);
    cr_assert_eq(rv_rec_writer_close(&writer), 0);
    struct rv_source *source = rv_replay_open(path);
    cr_assert_not_null(source);
    cr_expect_eq(source->origin_ns, 0);
    cr_expect_eq(source->mono_ns, file.mono_ns);
    cr_expect_eq(source->real_ns, file.real_ns);
    source->close(source);
    unlink(path);
}

/*
 * One gzip member. Its content is cut into slices that are deflated in parallel, each ended on a byte boundary
 * (Z_SYNC_FLUSH) so that they can be joined; their checksums are combined.
 */
#include "export/gzip.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/err.h"
#include "base/os.h"
#include "base/vec.h"

#define SLICE_BYTES (1u << 20)
#define LEVEL 1        /* four times as fast as the default, output a tenth larger */
#define RAW_WINDOW -15 /* no zlib header */
#define MEMORY_LEVEL 7 /* its tables fit the first cache: a fifth faster than 9, output as large */
enum { MOST_SLICES = 16 };

struct slice {
    unsigned char *in, *out;
    size_t n_in, n_out;
    uLong crc;
    bool is_last;
};

struct gzip {
    FILE *to;
    struct slice slices[MOST_SLICES];
    size_t n_slices, n_full;
    uLong crc;
    uint64_t n_bytes;
    int error; /* positive errno */
};

bool rv_gzip_is_name(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static size_t most_out(void)
{
    return deflateBound(NULL, SLICE_BYTES) + 64; /* plus the flush */
}

static void *allocate(void *context, unsigned n, unsigned item_bytes)
{
    (void)context;
    return rv_alloc_scratch(n, item_bytes);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

static void *deflate_slice(void *context)
{
    struct slice *slice = context;
    z_stream stream = {.next_in = slice->in,
                       .avail_in = (uInt)slice->n_in,
                       .next_out = slice->out,
                       .avail_out = (uInt)most_out(),
                       .zalloc = allocate,
                       .zfree = release};
    rv_assert(deflateInit2(&stream, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK);
    int result = deflate(&stream, slice->is_last ? Z_FINISH : Z_SYNC_FLUSH);
    rv_assert(result == (slice->is_last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0);
    slice->n_out = most_out() - stream.avail_out;
    slice->crc = crc32(crc32(0, NULL, 0), slice->in, (uInt)slice->n_in);
    deflateEnd(&stream);
    return NULL;
}

static void write_out(struct gzip *gzip, const void *bytes, size_t n)
{
    errno = 0;
    if (!gzip->error && fwrite(bytes, 1, n, gzip->to) != n)
        gzip->error = errno ? errno : EIO;
}

/* All slices that have data. */
static void deflate_all(struct gzip *gzip, size_t n)
{
    pthread_t threads[MOST_SLICES];
    bool has_thread[MOST_SLICES] = {false};
    for (size_t i = 1; i < n; i++)
        has_thread[i] = pthread_create(&threads[i], NULL, deflate_slice, &gzip->slices[i]) == 0;
    for (size_t i = 0; i < n; i++) {
        struct slice *slice = &gzip->slices[i];
        if (has_thread[i])
            pthread_join(threads[i], NULL);
        else
            deflate_slice(slice);
        write_out(gzip, slice->out, slice->n_out);
        gzip->crc = crc32_combine(gzip->crc, slice->crc, (z_off_t)slice->n_in);
        gzip->n_bytes += slice->n_in;
        slice->n_in = 0;
    }
    gzip->n_full = 0;
}

static ssize_t write_bytes(void *cookie, const char *bytes, size_t n)
{
    struct gzip *gzip = cookie;
    for (size_t done = 0; done < n;) {
        struct slice *slice = &gzip->slices[gzip->n_full];
        size_t n_now = n - done < SLICE_BYTES - slice->n_in ? n - done : SLICE_BYTES - slice->n_in;
        memcpy(slice->in + slice->n_in, bytes + done, n_now);
        slice->n_in += n_now;
        done += n_now;
        if (slice->n_in == SLICE_BYTES && ++gzip->n_full == gzip->n_slices)
            deflate_all(gzip, gzip->n_slices);
    }
    if (!gzip->error)
        return (ssize_t)n;
    errno = gzip->error;
    return 0;
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static int end_file(void *cookie)
{
    struct gzip *gzip = cookie;
    unsigned char tail[8];
    gzip->slices[gzip->n_full].is_last = true;
    deflate_all(gzip, gzip->n_full + 1);
    put_u32(tail, (uint32_t)gzip->crc);
    put_u32(tail + 4, (uint32_t)gzip->n_bytes);
    write_out(gzip, tail, sizeof tail);
    int error = gzip->error;
    for (size_t i = 0; i < gzip->n_slices; i++) {
        free(gzip->slices[i].in);
        free(gzip->slices[i].out);
    }
    free(gzip);
    errno = error;
    return error ? EOF : 0;
}

FILE *rv_gzip_open(FILE *to)
{
    static const unsigned char head[10] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 4 /* fastest */, 3 /* Unix */};
    struct gzip *gzip = rv_alloc(1, sizeof *gzip);
    gzip->to = to;
    gzip->n_slices = rv_os_n_cpus() < MOST_SLICES ? rv_os_n_cpus() : MOST_SLICES;
    gzip->crc = crc32(0, NULL, 0);
    for (size_t i = 0; i < gzip->n_slices; i++) {
        gzip->slices[i].in = rv_alloc(SLICE_BYTES, 1);
        gzip->slices[i].out = rv_alloc(most_out(), 1);
    }
    write_out(gzip, head, sizeof head);
    FILE *file = fopencookie(gzip, "w", (cookie_io_functions_t){.write = write_bytes, .close = end_file});
    if (!file)
        (void)end_file(gzip);
    return file;
}

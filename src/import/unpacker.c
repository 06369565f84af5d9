/* zlib's gzread() also reads plain files, so all that zstd did not pack takes the same path. */
#include "import/unpacker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/file_io.h"
#include "base/memory.h"
#include "base/vec.h"

enum { BUFFER_BYTES = 1 << 18 };

struct packed { /* read from the file, not yet unpacked */
    uint64_t offset; /* in the file, of the bytes that follow */
    ZSTD_inBuffer bytes;
    char buffer[BUFFER_BYTES];
};

struct rv_unpacker {
    int fd;
    gzFile gzip; /* NULL: packed by zstd */
    ZSTD_DStream *zstd;
    struct packed *packed; /* of zstd */
    bool is_amid, is_cut;  /* amid a frame of zstd */
    const char *why;
};

/* ---- gzip and plain ---- */

/* zlib lets nobody else allocate for it here. Takes the descriptor. */
static gzFile open_gzip(int fd)
{
    gzFile file;
    for (unsigned n_tries = 0; !(file = gzdopen(fd, "rb")); n_tries++)
        rv_memory_refused(0, n_tries);
    gzbuffer(file, BUFFER_BYTES);
    return file;
}

/* As gzread(). */
static int read_some(gzFile file, char *out, size_t max, int *code)
{
    for (unsigned n_tries = 0;; n_tries++) {
        int n_read = gzread(file, out, max > BUFFER_BYTES ? BUFFER_BYTES : (unsigned)max);
        *code = Z_OK;
        (void)gzerror(file, code); /* its text has a descriptor instead of the path */
        if (*code != Z_MEM_ERROR)
            return n_read;
        rv_memory_refused(0, n_tries);
        gzclearerr(file);
    }
}

static ssize_t read_gzip(struct rv_unpacker *unpacker, char *out, size_t max)
{
    int code, n_read = read_some(unpacker->gzip, out, max, &code);
    unpacker->is_cut |= code == Z_BUF_ERROR;
    if (n_read >= 0 || code == Z_BUF_ERROR)
        return n_read > 0 ? n_read : 0;
    unpacker->why = "damaged gzip data";
    return code == Z_ERRNO ? -errno : -EBADMSG;
}

/* ---- zstd ---- */

static bool is_zstd(int fd)
{
    static const unsigned char MAGIC[] = {0x28, 0xb5, 0x2f, 0xfd}; /* RFC 8878 */
    unsigned char begin[sizeof MAGIC];
    return rv_file_read_at(fd, begin, sizeof begin, 0) == sizeof begin && memcmp(begin, MAGIC, sizeof begin) == 0;
}

static void open_zstd(struct rv_unpacker *unpacker)
{
    for (unsigned n_tries = 0; !(unpacker->zstd = ZSTD_createDStream()); n_tries++)
        rv_memory_refused(0, n_tries);
    unpacker->packed = rv_alloc(1, sizeof *unpacker->packed);
    unpacker->packed->bytes.src = unpacker->packed->buffer;
}

/* Returns the bytes read, 0 at the file's end, or a negative errno. */
static ssize_t fill(struct rv_unpacker *unpacker)
{
    struct packed *packed = unpacker->packed;
    const ssize_t n = rv_file_read_at(unpacker->fd, packed->buffer, BUFFER_BYTES, packed->offset);
    packed->bytes.pos = 0;
    packed->bytes.size = n > 0 ? (size_t)n : 0;
    packed->offset += packed->bytes.size;
    return n;
}

/* There may be more in the decoder, so it is asked before the file is. */
static ssize_t read_zstd(struct rv_unpacker *unpacker, char *out, size_t max)
{
    ZSTD_outBuffer to = {out, max, 0};
    for (;;) {
        const size_t before = unpacker->packed->bytes.pos;
        const size_t rest = ZSTD_decompressStream(unpacker->zstd, &to, &unpacker->packed->bytes);
        if (ZSTD_isError(rest)) {
            unpacker->why = ZSTD_getErrorName(rest);
            return -EBADMSG;
        }
        if (to.pos || unpacker->packed->bytes.pos > before)
            unpacker->is_amid = rest != 0;
        if (to.pos)
            return (ssize_t)to.pos;
        if (unpacker->packed->bytes.pos < unpacker->packed->bytes.size)
            continue;
        const ssize_t n = fill(unpacker);
        unpacker->is_cut = n == 0 && unpacker->is_amid;
        if (n <= 0)
            return n;
    }
}

/* ---- both ---- */

struct rv_unpacker *rv_unpacker_open(int fd)
{
    struct rv_unpacker *unpacker = rv_alloc(1, sizeof *unpacker);
    unpacker->fd = fd;
    unpacker->why = "";
    if (is_zstd(fd))
        open_zstd(unpacker);
    else
        unpacker->gzip = open_gzip(fd);
    return unpacker;
}

void rv_unpacker_close(struct rv_unpacker *unpacker)
{
    if (unpacker->gzip)
        gzclose(unpacker->gzip);
    else
        close(unpacker->fd);
    ZSTD_freeDStream(unpacker->zstd);
    free(unpacker->packed);
    free(unpacker);
}

ssize_t rv_unpacker_read(struct rv_unpacker *unpacker, char *out, size_t max)
{
    return unpacker->gzip ? read_gzip(unpacker, out, max) : read_zstd(unpacker, out, max);
}

bool rv_unpacker_is_cut(const struct rv_unpacker *unpacker)
{
    return unpacker->is_cut;
}

const char *rv_unpacker_why(const struct rv_unpacker *unpacker)
{
    return unpacker->why;
}

uint64_t rv_unpacker_offset(const struct rv_unpacker *unpacker)
{
    if (!unpacker->gzip)
        return unpacker->packed->offset;
    const z_off_t offset = gzoffset(unpacker->gzip);
    return offset > 0 ? (uint64_t)offset : 0;
}

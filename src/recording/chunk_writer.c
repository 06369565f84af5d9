#include "recording/chunk_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file_io.h"
#include "base/vec.h"

static void make_file_chunk(struct rv_rec_buffer *buffer, const struct rv_rec_file *file, const char *program)
{
    struct rv_rec_file head = *file;
    head.magic = RV_REC_FILE_MAGIC;
    head.major = RV_REC_MAJOR;
    head.minor = RV_REC_MINOR;
    head.endian = RV_WIRE_ENDIAN;
    head.feature_incompat |= RV_REC_IN_CONTEXTS | RV_REC_IN_STEPS;
    head.feature_compat |= RV_REC_HAS_WAITS | RV_REC_TELLS_WAITS;
    if (!head.real_ns) {
        head.mono_ns = rv_clock_mono_ns();
        head.real_ns = rv_clock_real_ns();
    }
    if (getrandom(head.uuid, sizeof head.uuid, GRND_NONBLOCK) != (ssize_t)sizeof head.uuid)
        memset(head.uuid, 0, sizeof head.uuid);
    rv_chunk_begin(buffer);
    rv_rec_buffer_add(buffer, &head, sizeof head);
    rv_rec_buffer_add(buffer, program, strlen(program) + 1);
    rv_chunk_end(buffer, &(struct rv_rec_chunk){.type = RV_REC_FILE});
}

/* Remove an existing regular file; anything else is an error. */
static int remove_old(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? 0 : rv_err_sys("%s", path);
    if (!S_ISREG(status.st_mode))
        return rv_err(EEXIST, "%s: not a regular file: it is not replaced", path);
    return unlink(path) == 0 ? 0 : rv_err_sys("%s", path);
}

static int create(struct rv_rec_writer *writer, bool is_forced)
{
    int error = is_forced ? remove_old(writer->path) : 0;
    if (error)
        return error;
    writer->fd = open(writer->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer->fd < 0 && errno == EEXIST)
        return rv_err(EEXIST, "%s exists: it is not overwritten without --force", writer->path);
    return writer->fd < 0 ? rv_err_sys("%s", writer->path) : 0;
}

/* A file is never without its first chunk: all that needs memory is done before it is there. */
int rv_rec_writer_open(struct rv_rec_writer *writer, const char *path, const struct rv_rec_file *file,
                       const char *program, bool is_forced)
{
    struct rv_rec_buffer first = {0};
    make_file_chunk(&first, file, program);
    *writer = (struct rv_rec_writer){.fd = -1, .path = rv_strdup(path)};
    int error = create(writer, is_forced);
    if (!error && (error = rv_rec_writer_put(writer, &first)) != 0)
        unlink(path);
    if (error)
        rv_rec_writer_close(writer);
    rv_rec_buffer_fini(&first);
    return error;
}

int rv_rec_writer_begin(struct rv_rec_writer *writer, int fd, const struct rv_rec_file *file)
{
    struct rv_rec_buffer first = {0};
    make_file_chunk(&first, file, "");
    *writer = (struct rv_rec_writer){.fd = fd, .path = rv_strdup(""), .is_private = true};
    int error = rv_rec_writer_put(writer, &first);
    if (error)
        rv_rec_writer_close(writer);
    rv_rec_buffer_fini(&first);
    return error;
}

int rv_rec_writer_put(struct rv_rec_writer *writer, struct rv_rec_buffer *buffer)
{
    if (writer->error)
        return writer->error;
    rv_chunk_seal(buffer, writer->n_chunks);
    int error = rv_file_write(writer->fd, buffer->bytes, buffer->n);
    if (error) {
        writer->error = error;
        if (!writer->is_private)
            rv_err(-error, "%s: %s; recorded are the first %llu bytes", writer->path, strerror(-error),
                   (unsigned long long)writer->n_bytes);
        if (ftruncate(writer->fd, (off_t)writer->n_bytes) != 0) {
            /* A reader detects the torn chunk by its checksum. */
        }
        return error;
    }
    writer->n_chunks++;
    writer->n_bytes += buffer->n;
    return 0;
}

/* Support is tested past the end of the file, where it changes nothing. */
int rv_rec_writer_give_back(struct rv_rec_writer *writer, uint64_t from, uint64_t to)
{
    enum { TRIED_BYTES = 1 << 16 };
    uint64_t begin = from < to ? from : writer->n_bytes + TRIED_BYTES, n = from < to ? to - from : TRIED_BYTES;
    int error = fallocate(writer->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin, (off_t)n);
    return error ? -errno : 0;
}

int rv_rec_writer_rename(struct rv_rec_writer *writer, const char *path)
{
    if (renameat2(AT_FDCWD, writer->path, AT_FDCWD, path, RENAME_NOREPLACE) != 0)
        return -errno;
    free(writer->path);
    writer->path = rv_strdup(path);
    return 0;
}

int rv_rec_writer_close(struct rv_rec_writer *writer)
{
    if (!writer->path)
        return 0;
    int error = writer->error;
    if (writer->fd >= 0 && close(writer->fd) != 0 && !error)
        error = rv_err_sys("%s", writer->path);
    free(writer->path);
    *writer = (struct rv_rec_writer){.fd = -1};
    return error;
}

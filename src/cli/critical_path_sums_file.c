/*
 * In the user's cache, not beside the recording, whose folder may be another user's or read-only. The file's name is the
 * recording's identity: a hash of its size, the time when it was last written, its first bytes with the uuid, and its
 * last ones with the checksums of the last chunks. A recording in which a byte was changed has another identity, and so
 * has a copy that was given the time of copying.
 *
 * What is kept has ids of subroutines, and calls as the scan has found them: it is believed by the same ringviz only,
 * where the ids have the same names.
 */
#include "cli/critical_path_sums_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/hash.h"
#include "base/private_cache.h"
#include "base/vec.h"
#include "cli/cache_folder.h"

enum { END_BYTES = 4096, MOST_BYTES_A_CALL = 4 };

#define MOST_BYTES (UINT64_C(128) << 20)

/* Returns the size; 0: the recording has no identity. */
static uint64_t identify(const char *path, uint64_t *identity)
{
    uint8_t ends[2 * END_BYTES] = {0};
    struct stat status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= END_BYTES;
    const uint64_t n_bytes = is_file ? (uint64_t)status.st_size : 0;
    const bool is_read = is_file && rv_file_read_at(fd, ends, END_BYTES, 0) == END_BYTES &&
                         rv_file_read_at(fd, ends + END_BYTES, END_BYTES, n_bytes - END_BYTES) == END_BYTES;
    close(fd);
    *identity = rv_hash_bytes_seeded(ends, sizeof ends, rv_hash_combine(n_bytes, rv_clock_time_ns(status.st_mtim)));
    return is_read ? n_bytes : 0;
}

static void *take_bytes(const char *folder, uint64_t identity, size_t *n)
{
    uint64_t n_bytes;
    uint8_t *bytes = NULL;
    const int fd = rv_private_cache_open(folder, identity, &n_bytes);
    if (fd < 0)
        return NULL;
    if (n_bytes <= MOST_BYTES) {
        bytes = rv_alloc_scratch(n_bytes + 1, 1);
        const ssize_t n_read = rv_file_read_at(fd, bytes, n_bytes, 0);
        *n = n_read > 0 ? (size_t)n_read : 0;
    }
    close(fd);
    return bytes;
}

static uint64_t hash_content(uint64_t identity, struct rv_subroutines *subroutines)
{
    static const char version[] = RINGVIZ_VERSION;
    return rv_hash_bytes_seeded(version, sizeof version, rv_hash_combine(identity, rv_subroutines_hash(subroutines)));
}

void rv_critical_path_sums_file_open(struct rv_critical_path_sums_file *file, const char *recording,
                                     struct rv_subroutines *subroutines)
{
    *file = (struct rv_critical_path_sums_file){.sums = NULL};
    const uint64_t n_bytes = identify(recording, &file->recording);
    file->folder = n_bytes ? rv_cache_folder_open(RV_CACHE_SUMS, file->path) : NULL;
    if (!file->folder)
        return;
    struct rv_critical_path_sums_params params = {.recording = hash_content(file->recording, subroutines),
                                                  .most_bytes = n_bytes < MOST_BYTES ? n_bytes : MOST_BYTES,
                                                  .most_bytes_a_call = MOST_BYTES_A_CALL};
    params.bytes = take_bytes(file->folder, file->recording, &params.n_bytes);
    file->sums = rv_critical_path_sums_create(&params);
}

void rv_critical_path_sums_file_close(struct rv_critical_path_sums_file *file)
{
    struct iovec bytes;
    bytes.iov_base = file->sums ? rv_critical_path_sums_take_bytes(file->sums, &bytes.iov_len) : NULL;
    if (bytes.iov_base)
        (void)rv_private_cache_write(file->folder, file->recording, &bytes, 1);
    free(bytes.iov_base);
    rv_critical_path_sums_destroy(file->sums);
    file->sums = NULL;
}

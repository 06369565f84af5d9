/* The bytes of a file that is plain, or packed by gzip or zstd: its first bytes tell. */
#ifndef RV_IMPORT_UNPACKER_H
#define RV_IMPORT_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rv_unpacker; /* opaque */

/* Takes the descriptor of a file that can be read at any offset. Cannot fail. */
struct rv_unpacker *rv_unpacker_open(int fd);
void rv_unpacker_close(struct rv_unpacker *unpacker);

/*
 * Read on.
 *   returns  bytes, 0 at the end, -EBADMSG when the packed data are bad (rv_unpacker_why), or the error of reading,
 *            with errno set. Of a truncated file it gives what is there; is_cut() is then true
 */
ssize_t rv_unpacker_read(struct rv_unpacker *unpacker, char *out, size_t max);
bool rv_unpacker_is_cut(const struct rv_unpacker *unpacker);

/* What is wrong with the packed data; a constant string. */
const char *rv_unpacker_why(const struct rv_unpacker *unpacker);

/* Bytes of the file that are read so far. */
uint64_t rv_unpacker_offset(const struct rv_unpacker *unpacker);

#endif

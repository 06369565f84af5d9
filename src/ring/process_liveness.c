#include "ring/process_liveness.h"

#include <errno.h>
#include <fcntl.h>

#include "base/mappings.h"
#include "base/os.h"
#include "ringviz/wire.h"

static struct flock byte_range(short type, uint64_t first_byte, uint64_t n_bytes)
{
    return (struct flock){.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = RV_WIRE_LOCK_BASE + (off_t)first_byte,
                          .l_len = (off_t)n_bytes};
}

static bool set_lock(int fd, short type, uint64_t byte)
{
    int saved = errno;
    struct flock range = byte_range(type, byte, 1);
    int result;
    do
        result = fcntl(fd, F_OFD_SETLK, &range);
    while (result < 0 && errno == EINTR);
    errno = saved;
    return result == 0;
}

bool rv_process_liveness_lock(int fd, uint64_t byte)
{
    return set_lock(fd, F_WRLCK, byte);
}

bool rv_process_liveness_lock_shared(int fd, uint64_t byte)
{
    return set_lock(fd, F_RDLCK, byte);
}

void rv_process_liveness_unlock(int fd, uint64_t byte)
{
    set_lock(fd, F_UNLCK, byte);
}

/* One of the locks on these bytes by others, as *range; false: there is none. */
static bool find_lock(int fd, uint64_t first_byte, uint64_t n_bytes, struct flock *range)
{
    int saved = errno;
    *range = byte_range(F_WRLCK, first_byte, n_bytes);
    int result = fcntl(fd, F_OFD_GETLK, range);
    errno = saved;
    return result == 0 && range->l_type != F_UNLCK;
}

bool rv_process_liveness_is_locked(int fd, uint64_t first_byte, uint64_t n_bytes)
{
    struct flock range;
    return find_lock(fd, first_byte, n_bytes, &range);
}

void rv_process_liveness_find_locked(int fd, uint64_t first_byte, uint64_t n_bytes, uint64_t *is_locked)
{
    struct flock range;
    uint64_t next = 0;
    while (next < n_bytes && find_lock(fd, first_byte + next, n_bytes - next, &range)) {
        const uint64_t base = (uint64_t)RV_WIRE_LOCK_BASE + first_byte, from = (uint64_t)range.l_start;
        const uint64_t end = range.l_len ? from + (uint64_t)range.l_len - base : n_bytes;
        for (next = from > base ? from - base : 0; next < end && next < n_bytes; next++)
            is_locked[next / 64] |= 1ull << next % 64;
    }
}

bool rv_process_liveness_is_running(uint32_t pid, uint64_t start)
{
    if (!pid || !start || rv_os_process_start((pid_t)pid) != start)
        return false;
    const char state = rv_os_process_state((pid_t)pid);
    return state && state != 'Z' && state != 'X';
}

bool rv_process_liveness_maps_file(uint32_t pid, ino_t inode)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    bool is_found = false;
    int error = rv_mappings_open(&mappings, (pid_t)pid);
    if (error)
        return error == -EACCES || error == -EPERM;
    while (!is_found && rv_mappings_next(&mappings, &mapping))
        is_found = mapping.inode == inode;
    rv_mappings_close(&mappings);
    return is_found;
}

#include "patch/patched_copies.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/hash.h"
#include "base/private_cache.h"

#define LEAST_SITES 256u                 /* to write fewer takes no longer than to map a copy */
#define MOST_BYTES (UINT64_C(128) << 20) /* node has 94 MiB */
#define PAGE_STATES "/proc/self/pagemap" /* a word for each page: */
#define IS_PRESENT (UINT64_C(1) << 63)
#define IS_SWAPPED (UINT64_C(1) << 62)
#define IS_OF_FILE (UINT64_C(1) << 61)
#define PAGE 4096u
#define PAGES 512u /* at a time */

struct trailer { /* behind the program's bytes, without padding between its fields */
    struct rv_patch_plan_key key;
    uint64_t jumps;
    char boot_id[RV_PRIVATE_CACHE_BOOT_ID_BYTES];
};

struct bytes { /* of the program's file, to be changed here alone */
    uint8_t *at;
    size_t n;
};

static uint64_t number_of(const struct trailer *trailer)
{
    return rv_hash_bytes(trailer, offsetof(struct trailer, boot_id));
}

/* ---- what is in memory ---- */

/* Has the process no page of its own there? Pages that were swapped were its own. */
static bool are_of_file(int states, uint64_t first, uint64_t end)
{
    uint64_t words[PAGES];
    for (uint64_t page = first / PAGE; page < (end + PAGE - 1) / PAGE; page += PAGES) {
        const uint64_t n_left = (end + PAGE - 1) / PAGE - page, n = n_left < PAGES ? n_left : PAGES;
        if (rv_file_read_at(states, words, n * sizeof *words, page * sizeof *words) != (ssize_t)(n * sizeof *words))
            return false;
        for (size_t i = 0; i < n; i++)
            if (words[i] & IS_SWAPPED || (words[i] & (IS_PRESENT | IS_OF_FILE)) == IS_PRESENT)
                return false;
    }
    return true;
}

/* A library that was started before, or a probe of the kernel, may have written into the code: a copy has not that. */
static bool is_unchanged(const struct rv_patch_image *image)
{
    const int states = open(PAGE_STATES, O_RDONLY | O_CLOEXEC);
    bool is_unchanged = states >= 0;
    for (size_t i = 0; i < image->n_segments && is_unchanged; i++)
        if (image->segments[i].is_code && !image->segments[i].is_writable)
            is_unchanged = are_of_file(states, image->segments[i].start, image->segments[i].end);
    if (states >= 0)
        close(states);
    return is_unchanged;
}

/* ---- reading ---- */

static bool is_whole(int fd, uint64_t n_file, const struct rv_patch_copy *copy, const struct trailer *wanted)
{
    struct trailer trailer;
    const uint64_t n_program = (uint64_t)copy->file->st_size;
    return n_file == n_program + sizeof trailer &&
           rv_file_read_at(fd, &trailer, sizeof trailer, n_program) == (ssize_t)sizeof trailer &&
           memcmp(&trailer, wanted, sizeof trailer) == 0;
}

/* Another machine may remove a file that is mapped here: its pages would be gone. */
static bool is_shared(int fd)
{
    static const uint32_t TYPES[] = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, 0xff534d42u /* cifs */, 0xfe534d42u /* smb2 */,
                                     FUSE_SUPER_MAGIC, V9FS_MAGIC,      AFS_SUPER_MAGIC,        0x00c36400u /* ceph */};
    struct statfs system;
    bool is_shared = fstatfs(fd, &system) != 0;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES && !is_shared; i++)
        is_shared = (uint32_t)system.f_type == TYPES[i];
    return is_shared;
}

static int open_copy(const struct rv_patch_copy *copy, const struct trailer *trailer)
{
    uint64_t n_file;
    const int fd = rv_private_cache_open(copy->folder, number_of(trailer), &n_file);
    if (fd < 0)
        return fd;
    const int error = is_shared(fd) ? -EPERM : is_whole(fd, n_file, copy, trailer) ? 0 : -EBADMSG;
    if (error)
        close(fd);
    return error ? error : fd;
}

/* ---- writing ---- */

/* A segment of code that was changed while it was loaded, as by text relocations, would have them no more. */
static bool is_like(const struct rv_patch_segment *segment, const struct rv_patch_segment *of_file, uint64_t bias)
{
    return segment->start - bias == of_file->start && segment->end - bias == of_file->end &&
           segment->offset == of_file->offset &&
           (!segment->is_code ||
            (segment->is_readable && memcmp(segment->bytes, of_file->bytes, of_file->end - of_file->start) == 0));
}

/* Do the file's segments lie where the image has them, with the same code? */
static bool are_segments_like(const struct rv_patch_image *image, const struct rv_patch_image *of_file)
{
    bool are_like = image->n_segments == of_file->n_segments;
    for (size_t i = 0; i < image->n_segments && are_like; i++)
        are_like = is_like(&image->segments[i], &of_file->segments[i], image->bias);
    return are_like;
}

static bool write_jump(const struct rv_patch_copy *copy, const struct rv_patch_image *of_file,
                       const struct rv_patch_site *site, struct bytes bytes)
{
    size_t n;
    const uint8_t *at = rv_patch_image_at(of_file, site->address - copy->image->bias, &n);
    if (!at || n < site->n_bytes || memcmp(at, site->original, site->n_bytes) != 0)
        return false;
    memcpy(bytes.at + (at - bytes.at), site->jump, site->n_bytes);
    return true;
}

static int write_jumps(const struct rv_patch_copy *copy, struct bytes bytes)
{
    struct rv_patch_image of_file;
    int error = rv_patch_image_file(&of_file, bytes.at, bytes.n);
    if (!error && !are_segments_like(copy->image, &of_file))
        error = -EBADMSG;
    for (size_t i = 0; i < copy->n_sites && !error; i++)
        error = write_jump(copy, &of_file, &copy->sites[i], bytes) ? 0 : -EBADMSG;
    return error;
}

static int map_program(const struct rv_patch_copy *copy, struct bytes *bytes)
{
    struct stat now;
    int error = -EBADMSG;
    const int fd = open(copy->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &now) == 0 && now.st_dev == copy->file->st_dev && now.st_ino == copy->file->st_ino &&
        now.st_size == copy->file->st_size) {
        bytes->n = (size_t)now.st_size;
        bytes->at = mmap(NULL, bytes->n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        error = bytes->at == MAP_FAILED ? -ENOMEM : 0;
    }
    close(fd);
    return error;
}

static int write_copy(const struct rv_patch_copy *copy, struct trailer *trailer)
{
    struct bytes bytes;
    int error = map_program(copy, &bytes);
    if (error)
        return error;
    error = write_jumps(copy, bytes);
    const struct iovec parts[] = {{bytes.at, bytes.n}, {trailer, sizeof *trailer}};
    if (!error)
        error = rv_private_cache_write(copy->folder, number_of(trailer), parts, 2);
    munmap(bytes.at, bytes.n);
    return error;
}

uint64_t rv_patch_copy_jumps(const struct rv_patch_copy *copy)
{
    uint64_t hash = copy->n_sites;
    for (size_t i = 0; i < copy->n_sites; i++) {
        const struct rv_patch_site *site = &copy->sites[i];
        uint8_t bytes[2 * RV_PATCH_HOST_BYTES] = {0};
        memcpy(bytes, site->jump, site->n_bytes);
        memcpy(bytes + RV_PATCH_HOST_BYTES, site->original, site->n_bytes);
        hash = rv_hash_combine(rv_hash_combine(hash, site->address - copy->image->bias),
                               rv_hash_bytes(bytes, sizeof bytes));
    }
    return hash;
}

/* Of a copy with these jumps; an error: this process is to use none. */
static int fill(const struct rv_patch_copy *copy, uint64_t jumps, struct trailer *trailer)
{
    *trailer = (struct trailer){.key = *copy->key, .jumps = jumps};
    return is_unchanged(copy->image) ? rv_private_cache_boot_id(trailer->boot_id) : -EBADMSG;
}

int rv_patch_copy_find(const struct rv_patch_copy *copy, uint64_t jumps)
{
    struct trailer trailer;
    const int error = fill(copy, jumps, &trailer);
    return error ? error : open_copy(copy, &trailer);
}

int rv_patch_copy_open(const struct rv_patch_copy *copy)
{
    struct trailer trailer;
    if (copy->n_sites < LEAST_SITES)
        return -ENOENT;
    if ((uint64_t)copy->file->st_size > MOST_BYTES)
        return -E2BIG;
    int error = fill(copy, rv_patch_copy_jumps(copy), &trailer);
    if (error)
        return error;
    const int fd = open_copy(copy, &trailer);
    if (fd >= 0 || fd == -EPERM)
        return fd;
    error = write_copy(copy, &trailer);
    return error ? error : open_copy(copy, &trailer);
}

#include "attach/open_calls.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mappings.h"
#include "base/vec.h"
#include "patch/unwind_table.h"
#include "ring/attachment.h"

#define MOST_CALLS 1024u  /* on a thread's stack */
#define MOST_FRAMES 4096u /* frames of functions that are not patched included */
#define WORD sizeof(uint64_t)

struct rv_open_calls_file {
    uint64_t start, end; /* of its code in the process */
    uint64_t bias;       /* addresses in the process are so much above the file's */
    void *bytes;
    size_t n_bytes;
    struct rv_patch_image image;
};

/* ---- files ---- */

static bool is_mapped_file(int fd, const struct rv_mapping *mapping, struct stat *file)
{
    return fstat(fd, file) == 0 && S_ISREG(file->st_mode) && file->st_dev == mapping->device &&
           file->st_ino == mapping->inode && file->st_size > 0;
}

static bool map_file(pid_t pid, const struct rv_mapping *mapping, struct rv_open_calls_file *file)
{
    struct stat status;
    char path[PATH_MAX], link[RV_MAPPINGS_LINK_BYTES];
    if (rv_mappings_link_deleted(pid, mapping->start, link))
        snprintf(path, sizeof path, "%s", link);
    else
        snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, mapping->path);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    file->bytes = MAP_FAILED;
    if (is_mapped_file(fd, mapping, &status)) {
        file->n_bytes = (size_t)status.st_size;
        file->bytes = mmap(NULL, file->n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    return file->bytes != MAP_FAILED;
}

/* The bias of a mapping: what its code's segment says. */
static bool find_bias(struct rv_open_calls_file *file, uint64_t offset)
{
    for (size_t i = 0; i < file->image.n_segments; i++) {
        const struct rv_patch_segment *segment = &file->image.segments[i];
        const uint64_t n_bytes = segment->end - segment->start;
        if (!segment->is_code || offset + (file->end - file->start) <= segment->offset ||
            offset >= segment->offset + n_bytes)
            continue;
        file->bias = file->start - offset - (segment->start - segment->offset);
        return true;
    }
    return false;
}

static void add_file(struct rv_open_calls *open, pid_t pid, const struct rv_mapping *mapping)
{
    struct rv_open_calls_file file = {.start = mapping->start, .end = mapping->end};
    if (!map_file(pid, mapping, &file))
        return;
    if (rv_patch_image_file(&file.image, file.bytes, file.n_bytes) != 0 || !find_bias(&file, mapping->offset)) {
        munmap(file.bytes, file.n_bytes);
        return;
    }
    open->files = rv_vec_reserve(open->files, &open->capacity, open->n_files + 1, sizeof *open->files);
    open->files[open->n_files++] = file;
}

void rv_open_calls_begin(struct rv_open_calls *open, pid_t pid)
{
    struct rv_mapping mapping;
    struct rv_mappings mappings;
    *open = (struct rv_open_calls){0};
    if (rv_mappings_open(&mappings, pid) != 0)
        return;
    while (rv_mappings_next(&mappings, &mapping))
        if (mapping.is_executable && mapping.inode)
            add_file(open, pid, &mapping);
    rv_mappings_close(&mappings);
}

void rv_open_calls_end(struct rv_open_calls *open)
{
    for (size_t i = 0; i < open->n_files; i++)
        munmap(open->files[i].bytes, open->files[i].n_bytes);
    free(open->files);
    free(open->lists);
    *open = (struct rv_open_calls){0};
}

/* ---- a walk ---- */

struct walk {
    const struct rv_open_calls *open;
    const struct rv_ptrace *tracee;
    const struct rv_jump_sites *sites;
    uint64_t at, stack, base;                    /* registers: rip, rsp, rbp */
    bool is_call;                                /* at is where a call returns to, not the next instruction */
    bool has_ended;                              /* at the function that nobody has called */
    struct rv_attachment_call calls[MOST_CALLS]; /* innermost first */
    size_t n_calls;
};

static const struct rv_open_calls_file *find_file(const struct rv_open_calls *open, uint64_t address)
{
    for (size_t i = 0; i < open->n_files; i++)
        if (address >= open->files[i].start && address < open->files[i].end)
            return &open->files[i];
    return NULL;
}

/* The second of an instruction's bytes is its ModRM byte: a call's has 2 in the middle. */
static bool is_indirect_call(const uint8_t *bytes)
{
    return bytes[0] == 0xff && (bytes[1] & 0x38) == 0x10;
}

/* Does the instruction before an address call? By its length: 5 with a distance, 2, 3, 4, 6 or 7 by a register or memory. */
static bool is_behind_call(const struct rv_open_calls *open, uint64_t address)
{
    enum { MOST_BYTES = 7, DISTANCE_BYTES = 5 };
    const struct rv_open_calls_file *file = find_file(open, address - MOST_BYTES);
    size_t n;
    const uint8_t *bytes = file ? rv_patch_image_at(&file->image, address - MOST_BYTES - file->bias, &n) : NULL;
    if (!bytes || n < MOST_BYTES)
        return false;
    bytes += MOST_BYTES;
    return bytes[-DISTANCE_BYTES] == 0xe8 || is_indirect_call(bytes - 2) || is_indirect_call(bytes - 3) ||
           is_indirect_call(bytes - 4) || is_indirect_call(bytes - 6) || is_indirect_call(bytes - 7);
}

/* The frame's address at the walk's place; 0: it is not known. */
static uint64_t frame_address(const struct walk *walk, const struct rv_patch_unwind_row *row)
{
    if (row->base == RV_PATCH_UNWIND_ROW_RSP)
        return walk->stack + (uint64_t)row->offset;
    return row->base == RV_PATCH_UNWIND_ROW_RBP ? walk->base + (uint64_t)row->offset : 0;
}

/* A function at whose first instruction the thread is has not begun: its jump will be met. */
static void add_call(struct walk *walk, uint64_t function, uint64_t slot, uint64_t returns_to)
{
    if ((walk->is_call || walk->at != function) && walk->n_calls < MOST_CALLS &&
        rv_jump_sites_has_function(walk->sites, function) && is_behind_call(walk->open, returns_to))
        walk->calls[walk->n_calls++] = (struct rv_attachment_call){.function = function, .slot = slot};
}

/* To the caller. rbp is read where the frame has kept it; one that is lost is none that a frame begins at. */
static bool go_up(struct walk *walk, const struct rv_patch_unwind_row *row, uint64_t frame, uint64_t returns_to)
{
    if (row->rbp_at == RV_PATCH_UNWIND_ROW_LOST)
        walk->base = 0;
    else if (row->rbp_at && rv_ptrace_read(walk->tracee, frame + (uint64_t)row->rbp_at, &walk->base, WORD) != 0)
        return false;
    walk->at = returns_to;
    walk->stack = frame;
    walk->is_call = true;
    return true;
}

/* False: the walk is over. */
static bool step(struct walk *walk)
{
    struct rv_patch_unwind_frame range;
    struct rv_patch_unwind_rows rows;
    uint64_t returns_to;
    const uint64_t looked_up = walk->at - walk->is_call;
    const struct rv_open_calls_file *file = find_file(walk->open, looked_up);
    if (!file || !rv_patch_unwind_frame_find(&file->image, looked_up - file->bias, &range) || range.is_signal)
        return false;
    rv_patch_unwind_rows_begin(&rows, &file->image, &range);
    const struct rv_patch_unwind_row row = rv_patch_unwind_rows_at(&rows, looked_up - file->bias);
    walk->has_ended = row.base == RV_PATCH_UNWIND_ROW_OUTERMOST;
    const uint64_t frame = frame_address(walk, &row);
    if (walk->has_ended || frame <= walk->stack || rv_ptrace_read(walk->tracee, frame - WORD, &returns_to, WORD) != 0)
        return false;
    if (range.is_function)
        add_call(walk, range.start + file->bias, frame - WORD, returns_to);
    return go_up(walk, &row, frame, returns_to);
}

/* ---- lists ---- */

/* Outermost first, with an end. */
static void turn_around(struct walk *walk)
{
    for (size_t i = 0; i < walk->n_calls / 2; i++) {
        const struct rv_attachment_call call = walk->calls[i];
        walk->calls[i] = walk->calls[walk->n_calls - 1 - i];
        walk->calls[walk->n_calls - 1 - i] = call;
    }
    walk->calls[walk->n_calls++] = (struct rv_attachment_call){0};
}

static bool walk_thread(struct walk *walk, const struct rv_ptrace_thread *thread)
{
    walk->at = thread->registers.rip;
    walk->stack = thread->registers.rsp;
    walk->base = thread->registers.rbp;
    walk->is_call = walk->has_ended = false;
    walk->n_calls = 0;
    for (unsigned i = 0; i < MOST_FRAMES && step(walk); i++)
        ;
    return walk->has_ended && walk->n_calls && walk->n_calls < MOST_CALLS;
}

void rv_open_calls_find(struct rv_open_calls *open, const struct rv_ptrace *tracee, const struct rv_jump_sites *sites,
                        uint64_t room)
{
    struct walk walk = {.open = open, .tracee = tracee, .sites = sites};
    size_t n_left = RV_ATTACHMENT_CALLS;
    free(open->lists);
    open->lists = rv_alloc(tracee->n_threads, sizeof *open->lists);
    for (size_t i = 0; i < tracee->n_threads; i++) {
        if (!walk_thread(&walk, &tracee->threads[i]))
            continue;
        turn_around(&walk);
        if (walk.n_calls > n_left || rv_ptrace_write(tracee, room, walk.calls, walk.n_calls * sizeof *walk.calls) != 0)
            return;
        open->lists[i] = room;
        room += walk.n_calls * sizeof *walk.calls;
        n_left -= walk.n_calls;
    }
}

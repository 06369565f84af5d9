#include "patch/plan_key.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"

/* Of the index of functions (.eh_frame_hdr), which counts from where it lies; 0: there is none, or of another form. */
static uint64_t hash_of_index(const struct rv_patch_image *image)
{
    enum { COUNT_AT = 8, ENTRIES_AT = 12, ENTRY_BYTES = 8 };
    uint32_t n = 0;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(image, image->unwind_table, &n_bytes);
    if (!bytes || n_bytes < ENTRIES_AT)
        return 0;
    memcpy(&n, bytes + COUNT_AT, sizeof n);
    return n <= (n_bytes - ENTRIES_AT) / ENTRY_BYTES ? rv_hash_bytes(bytes, ENTRIES_AT + (size_t)n * ENTRY_BYTES) : 0;
}

static uint64_t shape_of(const struct rv_patch_image *image)
{
    const uint64_t entry = image->entry ? image->entry - image->bias : 0;
    uint64_t hash = rv_hash_combine(entry, image->unwind_table - image->bias);
    for (size_t i = 0; i < image->n_segments; i++) {
        hash = rv_hash_combine(hash, image->segments[i].start - image->bias);
        hash = rv_hash_combine(hash, image->segments[i].end - image->bias);
    }
    return rv_hash_combine(hash, hash_of_index(image));
}

static uint64_t hash_of_planner(const char *planner)
{
    struct stat file;
    if (stat(planner, &file) != 0)
        return 0;
    const struct rv_patch_file_state state = rv_patch_file_state(&file);
    return rv_hash_bytes(&state, sizeof state);
}

struct rv_patch_file_state rv_patch_file_state(const struct stat *file)
{
    return (struct rv_patch_file_state){.device = file->st_dev,
                                        .inode = file->st_ino,
                                        .n_bytes = (uint64_t)file->st_size,
                                        .modified_ns = rv_clock_time_ns(file->st_mtim),
                                        .changed_ns = rv_clock_time_ns(file->st_ctim)};
}

void rv_patch_plan_key(struct rv_patch_plan_key *key, const char *planner, const struct stat *file,
                       const struct rv_patch_image *image)
{
    *key = (struct rv_patch_plan_key){
        .file = rv_patch_file_state(file), .shape = shape_of(image), .planner = hash_of_planner(planner)};
}

/* By texts among its constants, and by names among its dynamic symbols. */
#include "producers/native/image_facts.h"

#include <string.h>

#include "base/stack_walker.h"
#include "patch/dynamic.h"

static const char *const READER_NAMES[] = {"__asan_init", "__tsan_init", "__msan_init"};
static const char *const HOOK_NAMES[] = {"__cyg_profile_func_enter", "mcount", "_mcount", "__fentry__"};
#define N(array) (sizeof(array) / sizeof *(array))

/* Some linkers put them into the code's segment. */
static bool has_constants_apart(const struct rv_patch_image *image)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(image, image->unwind_table);
    return segment && !segment->is_code;
}

static bool holds_stack_walker(const struct rv_patch_image *image)
{
    const bool are_apart = has_constants_apart(image);
    bool holds = false;
    for (size_t i = 0; i < image->n_segments && !holds; i++) {
        const struct rv_patch_segment *segment = &image->segments[i];
        holds = segment->is_readable && !(segment->is_code && are_apart) &&
                rv_stack_walker_find(segment->bytes, segment->end - segment->start);
    }
    return holds;
}

static bool has_name(const struct rv_patch_image *image, const char *const *wanted, size_t n_wanted)
{
    size_t n_bytes;
    const char *names = (const char *)rv_patch_dynamic_table(image, DT_STRTAB, DT_STRSZ, &n_bytes);
    for (size_t i = 0; names && i < n_wanted; i++) {
        const char *from = names, *end = names + n_bytes, *found;
        for (; (found = memmem(from, (size_t)(end - from), wanted[i], strlen(wanted[i]) + 1)); from = found + 1)
            if (found > names && found[-1] == '\0') /* the table begins with a 0 */
                return true;
    }
    return false;
}

bool rv_image_reads_return_addresses(const struct rv_patch_image *image)
{
    return has_name(image, READER_NAMES, N(READER_NAMES)) || holds_stack_walker(image);
}

bool rv_image_has_hooks(const struct rv_patch_image *image)
{
    return has_name(image, HOOK_NAMES, N(HOOK_NAMES));
}

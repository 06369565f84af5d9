#include "patch/return_address_readers.h"

#include "base/stack_walking_runtimes.h"
#include "patch/dynamic_section.h"

static const char *const SANITIZER_NAMES[] = {"__asan_init", "__tsan_init", "__msan_init", "__lsan_init"};

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
                rv_stack_walking_runtimes_find(segment->bytes, segment->end - segment->start);
    }
    return holds;
}

bool rv_patch_reads_return_addresses(const struct rv_patch_image *image)
{
    return rv_patch_dynamic_section_names(image, SANITIZER_NAMES, sizeof SANITIZER_NAMES / sizeof *SANITIZER_NAMES) ||
           holds_stack_walker(image);
}

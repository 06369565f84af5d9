/* By texts among its constants, and by names among its dynamic symbols. */
#include "producers/native/image_facts.h"

#include <string.h>

#include "patch/dynamic.h"

static const char *const READER_TEXTS[] = {"OCAMLRUNPARAM", "SBCL_HOME", "GHCRTS", "\xff Go buildinf:"};
static const char *const READER_NAMES[] = {"__asan_init", "__tsan_init", "__msan_init"};
static const char *const HOOK_NAMES[] = {"__cyg_profile_func_enter", "mcount", "_mcount", "__fentry__"};
#define N(array) (sizeof(array) / sizeof *(array))

static bool has_text(const struct rv_patch_image *image, const char *text)
{
    for (size_t i = 0; i < image->n_segments; i++) {
        const struct rv_patch_segment *segment = &image->segments[i];
        if (segment->is_readable && !segment->is_code &&
            memmem(segment->bytes, segment->end - segment->start, text, strlen(text)))
            return true;
    }
    return false;
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
    bool reads = has_name(image, READER_NAMES, N(READER_NAMES));
    for (size_t i = 0; !reads && i < N(READER_TEXTS); i++)
        reads = has_text(image, READER_TEXTS[i]);
    return reads;
}

bool rv_image_has_hooks(const struct rv_patch_image *image)
{
    return has_name(image, HOOK_NAMES, N(HOOK_NAMES));
}

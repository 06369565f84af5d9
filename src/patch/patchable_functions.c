#include "patch/patchable_functions.h"

#include <errno.h>
#include <stdlib.h>

#include "patch/code_survey.h"

#define TRIVIAL_BYTES 64u
#define MAX_PADDING 15u
#define REACH (128u + RV_PATCH_NEAR_ENTRY) /* of a short jump to an island near the begin of a function */
#define LONGEST UINT32_MAX
#define MOST_JUMPS 4u /* followed from function to function */

/* ---- judgement ---- */

static bool is_plain_code(const struct rv_patch_image *image, const struct rv_patch_range *range)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(image, range->start);
    return segment && segment->is_code && segment->is_readable && !segment->is_writable && range->end <= segment->end &&
           range->end - range->start <= LONGEST;
}

/* Where it ends by a jump, the next function has its return address: __sigsetjmp that of _setjmp. */
static bool uses_return_address(const struct rv_patch_survey *survey, const struct rv_patch_range *range)
{
    for (unsigned n = 0; n < MOST_JUMPS && range && !range->uses_return_address; n++) {
        const uint64_t next = range->jumps_to;
        range = next ? rv_patch_survey_find(survey, next) : NULL;
        range = range && range->start == next ? range : NULL;
    }
    return range && range->uses_return_address;
}

/* Who branches to the first byte that is written calls the function; behind a sled he goes round a loop of its. */
static bool is_led_into(uint32_t targets, const struct rv_patch_range *range, const struct rv_patch_function *function)
{
    const unsigned first = range->has_sled ? 0 : 1;
    return targets >> (function->skipped + first) & ((1u << (function->n_written - first)) - 1);
}

static enum rv_patch_refusal judge(const struct rv_patch_survey *survey, const struct rv_patch_range *range,
                                   const struct rv_patch_function *function)
{
    struct rv_patch_code code;
    struct rv_patch_moved moved;
    if (range->start == survey->image->entry)
        return RV_PATCH_IS_ENTRY;
    if (!is_plain_code(survey->image, range) || !rv_patch_function_code(survey->image, function, &code))
        return RV_PATCH_NOT_CODE;
    if (uses_return_address(survey, range))
        return RV_PATCH_RETURN_ADDRESS;
    if (range->is_unknown)
        return RV_PATCH_UNKNOWN_INSTRUCTION;
    if (is_led_into(range->landings, range, function))
        return RV_PATCH_LANDING_INTO;
    if (is_led_into(range->targets, range, function))
        return RV_PATCH_BRANCH_INTO;
    return rv_patch_move(&survey->decoder, &code, code.address, &moved);
}

static uint8_t count_padding(const struct rv_patch_survey *survey, size_t i)
{
    const uint64_t end = survey->ranges[i].end;
    uint64_t n = i + 1 < survey->n_ranges ? survey->ranges[i + 1].start - end : MAX_PADDING;
    if (i + 1 < survey->n_ranges && survey->ranges[i + 1].start < end)
        n = 0;
    return (uint8_t)(n < MAX_PADDING ? n : MAX_PADDING);
}

static void add_function(struct rv_patch_functions *all, const struct rv_patch_survey *survey, size_t i)
{
    const struct rv_patch_range *range = &survey->ranges[i];
    struct rv_patch_function *function = &all->functions[all->n_functions++];
    *function = (struct rv_patch_function){.address = range->start,
                                           .n_bytes = (uint32_t)(range->end - range->start),
                                           .n_padding = count_padding(survey, i),
                                           .skipped = range->n_in_front,
                                           .n_written = RV_PATCH_JUMP_BYTES};
    function->is_trivial = !range->calls && !range->leaves && !range->loops && function->n_bytes <= TRIVIAL_BYTES;
    function->refusal = (uint8_t)judge(survey, range, function);
}

/* ---- islands ---- */

static bool fits(const struct rv_patch_survey *survey, const struct rv_patch_function *function, uint8_t n_written)
{
    struct rv_patch_function as = *function;
    as.n_written = n_written;
    return judge(survey, rv_patch_survey_find(survey, function->address), &as) == RV_PATCH_FITS;
}

/* Unwinders that meet a thread at the island see the guest's frame by the host's table: it is as when it was called. */
static bool has_frame_of_entry(const struct rv_patch_survey *survey, const struct rv_patch_function *host,
                               uint64_t island)
{
    struct rv_patch_unwind_rows rows;
    rv_patch_unwind_rows_begin(&rows, survey->image, rv_patch_survey_find(survey, host->address)->frame);
    const struct rv_patch_unwind_row row = rv_patch_unwind_rows_at(&rows, island);
    return row.base == RV_PATCH_UNWIND_ROW_RSP && row.offset == 8;
}

/* Trivial functions are not always patched, but hosts are to be. */
static bool may_be_host(const struct rv_patch_survey *survey, const struct rv_patch_function *host, uint64_t island)
{
    return host->refusal == RV_PATCH_FITS && host->n_written == RV_PATCH_JUMP_BYTES && !host->is_trivial &&
           has_frame_of_entry(survey, host, island) && fits(survey, host, RV_PATCH_HOST_BYTES);
}

/* The first by address that has room: later guests reach it least. */
static void find_island(const struct rv_patch_survey *survey, struct rv_patch_functions *all,
                        struct rv_patch_function *guest)
{
    const uint64_t end = guest->address + guest->skipped + RV_PATCH_SHORT_BYTES;
    const struct rv_patch_segment *segment = rv_patch_image_segment(survey->image, guest->address);
    struct rv_patch_function *host = guest, *behind = all->functions + all->n_functions;
    while (host > all->functions && end - host[-1].address <= REACH)
        host--;
    for (; host < behind && (host->address < end || host->address - end <= REACH); host++) {
        const uint64_t island = host->address + host->skipped + RV_PATCH_JUMP_BYTES;
        const int64_t distance = (int64_t)(island - end);
        if (distance != (int8_t)distance || island < segment->start || island >= segment->end ||
            !may_be_host(survey, host, island))
            continue;
        host->n_written = RV_PATCH_HOST_BYTES;
        guest->n_written = RV_PATCH_SHORT_BYTES;
        guest->to_island = (int8_t)distance;
        guest->refusal = RV_PATCH_FITS;
        return;
    }
}

/* Functions that lack room for a jump, but not for a short one, become guests of others. */
static void find_islands(const struct rv_patch_survey *survey, struct rv_patch_functions *all)
{
    for (size_t i = 0; i < all->n_functions; i++) {
        struct rv_patch_function *function = &all->functions[i];
        const enum rv_patch_refusal refusal = (enum rv_patch_refusal)function->refusal;
        if ((refusal == RV_PATCH_TOO_SHORT || refusal == RV_PATCH_BRANCH_INTO || refusal == RV_PATCH_LANDING_INTO ||
             refusal == RV_PATCH_CALL_WITHIN) &&
            fits(survey, function, RV_PATCH_SHORT_BYTES))
            find_island(survey, all, function);
    }
}

static int examine(struct rv_patch_functions *all, const struct rv_patch_survey *survey)
{
    all->functions = calloc(survey->n_ranges + 1, sizeof *all->functions);
    if (!all->functions)
        return -ENOMEM;
    for (size_t i = 0; i < survey->n_ranges; i++)
        if (survey->ranges[i].frame->is_function)
            add_function(all, survey, i);
    find_islands(survey, all);
    for (size_t i = 0; i < all->n_functions; i++)
        all->n_refused[all->functions[i].refusal]++;
    return 0;
}

int rv_patch_functions_find(struct rv_patch_functions *all, const struct rv_patch_image *image,
                            rv_patch_share_fn *share)
{
    struct rv_patch_survey survey = {.image = NULL};
    *all = (struct rv_patch_functions){0};
    int error = rv_patch_survey_read(&survey, image, share);
    if (!error)
        error = examine(all, &survey);
    rv_patch_survey_end(&survey);
    return error;
}

void rv_patch_functions_free(struct rv_patch_functions *all)
{
    free(all->functions);
    *all = (struct rv_patch_functions){0};
}

bool rv_patch_function_code(const struct rv_patch_image *image, const struct rv_patch_function *function,
                            struct rv_patch_code *code)
{
    size_t n_bytes;
    code->address = function->address + function->skipped;
    code->bytes = rv_patch_image_at(image, code->address, &n_bytes);
    code->n_function = function->n_bytes - function->skipped;
    code->n_padding = function->n_padding;
    code->n_written = function->n_written;
    if (!code->bytes || n_bytes < code->n_function)
        return false;
    if (n_bytes - code->n_function < code->n_padding)
        code->n_padding = n_bytes - code->n_function;
    return true;
}

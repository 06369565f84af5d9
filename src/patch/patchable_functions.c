/*
 * All code is decoded once, in order: of each range its instructions, between ranges what lies there. That finds the
 * targets of branches, and the instructions that rule a function out. Then the other ways into a function are read:
 * pointers in data, jump tables, landing pads of exceptions.
 *
 * A jump table's entries count from the table; its use is not assumed: any address that an instruction takes may be a
 * table's, and is read as one while its entries lead into the function or into a part split off it.
 */
#include "patch/patchable_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "patch/unwind_cursor.h"
#include "patch/unwind_table.h"
#include "patch/absolute_pointers.h"

#define TRIVIAL_BYTES 64u
#define NEAR_ENTRY 16u /* bytes of a function into which branches matter: endbr64 and the jump are 9 */
#define MAX_TABLE 4096u
#define MAX_PADDING 15u
#define REACH (128u + NEAR_ENTRY) /* of a short jump to an island near the begin of a function */
#define LONGEST UINT32_MAX

struct range {
    uint64_t start, end;
    const struct rv_patch_unwind_frame *frame;
    uint16_t targets;  /* bit n: a branch or pointer leads to the n-th byte */
    uint16_t landings; /* the same for landing pads of exceptions */
    bool is_unknown, uses_return_address, calls, loops, leaves;
};

struct survey {
    const struct rv_patch_image *image;
    struct rv_patch_decoder decoder;
    struct range *ranges; /* by rising start */
    size_t n_ranges;
    uint32_t *counts; /* by step of addresses from the first range on: number of ranges that begin before it */
    unsigned step_shift;
    uint64_t first, last; /* all code lies between them */
    uint64_t n_left;      /* entries of tables that may still be read */
};

/* Choose steps of addresses so that there are about as many as ranges. */
static int count_by_steps(struct survey *survey)
{
    if (!survey->n_ranges)
        return 0;
    const uint64_t first = survey->ranges[0].start, span = survey->ranges[survey->n_ranges - 1].start - first;
    while (span >> survey->step_shift > survey->n_ranges)
        survey->step_shift++;
    const size_t n_steps = (size_t)(span >> survey->step_shift) + 1;
    survey->counts = calloc(n_steps + 1, sizeof *survey->counts);
    if (!survey->counts)
        return -ENOMEM;
    for (size_t i = 0; i < survey->n_ranges; i++)
        survey->counts[((survey->ranges[i].start - first) >> survey->step_shift) + 1]++;
    for (size_t i = 0; i < n_steps; i++)
        survey->counts[i + 1] += survey->counts[i];
    return 0;
}

/* The range whose first bytes an address may be in; NULL: none. */
static struct range *find_range(struct survey *survey, uint64_t address)
{
    const struct range *ranges = survey->ranges, *last = ranges + survey->n_ranges - 1;
    if (!survey->n_ranges || address < ranges->start)
        return NULL;
    if (address >= last->start)
        return &survey->ranges[survey->n_ranges - 1];
    const uint32_t *counts = survey->counts + ((address - ranges->start) >> survey->step_shift);
    const size_t n = counts[0] + rv_bisect_count(ranges + counts[0], counts[1] - counts[0], sizeof *ranges,
                                                 offsetof(struct range, start), address);
    return &survey->ranges[n - 1];
}

static void mark_target(struct survey *survey, uint64_t address)
{
    struct range *range = find_range(survey, address);
    if (range && address - range->start < NEAR_ENTRY)
        range->targets |= (uint16_t)(1u << (address - range->start));
}

static bool is_in_code(const struct survey *survey, uint64_t address)
{
    return address >= survey->first && address < survey->last;
}

/* ---- what else leads somewhere ---- */

static bool may_read(struct survey *survey)
{
    survey->n_left -= survey->n_left != 0;
    return survey->n_left != 0;
}

static bool may_lead(const struct range *from, const struct range *to, uint64_t target)
{
    return to && target < to->end && (!from || from == to || !from->frame->is_function || !to->frame->is_function);
}

/* from: the range whose instruction takes its address; NULL: none. */
static void read_as_table(struct survey *survey, const struct range *from, uint64_t table)
{
    size_t n_bytes;
    const uint8_t *bytes = table % sizeof(int32_t) == 0 ? rv_patch_image_at(survey->image, table, &n_bytes) : NULL;
    for (size_t i = 0; bytes && i < MAX_TABLE && n_bytes / sizeof(int32_t) > i && may_read(survey); i++) {
        int32_t entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        uint64_t target = table + (uint64_t)(int64_t)entry;
        if (!is_in_code(survey, target) || !may_lead(from, find_range(survey, target), target))
            return;
        mark_target(survey, target);
    }
}

static void read_pointer(void *context, uint64_t pointer)
{
    if (is_in_code(context, pointer))
        mark_target(context, pointer);
}

/* The table of a range's landing pads: the "LSDA" of the Itanium C++ ABI. */
static void read_landings(struct survey *survey, const struct rv_patch_unwind_frame *frame)
{
    struct rv_patch_unwind_cursor cursor = rv_patch_unwind_cursor_at(survey->image, frame->landing_table, UINT64_MAX);
    uint8_t of_start = rv_patch_unwind_cursor_byte(&cursor);
    uint64_t start = of_start == 0xff ? frame->start : rv_patch_unwind_cursor_pointer(&cursor, of_start, 0);
    if (rv_patch_unwind_cursor_byte(&cursor) != 0xff)
        (void)rv_patch_unwind_cursor_uleb(&cursor);
    uint8_t of_sites = rv_patch_unwind_cursor_byte(&cursor) & 0x0f;
    uint64_t n_bytes = rv_patch_unwind_cursor_uleb(&cursor), end = cursor.address + n_bytes;
    while (!cursor.has_failed && cursor.address < end && may_read(survey)) {
        (void)rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        (void)rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        uint64_t landing = rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        (void)rv_patch_unwind_cursor_uleb(&cursor);
        struct range *range = landing ? find_range(survey, start + landing) : NULL;
        if (range && start + landing - range->start < NEAR_ENTRY)
            range->landings |= (uint16_t)(1u << (start + landing - range->start));
    }
}

/* ---- code ---- */

/* Reads the return address, by a memory operand or a pop: setjmp, vfork, getcontext. */
static bool uses_return_address(const struct rv_patch_instruction *in, struct rv_patch_unwind_row row)
{
    const uint32_t base = in->base == RV_PATCH_RSP   ? RV_PATCH_UNWIND_ROW_RSP
                          : in->base == RV_PATCH_RBP ? RV_PATCH_UNWIND_ROW_RBP
                                                     : RV_PATCH_UNWIND_ROW_UNKNOWN;
    if (in->is_pop)
        return row.base == RV_PATCH_UNWIND_ROW_RSP && row.offset == 8;
    return base != RV_PATCH_UNWIND_ROW_UNKNOWN && base == row.base && in->displacement == row.offset - 8;
}

static void note_target(struct survey *survey, struct range *range, uint64_t from,
                        const struct rv_patch_instruction *in)
{
    const bool is_inside = range && in->target >= range->start && in->target < range->end;
    if (!is_inside || in->target - range->start < NEAR_ENTRY)
        mark_target(survey, in->target);
    if (!range || in->flow == RV_PATCH_CALL)
        return;
    range->leaves |= !is_inside;
    range->loops |= is_inside && in->target <= from;
}

static void note_instruction(struct survey *survey, struct range *range, uint64_t from,
                             const struct rv_patch_instruction *in)
{
    switch (in->flow) {
    case RV_PATCH_CALL:
    case RV_PATCH_BRANCH:
    case RV_PATCH_COUNTED:
    case RV_PATCH_JUMP:
        note_target(survey, range, from, in);
        break;
    case RV_PATCH_INDIRECT_JUMP:
        if (range)
            range->leaves = true;
        break;
    default:
        if (in->base == RV_PATCH_RIP && in->is_lea && is_in_code(survey, in->target))
            mark_target(survey, in->target);
        if (in->base == RV_PATCH_RIP && in->is_lea)
            read_as_table(survey, range, in->target);
    }
    if (range && (in->flow == RV_PATCH_CALL || in->flow == RV_PATCH_INDIRECT_CALL))
        range->calls = true;
}

static void read_code(struct survey *survey, struct range *range, uint64_t start, uint64_t end)
{
    struct rv_patch_unwind_rows rows;
    struct rv_patch_instruction in;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(survey->image, start, &n_bytes);
    if (range)
        rv_patch_unwind_rows_begin(&rows, survey->image, range->frame);
    if (end - start > n_bytes)
        end = start + n_bytes;
    for (uint64_t at = start; at < end; at += in.n_bytes) {
        if (!rv_patch_decode(&survey->decoder, bytes + (at - start), (size_t)(end - at), at, &in)) {
            in.n_bytes = 1;
            if (range)
                range->is_unknown = true;
            continue;
        }
        note_instruction(survey, range, at, &in);
        if (range && (in.is_pop || in.base == RV_PATCH_RSP || in.base == RV_PATCH_RBP))
            range->uses_return_address |= uses_return_address(&in, rv_patch_unwind_rows_at(&rows, at));
    }
}

static void read_segment(struct survey *survey, const struct rv_patch_segment *segment)
{
    uint64_t at = segment->start;
    for (size_t i = 0; i < survey->n_ranges; i++) {
        struct range *range = &survey->ranges[i];
        if (range->start < segment->start || range->start >= segment->end)
            continue;
        if (range->start > at)
            read_code(survey, NULL, at, range->start);
        read_code(survey, range, range->start, range->end < segment->end ? range->end : segment->end);
        if (range->end > at)
            at = range->end;
    }
    if (at < segment->end)
        read_code(survey, NULL, at, segment->end);
}

/* ---- judgement ---- */

static bool is_plain_code(const struct rv_patch_image *image, const struct range *range)
{
    const struct rv_patch_segment *segment = rv_patch_image_segment(image, range->start);
    return segment && segment->is_code && segment->is_readable && !segment->is_writable && range->end <= segment->end &&
           range->end - range->start <= LONGEST;
}

static bool is_led_into(uint16_t targets, const struct rv_patch_function *function)
{
    return targets >> (function->skipped + 1) & ((1u << (function->n_written - 1)) - 1);
}

static enum rv_patch_refusal judge(const struct survey *survey, const struct range *range,
                                   const struct rv_patch_function *function)
{
    struct rv_patch_code code;
    struct rv_patch_moved moved;
    if (range->start == survey->image->entry)
        return RV_PATCH_IS_ENTRY;
    if (!is_plain_code(survey->image, range) || !rv_patch_function_code(survey->image, function, &code))
        return RV_PATCH_NOT_CODE;
    if (range->uses_return_address)
        return RV_PATCH_RETURN_ADDRESS;
    if (range->is_unknown)
        return RV_PATCH_UNKNOWN_INSTRUCTION;
    if (is_led_into(range->landings, function))
        return RV_PATCH_LANDING_INTO;
    if (is_led_into(range->targets, function))
        return RV_PATCH_BRANCH_INTO;
    return rv_patch_move(&survey->decoder, &code, code.address, &moved);
}

static uint8_t count_skipped(const struct survey *survey, const struct range *range)
{
    struct rv_patch_instruction in;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(survey->image, range->start, &n_bytes);
    bool has_endbr = bytes && rv_patch_decode(&survey->decoder, bytes, n_bytes, range->start, &in) && in.is_endbr;
    return has_endbr && range->end - range->start >= in.n_bytes ? in.n_bytes : 0;
}

static uint8_t count_padding(const struct survey *survey, size_t i)
{
    const uint64_t end = survey->ranges[i].end;
    uint64_t n = i + 1 < survey->n_ranges ? survey->ranges[i + 1].start - end : MAX_PADDING;
    if (i + 1 < survey->n_ranges && survey->ranges[i + 1].start < end)
        n = 0;
    return (uint8_t)(n < MAX_PADDING ? n : MAX_PADDING);
}

static void add_function(struct rv_patch_functions *all, const struct survey *survey, size_t i)
{
    const struct range *range = &survey->ranges[i];
    struct rv_patch_function *function = &all->functions[all->n_functions++];
    *function = (struct rv_patch_function){.address = range->start,
                                           .n_bytes = (uint32_t)(range->end - range->start),
                                           .n_padding = count_padding(survey, i),
                                           .skipped = count_skipped(survey, range),
                                           .n_written = RV_PATCH_JUMP_BYTES};
    function->is_trivial = !range->calls && !range->leaves && !range->loops && function->n_bytes <= TRIVIAL_BYTES;
    function->refusal = (uint8_t)judge(survey, range, function);
}

/* ---- islands ---- */

static bool fits(struct survey *survey, const struct rv_patch_function *function, uint8_t n_written)
{
    struct rv_patch_function as = *function;
    as.n_written = n_written;
    return judge(survey, find_range(survey, function->address), &as) == RV_PATCH_FITS;
}

/* Unwinders that meet a thread at the island see the guest's frame by the host's table: it is as when it was called. */
static bool has_frame_of_entry(struct survey *survey, const struct rv_patch_function *host, uint64_t island)
{
    struct rv_patch_unwind_rows rows;
    rv_patch_unwind_rows_begin(&rows, survey->image, find_range(survey, host->address)->frame);
    const struct rv_patch_unwind_row row = rv_patch_unwind_rows_at(&rows, island);
    return row.base == RV_PATCH_UNWIND_ROW_RSP && row.offset == 8;
}

/* Trivial functions are not always patched, but hosts are to be. */
static bool may_be_host(struct survey *survey, const struct rv_patch_function *host, uint64_t island)
{
    return host->refusal == RV_PATCH_FITS && host->n_written == RV_PATCH_JUMP_BYTES && !host->is_trivial &&
           has_frame_of_entry(survey, host, island) && fits(survey, host, RV_PATCH_HOST_BYTES);
}

/* The first by address that has room: later guests reach it least. */
static void find_island(struct survey *survey, struct rv_patch_functions *all, struct rv_patch_function *guest)
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
static void find_islands(struct survey *survey, struct rv_patch_functions *all)
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

static void find_code(struct survey *survey)
{
    survey->first = UINT64_MAX;
    for (size_t i = 0; i < survey->image->n_segments; i++) {
        const struct rv_patch_segment *segment = &survey->image->segments[i];
        if (segment->is_code && segment->start < survey->first)
            survey->first = segment->start;
        if (segment->is_code && segment->end > survey->last)
            survey->last = segment->end;
    }
}

static void read_all(struct survey *survey)
{
    find_code(survey);
    for (size_t i = 0; i < survey->image->n_segments; i++)
        if (survey->image->segments[i].is_code && survey->image->segments[i].is_readable)
            read_segment(survey, &survey->image->segments[i]);
    for (size_t i = 0; i < survey->n_ranges; i++)
        if (survey->ranges[i].frame->landing_table)
            read_landings(survey, survey->ranges[i].frame);
    rv_patch_pointers_read(survey->image, read_pointer, survey);
}

int rv_patch_functions_find(struct rv_patch_functions *all, const struct rv_patch_image *image)
{
    struct rv_patch_unwind_frame *frames;
    struct survey survey = {.image = image, .n_left = rv_patch_image_most_read(image)};
    *all = (struct rv_patch_functions){0};
    int error = rv_patch_unwind_frames_read(image, &frames, &survey.n_ranges);
    if (!error) {
        survey.ranges = calloc(survey.n_ranges, sizeof *survey.ranges);
        all->functions = calloc(survey.n_ranges, sizeof *all->functions);
        error = survey.ranges && all->functions ? 0 : -ENOMEM;
    }
    for (size_t i = 0; !error && i < survey.n_ranges; i++)
        survey.ranges[i] = (struct range){.start = frames[i].start, .end = frames[i].end, .frame = &frames[i]};
    if (!error)
        error = count_by_steps(&survey);
    if (!error) {
        rv_patch_decoder_init(&survey.decoder);
        read_all(&survey);
        error = survey.n_left ? 0 : -E2BIG;
    }
    if (!error) {
        for (size_t i = 0; i < survey.n_ranges; i++)
            if (frames[i].is_function)
                add_function(all, &survey, i);
        find_islands(&survey, all);
        for (size_t i = 0; i < all->n_functions; i++)
            all->n_refused[all->functions[i].refusal]++;
    }
    free(survey.counts);
    free(survey.ranges);
    free(frames);
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

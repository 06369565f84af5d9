/*
 * All code is decoded once: of each range its instructions, between ranges what lies there. That finds the targets of
 * branches, and the instructions that rule a function out. Then there are the other ways into a function: pointers in data,
 * jump tables, landing pads of exceptions.
 *
 * A jump table's entries count from the table; its use is not assumed: any address that an instruction takes may be a
 * table's, and is read as one while its entries lead into the function or into a part split off it.
 *
 * Code is read in parts, by one reader or several at once. Each notes the ways that it finds by itself.
 */
#include "patch/code_survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "patch/absolute_pointers.h"
#include "patch/unwind_cursor.h"

#define MAX_TABLE 4096u
#define PART_BYTES (1u << 16) /* of code */
#define LEAST_SHARED 1000u    /* ranges: fewer are read before another reader has begun */
#define SLED_BYTES 11u        /* of XRay */

/* Ways into a range: as its targets and landings. */
struct entrances {
    uint32_t targets, landings;
};

struct reader {
    struct rv_patch_survey *survey;
    struct entrances *entrances; /* by range: those that it has found */
    uint64_t n_left;             /* entries of tables that it may still read */
};

/* Ranges of a segment that are read one after the other, each behind the code that lies in front of it. */
struct part {
    const struct rv_patch_segment *segment;
    size_t first_range, end_range;
    uint64_t start, end; /* of the code */
};

struct reading {
    struct rv_patch_survey *survey;
    struct part *parts;
    size_t n_parts;
    struct reader readers[RV_PATCH_WORKERS];
};

/* ---- ranges ---- */

/* Choose steps of addresses so that there are about as many as ranges. */
static int count_by_steps(struct rv_patch_survey *survey)
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

struct rv_patch_range *rv_patch_survey_find(const struct rv_patch_survey *survey, uint64_t address)
{
    const struct rv_patch_range *ranges = survey->ranges, *last = ranges + survey->n_ranges - 1;
    if (!survey->n_ranges || address < ranges->start)
        return NULL;
    if (address >= last->start)
        return &survey->ranges[survey->n_ranges - 1];
    const uint32_t *counts = survey->counts + ((address - ranges->start) >> survey->step_shift);
    const size_t n = counts[0] + rv_bisect_count(ranges + counts[0], counts[1] - counts[0], sizeof *ranges,
                                                 offsetof(struct rv_patch_range, start), address);
    return &survey->ranges[n - 1];
}

static struct entrances *entrances_of(const struct reader *reader, const struct rv_patch_range *range)
{
    return &reader->entrances[range - reader->survey->ranges];
}

static void mark_target(struct reader *reader, uint64_t address)
{
    const struct rv_patch_range *range = rv_patch_survey_find(reader->survey, address);
    if (range && address - range->start < RV_PATCH_NEAR_ENTRY)
        entrances_of(reader, range)->targets |= 1u << (address - range->start);
}

static bool is_in_code(const struct rv_patch_survey *survey, uint64_t address)
{
    return address >= survey->first && address < survey->last;
}

/* ---- what else leads somewhere ---- */

static bool may_read(struct reader *reader)
{
    reader->n_left -= reader->n_left != 0;
    return reader->n_left != 0;
}

static bool may_lead(const struct rv_patch_range *from, const struct rv_patch_range *to, uint64_t target)
{
    return to && target < to->end && (!from || from == to || !from->frame->is_function || !to->frame->is_function);
}

/* from: the range whose instruction takes its address; NULL: none. */
static void read_as_table(struct reader *reader, const struct rv_patch_range *from, uint64_t table)
{
    size_t n_bytes;
    const uint8_t *bytes =
        table % sizeof(int32_t) == 0 ? rv_patch_image_at(reader->survey->image, table, &n_bytes) : NULL;
    for (size_t i = 0; bytes && i < MAX_TABLE && n_bytes / sizeof(int32_t) > i && may_read(reader); i++) {
        int32_t entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        uint64_t target = table + (uint64_t)(int64_t)entry;
        if (!is_in_code(reader->survey, target) ||
            !may_lead(from, rv_patch_survey_find(reader->survey, target), target))
            return;
        mark_target(reader, target);
    }
}

static void read_pointer(void *context, uint64_t pointer)
{
    struct reader *reader = context;
    if (is_in_code(reader->survey, pointer))
        mark_target(reader, pointer);
}

/* The table of a range's landing pads: the "LSDA" of the Itanium C++ ABI. */
static void read_landings(struct reader *reader, const struct rv_patch_unwind_frame *frame)
{
    struct rv_patch_unwind_cursor cursor =
        rv_patch_unwind_cursor_at(reader->survey->image, frame->landing_table, UINT64_MAX);
    uint8_t of_start = rv_patch_unwind_cursor_byte(&cursor);
    uint64_t start = of_start == 0xff ? frame->start : rv_patch_unwind_cursor_pointer(&cursor, of_start, 0);
    if (rv_patch_unwind_cursor_byte(&cursor) != 0xff)
        (void)rv_patch_unwind_cursor_uleb(&cursor);
    uint8_t of_sites = rv_patch_unwind_cursor_byte(&cursor) & 0x0f;
    uint64_t n_bytes = rv_patch_unwind_cursor_uleb(&cursor), end = cursor.address + n_bytes;
    while (!cursor.has_failed && cursor.address < end && may_read(reader)) {
        (void)rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        (void)rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        uint64_t landing = rv_patch_unwind_cursor_pointer(&cursor, of_sites, 0);
        (void)rv_patch_unwind_cursor_uleb(&cursor);
        const struct rv_patch_range *range = landing ? rv_patch_survey_find(reader->survey, start + landing) : NULL;
        if (range && start + landing - range->start < RV_PATCH_NEAR_ENTRY)
            entrances_of(reader, range)->landings |= 1u << (start + landing - range->start);
    }
}

/* ---- in front of code ---- */

static bool are_nops(const struct rv_patch_decoder *decoder, const uint8_t *bytes, size_t n)
{
    struct rv_patch_instruction in;
    size_t at = 0;
    while (at < n && rv_patch_decode(decoder, bytes + at, n - at, at, &in) && in.is_nop)
        at += in.n_bytes;
    return at == n;
}

/*
 * Is that a sled of XRay? It begins with a jump to its end while it is off, and while it is on with a number for r10 and a
 * call; the call stays when it is switched off. Elsewhere a call would find the stack misaligned here.
 */
static bool is_sled(const struct rv_patch_decoder *decoder, const uint8_t *bytes)
{
    enum { CALL_AT = 6, CALL = 0xe8 };
    static const uint8_t off[] = {0xeb, 9}, on[] = {0x41, 0xba};
    const bool is_off = memcmp(bytes, off, sizeof off) == 0, is_on = memcmp(bytes, on, sizeof on) == 0;
    return ((is_off || is_on) && bytes[CALL_AT] == CALL) ||
           (is_off && are_nops(decoder, bytes + sizeof off, SLED_BYTES - sizeof off));
}

static void find_front(const struct rv_patch_decoder *decoder, struct rv_patch_range *range, const uint8_t *bytes,
                       size_t n)
{
    struct rv_patch_instruction in;
    const bool has_endbr = rv_patch_decode(decoder, bytes, n, range->start, &in) && in.is_endbr;
    const uint8_t n_endbr = has_endbr ? in.n_bytes : 0;
    range->has_sled = n - n_endbr >= SLED_BYTES && is_sled(decoder, bytes + n_endbr);
    range->n_in_front = (uint8_t)(n_endbr + (range->has_sled ? SLED_BYTES : 0));
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

static void note_target(struct reader *reader, struct rv_patch_range *range, uint64_t from,
                        const struct rv_patch_instruction *in)
{
    const bool is_inside = range && in->target >= range->start && in->target < range->end;
    if (!is_inside || in->target - range->start < RV_PATCH_NEAR_ENTRY)
        mark_target(reader, in->target);
    if (!range || in->flow == RV_PATCH_CALL)
        return;
    range->leaves |= !is_inside;
    if (!is_inside && in->flow == RV_PATCH_JUMP)
        range->jumps_to = in->target;
    range->loops |= is_inside && in->target <= from;
}

static void note_instruction(struct reader *reader, struct rv_patch_range *range, uint64_t from,
                             const struct rv_patch_instruction *in)
{
    switch (in->flow) {
    case RV_PATCH_CALL:
    case RV_PATCH_BRANCH:
    case RV_PATCH_COUNTED:
    case RV_PATCH_JUMP:
        note_target(reader, range, from, in);
        break;
    case RV_PATCH_INDIRECT_JUMP:
        if (range)
            range->leaves = true;
        break;
    default:
        if (in->base == RV_PATCH_RIP && in->is_lea && is_in_code(reader->survey, in->target))
            mark_target(reader, in->target);
        if (in->base == RV_PATCH_RIP && in->is_lea)
            read_as_table(reader, range, in->target);
    }
    if (range && (in->flow == RV_PATCH_CALL || in->flow == RV_PATCH_INDIRECT_CALL))
        range->calls = true;
}

static void read_code(struct reader *reader, struct rv_patch_range *range, uint64_t start, uint64_t end)
{
    struct rv_patch_unwind_rows rows;
    struct rv_patch_instruction in;
    size_t n_bytes;
    const uint8_t *bytes = rv_patch_image_at(reader->survey->image, start, &n_bytes);
    if (range)
        rv_patch_unwind_rows_begin(&rows, reader->survey->image, range->frame);
    if (end - start > n_bytes)
        end = start + n_bytes;
    if (range && range->frame->is_function)
        find_front(&reader->survey->decoder, range, bytes, (size_t)(end - start));
    for (uint64_t at = start + (range ? range->n_in_front : 0); at < end; at += in.n_bytes) {
        if (!rv_patch_decode(&reader->survey->decoder, bytes + (at - start), (size_t)(end - at), at, &in)) {
            in.n_bytes = 1;
            if (range)
                range->is_unknown = true;
            continue;
        }
        note_instruction(reader, range, at, &in);
        if (range && (in.is_pop || in.base == RV_PATCH_RSP || in.base == RV_PATCH_RBP))
            range->uses_return_address |= uses_return_address(&in, rv_patch_unwind_rows_at(&rows, at));
    }
}

/* Is the range read with this segment? */
static bool is_of(const struct rv_patch_survey *survey, const struct rv_patch_segment *segment,
                  const struct rv_patch_range *range)
{
    return rv_patch_image_segment(survey->image, range->start) == segment;
}

/* Where the code behind a range of a segment begins, at least at an address. */
static uint64_t later_end(const struct rv_patch_segment *segment, const struct rv_patch_range *range, uint64_t at)
{
    const uint64_t end = range->end < segment->end ? range->end : segment->end;
    return end > at ? end : at;
}

static void read_part(struct reader *reader, const struct part *part)
{
    uint64_t at = part->start;
    for (size_t i = part->first_range; i < part->end_range; i++) {
        struct rv_patch_range *range = &reader->survey->ranges[i];
        if (!is_of(reader->survey, part->segment, range))
            continue;
        if (range->start > at)
            read_code(reader, NULL, at, range->start);
        read_code(reader, range, range->start, range->end < part->segment->end ? range->end : part->segment->end);
        if (range->frame->landing_table)
            read_landings(reader, range->frame);
        at = later_end(part->segment, range, at);
    }
    if (at < part->end)
        read_code(reader, NULL, at, part->end);
}

/* ---- parts ---- */

static struct part *begin_part(struct reading *reading, const struct rv_patch_segment *segment, size_t first_range,
                               uint64_t start)
{
    struct part *part = &reading->parts[reading->n_parts++];
    *part = (struct part){.segment = segment, .first_range = first_range, .start = start};
    return part;
}

static void end_part(struct part *part, size_t end_range, uint64_t end)
{
    part->end_range = end_range;
    part->end = end;
}

static void cut_segment(struct reading *reading, const struct rv_patch_segment *segment)
{
    const struct rv_patch_survey *survey = reading->survey;
    uint64_t at = segment->start;
    size_t i = rv_bisect_below(survey->ranges, survey->n_ranges, sizeof *survey->ranges,
                               offsetof(struct rv_patch_range, start), segment->start);
    struct part *part = begin_part(reading, segment, i, at);
    for (; i < survey->n_ranges && survey->ranges[i].start < segment->end; i++) {
        if (at - part->start >= PART_BYTES) {
            end_part(part, i, at);
            part = begin_part(reading, segment, i, at);
        }
        if (is_of(survey, segment, &survey->ranges[i]))
            at = later_end(segment, &survey->ranges[i], at);
    }
    end_part(part, i, segment->end);
}

static bool is_code(const struct rv_patch_segment *segment)
{
    return segment->is_code && segment->is_readable;
}

/* All parts but the last of a segment have PART_BYTES or more. 0 or -ENOMEM. */
static int cut(struct reading *reading)
{
    const struct rv_patch_image *image = reading->survey->image;
    size_t most = image->n_segments;
    for (size_t i = 0; i < image->n_segments; i++)
        most += (image->segments[i].end - image->segments[i].start) / PART_BYTES;
    reading->parts = calloc(most + 1, sizeof *reading->parts);
    for (size_t i = 0; i < image->n_segments && reading->parts; i++)
        if (is_code(&image->segments[i]))
            cut_segment(reading, &image->segments[i]);
    return reading->parts ? 0 : -ENOMEM;
}

/* ---- readers ---- */

/* Data comes before all parts: it takes the longest. */
static void read_next(void *context, unsigned worker, size_t i)
{
    struct reading *reading = context;
    struct reader *reader = &reading->readers[worker];
    if (i == 0)
        rv_patch_pointers_read(reading->survey->image, read_pointer, reader);
    else
        read_part(reader, &reading->parts[i - 1]);
}

/* What a reader has found is added to the ranges. */
static void join(struct rv_patch_survey *survey, const struct reader *reader)
{
    for (size_t i = 0; i < survey->n_ranges; i++) {
        survey->ranges[i].targets |= reader->entrances[i].targets;
        survey->ranges[i].landings |= reader->entrances[i].landings;
    }
}

/* 0; -EAGAIN: a reader was ended before its time; -E2BIG: they have read too much of tables together; -ENOMEM. */
static int read_parts(struct reading *reading, rv_patch_share_fn *share)
{
    struct rv_patch_survey *survey = reading->survey;
    const uint64_t most = rv_patch_image_most_read(survey->image);
    uint64_t n_left = most;
    int error = 0;
    for (unsigned i = 0; i < RV_PATCH_WORKERS; i++) {
        struct entrances *entrances = calloc(survey->n_ranges + 1, sizeof *entrances);
        reading->readers[i] = (struct reader){survey, entrances, most};
        error = entrances ? error : -ENOMEM;
    }
    if (!error && !rv_patch_parts_run(share, reading->n_parts + 1, read_next, reading))
        error = -EAGAIN;
    for (unsigned i = 0; i < RV_PATCH_WORKERS; i++) {
        const uint64_t n_read = most - reading->readers[i].n_left;
        n_left -= n_read < n_left ? n_read : n_left;
        if (!error)
            join(survey, &reading->readers[i]);
        free(reading->readers[i].entrances);
    }
    return error || n_left ? error : -E2BIG;
}

/* ---- all ---- */

static void find_code(struct rv_patch_survey *survey)
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

static int begin(struct rv_patch_survey *survey)
{
    survey->ranges = calloc(survey->n_ranges + 1, sizeof *survey->ranges);
    if (!survey->ranges)
        return -ENOMEM;
    for (size_t i = 0; i < survey->n_ranges; i++) {
        const struct rv_patch_unwind_frame *frame = &survey->frames[i];
        survey->ranges[i] = (struct rv_patch_range){.start = frame->start, .end = frame->end, .frame = frame};
    }
    find_code(survey);
    rv_patch_decoder_init(&survey->decoder);
    return count_by_steps(survey);
}

static int read_all(struct rv_patch_survey *survey, rv_patch_share_fn *share)
{
    struct reading reading = {.survey = survey};
    int error = cut(&reading);
    if (!error)
        error = read_parts(&reading, survey->n_ranges >= LEAST_SHARED ? share : NULL);
    if (error == -EAGAIN)
        error = read_parts(&reading, NULL);
    free(reading.parts);
    return error;
}

int rv_patch_survey_read(struct rv_patch_survey *survey, const struct rv_patch_image *image, rv_patch_share_fn *share)
{
    survey->image = image;
    int error = rv_patch_unwind_frames_read(image, &survey->frames, &survey->n_ranges);
    if (!error)
        error = begin(survey);
    return error ? error : read_all(survey, share);
}

void rv_patch_survey_end(struct rv_patch_survey *survey)
{
    free(survey->counts);
    free(survey->ranges);
    free(survey->frames);
}

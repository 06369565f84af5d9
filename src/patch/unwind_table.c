/* The formats are those of the Linux Standard Base, ".eh_frame" and ".eh_frame_hdr", and of DWARF, section 6.4. */
#include "patch/unwind_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "patch/array.h"
#include "patch/unwind_cursor.h"

#define RETURN_COLUMN 16u
#define LEAST_RECORD 16u /* bytes: its length, its CIE, a range */
#define INDEXED 0x3bu    /* relative to the table, signed, 4 bytes: what all linkers write */

enum {
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0a,
    CFA_RESTORE_STATE = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_ARGS_SIZE = 0x2e,
};

struct common {                 /* of a CIE */
    uint8_t pointers, landings; /* encodings */
    bool has_augmentation;
};

/* ---- rows ---- */

static void set_unknown(struct rv_patch_unwind_rows *rows)
{
    rows->row.base = RV_PATCH_UNWIND_ROW_UNKNOWN;
}

/* The register whose location an instruction sets; the return address must stay where the call put it. */
static void put_register(struct rv_patch_unwind_rows *rows, uint64_t column, bool is_there)
{
    if (column == RETURN_COLUMN && !is_there)
        set_unknown(rows);
}

static void keep_row(struct rv_patch_unwind_rows *rows)
{
    if (rows->n_kept < RV_PATCH_UNWIND_ROW_DEPTH)
        rows->kept[rows->n_kept] = rows->row;
    rows->n_kept++;
}

static void restore_row(struct rv_patch_unwind_rows *rows)
{
    if (rows->n_kept == 0 || rows->n_kept > RV_PATCH_UNWIND_ROW_DEPTH)
        set_unknown(rows);
    else
        rows->row = rows->kept[rows->n_kept - 1];
    rows->n_kept -= rows->n_kept != 0;
}

static void skip_block(struct rv_patch_unwind_cursor *cursor)
{
    rv_patch_unwind_cursor_skip(cursor, rv_patch_unwind_cursor_uleb(cursor));
}

static void define_frame(struct rv_patch_unwind_rows *rows, struct rv_patch_unwind_cursor *cursor, uint8_t code)
{
    const int64_t factor = rows->frame->data_factor;
    if (code == CFA_DEF_CFA || code == CFA_DEF_CFA_SF || code == CFA_DEF_CFA_REGISTER)
        rows->row.base = (uint32_t)rv_patch_unwind_cursor_uleb(cursor);
    if (code == CFA_DEF_CFA || code == CFA_DEF_CFA_OFFSET)
        rows->row.offset = (int64_t)rv_patch_unwind_cursor_uleb(cursor);
    else if (code == CFA_DEF_CFA_SF || code == CFA_DEF_CFA_OFFSET_SF)
        rows->row.offset = (int64_t)((uint64_t)rv_patch_unwind_cursor_sleb(cursor) * (uint64_t)factor);
}

static void run_extended(struct rv_patch_unwind_rows *rows, struct rv_patch_unwind_cursor *cursor, uint8_t code)
{
    uint64_t column;
    switch (code) {
    case 0:
        break;
    case CFA_OFFSET_EXTENDED:
    case CFA_OFFSET_EXTENDED_SF:
        column = rv_patch_unwind_cursor_uleb(cursor);
        put_register(rows, column, rv_patch_unwind_cursor_uleb(cursor) == 1);
        break;
    case CFA_RESTORE_EXTENDED:
    case CFA_SAME_VALUE:
    case CFA_UNDEFINED:
        put_register(rows, rv_patch_unwind_cursor_uleb(cursor), code == CFA_RESTORE_EXTENDED);
        break;
    case CFA_REGISTER:
    case CFA_VAL_OFFSET:
    case CFA_VAL_OFFSET_SF:
        put_register(rows, rv_patch_unwind_cursor_uleb(cursor), false);
        (void)rv_patch_unwind_cursor_uleb(cursor);
        break;
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
        put_register(rows, rv_patch_unwind_cursor_uleb(cursor), false);
        skip_block(cursor);
        break;
    case CFA_REMEMBER_STATE:
        keep_row(rows);
        break;
    case CFA_RESTORE_STATE:
        restore_row(rows);
        break;
    case CFA_DEF_CFA:
    case CFA_DEF_CFA_SF:
    case CFA_DEF_CFA_REGISTER:
    case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF:
        define_frame(rows, cursor, code);
        break;
    case CFA_DEF_CFA_EXPRESSION:
        skip_block(cursor);
        set_unknown(rows);
        break;
    case CFA_GNU_ARGS_SIZE:
        (void)rv_patch_unwind_cursor_uleb(cursor);
        break;
    default:
        cursor->has_failed = true;
    }
}

static bool is_advance(uint8_t code)
{
    return (code & 0xc0) == CFA_ADVANCE_LOC || (code >= CFA_SET_LOC && code <= CFA_ADVANCE_LOC4);
}

static uint64_t read_advance(const struct rv_patch_unwind_rows *rows, struct rv_patch_unwind_cursor *cursor,
                             uint8_t code)
{
    uint64_t n = code & 0x3f;
    if (code == CFA_SET_LOC)
        cursor->has_failed = true; /* no compiler writes it */
    else if (code == CFA_ADVANCE_LOC1 || code == CFA_ADVANCE_LOC2)
        n = rv_patch_unwind_cursor_number(cursor, code - 1u);
    else if (code == CFA_ADVANCE_LOC4)
        n = rv_patch_unwind_cursor_number(cursor, 4);
    return n * rows->frame->code_factor;
}

static void run_instruction(struct rv_patch_unwind_rows *rows, struct rv_patch_unwind_cursor *cursor, uint8_t code)
{
    if ((code & 0xc0) == CFA_OFFSET)
        put_register(rows, code & 0x3f, rv_patch_unwind_cursor_uleb(cursor) == 1);
    else if ((code & 0xc0) != CFA_RESTORE)
        run_extended(rows, cursor, code);
    else if ((code & 0x3f) == RETURN_COLUMN)
        rows->row = rows->first;
}

/* Run up to the end of the row: its instructions end with one that advances. */
static void run_row(struct rv_patch_unwind_rows *rows, bool is_common)
{
    struct rv_patch_unwind_cursor cursor = rv_patch_unwind_cursor_at(rows->image, rows->at, rows->end);
    while (cursor.n_bytes && !cursor.has_failed) {
        uint8_t code = rv_patch_unwind_cursor_byte(&cursor);
        if (!is_advance(code)) {
            run_instruction(rows, &cursor, code);
            continue;
        }
        rows->next += read_advance(rows, &cursor, code);
        rows->at = cursor.address;
        if (cursor.has_failed || is_common)
            break;
        return;
    }
    if (cursor.has_failed && rows->at < rows->end)
        set_unknown(rows);
    rows->at = rows->end;
    if (!is_common)
        rows->next = UINT64_MAX;
}

void rv_patch_unwind_rows_begin(struct rv_patch_unwind_rows *rows, const struct rv_patch_image *image,
                                const struct rv_patch_unwind_frame *frame)
{
    *rows = (struct rv_patch_unwind_rows){.image = image, .frame = frame, .next = frame->start};
    set_unknown(rows);
    rows->at = frame->common_rows;
    rows->end = frame->common_end;
    run_row(rows, true);
    rows->first = rows->row;
    rows->at = frame->rows;
    rows->end = frame->rows_end;
    rows->next = frame->start;
}

struct rv_patch_unwind_row rv_patch_unwind_rows_at(struct rv_patch_unwind_rows *rows, uint64_t address)
{
    while (rows->next <= address)
        run_row(rows, false);
    return rows->row;
}

/* ---- ranges ---- */

static void read_augmentation(struct rv_patch_unwind_cursor *cursor, const uint8_t *letters, size_t n,
                              struct common *common, struct rv_patch_unwind_frame *frame)
{
    for (size_t i = 0; i < n; i++) {
        if (letters[i] == 'R')
            common->pointers = rv_patch_unwind_cursor_byte(cursor);
        else if (letters[i] == 'L')
            common->landings = rv_patch_unwind_cursor_byte(cursor);
        else if (letters[i] == 'P')
            (void)rv_patch_unwind_cursor_pointer(cursor, rv_patch_unwind_cursor_byte(cursor), 0);
        else if (letters[i] == 'S')
            frame->is_signal = true;
        else if (letters[i] != 'B')
            cursor->has_failed = true;
    }
}

/* length, its end: of the record at an address. */
static struct rv_patch_unwind_cursor open_record(const struct rv_patch_image *image, uint64_t address)
{
    struct rv_patch_unwind_cursor cursor = rv_patch_unwind_cursor_at(image, address, UINT64_MAX);
    uint64_t n = rv_patch_unwind_cursor_number(&cursor, 4);
    if (n == 0 || n >= 0xfffffff0u || n > cursor.n_bytes)
        cursor.has_failed = true;
    else
        cursor.n_bytes = (size_t)n;
    return cursor;
}

static bool read_common(const struct rv_patch_image *image, uint64_t address, struct rv_patch_unwind_frame *frame,
                        struct common *common)
{
    struct rv_patch_unwind_cursor cursor = open_record(image, address);
    *common = (struct common){.landings = 0xff};
    if (rv_patch_unwind_cursor_number(&cursor, 4) != 0 || rv_patch_unwind_cursor_byte(&cursor) != 1 ||
        cursor.has_failed)
        return false;
    const uint8_t *letters = cursor.bytes;
    size_t n_letters = strnlen((const char *)letters, cursor.n_bytes);
    rv_patch_unwind_cursor_skip(&cursor, n_letters + 1);
    frame->code_factor = (uint32_t)rv_patch_unwind_cursor_uleb(&cursor);
    frame->data_factor = (int32_t)rv_patch_unwind_cursor_sleb(&cursor);
    bool is_usual = rv_patch_unwind_cursor_uleb(&cursor) == RETURN_COLUMN && frame->data_factor == -8;
    if (n_letters && letters[0] == 'z') {
        uint64_t n = rv_patch_unwind_cursor_uleb(&cursor), rows = cursor.address + n;
        common->has_augmentation = true;
        read_augmentation(&cursor, letters + 1, n_letters - 1, common, frame);
        if (rows < cursor.address)
            cursor.has_failed = true;
        rv_patch_unwind_cursor_skip(&cursor, rows - cursor.address);
    } else if (n_letters) {
        return false;
    }
    frame->common_rows = cursor.address;
    frame->common_end = cursor.address + cursor.n_bytes;
    return is_usual && !cursor.has_failed;
}

static bool read_frame(const struct rv_patch_image *image, uint64_t address, struct rv_patch_unwind_frame *frame)
{
    struct common common;
    struct rv_patch_unwind_cursor cursor = open_record(image, address);
    uint64_t back_from = cursor.address, back = rv_patch_unwind_cursor_number(&cursor, 4);
    *frame = (struct rv_patch_unwind_frame){0};
    if (cursor.has_failed || back == 0 || !read_common(image, back_from - back, frame, &common))
        return false;
    frame->start = rv_patch_unwind_cursor_pointer(&cursor, common.pointers, 0);
    uint64_t n_bytes = rv_patch_unwind_cursor_pointer(&cursor, common.pointers & 0x0f, 0);
    frame->end = frame->start + n_bytes;
    if (common.has_augmentation) {
        uint64_t n = rv_patch_unwind_cursor_uleb(&cursor), rows = cursor.address + n;
        if (n && common.landings != 0xff)
            frame->landing_table = rv_patch_unwind_cursor_pointer(&cursor, common.landings, 0);
        if (rows < cursor.address)
            cursor.has_failed = true;
        rv_patch_unwind_cursor_skip(&cursor, rows - cursor.address);
    }
    frame->rows = cursor.address;
    frame->rows_end = cursor.address + cursor.n_bytes;
    return !cursor.has_failed && n_bytes && frame->end > frame->start;
}

static void look_at_first_row(const struct rv_patch_image *image, struct rv_patch_unwind_frame *frame)
{
    struct rv_patch_unwind_rows rows;
    rv_patch_unwind_rows_begin(&rows, image, frame);
    struct rv_patch_unwind_row row = rv_patch_unwind_rows_at(&rows, frame->start);
    frame->is_function = !frame->is_signal && row.base == RV_PATCH_UNWIND_ROW_RSP && row.offset == 8;
}

static size_t sort_frames(struct rv_patch_unwind_frame *frames, size_t n)
{
    size_t n_kept = 1;
    rv_patch_array_sort(frames, n, sizeof *frames);
    for (size_t i = 1; i < n; i++)
        if (frames[i].start != frames[n_kept - 1].start)
            frames[n_kept++] = frames[i];
    return n_kept;
}

/* What is read of a range besides its record: code and rows. */
static uint64_t n_to_read(const struct rv_patch_unwind_frame *frame, uint64_t most)
{
    const uint64_t n_code = frame->end - frame->start;
    return (n_code < most ? n_code : most) + (frame->rows_end - frame->rows) + (frame->common_end - frame->common_rows);
}

/* What is there becomes the next of *frames, which has room. *n_left: how much may be read. 0 or -E2BIG. */
static int add_frame(const struct rv_patch_image *image, uint64_t record, struct rv_patch_unwind_frame *frames,
                     size_t *n_frames, uint64_t *n_left)
{
    struct rv_patch_unwind_frame *frame = &frames[*n_frames];
    if (!read_frame(image, record, frame))
        return 0;
    const uint64_t n = n_to_read(frame, rv_patch_image_bytes(image));
    if (n > *n_left)
        return -E2BIG;
    *n_left -= n;
    look_at_first_row(image, frame);
    ++*n_frames;
    return 0;
}

static int allocate(struct rv_patch_unwind_frame **frames, uint64_t n)
{
    *frames = calloc((size_t)n, sizeof **frames);
    return *frames ? 0 : -ENOMEM;
}

static int read_indexed(const struct rv_patch_image *image, struct rv_patch_unwind_frame **frames, size_t *n_frames)
{
    const uint64_t table = image->unwind_table;
    struct rv_patch_unwind_cursor cursor = rv_patch_unwind_cursor_at(image, table, UINT64_MAX);
    uint8_t version = rv_patch_unwind_cursor_byte(&cursor);
    uint8_t of_records = rv_patch_unwind_cursor_byte(&cursor);
    uint8_t of_count = rv_patch_unwind_cursor_byte(&cursor);
    uint8_t of_index = rv_patch_unwind_cursor_byte(&cursor);
    (void)rv_patch_unwind_cursor_pointer(&cursor, of_records, table);
    uint64_t n = rv_patch_unwind_cursor_pointer(&cursor, of_count, table);
    if (cursor.has_failed || version != 1 || n > cursor.n_bytes / 8)
        return -EBADMSG;
    if (of_index != INDEXED || n == 0)
        return -ENOENT;
    if (allocate(frames, n) != 0)
        return -ENOMEM;
    uint64_t n_left = rv_patch_image_most_read(image);
    int error = 0;
    for (uint64_t i = 0; i < n && !error; i++) {
        rv_patch_unwind_cursor_skip(&cursor, 4);
        const uint64_t record = table + (uint64_t)(int64_t)(int32_t)rv_patch_unwind_cursor_number(&cursor, 4);
        error = add_frame(image, record, *frames, n_frames, &n_left);
    }
    return error;
}

/* One behind the other, up to one of length 0. */
static int read_in_order(const struct rv_patch_image *image, struct rv_patch_unwind_frame **frames, size_t *n_frames)
{
    const uint64_t end = image->unwind_records_end;
    struct rv_patch_unwind_cursor all = rv_patch_unwind_cursor_at(image, image->unwind_records, end);
    const size_t most = all.n_bytes / LEAST_RECORD;
    if (most == 0)
        return -ENOENT;
    if (allocate(frames, most) != 0)
        return -ENOMEM;
    uint64_t n_left = rv_patch_image_most_read(image);
    int error = 0;
    for (uint64_t at = image->unwind_records; at < end && *n_frames < most && !error;) {
        const struct rv_patch_unwind_cursor record = open_record(image, at);
        if (record.has_failed)
            break;
        error = add_frame(image, at, *frames, n_frames, &n_left);
        at = record.address + record.n_bytes;
    }
    return error;
}

int rv_patch_unwind_frames_read(const struct rv_patch_image *image, struct rv_patch_unwind_frame **frames,
                                size_t *n_frames)
{
    *frames = NULL;
    *n_frames = 0;
    if (!image->unwind_table && !image->unwind_records)
        return -ENOENT;
    const int error = (image->unwind_table ? read_indexed : read_in_order)(image, frames, n_frames);
    if (*n_frames)
        *n_frames = sort_frames(*frames, *n_frames);
    return error;
}

#include "symbols/dwarf_ranges.h"

#include "symbols/dwarf_names.h"

struct listing { /* a list of ranges being read */
    const struct rv_dwarf_unit *unit;
    struct rv_dwarf_cursor cursor;
    uint64_t base;
    rv_dwarf_range_fn on_range;
    void *context;
};

static void give(const struct listing *listing, uint64_t start, uint64_t end)
{
    if (start < end && !listing->cursor.is_broken)
        listing->on_range(listing->context, start, end);
}

/* DWARF 2 to 4: pairs relative to a base, which a pair may set. */
static void read_pairs(struct listing *listing)
{
    const unsigned address_bytes = listing->unit->address_bytes;
    const uint64_t sets_base = address_bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * address_bytes) - 1;
    while (!listing->cursor.is_broken) {
        uint64_t start = rv_dwarf_take(&listing->cursor, address_bytes);
        uint64_t end = rv_dwarf_take(&listing->cursor, address_bytes);
        if (!start && !end)
            return;
        if (start == sets_base)
            listing->base = end;
        else
            give(listing, listing->base + start, listing->base + end);
    }
}

static uint64_t take_indexed(struct listing *listing)
{
    struct rv_dwarf_value index = {RV_DWARF_ADDRESS_INDEX, rv_dwarf_take_unsigned(&listing->cursor), NULL};
    uint64_t address = 0;
    if (!rv_dwarf_address(listing->unit, &index, &address))
        rv_dwarf_break(&listing->cursor);
    return address;
}

static uint64_t take_address(struct listing *listing)
{
    return rv_dwarf_take(&listing->cursor, listing->unit->address_bytes);
}

static void read_list(struct listing *listing)
{
    struct rv_dwarf_cursor *cursor = &listing->cursor;
    uint64_t start, end;
    while (!cursor->is_broken) {
        switch (rv_dwarf_take(cursor, 1)) {
        case RV_DW_RLE_BASE_ADDRESSX:
            listing->base = take_indexed(listing);
            continue;
        case RV_DW_RLE_BASE_ADDRESS:
            listing->base = take_address(listing);
            continue;
        case RV_DW_RLE_STARTX_ENDX:
            start = take_indexed(listing);
            end = take_indexed(listing);
            break;
        case RV_DW_RLE_STARTX_LENGTH:
            start = take_indexed(listing);
            end = start + rv_dwarf_take_unsigned(cursor);
            break;
        case RV_DW_RLE_OFFSET_PAIR:
            start = listing->base + rv_dwarf_take_unsigned(cursor);
            end = listing->base + rv_dwarf_take_unsigned(cursor);
            break;
        case RV_DW_RLE_START_END:
            start = take_address(listing);
            end = take_address(listing);
            break;
        case RV_DW_RLE_START_LENGTH:
            start = take_address(listing);
            end = start + rv_dwarf_take_unsigned(cursor);
            break;
        default: /* end of list, or unknown */
            return;
        }
        give(listing, start, end);
    }
}

/* Begin of a list in DWARF 5: by its offset, or by an index into the offsets after the table's header. */
static bool list_offset(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *ranges, uint64_t *offset)
{
    uint64_t header_bytes = unit->offset_bytes == 8 ? 20 : 12, base = rv_dwarf_number(unit, RV_DWARF_RNGLISTS_BASE),
             item;
    if (ranges->kind != RV_DWARF_LIST_INDEX) {
        *offset = ranges->number;
        return ranges->kind == RV_DWARF_NUMBER;
    }
    base = base ? base : header_bytes;
    if (!rv_dwarf_item(unit->file->sections[RV_DWARF_RNGLISTS], base, ranges->number, unit->offset_bytes, &item))
        return false;
    *offset = base + item;
    return true;
}

static void read_ranges(const struct rv_dwarf_unit *unit, const struct rv_dwarf_value *ranges, struct listing *listing)
{
    const struct rv_dwarf_unit *owner = unit->skeleton ? unit->skeleton : unit;
    uint64_t offset;
    if (!rv_dwarf_address(owner, &owner->root.values[RV_DWARF_LOW_PC], &listing->base))
        listing->base = 0;
    if (unit->version >= 5 && list_offset(unit, ranges, &offset)) {
        listing->cursor = rv_dwarf_cursor(unit->file->sections[RV_DWARF_RNGLISTS], offset);
        read_list(listing);
    } else if (unit->version < 5 && ranges->kind == RV_DWARF_NUMBER) {
        offset = ranges->number + (unit->skeleton ? rv_dwarf_number(owner, RV_DWARF_RANGES_BASE) : 0);
        listing->cursor = rv_dwarf_cursor(owner->file->sections[RV_DWARF_RANGES], offset);
        read_pairs(listing);
    }
}

void rv_dwarf_ranges(const struct rv_dwarf_unit *unit, const struct rv_dwarf_entry *entry, rv_dwarf_range_fn on_range,
                     void *context)
{
    struct listing listing = {.unit = unit, .on_range = on_range, .context = context};
    const struct rv_dwarf_value *high = &entry->values[RV_DWARF_HIGH_PC];
    uint64_t start, end;
    if (entry->values[RV_DWARF_RANGES_LIST].kind != RV_DWARF_NONE) {
        read_ranges(unit, &entry->values[RV_DWARF_RANGES_LIST], &listing);
    } else if (rv_dwarf_address(unit, &entry->values[RV_DWARF_LOW_PC], &start)) {
        if (high->kind == RV_DWARF_NUMBER)
            end = start + high->number;
        else if (!rv_dwarf_address(unit, high, &end))
            end = start + 1; /* only the entry address is known */
        give(&listing, start, end);
    }
}

#include "render/box_packing.h"

#include "base/clock.h"
#include "model/color.h"
#include "render/emphasis.h"

#define WINDOW_UNITS_MAX ((uint64_t)1 << 30)
#define BOX_MIN_PX 1.0
#define N_ROWS 64u /* depths that are sorted; deeper ones count as the last */

void rv_box_packing_init(struct rv_box_packing *pack, uint64_t from_ns, uint64_t to_ns, double ns_per_pixel)
{
    if (to_ns <= from_ns)
        to_ns = from_ns + 1;
    uint64_t window_ns = to_ns - from_ns;
    *pack = (struct rv_box_packing){.from_ns = from_ns, .to_ns = to_ns, .centre_ns = from_ns + window_ns / 2};
    while (window_ns >> pack->shift >= WINDOW_UNITS_MAX)
        pack->shift++;
    pack->box_min_ns = (uint64_t)(ns_per_pixel * BOX_MIN_PX);
}

static int64_t to_units(const struct rv_box_packing *pack, uint64_t time_ns)
{
    int64_t offset_ns = (int64_t)(time_ns - pack->centre_ns);
    return offset_ns >= 0 ? offset_ns >> pack->shift : -(-offset_ns >> pack->shift);
}

/* Marks at a box's ends, for ends in the window only. */
static uint32_t marks_of(const struct rv_box_packing *pack, const struct rv_box *box)
{
    bool has_start = box->start_ns >= pack->from_ns, has_end = rv_box_end_ns(box) <= pack->to_ns;
    return (has_start && box->flags & RV_SPAN_ORPHAN ? RV_PAINT_ORPHAN : 0) |
           (has_end && box->flags & RV_SPAN_CUT ? RV_PAINT_CUT : 0) |
           (has_end && box->flags & RV_SPAN_OPEN ? RV_PAINT_OPEN : 0);
}

static uint64_t clamp_to_window(const struct rv_box_packing *pack, uint64_t time_ns)
{
    return rv_clock_earlier_ns(rv_clock_later_ns(time_ns, pack->from_ns), pack->to_ns);
}

struct rv_box_record rv_box_packing_box(const struct rv_box_packing *pack, const struct rv_box *box, size_t lane,
                                        uint32_t colour_idx)
{
    bool is_cell = box->coverage != RV_BOX_EXACT;
    uint64_t duration_ns = box->duration_ns > pack->box_min_ns ? box->duration_ns : pack->box_min_ns;
    int64_t start = to_units(pack, clamp_to_window(pack, box->start_ns));
    int64_t end = to_units(pack, clamp_to_window(pack, rv_clock_after_ns(box->start_ns, duration_ns)));
    uint32_t depth = box->depth < RV_PLACE_MAX ? box->depth : RV_PLACE_MAX;
    uint32_t lane_idx = lane < RV_PLACE_MAX ? (uint32_t)lane : RV_PLACE_MAX;
    uint32_t paint = is_cell ? RV_PAINT_CELL | (uint32_t)box->coverage << RV_PAINT_COVERAGE_SHIFT : marks_of(pack, box);
    return (struct rv_box_record){
        .start = (int32_t)start,
        .duration = (uint32_t)(end - start),
        .paint = colour_idx | paint | (uint32_t)rv_emphasis_of(NULL, box, 0) << RV_PAINT_EMPHASIS_SHIFT,
        .place = depth | lane_idx << RV_PLACE_LANE_SHIFT,
        .id = box->id,
    };
}

/* Branch-free, because it is unpredictable. */
static uint32_t form_of(const struct rv_box_record *record, uint32_t least)
{
    uint32_t slot = (record->paint & RV_PAINT_COLOUR_MASK) / RV_COLOR_SHADES;
    uint32_t is_striped = slot - RV_COLOR_HUES < RV_COLOR_SLOTS - RV_COLOR_HUES;
    uint32_t is_cell = (record->paint & RV_PAINT_CELL) != 0;
    uint32_t is_rich = is_striped |
                       ((record->paint & (RV_PAINT_ORPHAN | RV_PAINT_CUT | RV_PAINT_OPEN | RV_PAINT_OFF_CPU)) != 0) |
                       least;
    return is_cell * RV_BOX_PACKING_CELL + (is_rich & ~is_cell);
}

void rv_box_packing_count(const struct rv_box_record *records, size_t n, bool is_rich,
                          size_t counts[RV_BOX_PACKING_FORM_COUNT])
{
    size_t n_rich = 0, n_cells = 0; /* sums, which compilers vectorize */
    for (size_t i = 0; i < n; i++) {
        uint32_t form = form_of(&records[i], is_rich);
        n_rich += form == RV_BOX_PACKING_RICH;
        n_cells += form == RV_BOX_PACKING_CELL;
    }
    counts[RV_BOX_PACKING_PLAIN] = n - n_rich - n_cells;
    counts[RV_BOX_PACKING_RICH] = n_rich;
    counts[RV_BOX_PACKING_CELL] = n_cells;
}

static uint32_t row_of(const struct rv_box_record *record)
{
    uint32_t depth = record->place & RV_PLACE_MAX;
    return depth < N_ROWS ? depth : N_ROWS - 1;
}

void rv_box_packing_order(const struct rv_box_record *records, size_t n, bool is_rich,
                          struct rv_box_record *ends[RV_BOX_PACKING_FORM_COUNT])
{
    uint32_t counts[RV_BOX_PACKING_FORM_COUNT][N_ROWS] = {0};
    struct rv_box_record *rows[RV_BOX_PACKING_FORM_COUNT][N_ROWS];
    for (size_t i = 0; i < n; i++)
        counts[form_of(&records[i], is_rich)][row_of(&records[i])]++;
    for (uint32_t row = 0; row < N_ROWS; row++)
        ends[RV_BOX_PACKING_CELL] -= counts[RV_BOX_PACKING_CELL][row];
    struct rv_box_record *places[RV_BOX_PACKING_FORM_COUNT] = {ends[RV_BOX_PACKING_PLAIN], ends[RV_BOX_PACKING_RICH],
                                                               ends[RV_BOX_PACKING_CELL]};
    for (int form = 0; form < RV_BOX_PACKING_FORM_COUNT; form++)
        for (uint32_t row = N_ROWS; row-- > 0;) {
            rows[form][row] = places[form];
            places[form] += counts[form][row];
        }
    ends[RV_BOX_PACKING_PLAIN] = places[RV_BOX_PACKING_PLAIN];
    ends[RV_BOX_PACKING_RICH] = places[RV_BOX_PACKING_RICH];
    for (size_t i = 0; i < n; i++)
        *rows[form_of(&records[i], is_rich)][row_of(&records[i])]++ = records[i];
}

double rv_box_packing_scale(const struct rv_box_packing *pack)
{
    return (double)((uint64_t)1 << pack->shift) / (double)(pack->to_ns - pack->from_ns);
}

double rv_box_packing_centre(const struct rv_box_packing *pack)
{
    return (double)(pack->centre_ns - pack->from_ns) / (double)(pack->to_ns - pack->from_ns);
}

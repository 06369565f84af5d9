#include "model/pixel_cells.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FULL (RV_BOX_EXACT - 1) /* coverage of a cell without gaps */

uint64_t rv_pixel_cells_width_ns(double pixel_ns)
{
    uint64_t width_ns = 1;
    while ((double)width_ns <= pixel_ns)
        width_ns *= 2;
    return width_ns;
}

static uint64_t covered_ns(const struct rv_box *cell)
{
    return cell->duration_ns * cell->coverage / FULL;
}

/* A joined cell's majority is chosen as a cell's is: by weight, see model/density.h. */
static void add(struct rv_pixel_cells_row *row, struct rv_box *joined, const struct rv_box *cell)
{
    uint64_t more_ns = covered_ns(cell);
    if (cell->id == joined->id) {
        row->weight += more_ns;
    } else if (more_ns > row->weight) {
        joined->id = cell->id;
        row->weight = more_ns - row->weight;
    } else {
        row->weight -= more_ns;
    }
    row->covered_ns += more_ns;
    joined->count += cell->count;
    uint64_t coverage = row->covered_ns * FULL / joined->duration_ns;
    joined->coverage = (uint16_t)(coverage < FULL ? coverage : FULL);
    uint16_t hit = (joined->flags | cell->flags) & RV_BOX_HIT;
    joined->flags = hit ? hit : joined->flags & cell->flags;
}

static struct rv_pixel_cells_row *row_of(struct rv_pixel_cells *cells, uint32_t depth)
{
    if (depth >= cells->n_rows)
        cells->rows = rv_vec_extend(cells->rows, &cells->n_rows, (size_t)depth + 1, sizeof *cells->rows);
    return &cells->rows[depth];
}

static bool is_narrow(const struct rv_box *box, uint64_t width_ns)
{
    return box->coverage != RV_BOX_EXACT && box->duration_ns < width_ns;
}

size_t rv_pixel_cells_join(struct rv_pixel_cells *cells, struct rv_box *boxes, size_t n, uint64_t width_ns)
{
    size_t n_left = 0;
    while (n_left < n && !is_narrow(&boxes[n_left], width_ns))
        n_left++;
    if (cells->n_rows)
        memset(cells->rows, 0, cells->n_rows * sizeof *cells->rows);
    for (size_t i = n_left; i < n; i++) {
        if (!is_narrow(&boxes[i], width_ns)) {
            boxes[n_left++] = boxes[i];
            continue;
        }
        struct rv_box cell = boxes[i];
        struct rv_pixel_cells_row *row = row_of(cells, cell.depth);
        uint64_t start_ns = cell.start_ns & ~(width_ns - 1);
        if (row->box && boxes[row->box - 1].start_ns == start_ns) {
            add(row, &boxes[row->box - 1], &cell);
            continue;
        }
        *row = (struct rv_pixel_cells_row){.box = n_left + 1};
        boxes[n_left] = cell;
        boxes[n_left].start_ns = start_ns;
        boxes[n_left].duration_ns = width_ns;
        boxes[n_left].count = 0;
        add(row, &boxes[n_left++], &cell);
    }
    return n_left;
}

size_t rv_pixel_cells_add_call(struct rv_box *box, const struct rv_box *call)
{
    const size_t n_folded = box->coverage == RV_BOX_EXACT ? 2 : 1;
    const uint64_t covered = box->coverage == RV_BOX_EXACT ? box->duration_ns : covered_ns(box);
    struct rv_pixel_cells_row row = {.covered_ns = covered, .weight = covered};
    if (rv_box_end_ns(call) > rv_box_end_ns(box))
        box->duration_ns = rv_box_end_ns(call) - box->start_ns;
    box->duration_ns += box->duration_ns == 0;
    box->flags &= RV_BOX_HIT | RV_BOX_DIMMED;
    add(&row, box, call);
    return n_folded;
}

void rv_pixel_cells_fini(struct rv_pixel_cells *cells)
{
    free(cells->rows);
    free(cells->lasts);
    *cells = (struct rv_pixel_cells){0};
}

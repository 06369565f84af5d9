/*
 * Squared distances to the nearest pixel inside, and outside, are the least of dx^2 + dy^2: rows are searched for dx, then
 * columns for dy, no farther than the spread. How much of a pixel is covered tells how far the edge is from its middle.
 */
#include "glyphs/distance_field.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

#define SPREAD ((int)RV_DISTANCE_FIELD_SPREAD)
#define FAR (2.0f * SPREAD * SPREAD)

/* Squared distances along lines of n values with a step between them. */
static void search_line(const float *from, float *to, int n, size_t step)
{
    for (int i = 0; i < n; i++) {
        float least = FAR;
        const int first = i < SPREAD ? -i : -SPREAD, last = n - 1 - i < SPREAD ? n - 1 - i : SPREAD;
        for (int k = first; k <= last; k++) {
            const float square = from[(size_t)(i + k) * step] + (float)(k * k);
            least = square < least ? square : least;
        }
        to[(size_t)i * step] = least;
    }
}

/* In place; scratch is as large. */
static void search(float *squares, float *scratch, int width, int height)
{
    for (int y = 0; y < height; y++)
        search_line(squares + (size_t)y * (size_t)width, scratch + (size_t)y * (size_t)width, width, 1);
    for (int x = 0; x < width; x++)
        search_line(scratch + x, squares + x, height, (size_t)width);
}

static float square_of_part(float part)
{
    return part > 0.0f ? part * part : 0.0f;
}

void rv_distance_field(const uint8_t *coverage, size_t row_bytes, uint32_t width, uint32_t height, uint8_t *out)
{
    const size_t row = width + 2 * SPREAD, n = row * (height + 2 * SPREAD);
    float *to_inside = rv_alloc_scratch(3 * n, sizeof *to_inside), *to_outside = to_inside + n;
    for (size_t i = 0; i < n; i++) {
        const size_t x = i % row - SPREAD, y = i / row - SPREAD; /* huge where negative */
        const unsigned covered = x < width && y < height ? coverage[y * row_bytes + x] : 0;
        const float rest = 0.5f - (float)covered / 255.0f;
        to_inside[i] = covered ? square_of_part(rest) : FAR;
        to_outside[i] = covered < 255 ? square_of_part(-rest) : FAR;
    }
    search(to_inside, to_outside + n, (int)row, (int)(n / row));
    search(to_outside, to_outside + n, (int)row, (int)(n / row));
    for (size_t i = 0; i < n; i++) {
        const float distance = sqrtf(to_outside[i]) - sqrtf(to_inside[i]);
        out[i] = (uint8_t)fminf(fmaxf(128.0f + 128.0f / (float)SPREAD * distance, 0.0f), 255.0f);
    }
    free(to_inside);
}

#include <criterion/criterion.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/y4m.h"

#define WIDTH 32
#define HEIGHT 16
#define N ((size_t)WIDTH * HEIGHT)

static int near_byte(double value)
{
    return (int)lrint(fmin(fmax(value, 0), 255));
}

/* As a player turns it back: BT.709, limited range. */
static void to_rgb(const uint8_t *planes, size_t i, int out[3])
{
    double y = (planes[i] - 16) * 255.0 / 219, u = (planes[N + i] - 128) * 255.0 / 224,
           v = (planes[2 * N + i] - 128) * 255.0 / 224;
    out[0] = near_byte(y + 1.5748 * v);
    out[1] = near_byte(y - 0.18732 * u - 0.46812 * v);
    out[2] = near_byte(y + 1.8556 * u);
}

Test(y4m, what_is_written_is_read_back, .timeout = 60)
{
    static uint8_t rgba[4 * N], planes[3 * N], back[3 * N];
    char header[128], word[16];
    int size_px[2] = {WIDTH, HEIGHT}, width, height, fps;
    FILE *file = tmpfile();
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i * 37 + i / 61 * 11);
    memset(rgba, 0, 4);
    memset(rgba + 4, 255, 4);
    rv_y4m_begin(file, size_px, 25);
    cr_assert_eq(rv_y4m_add(file, rgba, size_px, planes), 0);
    cr_assert_eq(rv_y4m_add(file, rgba, size_px, planes), 0);
    rewind(file);
    cr_assert(fgets(header, sizeof header, file));
    cr_assert_eq(sscanf(header, "YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C444", &width, &height, &fps), 3);
    cr_assert(width == WIDTH && height == HEIGHT && fps == 25);
    for (int frame = 0; frame < 2; frame++) {
        cr_assert(fgets(word, sizeof word, file));
        cr_assert_str_eq(word, "FRAME\n");
        cr_assert_eq(fread(back, 1, sizeof back, file), sizeof back);
        for (size_t i = 0; i < N; i++) {
            int rgb[3];
            to_rgb(back, i, rgb);
            for (size_t c = 0; c < 3; c++)
                cr_assert_leq(abs(rgb[c] - rgba[4 * i + c]), 2, "pixel %zu", i);
        }
    }
    cr_assert_eq(fgetc(file), EOF);
    fclose(file);
}

Test(y4m, a_full_disk_is_reported_with_its_picture, .timeout = 10)
{
    static uint8_t rgba[4 * N], planes[3 * N];
    int size_px[2] = {WIDTH, HEIGHT};
    FILE *file = fopen("/dev/full", "w");
    setvbuf(file, NULL, _IONBF, 0);
    rv_y4m_begin(file, size_px, 25);
    cr_assert_eq(rv_y4m_add(file, rgba, size_px, planes), -ENOSPC);
    fclose(file);
}

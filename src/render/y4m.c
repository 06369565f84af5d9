#include "render/y4m.h"

#include <errno.h>
#include <stddef.h>

/* Rows of luma and colour differences, in 65536ths of a limited range's step. */
static const int LUMA[3] = {11966, 40254, 4064}, BLUE[3] = {-6596, -22189, 28784}, RED[3] = {28784, -26145, -2639};

static uint8_t weigh(const uint8_t *rgb, const int weights[3], int zero)
{
    int sum = weights[0] * rgb[0] + weights[1] * rgb[1] + weights[2] * rgb[2];
    return (uint8_t)((sum + (zero << 16) + 32768) >> 16);
}

void rv_y4m_begin(FILE *file, const int size_px[2], unsigned fps)
{
    fprintf(file, "YUV4MPEG2 W%d H%d F%u:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n", size_px[0], size_px[1], fps);
}

int rv_y4m_add(FILE *file, const uint8_t *rgba, const int size_px[2], uint8_t *planes)
{
    size_t n = (size_t)size_px[0] * (size_t)size_px[1];
    for (size_t i = 0; i < n; i++) {
        planes[i] = weigh(rgba + 4 * i, LUMA, 16);
        planes[n + i] = weigh(rgba + 4 * i, BLUE, 128);
        planes[2 * n + i] = weigh(rgba + 4 * i, RED, 128);
    }
    errno = 0;
    if (fputs("FRAME\n", file) != EOF && fwrite(planes, 3, n, file) == n && !ferror(file))
        return 0;
    return errno ? -errno : -EIO;
}

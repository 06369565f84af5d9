#include "render/png.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "base/err.h"
#include "base/vec.h"

#define COMPRESSION_LEVEL 3 /* a picture takes tens of milliseconds */

/* libpng's own messages are dropped: errors are reported once, by errno. */
static void leave(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void pass_over(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

/* libpng leaves by longjmp; no local changes between setjmp and longjmp. */
static bool write_rows(FILE *out, png_structp png, png_infop info, png_bytepp rows, const int size[2])
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, out);
    png_set_compression_level(png, COMPRESSION_LEVEL);
    png_set_IHDR(png, info, (png_uint_32)size[0], (png_uint_32)size[1], 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_rows(png, info, rows);
    png_write_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
    return true;
}

/* 0 or negative errno. */
static int write_image(FILE *out, const uint8_t *rgba, int width_px, int height_px)
{
    const int size[2] = {width_px, height_px};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, leave, pass_over);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    png_bytepp rows = rv_alloc((size_t)height_px, sizeof *rows);
    for (int y = 0; y < height_px; y++)
        rows[y] = (png_bytep)(uintptr_t)rgba + (size_t)y * (size_t)width_px * 4;
    errno = 0;
    int err = info && write_rows(out, png, info, rows, size) && fflush(out) == 0 ? 0 : errno ? -errno : -EIO;
    png_destroy_write_struct(&png, &info);
    free(rows);
    return err;
}

static int write_file(FILE *out, const char *path, const uint8_t *rgba, const int size[2])
{
    int err = write_image(out, rgba, size[0], size[1]);
    if (fclose(out) != 0 && !err)
        err = -errno;
    return err ? rv_err(-err, "%s: %s", path, strerror(-err)) : 0;
}

/* Write to a device or pipe directly: a rename would replace it. */
static bool is_stream(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int write_stream(const char *path, const uint8_t *rgba, const int size[2])
{
    FILE *out = fopen(path, "wbe");
    return out ? write_file(out, path, rgba, size) : rv_err_sys("%s", path);
}

static int write_temporary(const char *path, const uint8_t *rgba, const int size[2])
{
    size_t n_bytes = strlen(path) + 32;
    char *beside = rv_alloc(n_bytes, 1);
    snprintf(beside, n_bytes, "%s.%ld.part", path, (long)getpid());
    FILE *out = fopen(beside, "wbxe");
    int err = out ? write_file(out, path, rgba, size) : rv_err_sys("%s", path);
    if (out && !err && rename(beside, path))
        err = rv_err_sys("%s", path);
    if (out && err)
        unlink(beside);
    free(beside);
    return err;
}

int rv_png_write(const char *path, const uint8_t *rgba, int width_px, int height_px)
{
    const int size[2] = {width_px, height_px};
    if (is_stream(path))
        return write_stream(path, rgba, size);
    char *target = realpath(path, NULL); /* keeps links */
    int err = write_temporary(target ? target : path, rgba, size);
    free(target);
    return err;
}

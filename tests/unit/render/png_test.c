#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <png.h>

#include "render/png.h"

#define WIDTH 37
#define HEIGHT 21

static uint8_t pixels[WIDTH * HEIGHT * 4];
static char folder[] = "/tmp/ringviz-png-XXXXXX";

static void setup(void)
{
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * 31 + i / 97);
    cr_assert_not_null(mkdtemp(folder));
}

static void teardown(void)
{
    rmdir(folder);
}

static void read_back(const char *path, uint8_t out[sizeof pixels])
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    cr_assert(png_image_begin_read_from_file(&image, path), "%s", image.message);
    cr_assert_eq(image.width, WIDTH);
    cr_assert_eq(image.height, HEIGHT);
    image.format = PNG_FORMAT_RGBA;
    cr_assert(png_image_finish_read(&image, NULL, out, 0, NULL), "%s", image.message);
}

Test(png, what_is_written_is_read_back, .init = setup, .fini = teardown, .timeout = 60)
{
    char path[128];
    uint8_t back[sizeof pixels];
    snprintf(path, sizeof path, "%s/picture.png", folder);
    cr_assert_eq(rv_png_write(path, pixels, WIDTH, HEIGHT), 0);
    read_back(path, back);
    cr_assert_arr_eq(back, pixels, sizeof pixels);
    pixels[0] ^= 255;
    cr_assert_eq(rv_png_write(path, pixels, WIDTH, HEIGHT), 0, "a second picture replaces the first");
    read_back(path, back);
    cr_assert_arr_eq(back, pixels, sizeof pixels);
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something was left beside the picture");
    cr_assert_not_null(mkdtemp(strcpy(folder, "/tmp/ringviz-png-XXXXXX")));
}

Test(png, a_folder_that_is_not_there_is_an_error, .init = setup, .fini = teardown, .timeout = 60)
{
    char path[128];
    snprintf(path, sizeof path, "%s/none/picture.png", folder);
    cr_assert_eq(rv_png_write(path, pixels, WIDTH, HEIGHT), -ENOENT);
}

Test(png, a_target_that_cannot_be_replaced_leaves_nothing, .init = setup, .fini = teardown, .timeout = 60)
{
    char path[128];
    snprintf(path, sizeof path, "%s/taken.png", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_lt(rv_png_write(path, pixels, WIDTH, HEIGHT), 0);
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(rmdir(folder), 0, "something was left beside the picture");
    cr_assert_not_null(mkdtemp(strcpy(folder, "/tmp/ringviz-png-XXXXXX")));
}

Test(png, a_pipe_is_written_to_and_stays, .init = setup, .fini = teardown, .timeout = 60)
{
    char path[128];
    unsigned char first[8] = {0};
    struct stat status;
    snprintf(path, sizeof path, "%s/pipe", folder);
    cr_assert_eq(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK);
    cr_assert_eq(rv_png_write(path, pixels, WIDTH, HEIGHT), 0);
    cr_assert(lstat(path, &status) == 0 && S_ISFIFO(status.st_mode), "the pipe was replaced");
    cr_assert_eq(read(fd, first, sizeof first), 8);
    cr_assert_arr_eq(first, "\x89PNG\r\n\x1a\n", 8);
    close(fd);
    unlink(path);
}

Test(png, a_link_stays_and_its_target_is_written, .init = setup, .fini = teardown, .timeout = 60)
{
    char path[128], link[128];
    uint8_t back[sizeof pixels];
    struct stat status;
    snprintf(path, sizeof path, "%s/picture.png", folder);
    snprintf(link, sizeof link, "%s/link.png", folder);
    fclose(fopen(path, "w"));
    cr_assert_eq(symlink(path, link), 0);
    cr_assert_eq(rv_png_write(link, pixels, WIDTH, HEIGHT), 0);
    cr_assert(lstat(link, &status) == 0 && S_ISLNK(status.st_mode), "the link was replaced");
    read_back(path, back);
    cr_assert_arr_eq(back, pixels, sizeof pixels);
    unlink(link);
    unlink(path);
}

/*
 * count_pixels FILE RRGGBB: how many pixels of a colour there are on a screen. FILE is what Xvfb -fbdir keeps: a window
 * dump as X11/XWDFile.h has it, with 32 bits a pixel.
 */
#include <endian.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { HEADER_BYTES = 0, HEIGHT = 5, BITS_PER_PIXEL = 11, BYTES_PER_LINE = 12, N_COLORS = 19, N_WORDS = 25 };
#define COLOR_BYTES 12u

int main(int argc, char **argv)
{
    struct stat status;
    int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_size < N_WORDS * 4) {
        fprintf(stderr, "count_pixels: no screen\n");
        return 1;
    }
    size_t n_bytes = (size_t)status.st_size;
    const uint32_t *words = mmap(NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (words == MAP_FAILED)
        return 1;
    size_t first = be32toh(words[HEADER_BYTES]) + (size_t)be32toh(words[N_COLORS]) * COLOR_BYTES;
    size_t size = (size_t)be32toh(words[BYTES_PER_LINE]) * be32toh(words[HEIGHT]);
    if (be32toh(words[BITS_PER_PIXEL]) != 32 || first % 4 || first > n_bytes || size > n_bytes - first) {
        fprintf(stderr, "count_pixels: %s is no such screen\n", argv[1]);
        return 1;
    }
    uint32_t wanted = (uint32_t)strtoul(argv[2], NULL, 16);
    const uint32_t *pixels = words + first / 4;
    unsigned n = 0;
    for (size_t i = 0; i < size / 4; i++)
        n += (le32toh(pixels[i]) & 0xFFFFFFu) == wanted;
    printf("%u\n", n);
    return 0;
}

/*
 * A file as Perl's Devel::RingBuffer lays it out on x86-64: 3 rings of 4 slots of 24 bytes, one ring in use, by us,
 * with three calls open, called one after the other. argv[1]: its path. Stays until its standard input ends.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N_RINGS = 3, N_SLOTS = 4, SLOT = 24, MESSAGE = 32, GLOBAL = 68, RING = 3176 + N_SLOTS * (SLOT + 16) + MESSAGE };
enum { FIRST = 40 + GLOBAL + N_RINGS, FILE_BYTES = 3256 + GLOBAL + N_RINGS + N_RINGS * RING + 1024 };

static unsigned char bytes[FILE_BYTES];

static void put_int(size_t at, int32_t value)
{
    memcpy(bytes + at, &value, sizeof value);
}

static void put_slot(int slot, int32_t line, double when, const char *name)
{
    size_t at = FIRST + RING + 3176 + MESSAGE + (size_t)slot * (SLOT + 16);
    put_int(at, line);
    memcpy(bytes + at + 8, &when, sizeof when);
    strncpy((char *)bytes + at + 16, name, SLOT - 1);
}

int main(int argc, char **argv)
{
    static const int32_t header[10] = {0, MESSAGE, N_RINGS, N_SLOTS, SLOT, 0, 0, GLOBAL, 0, 0};
    for (int i = 0; i < 10; i++)
        put_int(4 * (size_t)i, header[i]);
    memset(bytes + 40 + GLOBAL, 1, N_RINGS);
    bytes[40 + GLOBAL + 1] = 0;
    put_int(FIRST + RING, getpid());
    put_int(FIRST + RING + 4, 0);
    put_int(FIRST + RING + 8, 2);
    put_int(FIRST + RING + 12, 3);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double when = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - 1;
    put_slot(0, 3, when, "main::run");
    put_slot(1, 17, when + 0.25, "My::Mod::work");
    put_slot(2, 29, when + 0.5, "My::Mod::leaf");
    FILE *file = argc > 1 ? fopen(argv[1], "wb") : NULL;
    if (!file || fwrite(bytes, 1, sizeof bytes, file) != sizeof bytes || fclose(file) != 0)
        return 2;
    printf("written\n");
    fflush(stdout);
    return read(STDIN_FILENO, bytes, 1) == 0 ? 0 : 1;
}

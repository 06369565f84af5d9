#include "control/listing.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring/text.h"

#define MOST_BYTES (4 << 20)
#define TAB 4u

/* NULL where it is no file that can be read without waiting for somebody. */
static FILE *open_file(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_BYTES;
    FILE *file = is_file ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

static FILE *open_of_process(uint32_t pid, const char *path)
{
    char whole[4096];
    if (path[0] == '/')
        return open_file(path);
    int n = snprintf(whole, sizeof whole, "/proc/%u/cwd/%s", pid, path);
    return n < (int)sizeof whole ? open_file(whole) : NULL;
}

static void keep(char out[RV_LISTING_BYTES], const char *text, size_t n_bytes)
{
    char plain[RV_LISTING_BYTES];
    size_t n = 0;
    for (size_t i = 0; i < n_bytes && text[i] != '\n' && text[i] != '\r' && n + TAB < sizeof plain; i++) {
        size_t n_spaces = text[i] == '\t' ? TAB - n % TAB : 0;
        memset(plain + n, text[i] == '\t' ? ' ' : text[i], n_spaces ? n_spaces : 1);
        n += n_spaces ? n_spaces : 1;
    }
    rv_text_escape(out, RV_LISTING_BYTES, plain, n);
}

void rv_listing_read(struct rv_listing *listing, uint32_t pid, const char *path, uint32_t line)
{
    memset(listing, 0, sizeof *listing);
    FILE *file = path[0] && line ? open_of_process(pid, path) : NULL;
    if (!file)
        return;
    uint32_t first = line > RV_LISTING_LINES / 2 ? line - RV_LISTING_LINES / 2 : 1;
    char *text = NULL;
    size_t capacity = 0;
    for (uint32_t i = 1; i < first + RV_LISTING_LINES; i++) {
        ssize_t n_bytes = getline(&text, &capacity, file);
        if (n_bytes < 0)
            break;
        if (i >= first)
            keep(listing->lines[listing->n++], text, (size_t)n_bytes);
    }
    listing->first = first;
    if (first + listing->n <= line)
        memset(listing, 0, sizeof *listing);
    free(text);
    fclose(file);
}

/* Feeds every file of the folders and files named on the command line to the target, once: the corpus as a test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned n_replayed;

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    long n_bytes = ftell(file);
    rewind(file);
    uint8_t *data = malloc(n_bytes > 0 ? (size_t)n_bytes : 1);
    size_t n_read = data && n_bytes > 0 ? fread(data, 1, (size_t)n_bytes, file) : 0;
    fclose(file);
    LLVMFuzzerTestOneInput(data, n_read);
    n_replayed++;
    free(data);
}

static void replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return;
    if (!S_ISDIR(status.st_mode)) {
        replay_file(path);
        return;
    }
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char child[4096];
        if (entry->d_name[0] == '.' ||
            (size_t)snprintf(child, sizeof child, "%s/%s", path, entry->d_name) >= sizeof child)
            continue;
        replay(child);
    }
    if (folder)
        closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    printf("%u inputs replayed\n", n_replayed);
    return n_replayed ? 0 : 1;
}

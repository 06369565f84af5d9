/* Any bytes as the file of a module: named at addresses all over, with DWARF where it lets itself be read. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIRST_ADDRESS 0x1000u
#define N_ADDRESSES 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("module", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct rv_catalog *catalog = rv_catalog_create();
    rv_catalog_put_module(catalog, &(struct rv_catalog_module){.process = 1, .end = UINT64_MAX, .path = path});
    struct rv_catalog_process *process = rv_catalog_process(catalog, 1);
    for (uint64_t i = 0; i < N_ADDRESSES; i++) {
        struct rv_catalog_name name;
        rv_catalog_name(catalog, rv_catalog_lookup(process, FIRST_ADDRESS + i * 16, 1), &name);
    }
    rv_catalog_destroy(catalog);
    close(fd);
    return 0;
}

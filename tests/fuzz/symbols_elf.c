/*
 * Any bytes as the file of a module: named at the addresses where its code may be. Where they do not begin as ELF,
 * their first four say how many of the rest the module has; what is left is the file that its DWARF is split off into,
 * and the one that dwz shares.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/dwarf_prototypes.h"
#include "symbols/symbolizer.h"

static bool wants_all(const void *context, const char *name)
{
    (void)context;
    (void)name;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FIRST_ADDRESS 0x200u
#define N_ADDRESSES 256u

static char folder[] = "/tmp/fuzz-symbols-XXXXXX";
static const char *const FILES[] = {"module", "unit.dwo", "shared"};
static char paths[3][sizeof folder + 16];

static void remove_files(void)
{
    for (size_t i = 0; i < 3; i++)
        unlink(paths[i]);
    rmdir(folder);
}

static void make_folder(void)
{
    if (*paths[0] || !mkdtemp(folder))
        return;
    for (size_t i = 0; i < 3; i++)
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, FILES[i]);
    atexit(remove_files);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t n_module = (uint32_t)size;
    make_folder();
    if (size > 4 && memcmp(data, "\177ELF", 4) != 0) {
        memcpy(&n_module, data, sizeof n_module);
        data += sizeof n_module;
        size -= sizeof n_module;
        n_module = n_module < size ? n_module : (uint32_t)size;
    }
    write_file(paths[0], data, n_module);
    write_file(paths[1], data + n_module, size - n_module);
    write_file(paths[2], data + n_module, size - n_module);
    struct rv_symbolizer *symbolizer = rv_symbolizer_create();
    rv_symbolizer_put_module(symbolizer,
                             &(struct rv_symbolizer_module){.process = 1, .end = UINT64_MAX, .path = paths[0]});
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, 1);
    for (uint64_t i = 0; i < N_ADDRESSES; i++) {
        struct rv_symbolizer_name name;
        rv_symbolizer_name(symbolizer, rv_symbolizer_look_up(process, FIRST_ADDRESS + i * 16, 1), &name);
#ifdef SAY
        if (*name.file && name.line_form)
            printf("%s %s:%u\n", name.name, name.file, name.line_form);
#endif
    }
    rv_symbolizer_destroy(symbolizer);
    size_t n_bytes;
    free(rv_dwarf_prototypes_take(paths[0], wants_all, NULL, &n_bytes));
    return 0;
}

#include "mapped.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int describe(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    struct rv_symbolizer_module *module = context;
    (void)n_bytes;
    if (strcmp(info->dlpi_name, module->path) != 0)
        return 0;
    module->bias = info->dlpi_addr;
    module->start = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD)
            continue;
        module->start = start < module->start ? start : module->start;
        module->end = start + header->p_memsz > module->end ? start + header->p_memsz : module->end;
    }
    return 1;
}

void *mapped_open(const char *path, struct rv_symbolizer_module *module)
{
    *module = (struct rv_symbolizer_module){.process = 1, .path = path, .loaded_ns = 100};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    struct stat status;
    if (!library || dl_iterate_phdr(describe, module) != 1 || stat(path, &status) != 0) {
        fprintf(stderr, "%s: %s\n", path, library ? "not found among the modules" : dlerror());
        return NULL;
    }
    module->device = status.st_dev;
    module->inode = status.st_ino;
    return library;
}

uint64_t mapped_address(void *library, const char *symbol)
{
    return (uint64_t)(uintptr_t)dlsym(library, symbol);
}

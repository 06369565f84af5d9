#include "source/uncalled_functions.h"

#include <stdio.h>
#include <stdlib.h>

#include "ring/modules.h"
#include "source/capture_control.h"
#include "symbols/demangle.h"
#include "symbols/elf_symbols.h"

#define PATH_BYTES (4096 * 4)

static bool is_patched(const struct rv_map *map, uint32_t process_idx)
{
    const struct rv_wire_process *process = rv_map_process(map, process_idx);
    return __atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == RV_PROCESS_LIVE && /* D2 <- D1 */
           __atomic_load_n(&process->instrumentation.instruments, __ATOMIC_RELAXED) & RV_INSTRUMENT_PATCHES;
}

static bool fits(const struct rv_capture_control *capture, const char *symbol, const char *path)
{
    struct rv_demangled demangled;
    char package[512], name[512];
    rv_demangle(symbol, &demangled);
    const struct rv_demangle_piece module = demangled.package.n_bytes ? demangled.package : rv_demangle_module(path);
    const bool is_short = module.n_bytes < sizeof package && demangled.name.n_bytes < sizeof name;
    if (is_short) {
        snprintf(package, sizeof package, "%.*s", (int)module.n_bytes, module.text);
        snprintf(name, sizeof name, "%.*s", (int)demangled.name.n_bytes, demangled.name.text);
    }
    free(demangled.owned);
    return is_short && rv_capture_filter_fits_last(capture->filter, package, name);
}

static void put(struct rv_capture_control *capture, uint32_t process_idx, uint64_t address)
{
    const uint64_t ticks = rv_clock_ticks(capture->map->clock.kind);
    const uint32_t id = rv_capture_control_id(capture, process_idx, address, ticks);
    rv_verdict_put(capture->publisher, &(struct rv_verdict_function){process_idx, id, address, ticks},
                   rv_capture_filter_has(capture->filter, capture->symbolizer, id));
}

static size_t reveal_module(struct rv_capture_control *capture, const struct rv_module *module)
{
    const struct rv_elf_identity identity = {module->device, module->inode, module->build_id, module->build_id_bytes};
    struct rv_elf *elf = rv_elf_open(module->path, &identity);
    size_t n = 0;
    uint64_t start;
    const char *symbol;
    for (size_t i = 0; elf && (symbol = rv_elf_function_at(elf, i, &start)); i++) {
        if (module->bias + start < module->start || module->bias + start >= module->end ||
            !fits(capture, symbol, module->path))
            continue;
        put(capture, module->process_idx, module->bias + start);
        n++;
    }
    rv_elf_close(elf);
    return n;
}

size_t rv_uncalled_functions_show(struct rv_capture_control *capture)
{
    char path[PATH_BYTES];
    size_t n = 0;
    for (uint32_t i = 0, n_modules = rv_modules_count(capture->map); i < n_modules; i++) {
        struct rv_module module;
        if (rv_modules_read(capture->map, i, &module, path, sizeof path) == 0 && !module.unloaded_ticks &&
            is_patched(capture->map, module.process_idx))
            n += reveal_module(capture, &module);
    }
    return n;
}

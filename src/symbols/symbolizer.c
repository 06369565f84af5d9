#include "symbols/symbolizer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "base/hash_index.h"
#include "base/module_name.h"
#include "symbols/function_and_line.h"
#include "symbols/ids_by_address.h"
#include "symbols/module_map.h"

#define MOST_OBJECTS (1u << 16) /* so that functions keep their ids */

enum entry_kind {
    ENTRY_CODE,    /* at an address of a file */
    ENTRY_ADDRESS, /* at a process's address that was in no known module at that time */
    ENTRY_TEXT,    /* name given by the producer */
    ENTRY_OBJECT,  /* variable at an address of a file, */
    ENTRY_ON_HEAP, /* or an object at a process's address that was in no module */
    ENTRY_SITE,    /* place of a call in a file */
    ENTRY_REST     /* shared by all entries beyond RV_SYMBOLIZER_MAX */
};

struct entry {
    enum entry_kind kind;
    uint32_t line_form; /* TEXT */
    uint64_t address;   /* CODE, OBJECT, SITE: link-time */
    uint64_t at_ns;     /* ADDRESS */
    union {
        const struct rv_code_file *file;             /* CODE, OBJECT, SITE */
        const struct rv_symbolizer_process *process; /* ADDRESS, ON_HEAP */
        const char *package;                         /* TEXT: all three from the string pool */
    };
    const char *name, *path;
};

struct rv_symbolizer_process {
    struct rv_symbolizer *symbolizer;
    uint32_t number;
    struct rv_ids_by_address addresses;
    struct rv_module_map map;          /* changed under the symbolizer's lock */
    struct rv_hash_index module_index; /* (start, loaded_ns) to 1 + number */
};

struct rv_symbolizer {
    /* Drain thread only. */
    struct rv_hash_index entry_index, file_index, process_index;
    struct rv_symbolizer_process **processes;
    size_t n_processes, process_capacity, n_objects;
    struct rv_string_pool strings; /* its strings are read by any thread */

    pthread_mutex_t lock;  /* protects the following and each process's map: written by the drain, read for naming */
    struct entry *entries; /* [id - 1] */
    size_t entry_capacity;
    _Atomic uint32_t n_entries;
    _Atomic uint32_t n_modules;  /* added so far, in all processes */
    struct rv_code_file **files; /* by number */
    size_t n_files, file_capacity;

    pthread_mutex_t naming_lock; /* protects the following */
    struct rv_function_and_line namer;
    struct rv_symbolizer_name *names; /* [id - 1]; name NULL if not named yet */
    size_t n_names;
};

static uint32_t count(const struct rv_symbolizer *symbolizer)
{
    return atomic_load_explicit(&symbolizer->n_entries, memory_order_relaxed);
}

/* ---- entries ---- */

static bool is_same_entry(const void *context, uint32_t id, const void *key)
{
    const struct rv_symbolizer *symbolizer = context;
    const struct entry *entry = &symbolizer->entries[id - 1], *wanted = key;
    if (entry->kind != wanted->kind)
        return false;
    if (entry->kind == ENTRY_TEXT)
        return entry->package == wanted->package && entry->name == wanted->name && entry->path == wanted->path &&
               entry->line_form == wanted->line_form;
    return entry->address == wanted->address && entry->file == wanted->file;
}

static uint64_t hash_entry(const struct entry *entry)
{
    uint64_t hash = rv_hash_combine(rv_hash_u64((uintptr_t)entry->file), entry->address ^ (uint64_t)entry->kind << 60);
    if (entry->kind == ENTRY_TEXT)
        hash = rv_hash_combine(rv_hash_combine(rv_hash_combine(hash, (uintptr_t)entry->name), (uintptr_t)entry->path),
                               entry->line_form);
    return hash;
}

static uint32_t find_or_add_entry(struct rv_symbolizer *symbolizer, const struct entry *wanted)
{
    uint64_t hash = hash_entry(wanted);
    uint32_t id = rv_hash_index_find(&symbolizer->entry_index, hash, is_same_entry, symbolizer, wanted);
    uint32_t n = count(symbolizer);
    if (id || n == RV_SYMBOLIZER_MAX)
        return id ? id : n;
    pthread_mutex_lock(&symbolizer->lock);
    symbolizer->entries =
        rv_vec_reserve(symbolizer->entries, &symbolizer->entry_capacity, n + 1u, sizeof *symbolizer->entries);
    symbolizer->entries[n] = n + 1 == RV_SYMBOLIZER_MAX ? (struct entry){.kind = ENTRY_REST} : *wanted;
    atomic_store_explicit(&symbolizer->n_entries, n + 1, memory_order_relaxed);
    pthread_mutex_unlock(&symbolizer->lock);
    rv_hash_index_put(&symbolizer->entry_index, hash, n + 1);
    return n + 1;
}

uint32_t rv_symbolizer_intern(struct rv_symbolizer *symbolizer, const char *package, const char *name, const char *file,
                              uint32_t line_form)
{
    struct entry entry = {
        .kind = ENTRY_TEXT,
        .line_form = line_form,
        .package = rv_string_pool_keep(&symbolizer->strings, package ? package : "", package ? strlen(package) : 0),
        .name = rv_string_pool_keep(&symbolizer->strings, name ? name : "", name ? strlen(name) : 0),
        .path = rv_string_pool_keep(&symbolizer->strings, file ? file : "", file ? strlen(file) : 0)};
    return find_or_add_entry(symbolizer, &entry);
}

bool rv_symbolizer_is_interned(const struct rv_symbolizer *symbolizer, uint32_t id)
{
    return id > 0 && id <= count(symbolizer) && symbolizer->entries[id - 1].kind == ENTRY_TEXT;
}

uint32_t rv_symbolizer_find(const struct rv_symbolizer *symbolizer, const char *name)
{
    const char *none = rv_string_pool_find(&symbolizer->strings, "");
    const struct entry entry = {
        .kind = ENTRY_TEXT, .package = none, .name = rv_string_pool_find(&symbolizer->strings, name), .path = none};
    return entry.name && none
               ? rv_hash_index_find(&symbolizer->entry_index, hash_entry(&entry), is_same_entry, symbolizer, &entry)
               : 0;
}

uint32_t rv_symbolizer_count(const struct rv_symbolizer *symbolizer)
{
    return count(symbolizer);
}

uint32_t rv_symbolizer_n_modules(const struct rv_symbolizer *symbolizer)
{
    return atomic_load_explicit(&symbolizer->n_modules, memory_order_relaxed);
}

/* ---- files and modules ---- */

static bool have_same_name(const char *path, const char *other)
{
    size_t n, n_other;
    const char *name = rv_module_name(path, &n), *other_name = rv_module_name(other, &n_other);
    return n == n_other && memcmp(name, other_name, n) == 0;
}

/* A program that is several commands, by links to it, is a file for each. */
static bool is_same_file(const void *context, uint32_t value, const void *key)
{
    const struct rv_symbolizer *symbolizer = context;
    const struct rv_code_file *file = symbolizer->files[value - 1], *wanted = key;
    if (file->build_id_bytes != wanted->build_id_bytes ||
        memcmp(file->build_id, wanted->build_id, wanted->build_id_bytes) != 0 || file->device != wanted->device ||
        file->inode != wanted->inode)
        return false;
    return wanted->inode ? have_same_name(file->path, wanted->path) : strcmp(file->path, wanted->path) == 0;
}

static const struct rv_code_file *find_or_add_file(struct rv_symbolizer *symbolizer,
                                                   const struct rv_symbolizer_module *module)
{
    struct rv_code_file wanted = {.path = module->path ? module->path : "",
                                  .device = module->device,
                                  .inode = module->inode,
                                  .number = (uint32_t)symbolizer->n_files};
    if (module->build_id && module->build_id_bytes <= sizeof wanted.build_id) {
        wanted.build_id_bytes = module->build_id_bytes;
        memcpy(wanted.build_id, module->build_id, module->build_id_bytes);
    }
    uint64_t hash = rv_hash_combine(rv_hash_bytes(wanted.build_id, sizeof wanted.build_id), wanted.device);
    hash = rv_hash_combine(hash, wanted.inode ? wanted.inode : rv_hash_bytes(wanted.path, strlen(wanted.path)));
    uint32_t found = rv_hash_index_find(&symbolizer->file_index, hash, is_same_file, symbolizer, &wanted);
    if (found)
        return symbolizer->files[found - 1];
    struct rv_code_file *file = rv_alloc(1, sizeof *file);
    *file = wanted;
    file->path = rv_string_pool_keep(&symbolizer->strings, wanted.path, strlen(wanted.path));
    file->link = module->link ? rv_string_pool_keep(&symbolizer->strings, module->link, strlen(module->link)) : NULL;
    pthread_mutex_lock(&symbolizer->lock);
    symbolizer->files = rv_vec_reserve(symbolizer->files, &symbolizer->file_capacity, symbolizer->n_files + 1,
                                       sizeof *symbolizer->files);
    symbolizer->files[symbolizer->n_files++] = file;
    pthread_mutex_unlock(&symbolizer->lock);
    rv_hash_index_put(&symbolizer->file_index, hash, (uint32_t)symbolizer->n_files);
    return file;
}

static bool is_same_module(const void *context, uint32_t value, const void *key)
{
    const struct rv_symbolizer_process *process = context;
    const struct rv_mapped_module *module = &process->map.modules[value - 1], *wanted = key;
    return module->start == wanted->start && module->loaded_ns == wanted->loaded_ns;
}

static void on_timed(void *context, uint32_t number)
{
    struct rv_symbolizer_process *process = context;
    rv_ids_by_address_set_timed(&process->addresses, number);
}

void rv_symbolizer_put_module(struct rv_symbolizer *symbolizer, const struct rv_symbolizer_module *module)
{
    struct rv_symbolizer_process *process = rv_symbolizer_process(symbolizer, module->process);
    struct rv_mapped_module mapped = {.start = module->start,
                                      .end = module->end,
                                      .bias = module->bias,
                                      .loaded_ns = module->loaded_ns,
                                      .unloaded_ns = RV_MODULE_MAPPED};
    uint64_t hash = rv_hash_combine(rv_hash_u64(mapped.start), mapped.loaded_ns);
    uint32_t number = rv_hash_index_find(&process->module_index, hash, is_same_module, process, &mapped);
    if (number && !module->unloaded_ns)
        return;
    if (!number)
        mapped.file = find_or_add_file(symbolizer, module)->number;
    pthread_mutex_lock(&symbolizer->lock);
    bool is_new = !number;
    if (is_new) {
        number = 1 + rv_module_map_add(&process->map, &mapped, on_timed, process);
        atomic_fetch_add_explicit(&symbolizer->n_modules, 1, memory_order_relaxed); /* the lock orders the map */
    }
    if (module->unloaded_ns)
        rv_module_map_unload(&process->map, number - 1, module->unloaded_ns);
    pthread_mutex_unlock(&symbolizer->lock);
    if (is_new)
        rv_hash_index_put(&process->module_index, hash, number);
}

/* ---- processes and their addresses ---- */

struct rv_symbolizer_process *rv_symbolizer_process(struct rv_symbolizer *symbolizer, uint32_t number)
{
    uint32_t found = rv_hash_index_get(&symbolizer->process_index, number);
    if (found)
        return symbolizer->processes[found - 1];
    struct rv_symbolizer_process *process = rv_alloc(1, sizeof *process);
    process->symbolizer = symbolizer;
    process->number = number;
    rv_ids_by_address_init(&process->addresses);
    symbolizer->processes = rv_vec_reserve(symbolizer->processes, &symbolizer->process_capacity,
                                           symbolizer->n_processes + 1, sizeof *symbolizer->processes);
    symbolizer->processes[symbolizer->n_processes++] = process;
    rv_hash_index_add(&symbolizer->process_index, number, (uint32_t)symbolizer->n_processes);
    return process;
}

/* Look up an address that is new, or was last found in a module not mapped at this time, and cache the result. */
static uint32_t look_up_anew(struct rv_symbolizer_process *process, uint64_t key, uint64_t at_ns)
{
    struct rv_symbolizer *symbolizer = process->symbolizer;
    struct entry entry = {.kind = ENTRY_ADDRESS, .address = key, .at_ns = at_ns, .process = process};
    uint32_t number = rv_module_map_find(&process->map, entry.address, at_ns);
    if (number != RV_MODULE_NO_FILE) {
        entry.kind = ENTRY_CODE;
        entry.address -= process->map.modules[number].bias;
        entry.file = symbolizer->files[process->map.modules[number].file];
    } else {
        pthread_mutex_lock(&symbolizer->lock);
        number = rv_module_map_unknown(&process->map);
        pthread_mutex_unlock(&symbolizer->lock);
    }
    uint32_t id = find_or_add_entry(symbolizer, &entry);
    if (process->addresses.n_used < RV_SYMBOLIZER_MAX)
        rv_ids_by_address_put(&process->addresses, key, process->map.modules[number].is_timed, id, number);
    return id;
}

const struct rv_ids_by_address *rv_symbolizer_addresses(const struct rv_symbolizer_process *process)
{
    return &process->addresses;
}

uint32_t rv_symbolizer_look_up(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns)
{
    const struct rv_address_slot *slot = rv_ids_by_address_find(&process->addresses, address);
    if (!slot)
        return look_up_anew(process, address, at_ns);
    const struct rv_mapped_module *module = &process->map.modules[slot->module];
    if (slot->key == address || (at_ns >= module->loaded_ns && at_ns < module->unloaded_ns))
        return slot->id;
    return look_up_anew(process, address, at_ns);
}

void rv_symbolizer_each_address(const struct rv_symbolizer_process *process,
                                void visit(void *context, uint64_t address, uint32_t id), void *context)
{
    const struct rv_ids_by_address *table = &process->addresses;
    for (size_t i = 0; i <= table->byte_mask / sizeof *table->slots; i++)
        if (table->slots[i].key != RV_ADDRESS_FREE)
            visit(context, table->slots[i].key & ~RV_ADDRESS_TIMED, table->slots[i].id);
}

/* The id of an address that may lie anywhere: an entry of this kind where it lies in a file. */
static uint32_t place(struct rv_symbolizer_process *process, enum entry_kind kind, uint64_t address, uint64_t at_ns)
{
    struct entry entry = {.kind = ENTRY_ON_HEAP, .address = address, .process = process};
    uint32_t number = rv_module_map_find(&process->map, address, at_ns);
    if (number != RV_MODULE_NO_FILE) {
        entry.kind = kind;
        entry.address -= process->map.modules[number].bias;
        entry.file = process->symbolizer->files[process->map.modules[number].file];
    }
    if (process->symbolizer->n_objects >= MOST_OBJECTS)
        return rv_symbolizer_intern(process->symbolizer, "", "(too many objects)", "", 0);
    const uint32_t n = count(process->symbolizer), id = find_or_add_entry(process->symbolizer, &entry);
    process->symbolizer->n_objects += id > n;
    return id;
}

uint32_t rv_symbolizer_object(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns)
{
    return place(process, ENTRY_OBJECT, address, at_ns);
}

/* The byte before the address that a call returns to is the call's last one. */
uint32_t rv_symbolizer_call_site(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns)
{
    return place(process, ENTRY_SITE, address - 1, at_ns);
}

/* ---- names ---- */

/* Copy the id's entry; an address whose module was added later becomes code. */
static bool copy_entry(struct rv_symbolizer *symbolizer, uint32_t id, struct entry *entry)
{
    pthread_mutex_lock(&symbolizer->lock);
    bool is_valid = id >= 1 && id <= count(symbolizer);
    if (is_valid)
        *entry = symbolizer->entries[id - 1];
    if (is_valid && entry->kind == ENTRY_ADDRESS) {
        const struct rv_module_map *map = &entry->process->map;
        uint32_t number = rv_module_map_find(map, entry->address, entry->at_ns);
        if (number != RV_MODULE_NO_FILE)
            *entry = (struct entry){.kind = ENTRY_CODE,
                                    .address = entry->address - map->modules[number].bias,
                                    .file = symbolizer->files[map->modules[number].file]};
    }
    pthread_mutex_unlock(&symbolizer->lock);
    return is_valid;
}

static int name_entry(struct rv_function_and_line *namer, const struct entry *entry, struct rv_symbolizer_name *name)
{
    switch (entry->kind) {
    case ENTRY_CODE:
        rv_function_and_line_name_code(namer, entry->file, entry->address, name);
        return 0;
    case ENTRY_ADDRESS:
        rv_function_and_line_name_address(namer, entry->address, name);
        return -EAGAIN;
    case ENTRY_TEXT:
        *name = (struct rv_symbolizer_name){
            .package = entry->package, .name = entry->name, .file = entry->path, .line_form = entry->line_form};
        return 0;
    case ENTRY_OBJECT:
        rv_function_and_line_name_object(namer, entry->file, entry->address, name);
        return 0;
    case ENTRY_SITE:
        rv_function_and_line_name_site(namer, entry->file, entry->address, name);
        return 0;
    case ENTRY_ON_HEAP:
        rv_function_and_line_name_address(namer, entry->address, name);
        return 0;
    case ENTRY_REST:
        *name = (struct rv_symbolizer_name){.package = "", .name = "(too many subroutines)", .file = ""};
        return 0;
    }
    return -EINVAL;
}

/* Tell the namer of files that were added. */
static void announce_files(struct rv_symbolizer *symbolizer)
{
    pthread_mutex_lock(&symbolizer->lock);
    while (symbolizer->namer.n_known < symbolizer->n_files)
        rv_function_and_line_know(&symbolizer->namer, symbolizer->files[symbolizer->namer.n_known]);
    pthread_mutex_unlock(&symbolizer->lock);
}

static struct rv_symbolizer_name *name_of(struct rv_symbolizer *symbolizer, uint32_t id)
{
    if (id > symbolizer->n_names)
        symbolizer->names = rv_vec_extend(symbolizer->names, &symbolizer->n_names, id, sizeof *symbolizer->names);
    return &symbolizer->names[id - 1];
}

int rv_symbolizer_name(struct rv_symbolizer *symbolizer, uint32_t id, struct rv_symbolizer_name *name)
{
    struct entry entry;
    int error = 0;
    pthread_mutex_lock(&symbolizer->naming_lock);
    if (id >= 1 && id <= symbolizer->n_names && symbolizer->names[id - 1].name) {
        *name = symbolizer->names[id - 1];
    } else if (copy_entry(symbolizer, id, &entry)) {
        announce_files(symbolizer);
        error = name_entry(&symbolizer->namer, &entry, name);
        if (!error)
            *name_of(symbolizer, id) = *name;
    } else {
        *name = (struct rv_symbolizer_name){.package = "", .name = "", .file = ""};
        error = -EINVAL;
    }
    pthread_mutex_unlock(&symbolizer->naming_lock);
    return error;
}

struct rv_symbolizer *rv_symbolizer_create(void)
{
    struct rv_symbolizer *symbolizer = rv_alloc(1, sizeof *symbolizer);
    pthread_mutex_init(&symbolizer->lock, NULL);
    pthread_mutex_init(&symbolizer->naming_lock, NULL);
    return symbolizer;
}

static void destroy_process(struct rv_symbolizer_process *process)
{
    rv_module_map_fini(&process->map);
    rv_hash_index_fini(&process->module_index);
    rv_ids_by_address_fini(&process->addresses);
    free(process);
}

void rv_symbolizer_destroy(struct rv_symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    for (size_t i = 0; i < symbolizer->n_processes; i++)
        destroy_process(symbolizer->processes[i]);
    for (size_t i = 0; i < symbolizer->n_files; i++)
        free(symbolizer->files[i]);
    free(symbolizer->processes);
    free(symbolizer->files);
    free(symbolizer->entries);
    free(symbolizer->names);
    rv_hash_index_fini(&symbolizer->entry_index);
    rv_hash_index_fini(&symbolizer->file_index);
    rv_hash_index_fini(&symbolizer->process_index);
    rv_string_pool_fini(&symbolizer->strings);
    rv_function_and_line_fini(&symbolizer->namer);
    pthread_mutex_destroy(&symbolizer->lock);
    pthread_mutex_destroy(&symbolizer->naming_lock);
    free(symbolizer);
}

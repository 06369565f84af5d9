/*
 * The symbolizer: maps addresses of traced processes to dense subroutine ids at drain speed, and ids
 * to names later, on another thread.
 *
 * The drain side (one thread) maps (process, address, time) to an id: per process, a hash table in front of the module
 * map. Two processes that mapped the same file by the same name share ids: the key is (file identity, name, link-time
 * address). Names, file and line are read from ELF and DWARF on another thread, long after the id was assigned.
 *
 * Threads: one lock guards what the drain adds; the drain takes it to add, never to look up; the naming thread takes it
 * to copy an entry, never while it reads a file. A second lock serializes naming.
 */
#ifndef RV_SYMBOLS_SYMBOLIZER_H
#define RV_SYMBOLS_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ringviz/wire.h"

struct rv_symbolizer;

struct rv_symbolizer *rv_symbolizer_create(void);
void rv_symbolizer_destroy(struct rv_symbolizer *symbolizer);

/* A file mapped into a process for a while. Addresses looked up later, but stamped inside [loaded, unloaded), resolve
 * to it. */
struct rv_symbolizer_module {
    uint32_t process;
    uint64_t start, end, bias;
    uint64_t loaded_ns, unloaded_ns; /* 0 = still mapped */
    uint64_t device, inode;          /* 0, 0 = unknown */
    const char *path;
    const char *link; /* by which the file can be opened where its path leads to another one by now; or NULL */
    const uint8_t *build_id;
    uint32_t build_id_bytes;
};

/* Add, or update unloaded_ns of the one with the same process, start and loaded_ns. Drain thread. */
void rv_symbolizer_put_module(struct rv_symbolizer *symbolizer, const struct rv_symbolizer_module *module);

/* Per process of the file: a lookup context with its own cache, so that the hot loop is one compare. Drain thread. */
struct rv_symbolizer_process;
struct rv_symbolizer_process *rv_symbolizer_process(struct rv_symbolizer *symbolizer, uint32_t process);

/*
 * The dense id of the function at an address at a time. Never fails: an address outside all known modules gets an id of
 * its own, named by its hex address unless a module is put later that covers it. (Two ids may then have one name.)
 * Addresses beyond RV_SYMBOLIZER_MAX share one id.
 *   thread   drain
 */
uint32_t rv_symbolizer_look_up(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns);

/* Those looked up before: a loop compares an address with its home slot first. Lent; look_up() changes it. Drain
 * thread. */
const struct rv_ids_by_address *rv_symbolizer_addresses(const struct rv_symbolizer_process *process);

#define RV_SYMBOLIZER_MAX (1u << 22)

/* All addresses of the process that were translated, each with its latest id. Drain thread. */
void rv_symbolizer_each_address(const struct rv_symbolizer_process *process,
                                void visit(void *context, uint64_t address, uint32_t id), void *context);

/* The id of an object, such as a lock, at an address of the process at that time: named by its variable, else by its
 * hex address. Drain thread. */
uint32_t rv_symbolizer_object(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns);

/* The id of the place of a call that returns to an address of the process at that time: named by the function around
 * it, with the file and line of the call. Drain thread. */
uint32_t rv_symbolizer_call_site(struct rv_symbolizer_process *process, uint64_t address, uint64_t at_ns);

/* A subroutine with a given name (producers that intern names). Strings copied, NULL is "". Equal ones share an id,
 * never 0. Drain thread. */
uint32_t rv_symbolizer_intern(struct rv_symbolizer *symbolizer, const char *package, const char *name, const char *file,
                              uint32_t line_form);

/* Was it interned, not looked up by an address? Drain thread. */
bool rv_symbolizer_is_interned(const struct rv_symbolizer *symbolizer, uint32_t id);

/* The id of one that was interned with this name alone, or 0. Drain thread. */
uint32_t rv_symbolizer_find(const struct rv_symbolizer *symbolizer, const char *name);

uint32_t rv_symbolizer_count(const struct rv_symbolizer *symbolizer); /* ids assigned: 1 .. count. Any thread */
/* Modules added so far. A name that was refused for want of its module is refused until more are added. Any thread. */
uint32_t rv_symbolizer_n_modules(const struct rv_symbolizer *symbolizer);

struct rv_symbolizer_name {
    const char *package, *name, *file; /* owned by the symbolizer, valid until destroy; "" = unknown */
    uint32_t line_form;                /* ringviz/wire.h */
};

/*
 * Name of an id: opens the ELF file on first need (symtab, else dynsym, nearest preceding function; C++ demangled;
 * package = namespaces and classes, else the module's base name without "lib" and ".so..."; file:line by DWARF). A
 * function without a symbol, or whose file has been replaced, is named by its link-time hex address, with the module's
 * path as file.
 *   returns  0, -EAGAIN while its module is unknown and may still come (name is then the hex address), -EINVAL for no
 *            id
 *   thread   any; slow; concurrently with the drain thread
 */
int rv_symbolizer_name(struct rv_symbolizer *symbolizer, uint32_t id, struct rv_symbolizer_name *name);

#endif

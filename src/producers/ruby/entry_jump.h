/* A jump over the first instructions of one of Ruby's functions. */
#ifndef RV_PRODUCERS_RUBY_ENTRY_JUMP_H
#define RV_PRODUCERS_RUBY_ENTRY_JUMP_H

#include <stdbool.h>
#include <stdint.h>

#define RV_ENTRY_JUMP_BYTES 5u

struct rv_entry_jump {
    uint8_t *entry;
    uint8_t overwritten[RV_ENTRY_JUMP_BYTES];
    const void *original; /* a function that does what that of the entry did */
};

/* May a jump be written there? Only over instructions that save registers. Reads ten bytes. */
bool rv_entry_jump_fits(const uint8_t *entry);

/*
 * From now on a call of the function at that entry is one of `replacement`.
 *   jump     complete before the first such call
 *   returns  false: nothing is changed, since no jump fits, or memory or the permission is missing
 *   thread   no other one may be in the function
 */
bool rv_entry_jump_write(struct rv_entry_jump *jump, uint8_t *entry, void (*replacement)(void));

/* The function is called again. The memory of `original` stays: calls may be in it. The same threads. */
void rv_entry_jump_undo(const struct rv_entry_jump *jump);

#endif

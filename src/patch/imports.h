/*
 * The functions that an image calls in others: through words that the loader sets to their addresses, as its
 * relocations say, and by instructions that call or jump through these words: those of its procedure linkage table
 * (PLT), or, of code that was built with -fno-plt, those of its functions.
 */
#ifndef RV_PATCH_IMPORTS_H
#define RV_PATCH_IMPORTS_H

#include "patch/image.h"

struct rv_patch_import {
    uint64_t address; /* of its word */
    const char *name; /* borrowed from the image */
};

/* An instruction `call *word(%rip)` or `jmp *word(%rip)`: RV_PATCH_USE_BYTES of it. */
struct rv_patch_use {
    uint64_t address;
    size_t import; /* index */
};
#define RV_PATCH_USE_BYTES 6u
#define RV_PATCH_USE_CALL 0x15 /* its second byte, */
#define RV_PATCH_USE_JUMP 0x25 /* or this */

/* Are these bytes such an instruction, whatever the word is? */
static inline bool rv_patch_import_is_used(const uint8_t bytes[RV_PATCH_USE_BYTES])
{
    return bytes[0] == 0xff && (bytes[1] == RV_PATCH_USE_CALL || bytes[1] == RV_PATCH_USE_JUMP);
}

struct rv_patch_imports {
    struct rv_patch_import *all; /* by rising address */
    struct rv_patch_use *uses;   /* the same */
    size_t n, n_uses, capacity, use_capacity;
};

/*
 * Those whose symbols are of functions, or of unknown type, and are not the image's own. Their words are not read: the
 * loader may set them at any time. A function whose address is only taken has no use.
 *   imports  to be ended in any case
 *   returns  0, -ENOMEM
 *   thread   any; allocates
 */
int rv_patch_imports_find(struct rv_patch_imports *imports, const struct rv_patch_image *image);
void rv_patch_imports_end(struct rv_patch_imports *imports);

/*
 * May its return address be replaced? Not if it returns twice (setjmp, vfork, getcontext), asks who called it (dlopen,
 * dlsym), or is a hook, which has arguments where a function has none. By its name, since its code may be anywhere.
 */
bool rv_patch_import_may_be_called(const char *name);

#endif

/*
 * What is to be written into a program at one place: a jump to a stub (stubs.h), or what has a call go by a link.
 *
 * A function without room for a jump is a guest: a short jump leads to an island, a jump among the displaced bytes of
 * another, its host. Those bytes are nobody else's while the host begins with a jump. It does so while it is not
 * traced, too: to its resume.
 */
#ifndef RV_PATCH_SITE_H
#define RV_PATCH_SITE_H

#include "patch/move_instructions.h"

#define RV_PATCH_CALL_BYTES 12u /* of a stub's call of its hook, with which it begins: a push and a jump */

struct rv_patch_site {
    uint64_t address;
    uint64_t function; /* the function's begin, at or before the address; 0: no function is traced */
    uint8_t jump[RV_PATCH_HOST_BYTES], original[RV_PATCH_HOST_BYTES];
    uint8_t n_bytes; /* bytes that are written. RV_PATCH_SHORT_BYTES: a guest, whose jump[] continues with its island */
    uint8_t n_displaced; /* bytes of the function that run elsewhere */
    uint8_t pushes_at;   /* as of struct rv_patch_moved, from the stub's begin */
    bool is_use;         /* an import's call or jump, in place of a function */
    bool is_left_out;    /* not written now: a thread is between its instructions */
    bool is_rejected;    /* by name, when it was planned */
    bool is_off;         /* its original bytes belong there: the last decision rejected it */
    uint8_t unused[5];   /* files have it (prepared_file.h): there is no padding */
};

/* Add a guest's island to the bytes that are written for its host. */
void rv_patch_site_lodge(struct rv_patch_site *host, const struct rv_patch_site *guest);

/* The address of a guest's island; 0: the site is no guest. */
uint64_t rv_patch_site_island(const struct rv_patch_site *site);

/* The bytes that belong there while the function is not traced. */
void rv_patch_site_idle(const struct rv_patch_site *site, uint8_t idle[RV_PATCH_HOST_BYTES]);

/* Where a function's jump leads, or its guest's island. */
uint64_t rv_patch_site_stub(const struct rv_patch_site *site);

#endif

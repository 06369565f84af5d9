/*
 * What the jumps lead to: for each patched function a stub, which goes to a hook and then on with the function's moved
 * instructions. Built in memory of the caller's, for the address that it will have.
 *
 *     function  its address, 8 bytes
 *     resumes   the resume's, 8 bytes
 *     stub      push resumes; jmp *hook
 *     resume    moved instructions, and a jump back
 *
 * The hook finds the resume below the function's return address on the stack, and from there the function. No call is
 * made, so that the processor, which predicts returns by its calls, has the function's own last.
 *
 * An import's stub is the same, with the import's word in place of the function's address; its only instruction goes
 * where that word says at that moment, which may be the loader's way to find out. What called through the word calls
 * through another, the link, which is in front of the stub; while its calls are not traced the link leads to the
 * resume.
 */
#ifndef RV_PATCH_STUBS_H
#define RV_PATCH_STUBS_H

#include "patch/patchable_functions.h"
#include "patch/site.h"

#define RV_PATCH_FUNCTION_BEFORE_RESUME 28u /* bytes from the function's address to the resume */
#define RV_PATCH_STUB_BYTES 128u            /* at most, for each function */

/* An import's. They come first among the stubs. */
struct rv_patch_link {
    uint64_t leads_to;
    uint64_t import, resumes;
    uint8_t call[12], jump[12]; /* the hook's, and what is resumed */
};
#define RV_PATCH_LINKS_AT 16u /* in the stubs' memory: behind the hooks' addresses */

struct rv_patch_stubs {
    uint8_t *bytes;   /* 16-byte aligned */
    uint64_t address; /* that they will have */
    size_t n_bytes, n_used;
    struct rv_patch_decoder decoder;
};

/* Begin in bytes and address as they are set. hook: what stubs call; capture_hook: those of functions whose arguments
 * are captured. */
void rv_patch_stubs_begin(struct rv_patch_stubs *stubs, uint64_t hook, uint64_t capture_hook);

/*
 * Add a function's.
 *   returns  RV_PATCH_FITS: *site is to be written once the stubs are where they belong; RV_PATCH_TOO_FAR, also when
 *            there is no room: nothing was added
 */
enum rv_patch_refusal rv_patch_stubs_add(struct rv_patch_stubs *stubs, const struct rv_patch_image *image,
                                         const struct rv_patch_function *function, bool is_captured,
                                         struct rv_patch_site *site);

/* Add an import's. *link: the address of its link. Returns as above. */
enum rv_patch_refusal rv_patch_stubs_add_import(struct rv_patch_stubs *stubs, uint64_t import, bool is_captured,
                                                uint64_t *link);

/* What is to be written to have an instruction that uses an import use its link: its displacement, and a byte before it
 * that stays, within one instruction. use: its address. Returns as above. */
enum rv_patch_refusal rv_patch_stubs_divert(const struct rv_patch_image *image, uint64_t use, uint64_t link,
                                            struct rv_patch_site *site);

/* The same for one that has been moved, with the begin of the function of this site, into its stub. */
void rv_patch_stubs_divert_moved(struct rv_patch_stubs *stubs, const struct rv_patch_site *site, uint64_t import,
                                 uint64_t link);

#endif

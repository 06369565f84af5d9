/* Why a function is left as it is. */
#ifndef RV_PATCH_REFUSAL_H
#define RV_PATCH_REFUSAL_H

enum rv_patch_refusal {
    RV_PATCH_FITS,
    RV_PATCH_TOO_SHORT,           /* less than a jump, and no padding behind it */
    RV_PATCH_BRANCH_INTO,         /* a branch, a jump table or a pointer leads into the bytes to be displaced, */
    RV_PATCH_LANDING_INTO,        /* an exception does */
    RV_PATCH_CALL_WITHIN,         /* a call returns there */
    RV_PATCH_UNKNOWN_INSTRUCTION, /* or data in the text */
    RV_PATCH_STRANGE_INSTRUCTION, /* one that cannot be moved */
    RV_PATCH_RETURN_ADDRESS,      /* it uses its own return address: setjmp and the like */
    RV_PATCH_TOO_FAR,             /* what it refers to is out of reach of where it would be moved to */
    RV_PATCH_IS_ENTRY,            /* of the process: the stack holds no return address there */
    RV_PATCH_NOT_CODE,            /* outside code that is mapped and not writable */
    RV_PATCH_REFUSAL_COUNT
};

/* "too short": for a list of refusals. */
const char *rv_patch_refusal_text(enum rv_patch_refusal refusal);

#endif

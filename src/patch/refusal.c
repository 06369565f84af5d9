#include "patch/refusal.h"

const char *rv_patch_refusal_text(enum rv_patch_refusal refusal)
{
    static const char *const TEXTS[RV_PATCH_REFUSAL_COUNT] = {
        [RV_PATCH_FITS] = "fits",
        [RV_PATCH_TOO_SHORT] = "too short",
        [RV_PATCH_BRANCH_INTO] = "branch into its first bytes",
        [RV_PATCH_LANDING_INTO] = "exception lands in its first bytes",
        [RV_PATCH_CALL_WITHIN] = "call returns into its first bytes",
        [RV_PATCH_UNKNOWN_INSTRUCTION] = "unknown instruction",
        [RV_PATCH_STRANGE_INSTRUCTION] = "instruction that cannot be moved",
        [RV_PATCH_RETURN_ADDRESS] = "uses its return address",
        [RV_PATCH_TOO_FAR] = "out of reach",
        [RV_PATCH_IS_ENTRY] = "entry of the program",
        [RV_PATCH_NOT_CODE] = "not in code",
    };
    return TEXTS[refusal];
}

#include "source/perl_layout.h"

/* From offsetof() over perl's headers; LP64, as on x86-64 and aarch64. */
const struct rv_perl_layout RV_PERL_LAYOUTS[] = {
    {
        .version = "v5.36.", /* with threads, as Debian builds it */
        .interpreter_bytes = 3768,
        .interpreter = {.curcop = 208, .curstackinfo = 224, .patchlevel = 1504},
        .stackinfo = {.contexts = 8, .previous = 16, .last = 32},
        .context = {.bytes = 104, .sub = 72, .type_mask = 0x0f, .type_sub = 9, .type_format = 10, .fake = 0x80},
        .cop = {.line = 36, .file = 48},
        .op = {.type = 32, .type_mask = 0x1ff, .nextstate = 195, .dbstate = 196},
        .sv = {.any = 0, .flags = 12, .value = 16, .is_reference = 0x800},
        .cv = {.stash = 32, .start = 40, .gv = 56, .file = 64, .flags = 92, .is_named = 0x8000, .is_xsub = 0x8},
        .gv = {.name = 32, .stash = 40},
        .hv = {.last_slot = 24, .name = 32, .n_names = 60},
        .he = {.next = 0, .key = 8, .value = 16},
        .hek = {.length = 4, .key = 8, .is_utf8 = 1},
    },
};
const size_t RV_PERL_N_LAYOUTS = sizeof RV_PERL_LAYOUTS / sizeof *RV_PERL_LAYOUTS;

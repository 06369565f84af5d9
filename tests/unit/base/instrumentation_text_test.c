#include "base/instrumentation_text.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(instrumentation_text, .timeout = 10);

static const struct {
    struct rv_wire_instrumentation instrumentation;
    const char *text;
} CASES[] = {
    {{0}, ""},
    {{.instruments = RV_INSTRUMENT_HOOKS}, "hooks"},
    {{.instruments = RV_INSTRUMENT_RUNTIME | RV_INSTRUMENT_HOOKS, .runtime = "Ruby\n3.1: methods"},
     "Ruby\\x0a3.1: methods, hooks"},
    {{.instruments = RV_INSTRUMENT_PATCHES, .n_functions = 3, .n_patched = 3}, "patches of 3 of 3 functions"},
    {{.instruments = RV_INSTRUMENT_PATCHES, .n_functions = 4, .n_patched = 3, .n_trivial = 1},
     "patches of 3 of 4 functions (1 trivial)"},
    {{.instruments = RV_INSTRUMENT_HOOKS | RV_INSTRUMENT_PROFILE_HOOKS | RV_INSTRUMENT_PATCHES,
      .n_functions = 10,
      .n_patched = 5,
      .n_trivial = 1,
      .n_refused = {[RV_PATCH_TOO_SHORT] = 1, [RV_PATCH_TOO_FAR] = 2, [RV_PATCH_IS_ENTRY] = 1}},
     "hooks, hooks for profilers, patches of 5 of 10 functions (1 trivial; 3 refused: 1 too short, 2 out of reach)"},
};

Test(instrumentation_text, text_names_the_instruments_the_counts_and_the_refusals)
{
    char text[RV_INSTRUMENTATION_BYTES];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_expect_str_eq(rv_instrumentation_text(&CASES[i].instrumentation, text), CASES[i].text);
}

Test(instrumentation_text, text_fits_its_buffer_whatever_the_counts_are)
{
    char text[RV_INSTRUMENTATION_BYTES];
    struct rv_wire_instrumentation worst;
    memset(&worst, 0xff, sizeof worst);
    cr_assert_lt(strlen(rv_instrumentation_text(&worst, text)), sizeof text);
    cr_assert_eq(rv_instrumentation_n_refused(&worst), (uint64_t)UINT32_MAX * (RV_PATCH_REFUSAL_COUNT - 2));
}

#include "base/instrumentation_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

struct words {
    char *out;
    size_t n; /* bytes used, at most RV_INSTRUMENTATION_BYTES - 1 */
};

const char *rv_refusal_text(enum rv_patch_refusal refusal)
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

__attribute__((format(printf, 2, 3))) static void add(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(words->out + words->n, RV_INSTRUMENTATION_BYTES - words->n, format, arguments);
    va_end(arguments);
    words->n += n > 0 ? (size_t)n : 0;
    if (words->n >= RV_INSTRUMENTATION_BYTES)
        words->n = RV_INSTRUMENTATION_BYTES - 1;
}

uint64_t rv_instrumentation_n_refused(const struct rv_wire_instrumentation *instrumentation)
{
    uint64_t n = 0;
    for (unsigned i = RV_PATCH_FITS + 1; i < RV_PATCH_REFUSAL_COUNT; i++)
        n += i == RV_PATCH_IS_ENTRY ? 0 : instrumentation->n_refused[i];
    return n;
}

static void add_refused(struct words *words, const struct rv_wire_instrumentation *instrumentation,
                        const char *separator, uint64_t n_refused)
{
    add(words, "%s%llu refused", separator, (unsigned long long)n_refused);
    separator = ": ";
    for (unsigned i = RV_PATCH_FITS + 1; i < RV_PATCH_REFUSAL_COUNT; i++) {
        if (!instrumentation->n_refused[i] || i == RV_PATCH_IS_ENTRY)
            continue;
        add(words, "%s%u %s", separator, instrumentation->n_refused[i], rv_refusal_text((enum rv_patch_refusal)i));
        separator = ", ";
    }
}

static void add_patches(struct words *words, const struct rv_wire_instrumentation *instrumentation)
{
    const uint64_t n_refused = rv_instrumentation_n_refused(instrumentation);
    const char *separator = " (";
    add(words, "patches of %u of %u function%s", instrumentation->n_patched, instrumentation->n_functions,
        rv_units_word(instrumentation->n_functions, "", "s"));
    if (instrumentation->n_filtered) {
        add(words, "%s%u filtered", separator, instrumentation->n_filtered);
        separator = "; ";
    }
    if (instrumentation->n_trivial) {
        add(words, "%s%u trivial", separator, instrumentation->n_trivial);
        separator = "; ";
    }
    if (n_refused)
        add_refused(words, instrumentation, separator, n_refused);
    if (instrumentation->n_filtered || instrumentation->n_trivial || n_refused)
        add(words, ")");
}

static void add_runtime(struct words *words, const char *runtime)
{
    char escaped[4 * sizeof((struct rv_wire_instrumentation *)0)->runtime];
    rv_text_escape(escaped, sizeof escaped, runtime, strnlen(runtime, sizeof escaped / 4));
    add(words, "%s", escaped);
}

const char *rv_instrumentation_text(const struct rv_wire_instrumentation *instrumentation,
                                    char out[RV_INSTRUMENTATION_BYTES])
{
    struct words words = {.out = out};
    out[0] = '\0';
    if (instrumentation->instruments & RV_INSTRUMENT_RUNTIME)
        add_runtime(&words, instrumentation->runtime);
    if (instrumentation->instruments & RV_INSTRUMENT_HOOKS)
        add(&words, "%shooks", words.n ? ", " : "");
    if (instrumentation->instruments & RV_INSTRUMENT_PROFILE_HOOKS)
        add(&words, "%shooks for profilers", words.n ? ", " : "");
    const bool has_patches = instrumentation->instruments & RV_INSTRUMENT_PATCHES &&
                             (instrumentation->n_functions || !instrumentation->n_imports);
    if (has_patches && words.n)
        add(&words, ", ");
    if (has_patches)
        add_patches(&words, instrumentation);
    if (instrumentation->n_imports)
        add(&words, "%scalls of %u function%s of other objects", words.n ? ", " : "", instrumentation->n_imports,
            rv_units_word(instrumentation->n_imports, "", "s"));
    if (instrumentation->instruments & RV_INSTRUMENT_SYSCALLS)
        add(&words, "%ssystem calls", words.n ? ", " : "");
    return out;
}

#include "cli/warnings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/patch_lines.h"
#include "cli/slice.h"
#include "cli/untraced_library.h"
#include "base/err.h"
#include "base/instrumentation_text.h"
#include "base/memory.h"
#include "base/sigbus.h"
#include "export/full_rings.h"
#include "export/losses.h"
#include "export/not_traced.h"
#include "ring/modules.h"
#include "ring/not_preloaded.h"
#include "ring/ownership.h"
#include "source/arguments.h"

static const uint64_t LONG_PATCHING_NS = 200000000;

/* By the limit of memory. */
static void warn_of_forgotten_texts(struct rv_lanes *lanes)
{
    uint64_t n = 0;
    for (size_t i = 0; i < rv_lanes_n(lanes); i++)
        n += rv_lanes_get(lanes, i)->texts.n_forgotten;
    if (n)
        rv_warn("arguments or results of the first %llu call%s were evicted; use --memory", (unsigned long long)n,
                rv_units_word(n, "", "s"));
}

/* The first for each reason is named. */
static void warn_of_programs_not_preloaded(const struct rv_warnings *run, uint64_t n)
{
    static const char *const WHY[RV_NOT_PRELOADED_COUNT] = {
        [RV_NOT_PRELOADED_PRIVILEGED] = "is set-user-ID, set-group-ID or has capabilities: start a plain copy of it",
        [RV_NOT_PRELOADED_ELSEWHERE] = "was started in another root or mount namespace: start ringviz there",
        [RV_NOT_PRELOADED_MACHINE] = "is for another machine than ringviz was built for",
        [RV_NOT_PRELOADED_LIBC] =
            "uses another C library than GNU's, whose loader cannot load ours: link it with GNU's"};
    char path[4 * RV_WIRE_NOT_PRELOADED_BYTES], first[RV_NOT_PRELOADED_COUNT * sizeof path] = "";
    size_t used = 0;
    for (enum rv_not_preloaded i = 0; i < RV_NOT_PRELOADED_COUNT && run->map->base; i++)
        if (WHY[i] && rv_not_preloaded_first(run->map->header, i, path))
            used += (size_t)snprintf(first + used, sizeof first - used, "; %s %s", path, WHY[i]);
    rv_warn("%llu time%s a program was started that nothing can be preloaded into: its calls were not seen%s",
            (unsigned long long)n, rv_units_word(n, "", "s"), first);
}

static void warn_of_losses(const struct rv_warnings *run)
{
    const uint64_t *n = run->losses->n;
    if (n[RV_LOSS_THREADS_WITHOUT_RING])
        rv_warn("%llu time%s a thread found no ring: its calls were not seen, %llu event%s; use --rings, or "
                "--trace-file where there is room, or fewer --rings where the program's address space is limited "
                "(ulimit -v); children of a program that became another user, or changed its root, find none",
                (unsigned long long)n[RV_LOSS_THREADS_WITHOUT_RING],
                rv_units_word(n[RV_LOSS_THREADS_WITHOUT_RING], "", "s"),
                (unsigned long long)n[RV_LOSS_EVENTS_WITHOUT_RING],
                rv_units_word(n[RV_LOSS_EVENTS_WITHOUT_RING], "", "s"));
    if (n[RV_LOSS_NAMES])
        rv_warn("%llu name%s found no room", (unsigned long long)n[RV_LOSS_NAMES],
                rv_units_word(n[RV_LOSS_NAMES], "", "s"));
    if (n[RV_LOSS_ARGUMENTS])
        rv_warn(
            "arguments or results of %llu call%s were lost: no room beside the ring, or more than %u different texts",
            (unsigned long long)n[RV_LOSS_ARGUMENTS], rv_units_word(n[RV_LOSS_ARGUMENTS], "", "s"), RV_ARGUMENTS_TEXTS);
    if (n[RV_LOSS_SWITCHES])
        rv_warn(
            "%llu change%s of threads' states found no room in the kernel's buffers: states are not known from there "
            "to the next change (sysctl kernel.perf_event_mlock_kb gives more room)",
            (unsigned long long)n[RV_LOSS_SWITCHES], rv_units_word(n[RV_LOSS_SWITCHES], "", "s"));
    if (n[RV_LOSS_PROCESSES_REFUSED])
        rv_warn(
            "%llu time%s a process became another user, who may not open the trace file, and started a program: its "
            "calls were not seen; start ringviz as that user (setpriv ... ringviz ... -- PROGRAM)",
            (unsigned long long)n[RV_LOSS_PROCESSES_REFUSED], rv_units_word(n[RV_LOSS_PROCESSES_REFUSED], "", "s"));
    if (n[RV_LOSS_PROGRAMS_NOT_PRELOADED])
        warn_of_programs_not_preloaded(run, n[RV_LOSS_PROGRAMS_NOT_PRELOADED]);
    if (n[RV_LOSS_RINGS_FULL])
        rv_warn("ring %u was full: tracing stopped there (--policy=fill)", run->map->header->stop_reason - 1);
}

enum { UNFIT_BYTES = 512 };

static int at_most(size_t n, int most)
{
    return n < (size_t)most ? (int)n : most;
}

static void say_unfit_choice(const struct rv_patch_line *choice, char out[UNFIT_BYTES])
{
    const int n_shown = at_most(choice->n_regex, 200);
    if (!choice->library)
        snprintf(out, UNFIT_BYTES,
                 "no function of the program itself fits '%.*s' (--patch=REGEX@LIBRARY chooses those of a library, -x "
                 "REGEX those of all)",
                 n_shown, choice->regex);
    else if (choice->n_library)
        snprintf(out, UNFIT_BYTES, "no function of libraries with '%.*s' in their path fits '%.*s' (-x, --patch)",
                 at_most(choice->n_library, 100), choice->library, n_shown, choice->regex);
    else
        snprintf(out, UNFIT_BYTES, "no function of it or of its libraries fits '%.*s' (-x, --patch)", n_shown,
                 choice->regex);
}

static bool is_off(const struct rv_patch_line *choice)
{
    return !choice->library && choice->n_regex == strlen("off") && strncmp(choice->regex, "off", choice->n_regex) == 0;
}

/* That no function fits what was chosen first. NULL: nothing was. */
static const char *unfit_functions(const struct rv_options *options, char out[UNFIT_BYTES])
{
    const char *patches = options->patches;
    struct rv_patch_line choice;
    const bool is_chosen =
        rv_options_has(options, RV_OPTION_PATCH) && rv_patch_line_next(&patches, &choice) && !is_off(&choice);
    if (is_chosen)
        say_unfit_choice(&choice, out);
    else if (options->include)
        snprintf(out, UNFIT_BYTES, "no function of it fits '%.200s' (--include)", options->include);
    return is_chosen || options->include ? out : NULL;
}

struct traced {           /* of any process */
    bool has_functions;   /* there were some to be patched */
    uint32_t instruments; /* bits of enum rv_instrument */
};

static struct traced find_traced(const struct rv_map *map)
{
    struct traced traced = {.has_functions = false};
    for (uint32_t i = 0; i < rv_ownership_n_processes(map); i++) {
        const struct rv_wire_instrumentation *by = &rv_map_process(map, i)->instrumentation;
        traced.has_functions |= by->n_functions > 0;
        traced.instruments |= by->instruments;
    }
    return traced;
}

/* Of one that was attached to. */
static void explain_silent_process(const struct rv_options *options, const struct traced *traced, char *out,
                                   size_t out_bytes)
{
    char buffer[UNFIT_BYTES];
    const char *unfit = unfit_functions(options, buffer);
    const int n = snprintf(out, out_bytes, "process %u made no traced call: ", options->pid);
    if (unfit && !traced->has_functions)
        snprintf(out + n, out_bytes - (size_t)n, "%s", unfit);
    else if (!(traced->instruments & (RV_INSTRUMENT_PATCHES | RV_INSTRUMENT_SYSCALLS)))
        snprintf(
            out + n, out_bytes - (size_t)n,
            "nothing of it was patched; programs that walk or copy their stacks (OCaml, SBCL) are left as they are");
    else
        snprintf(out + n, out_bytes - (size_t)n, "none of its patched functions was called (--patch, --verbose)");
}

static void explain_silence(const struct rv_options *options, const struct traced *traced, char *out, size_t out_bytes)
{
    char buffer[UNFIT_BYTES];
    if (options->pid)
        explain_silent_process(options, traced, out, out_bytes);
    else
        rv_launch_explain_silence((const char *const *)options->argv, unfit_functions(options, buffer), out, out_bytes);
}

static uint64_t n_static_programs(const struct rv_map *map)
{
    return map->base ? rv_not_preloaded_n_static(map->header) : 0;
}

bool rv_warnings_why_silent(const struct rv_options *options, const struct rv_map *map, char *out, size_t out_bytes)
{
    if (!map->base || !(options->pid || options->argv))
        return false;
    const struct traced traced = find_traced(map);
    if (traced.instruments || n_static_programs(map))
        return false;
    explain_silence(options, &traced, out, out_bytes);
    return true;
}

static void warn_of_static_programs(const struct rv_map *map)
{
    const uint64_t n = n_static_programs(map);
    char path[4 * RV_WIRE_NOT_PRELOADED_BYTES];
    if (n)
        rv_warn("%llu time%s a statically linked program was started by another, the first being %s: of those only "
                "ones that are linked with libringviz.a are traced, or that ringviz itself starts: ringviz -- PROGRAM",
                (unsigned long long)n, rv_units_word(n, "", "s"),
                rv_not_preloaded_first(map->header, RV_NOT_PRELOADED_STATIC, path) ? path : "not known");
}

/* A recorder alone counts no calls. */
static bool has_calls(const struct rv_warnings *run)
{
    const bool counts_calls =
        rv_options_has(run->options, RV_OPTION_REPORT) || rv_options_has(run->options, RV_OPTION_SPANS);
    return (counts_calls ? run->counts->n_spans : run->counts->n_produced) != 0;
}

static void warn_of_silence(const struct rv_warnings *run)
{
    char why[1024];
    const uint64_t *n = run->losses->n;
    const bool is_said = n[RV_LOSS_THREADS_WITHOUT_RING] || n[RV_LOSS_PROCESSES_REFUSED] ||
                         n[RV_LOSS_PROGRAMS_NOT_PRELOADED] || n_static_programs(run->map) || rv_sigbus_has_come() ||
                         rv_memory_is_short();
    if (has_calls(run) || run->is_silence_said || !(run->options->pid || (run->launch && !is_said)))
        return;
    const struct traced traced = find_traced(run->map);
    explain_silence(run->options, &traced, why, sizeof why);
    rv_warn("%s", why);
}

static void say_hooks(const struct rv_warnings *run)
{
    if (run->counts->n_produced && run->launch && rv_launch_is_profiled(run->options->argv[0]))
        rv_warn("%s: traced by its hooks for profilers (-pg); a gmon.out that it wrote has no counts of calls",
                run->options->argv[0]);
}

/* More than a twentieth of the functions, or one of the few that --patch names. */
static bool are_many_refused(const struct rv_wire_instrumentation *instrumentation)
{
    return rv_instrumentation_n_refused(instrumentation) * 20 > instrumentation->n_functions;
}

/* Of the first process that nobody has asked it of. */
static void say_imports(const struct rv_warnings *run, struct rv_lane *const *processes, size_t n)
{
    for (size_t i = 0; i < n && !rv_options_has(run->options, RV_OPTION_LIBCALLS); i++)
        if (processes[i]->instrumentation.n_imports) {
            rv_warn("%s: few of its functions have names, so its calls of libraries are traced, too (--libcalls, "
                    "--patch); its debug symbols (a -dbgsym package) name all",
                    processes[i]->process_name);
            return;
        }
}

/* Of the first interpreter whose native functions are traced, but not those of the program that it runs. */
static void say_language(const struct rv_map *map)
{
    const uint32_t n_modules = map->base ? rv_modules_count(map) : 0;
    for (uint32_t i = 0; i < n_modules; i++) {
        char path[PATH_MAX];
        struct rv_module module;
        if (rv_modules_read(map, i, &module, path, sizeof path) != 0 ||
            module.process_idx >= rv_ownership_n_processes(map))
            continue;
        const struct rv_wire_instrumentation *by = &rv_map_process(map, module.process_idx)->instrumentation;
        const char *untraced = rv_launch_untraced_language(module.path), *slash = strrchr(module.path, '/');
        if (untraced && by->n_functions && !(by->instruments & RV_INSTRUMENT_RUNTIME)) {
            rv_warn("%s: its native functions are traced; %s", slash ? slash + 1 : module.path, untraced);
            return;
        }
    }
}

/* A warning for the first process of those with many functions refused; notes for all. */
static void say_instrumentation(const struct rv_warnings *run)
{
    char by[RV_INSTRUMENTATION_BYTES];
    size_t n, n_refused = 0;
    struct rv_lane **processes = rv_lanes_take_by_process(rv_session_lanes(run->session), &n);
    for (size_t i = 0; i < n; i++) {
        const struct rv_lane *process = processes[i];
        rv_instrumentation_text(&process->instrumentation, by);
        if (are_many_refused(&process->instrumentation) && n_refused++ == 0)
            rv_warn("%s: functions could not be patched, and are not traced: %s", process->process_name, by);
        else if (*by)
            rv_note("%s %u: traced by %s%s", process->process_name, process->pid, by,
                    process->instrumentation.instruments & RV_INSTRUMENT_SHARED_PLAN ? ", found before" : "");
    }
    if (n_refused > 1)
        rv_warn("the same in %zu other process%s (--verbose)", n_refused - 1, rv_units_word(n_refused - 1, "", "es"));
    if (!run->options->file)
        say_imports(run, processes, n);
    if (!rv_options_has(run->options, RV_OPTION_PATCH)) /* else it is known what is traced */
        say_language(run->map);
    free(processes);
}

/* Never silent: a report lacks their calls. */
static void say_not_traced(const struct rv_warnings *run)
{
    size_t n;
    char when[64];
    struct rv_not_traced *all =
        rv_not_traced_take(rv_session_lanes(run->session), rv_session_subroutines(run->session), &n);
    if (n)
        rv_warn("not traced %s: %s%s: tracing it cost more than %.0f %% of the program's time "
                "(--max-overhead; the report lists all)",
                rv_not_traced_when(all, when), all->what, n > 1 ? ", and others later" : "",
                rv_options_max_overhead(run->options) * 100);
    n = rv_not_traced_fold(all, n);
    for (size_t i = 0; i < n; i++) {
        char more[64] = "";
        if (all[i].n_more)
            snprintf(more, sizeof more, ", and %zu time%s later", all[i].n_more, rv_units_word(all[i].n_more, "", "s"));
        rv_note("process %u: not traced %s: %s%s", all[i].pid, rv_not_traced_when(&all[i], when), all[i].what, more);
    }
    free(all);
}

static void say_untraced_library(const struct rv_warnings *run)
{
    struct rv_untraced_library library;
    if (rv_untraced_library_find(run->session, run->map, run->options->patches, &library))
        rv_warn("%.0f %% of the time was in %s, whose functions are not traced: --patch=.@%.*s", library.share * 100,
                library.file, library.n_stem, library.file);
}

void rv_warnings_not_traced(const char *file, struct rv_session *session)
{
    size_t n;
    free(rv_not_traced_take(rv_session_lanes(session), rv_session_subroutines(session), &n));
    if (n)
        rv_warn("%s: functions were not traced all the time, for their cost (%zu time%s): --report lists them", file, n,
                rv_units_word(n, "", "s"));
}

/* That the program was held up by us. */
static void say_full_rings(const struct rv_warnings *run)
{
    char words[RV_FULL_RINGS_BYTES];
    const struct rv_full_rings full_rings = rv_full_rings_sum(rv_session_lanes(run->session));
    if (*rv_full_rings_words(&full_rings, words))
        rv_warn("%s", words);
}

/* Likewise. Programs wait for it, at their begin and where they load libraries. */
static void say_patching(const struct rv_warnings *run)
{
    char took[32], all[32];
    uint64_t patching_ns = 0, first_ns, last_ns;
    for (uint32_t i = 0; run->map->base && i < rv_ownership_n_processes(run->map); i++)
        patching_ns += __atomic_load_n(&rv_map_process(run->map, i)->patching_ns, __ATOMIC_RELAXED);
    if (patching_ns < LONG_PATCHING_NS || !rv_lanes_bounds(rv_session_lanes(run->session), &first_ns, &last_ns) ||
        patching_ns < (last_ns - first_ns) / 20)
        return;
    rv_units_format_ns(took, sizeof took, patching_ns);
    rv_units_format_ns(all, sizeof all, last_ns - first_ns);
    rv_warn("patching programs took %s of CPU time, beside %s from the first call to the last: patch less (-x, --patch)",
            took, all);
}

void rv_warnings_print(const struct rv_warnings *run)
{
    warn_of_losses(run);
    warn_of_forgotten_texts(rv_session_lanes(run->session));
    warn_of_static_programs(run->map);
    warn_of_silence(run);
    say_hooks(run);
    say_instrumentation(run);
    if (!run->options->file) {
        say_not_traced(run);
        say_untraced_library(run);
        say_full_rings(run);
        say_patching(run);
    } else if (!run->options->has_report && (rv_options_n_texts(run->options) || run->options->n_exports)) {
        rv_warnings_not_traced(run->options->file, run->session);
    }
    rv_cli_slice_warn(run->options, run->session);
}

bool rv_warnings_fail_on_loss(const struct rv_warnings *run)
{
    const bool fails = run->options->fails_on_loss && rv_losses_any(run->losses);
    if (fails)
        rv_warn("something was lost (--fail-on-loss)");
    return fails;
}

/*
 * Where anything is in doubt nothing is written: the program runs as it is, and is not traced.
 *
 * One thread at a time plans, or follows the loader. It looks at the loader's list and changes the table of objects under
 * the process lock, so that fork meets neither half-way; it plans outside of all locks.
 */
#include "producers/native/patcher.h"

#include "producers/native/captured_arguments.h"
#include "producers/native/capture_operations.h"
#include "producers/native/forking.h"
#include "producers/native/patched_calls.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mappings.h"
#include "patch/prepared_file.h"
#include "producers/native/file_section.h"
#include "producers/native/loaded_objects.h"
#include "producers/native/next_object.h"
#include "producers/native/patch_verdicts.h"
#include "producers/native/patched_objects.h"
#include "producers/native/planner.h"
#include "producers/native/process.h"
#include "producers/native/replaced_returns.h"
#include "producers/native/rejected_functions.h"
#include "producers/native/second_cpu.h"
#include "producers/native/signal_guard.h"
#include "producers/native/syscall_events.h"
#include "producers/native/thread.h"
#include "producers/native/unpatchable_process.h"
#include "ring/attachment.h"
#include "ring/program_name.h"

#define FOLLOW_TRIES 10u /* each waits 100 ms for the process lock: a thread that forks may have it for long */

typedef void set_locator_fn(uint64_t (*locate)(uint64_t slot));

struct rv_attachment ringviz_attachment;

static struct {
    struct rv_wanted_patches wanted;
    bool is_written;
    bool are_all_old; /* the objects were planned for another request, and are to be dropped */
    bool is_late;     /* what is not planned yet may have been loaded before: threads may run it, no jump is written */
    uint64_t planned_sum;       /* of the objects when they were planned */
    uint8_t *filter;            /* the trace file's section of patterns */
    bool has_syscalls;          /* are they traced? */
    struct rv_next_object next; /* here, since a loading thread's stack may be small */
} patcher;

/* A thread plans, or follows the loader: the number of changes is odd meanwhile. */
static bool is_busy(void)
{
    return __atomic_load_n(&ringviz_attachment.n_changes, __ATOMIC_RELAXED) & 1;
}

/* Signals are blocked. */
static bool try_begin(void)
{
    uint32_t n = __atomic_load_n(&ringviz_attachment.n_changes, __ATOMIC_RELAXED) & ~1u;
    return __atomic_compare_exchange_n(&ringviz_attachment.n_changes, &n, n + 1, false, __ATOMIC_ACQUIRE, /* F2 <- F1 */
                                       __ATOMIC_RELAXED);
}

static void publish_sites(void)
{
    ringviz_attachment.n_objects = rv_patched_objects.n;
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        ringviz_attachment.objects[i] =
            (struct rv_attachment_object){.sites = (uint64_t)(uintptr_t)rv_patched_objects.all[i].prepared.sites,
                                          .n_sites = rv_patched_objects.all[i].prepared.n_sites};
}

/* Also in the child of fork: it has not the thread that began. */
static void end(void)
{
    publish_sites();
    __atomic_store_n(&ringviz_attachment.n_changes, (ringviz_attachment.n_changes + 1) & ~1u,
                     __ATOMIC_RELEASE); /* F1 -> F2 */
}

/* ---- planning ---- */

/* Other threads load meanwhile: only within this call they do not. */
static int mark_unloaded(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    (void)info;
    (void)n_bytes;
    (void)unused;
    rv_patched_objects_mark_unloaded();
    patcher.planned_sum = rv_loaded_objects_sum();
    return 1;
}

/* Those that are marked; or all, for another request than before. 0 or -EAGAIN. */
static int drop_objects(void)
{
    const int error = rv_patched_objects_drop(patcher.are_all_old);
    patcher.are_all_old &= error != 0;
    return error;
}

static void close_copy(struct rv_patch_prepared *prepared)
{
    if (prepared->has_copy)
        close(prepared->copy);
    prepared->has_copy = false;
}

/* The program has not begun. */
static bool is_starting(void)
{
    return patcher.wanted.is_alone && !patcher.is_written;
}

/* A copy has the jumps of sites that are off, too. Where these cannot be taken out, hooks look up what is rejected. */
static int write_or_map(struct rv_patcher_object *object)
{
    const struct rv_wire_instrumentation *counts = &object->prepared.counts;
    const bool has_copy = object->prepared.has_copy && counts->n_filtered <= counts->n_patched,
               is_first = is_starting() && !has_copy;
    if (!has_copy || rv_jumps_map(object, object->prepared.copy) != 0)
        return rv_jumps_write(object, is_first ? RV_JUMPS_AT_FIRST : RV_JUMPS_AS_WANTED);
    if (counts->n_filtered)
        (void)rv_jumps_write(object, RV_JUMPS_OFF_OUT);
    return 0;
}

/* An object that cannot be written has no function that is patched. */
static void write_jumps(struct rv_patcher_object *object)
{
    const int error = write_or_map(object);
    close_copy(&object->prepared);
    if (error)
        object->prepared.counts = (struct rv_wire_instrumentation){0};
}

/* Its stubs can be run from here on. What cannot be patched is added, too, so that it is read only once. */
static bool add(const struct rv_next_object *next, const struct rv_patch_prepared *prepared)
{
    struct rv_patcher_object object = {.image = next->image, .prepared = *prepared};
    struct rv_patched_object_origin origin = {.name = strdup(next->name),
                                              .fingerprint = next->fingerprint,
                                              .is_of_syscalls = next->is_of_syscalls,
                                              .is_late = patcher.is_late};
    (void)stat(next->name, &origin.file);
    if (prepared->n_sites && mprotect(prepared->stubs, prepared->n_stub_bytes, PROT_READ | PROT_EXEC) != 0)
        object.prepared.n_sites = 0;
    if (origin.is_late)
        object.prepared.n_sites = object.prepared.counts.n_patched = object.prepared.counts.n_filtered = 0;
    if (!origin.name || !rv_process_lock_within()) {
        free(origin.name);
        return false;
    }
    struct rv_patcher_object *taken = rv_patched_objects_take(&object, &origin);
    if (patcher.is_written)
        write_jumps(taken);
    rv_patch_verdicts_forget();
    rv_process_unlock();
    return true;
}

static bool plan_next(struct rv_next_object *next)
{
    struct rv_patch_prepared prepared = {0};
    next->is_starting = is_starting();
    rv_next_object_prepare(next, &prepared);
    rv_capture_operations_bind(prepared.captured, prepared.n_captured);
    if (add(next, &prepared))
        return true;
    close_copy(&prepared);
    rv_patch_prepared_free_sites(&prepared);
    free(prepared.captured);
    return false;
}

/* All that are wanted and not planned yet. 0 or -EAGAIN. */
static int plan_each(bool are_unloaded)
{
    int error;
    patcher.next.is_unloaded = are_unloaded;
    while ((error = rv_next_object_find(&patcher.next)) == 0)
        if (!plan_next(&patcher.next))
            return -EAGAIN;
    return error == -ENOENT ? 0 : error;
}

static int plan_objects(bool are_unloaded)
{
    int error = plan_each(are_unloaded);
    if (error || !patcher.has_syscalls)
        return error;
    patcher.next.is_of_syscalls = true;
    error = rv_syscalls_open_stubs();
    if (!error)
        error = plan_each(are_unloaded);
    rv_syscalls_close_stubs();
    patcher.next.is_of_syscalls = false;
    return error;
}

/* Look at the loader's list once, while nothing is loaded or unloaded. 0 or -EAGAIN. */
static int look_at_list(int (*look)(struct dl_phdr_info *info, size_t n_bytes, void *unused))
{
    if (!rv_process_lock_within())
        return -EAGAIN;
    dl_iterate_phdr(look, NULL);
    rv_process_unlock();
    return 0;
}

static bool is_same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Returns whether they are others than before. */
static bool read_patterns(const char *trace_path)
{
    const struct rv_capture_filter_section before = patcher.wanted.patterns;
    uint8_t *filter = patcher.filter;
    size_t n_bytes;
    patcher.filter = rv_section_read(trace_path, offsetof(struct rv_wire_header, filter), &n_bytes);
    patcher.wanted.patterns = rv_capture_filter_section_find(patcher.filter, n_bytes);
    const bool is_other = !is_same(before.include, patcher.wanted.patterns.include) ||
                          !is_same(before.exclude, patcher.wanted.patterns.exclude);
    free(filter);
    return is_other;
}

static void follow_loader(void);

static void set_wanted(const char *lines, bool is_read_anew)
{
    struct rv_wanted_patches *wanted = &patcher.wanted;
    rv_patched_objects_mark_replaced();
    patcher.are_all_old |= is_read_anew || strcmp(lines, wanted->lines) != 0;
    strcpy(wanted->lines, lines);
    wanted->is_auto = strncmp(lines, "auto", strlen("auto")) == 0 && strchr("\n", lines[strlen("auto")]);
    wanted->is_for_later = strchr(lines, '@') != NULL;
    wanted->follow_loader = follow_loader;
    (void)rv_program_path(wanted->program, sizeof wanted->program);
    wanted->program[rv_mapping_path_bytes(wanted->program)] = '\0';
    patcher.next.wanted = wanted;
}

/* Their functions are looked for in each object. */
static int read_captures(void)
{
    patcher.wanted.captured = rv_capture_operations_names(&patcher.wanted.n_captured);
    return patcher.wanted.n_captured ? rv_captured_init() : 0;
}

/* V8 walks its stacks by return addresses, and changes them where it moves code: it asks where they are. */
static void tell_v8(void)
{
    set_locator_fn *set = (set_locator_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, RV_V8_SET_LOCATOR);
    if (set)
        set(rv_returns_locate);
    patcher.wanted.is_v8_told = set != NULL;
}

/* Of a static program, which the loader was started for, the file is not known. */
static void read_earlier(struct rv_patcher_object *object, const char *trace_path)
{
    struct stat program;
    rv_earlier_verdicts_free(&object->earlier);
    if (!rv_thread_is_foreign && stat("/proc/self/exe", &program) == 0)
        object->earlier = rv_earlier_verdicts_read(trace_path, &program);
}

static void judge_by_names(const char *trace_path)
{
    rv_patch_verdicts_forget();
    for (size_t i = 0; i < rv_patched_objects.n; i++) {
        if (rv_patched_objects_is_program(i))
            read_earlier(&rv_patched_objects.all[i], trace_path);
        rv_jumps_judge_by_names(&rv_patched_objects.all[i]);
        rv_jumps_expect_clearing(&rv_patched_objects.all[i]);
    }
}

/* So that all threads stand still for less when jumps are written. */
static int touch_pages(struct dl_phdr_info *info, size_t n_bytes, void *unused)
{
    (void)info;
    (void)n_bytes;
    (void)unused;
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        if (rv_patched_objects_is_there(i))
            rv_jumps_touch(&rv_patched_objects.all[i], RV_JUMPS_AS_WANTED);
    return 1;
}

/* Else it is loaded once it is needed: what other processes have prepared is read without it. */
static bool needs_planner(bool do_others_run)
{
    return do_others_run || patcher.wanted.is_for_later || rv_capture_operations_have_syscalls() ||
           rv_thread_is_foreign;
}

static int plan(const char *wanted, const char *trace_path, bool do_others_run)
{
    const bool has_other_captures = rv_capture_operations_read(trace_path),
               has_other_patterns = read_patterns(trace_path);
    patcher.is_late = false;
    patcher.wanted.is_alone = !do_others_run && !rv_unpatchable_process_is_debugged();
    set_wanted(wanted, has_other_captures || has_other_patterns);
    patcher.wanted.planner = rv_planner_find();
    int error = !patcher.wanted.planner ? -ENOENT : needs_planner(do_others_run) ? rv_planner_load() : 0;
    if (!error)
        error = look_at_list(mark_unloaded);
    if (!error)
        error = drop_objects();
    if (!error)
        error = rv_returns_init();
    if (!error) {
        tell_v8();
        error = read_captures();
    }
    patcher.has_syscalls = !error && (rv_capture_operations_have_syscalls() || rv_thread_is_foreign);
    if (patcher.has_syscalls)
        rv_syscalls_begin(&patcher.wanted.syscalls, do_others_run);
    if (!error)
        error = plan_objects(do_others_run);
    if (!patcher.wanted.is_for_later) /* else it may be needed while the loader loads */
        rv_planner_unload();
    judge_by_names(trace_path);
    if (!error && rv_thread_is_foreign &&
        !rv_patched_objects_have_syscalls()) /* no end of a thread is seen, no child */
        error = -ENOTSUP;
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        rv_jumps_count(&rv_patched_objects.all[i]);
    return !error && do_others_run ? look_at_list(touch_pages) : error;
}

int rv_patcher_plan(const char *wanted, const char *trace_path, bool do_others_run)
{
    struct rv_signal_guard guard;
    if (strlen(wanted) >= sizeof patcher.wanted.lines)
        return -E2BIG;
    int error = rv_unpatchable_process_error();
    if (error)
        return error;
    rv_signal_guard_begin(&guard);
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    while (!try_begin())
        sched_yield();
    error = plan(wanted, trace_path, do_others_run);
    for (size_t i = 0; i < rv_patched_objects.n && error; i++)
        close_copy(&rv_patched_objects.all[i].prepared);
    rv_process_count_patching(rv_clock_thread_cpu_ns() - begin_ns + rv_second_cpu_take_ns());
    end();
    rv_signal_guard_end(&guard);
    return error;
}

static void count_patches(void)
{
    if (rv_capture_operations_have_syscalls())
        rv_process_use_instrument(RV_INSTRUMENT_SYSCALLS);
    else
        rv_process_drop_instrument(RV_INSTRUMENT_SYSCALLS);
    const struct rv_wire_instrumentation sum = rv_patched_objects_counts();
    if (sum.n_functions || sum.n_imports)
        rv_process_set_patches(&sum);
}

void rv_patcher_write(void)
{
    struct rv_signal_guard guard; /* from the first jump on, system calls of ours have to be known */
    rv_signal_guard_begin(&guard);
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        if (rv_patched_objects_is_there(i))
            write_jumps(&rv_patched_objects.all[i]);
    count_patches();
    rv_process_count_patching(rv_clock_thread_cpu_ns() - begin_ns);
    patcher.is_written = true;
    if (patcher.wanted.is_alone)
        rv_patch_verdicts_begin();
    rv_signal_guard_end(&guard);
}

bool rv_patcher_is_current(void)
{
    return !patcher.wanted.is_for_later || patcher.planned_sum == rv_loaded_objects_sum();
}

int rv_patcher_remove(void)
{
    if (is_busy() || rv_loaded_objects_are_changing())
        return -EAGAIN;
    for (size_t i = 0; i < rv_patched_objects.n; i++)
        if (rv_patched_objects_is_there(i))
            (void)rv_jumps_write(&rv_patched_objects.all[i], RV_JUMPS_ALL_OUT);
    patcher.is_written = false;
    rv_thread_end_at_exit(false);
    return 0;
}

/* Where no function that a verdict rejects has a jump, hooks need not look them up. */
static int apply(bool are_sites_clear)
{
    const int result = rv_patch_verdicts_apply(rv_patched_objects.all, rv_patched_objects.n,
                                               rv_patched_objects_is_there, are_sites_clear);
    count_patches();
    if (rv_patch_verdicts_are_out() && !rv_process_limit)
        rv_process_open_gate();
    return result;
}

int rv_patcher_apply(bool are_sites_clear)
{
    if (is_busy() || rv_loaded_objects_are_changing() || rv_process_is_locked())
        return -EAGAIN;
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    if (rv_rejected_functions_is_stale())
        rv_rejected_functions_update();
    const int result = patcher.is_written && rv_process_is_open() ? apply(are_sites_clear) : 0;
    rv_process_count_patching(rv_clock_thread_cpu_ns() - begin_ns);
    return result;
}

/*
 * The caller has the loader's lock, so what is loaded stays meanwhile. What could not be planned is counted as not
 * patched next time, with what is loaded by then: the two cannot be told apart.
 */
static void follow(void)
{
    const uint64_t begin_ns = rv_clock_thread_cpu_ns();
    int error = -EAGAIN;
    for (unsigned i = 0; i < FOLLOW_TRIES && error == -EAGAIN; i++) {
        error = look_at_list(mark_unloaded);
        if (!error)
            error = drop_objects();
        if (!error)
            error = plan_objects(false);
    }
    patcher.is_late = error == -EAGAIN;
    count_patches();
    rv_process_count_patching(rv_clock_thread_cpu_ns() - begin_ns);
}

/* ringviz waits for a moment at which no object changes: in a program that loads libraries all the time, there was none. */
static bool is_leaving(void)
{
    return __atomic_load_n(&ringviz_attachment.is_leaving, __ATOMIC_RELAXED) != 0;
}

/* The loader calls it when its list has changed or is about to, in a thread that holds its lock. Modules are announced
 * here, too: an attached process has no other place. */
static void follow_loader(void)
{
    struct rv_signal_guard guard;
    if (rv_loaded_objects_are_changing())
        return;
    rv_signal_guard_begin(&guard);
    if (!is_leaving() && try_begin()) {
        if (patcher.is_written)
            follow();
        end();
    }
    rv_thread_look_at_modules();
    rv_signal_guard_end(&guard);
}

__attribute__((constructor)) static void start(void)
{
    rv_forking_on_child(end);
}

#endif

/*
 * Traced programs overwrite parts of their trace file while a real ringviz reads it. Whatever they write, ringviz ends
 * within 5 s of a signal, with a complete report. A single wrong word, such as "no ring is used" or "nothing is read",
 * keeps neither ringviz nor a `block` program from ending.
 *
 *   scribbles RINGVIZ [RUNS [SEED]]: without RUNS, some seeds
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/os.h"
#include "ring/full_ring_policy.h"
#include "ring/ownership.h"
#include "ring/push.h"
#include "stress/expect.h"

#define N_EVENTS 4096u
#define N_BEFORE (4u * N_EVENTS)
#define N_AFTER (40u * N_EVENTS)
#define LIMIT_NS 5000000000u
#define START_NS 60000000000u /* for what is not the question: a starved machine */
#define STEP_NS 1000000u

/* ---- the traced program ---- */

enum word { /* that one stray write changes */
            STATE_FREE,
            STATE_CLAIMED,
            STATE_EXITED,
            STATE_WRONG,
            GENERATION,
            TAIL_BEHIND,
            TAIL_AHEAD,
            HEAD_BEHIND,
            FILE_STATE,
            WORD_COUNT
};

static const char *const word_names[] = {"state FREE",  "state CLAIMED", "state EXITED",
                                         "wrong state", "generation",    "tail behind",
                                         "tail ahead",  "head behind",   "the file's state"};

static struct rv_map map;
static struct rv_pusher pusher;
static struct rv_pusher_state state;

static void push_some(uint64_t n)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~15ull;
    for (uint64_t i = 0; i < n; i++)
        rv_push(&pusher, i & 1 ? RV_EVENT_RETURN : RV_EVENT_CALL, rv_event_word((uint32_t)(1 + i / 2 % 100), 0, 0),
                stack, rv_push_slow);
}

static struct rv_wire_control *begin_program(void)
{
    struct rv_ring ring;
    int ring_idx = -1;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (rv_map_open(&map, getenv("RINGVIZ_FILE"), RV_MAP_PRODUCER, false) == 0 && rv_ownership_enter_process(&map) == 0)
        ring_idx = rv_ownership_claim(&map, 0);
    if (ring_idx < 0)
        exit(3);
    rv_ring_view(&ring, &map, (uint32_t)ring_idx);
    rv_pusher_attach(&pusher, &state, &ring, (uint32_t)ring_idx);
    return ring.control;
}

static void write_over(struct rv_wire_control *control, enum word word)
{
    switch (word) {
    case STATE_FREE:
        __atomic_store_n(&control->state, RV_RING_FREE, __ATOMIC_RELAXED);
        break;
    case STATE_CLAIMED:
        __atomic_store_n(&control->state, RV_RING_CLAIMED, __ATOMIC_RELAXED);
        break;
    case STATE_EXITED:
        __atomic_store_n(&control->state, RV_RING_EXITED, __ATOMIC_RELAXED);
        break;
    case STATE_WRONG:
        __atomic_store_n(&control->state, 77, __ATOMIC_RELAXED);
        break;
    case GENERATION:
        __atomic_store_n(&control->generation, 1000, __ATOMIC_RELAXED);
        break;
    case TAIL_BEHIND:
        __atomic_store_n(&control->tail, 0, __ATOMIC_RELAXED);
        break;
    case TAIL_AHEAD:
        __atomic_store_n(&control->tail, UINT64_MAX / 2, __ATOMIC_RELAXED);
        break;
    case HEAD_BEHIND:
        __atomic_store_n(&control->head, 1, __ATOMIC_RELAXED);
        break;
    case FILE_STATE:
        __atomic_store_n(&map.header->state, 77, __ATOMIC_RELAXED);
        break;
    case WORD_COUNT:
        break;
    }
}

/* Push several rings full before and after the stray word: under `block` this ends only if the viewer reads on. */
static int run_stray_word(enum word word)
{
    struct rv_wire_control *control = begin_program();
    push_some(N_BEFORE);
    write_over(control, word);
    while (__atomic_load_n(&map.header->state, __ATOMIC_RELAXED) != RV_FILE_READY)
        rv_os_sleep_ns(STEP_NS);
    push_some(N_AFTER);
    rv_ownership_release(&map, state.ring_idx);
    return 0;
}

/* Every policy, ended by TERM and by INT; the last four seeds are of runs that once did not end in time. */
static const uint64_t seeds[] = {1, 2, 3, 4, 5, 6, 7, 8, 1062, 1068, 1093, 1106};

static uint64_t next_random(uint64_t *seed)
{
    return rv_hash_u64(*seed += 0x9e3779b97f4a7c15);
}

static struct rv_wire_area pick_area(uint64_t *seed)
{
    const struct rv_wire_header *plan = &map.geometry;
    const struct rv_wire_area areas[] = {
        {0x200, 0x1c0}, {0x200, 0x1c0},   {0, sizeof *plan}, plan->controls,  plan->controls, plan->controls,
        plan->modules,  plan->name_index, plan->name_ids,    plan->name_heap, plan->rings,    plan->processes,
    };
    return areas[next_random(seed) % (sizeof areas / sizeof *areas)];
}

static uint32_t pick_value(uint64_t *seed)
{
    const uint32_t values[] = {0, 1, 2, 3, 4, UINT32_MAX, INT32_MAX, (uint32_t)next_random(seed)};
    return values[next_random(seed) % (sizeof values / sizeof *values)];
}

/* Write to one area for a while, then to another; mostly to its first pages, which are the ones in use. */
static void *scribble(void *context)
{
    uint64_t seed = *(const uint64_t *)context;
    for (;;) {
        struct rv_wire_area area = pick_area(&seed);
        for (unsigned i = 0; i < 200; i++) {
            uint64_t n_bytes = next_random(&seed) & 1 && area.n_bytes > 4096 ? 4096 : area.n_bytes;
            uint64_t offset = area.offset + next_random(&seed) % n_bytes / 4 * 4;
            __atomic_store_n((uint32_t *)(void *)(map.base + offset), pick_value(&seed), __ATOMIC_RELAXED);
            if (i % 8 == 0)
                rv_os_sleep_ns(STEP_NS / 10);
        }
    }
    return NULL;
}

/* Says that it has begun by a file. */
static int run_scribbler(uint64_t seed, const char *begun)
{
    pthread_t thread;
    begin_program();
    push_some(N_EVENTS);
    FILE *file = fopen(begun, "w");
    if (!file || fclose(file) != 0 || pthread_create(&thread, NULL, scribble, &seed) != 0)
        return 4;
    for (;;)
        push_some(1000);
}

static int run_program(const char *what, const char *number, const char *begun)
{
    uint64_t n = strtoull(number, NULL, 10);
    return strcmp(what, "word") == 0 ? run_stray_word((enum word)n) : run_scribbler(n, begun);
}

/* ---- the viewer ---- */

struct run {
    const char *ringviz, *self;
    char folder[64], report[128], trace[128], begun[128];
    pid_t pid;
};

static pid_t start(const char *const *argv)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void start_viewer(struct run *run, const char *policy, const char *what, uint64_t number)
{
    char policy_option[32], output_option[160], trace_option[160], number_text[32];
    unlink(run->report);
    snprintf(policy_option, sizeof policy_option, "--policy=%s", policy);
    snprintf(output_option, sizeof output_option, "--output=%s", run->report);
    snprintf(trace_option, sizeof trace_option, "--trace-file=%s", run->trace);
    snprintf(number_text, sizeof number_text, "%" PRIu64, number);
    unlink(run->trace);
    unlink(run->begun);
    const char *const argv[] = {run->ringviz,
                                "--report=json",
                                "--headless",
                                "--rings=8",
                                "--ring-events=4096",
                                "--patch=off",
                                output_option,
                                trace_option,
                                policy_option,
                                "--",
                                run->self,
                                what,
                                number_text,
                                run->begun,
                                NULL};
    run->pid = start(argv);
}

/* The status when it ended in time, -1 when it did not and was killed. */
static int wait_for_end(const struct run *run, uint64_t timeout_ns)
{
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    int status;
    while (waitpid(run->pid, &status, WNOHANG) == 0) {
        if (rv_clock_mono_ns() > end_ns) {
            kill(run->pid, SIGKILL);
            waitpid(run->pid, &status, 0);
            return -1;
        }
        rv_os_sleep_ns(STEP_NS);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool has_whole_report(const struct run *run)
{
    char text[16] = "", end[4] = "";
    FILE *file = fopen(run->report, "r");
    bool is_whole = file && fgets(text, sizeof text, file) && fseek(file, -3, SEEK_END) == 0 &&
                    fgets(end, sizeof end, file) && strncmp(text, "{\"events\":", 10) == 0 && strcmp(end, "]}\n") == 0;
    if (file)
        fclose(file);
    return is_whole;
}

/* Events read. A head that moved back counts: events written before are lost. */
static uint64_t n_consumed(const struct run *run)
{
    uint64_t n = 0;
    FILE *file = fopen(run->report, "r");
    if (file) {
        if (fscanf(file, "{\"events\":{\"produced\":%*u,\"consumed\":%" SCNu64, &n) != 1)
            n = 0;
        fclose(file);
    }
    return n;
}

static void check_stray_word(struct run *run, enum word word)
{
    start_viewer(run, "block", "word", word);
    printf("one stray word: %s\n", word_names[word]);
    int status = wait_for_end(run, START_NS);
    expect(status == 0, "the status after one stray word", (uint64_t)status, 0);
    expect(has_whole_report(run), "a report after one stray word", 0, 1);
    uint64_t n = n_consumed(run), n_all = N_BEFORE + N_AFTER;
    const bool are_all = n >= n_all && (n - n_all) % RV_FULL_RING_WAIT_EVENTS == 0; /* with those of waits for room */
    expect(word == HEAD_BEHIND ? n >= N_AFTER - N_EVENTS : are_all, "events read around one stray word", n, n_all);
}

static bool has_begun(const struct run *run)
{
    return access(run->begun, F_OK) == 0;
}

/* Is the signal sent, but not delivered yet? Then a second one would be merged into it. */
static bool is_pending(pid_t pid, int signal_number)
{
    char path[64], line[256];
    uint64_t pending = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
            break;
    if (file)
        fclose(file);
    return pending >> (signal_number - 1) & 1;
}

/* TERM ends the program first; the second INT is for ringviz alone, and the program goes on. */
static void tell_to_end(const struct run *run, uint64_t *seed)
{
    if (next_random(seed) & 1) {
        kill(run->pid, SIGTERM);
        return;
    }
    kill(run->pid, SIGINT);
    for (uint64_t end_ns = rv_clock_mono_ns() + START_NS; is_pending(run->pid, SIGINT) && rv_clock_mono_ns() < end_ns;)
        rv_os_sleep_ns(STEP_NS);
    kill(run->pid, SIGINT);
}

static void check_scribbling(struct run *run, uint64_t number)
{
    static const char *const policies[] = {"block", "switch", "fill", "ring"};
    uint64_t seed = number;
    start_viewer(run, policies[number % 4], "scribble", number);
    for (uint64_t end_ns = rv_clock_mono_ns() + START_NS; !has_begun(run) && rv_clock_mono_ns() < end_ns;)
        rv_os_sleep_ns(STEP_NS);
    rv_os_sleep_ns(next_random(&seed) % (200 * STEP_NS));
    uint64_t begin_ns = rv_clock_mono_ns();
    tell_to_end(run, &seed);
    int status = wait_for_end(run, LIMIT_NS);
    printf("%" PRIu64 " (%s): status %d after %" PRIu64 " ms\n", number, policies[number % 4], status,
           (rv_clock_mono_ns() - begin_ns) / 1000000);
    expect(status >= 0, "an end within 5 s, run", number, number);
    expect(has_whole_report(run), "a whole report, run", number, number);
}

int main(int n_arguments, char **arguments)
{
    if (n_arguments == 4 && arguments[1][0] != '/')
        return run_program(arguments[1], arguments[2], arguments[3]);
    struct run run = {.ringviz = arguments[1], .self = arguments[0]};
    uint64_t n_runs = n_arguments > 2 ? strtoull(arguments[2], NULL, 10) : 0;
    uint64_t first = n_arguments > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    strcpy(run.folder, "/tmp/ringviz-test-XXXXXX");
    if (!mkdtemp(run.folder))
        return 1;
    snprintf(run.report, sizeof run.report, "%s/report.json", run.folder);
    snprintf(run.trace, sizeof run.trace, "%s/trace", run.folder);
    snprintf(run.begun, sizeof run.begun, "%s/begun", run.folder);
    for (enum word word = STATE_FREE; word < WORD_COUNT; word++)
        check_stray_word(&run, word);
    for (size_t i = 0; n_runs == 0 && i < sizeof seeds / sizeof *seeds; i++)
        check_scribbling(&run, seeds[i]);
    for (uint64_t i = 0; i < n_runs; i++)
        check_scribbling(&run, first + i);
    unlink(run.report);
    unlink(run.trace);
    unlink(run.begun);
    rmdir(run.folder);
    return expect_n_failures() != 0;
}

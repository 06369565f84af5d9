#include "cli/option_table.h"

#include <stddef.h>

enum {
    WATCH = 1 << RV_COMMAND_WATCH,
    INFO = 1 << RV_COMMAND_INFO,
    CHECK = 1 << RV_COMMAND_CHECK,
    DIFF = 1 << RV_COMMAND_DIFF,
    MERGE = 1 << RV_COMMAND_MERGE,
    CONTROL = 1 << RV_COMMAND_CONTROL,
    BENCH = 1 << RV_COMMAND_BENCH,
    ALL = WATCH | INFO | CHECK | DIFF | MERGE | CONTROL | BENCH
};

const struct rv_option_entry RV_OPTION_TABLE[RV_N_OPTIONS] = {
    {RV_OPTION_HEADLESS, ALL, "headless", NULL, "no window; ends with the program"},
    {RV_OPTION_REPORT, WATCH, "report", "[=text|csv|json]",
     "statistics of every subroutine, threads, loss;\nimplies --headless"},
    {RV_OPTION_SPANS, WATCH, "spans", "[=csv|json]", "every call with its times; implies --headless"},
    {RV_OPTION_EXPORT, WATCH, "export", "=FORMAT:OUT",
     "every call in the format of another tool: chrome,\nperfetto, folded, speedscope; OUT.gz is packed;\nimplies "
     "--headless"},
    {RV_OPTION_FAIL_ON_LOSS, WATCH, "fail-on-loss", NULL,
     "exit status 1 where anything is known to be missing\nfrom what was captured or read"},
    {RV_OPTION_FORCE, WATCH | INFO | CHECK | DIFF | MERGE | BENCH, "force", NULL,
     "write over a file that is there already"},
    {RV_OPTION_DIFF, DIFF, "diff", "[=text|csv|json|window]",
     "two FILEs against each other: calls and times of\nevery subroutine before and after, and which differ;\nas text, "
     "or side by side in a window or --screenshot"},
    {RV_OPTION_MERGE, MERGE, "merge", "=OUT.rvz", "one recording of all FILEs, aligned by their wall clocks"},
    {RV_OPTION_INFO, INFO, "info", NULL,
     "header, processes, rings, counters and names of FILE,\nwithout draining it; a recording's streams and "
     "chunks;\nthe format of another tool's trace"},
    {RV_OPTION_CHECK, CHECK, "check", NULL, "read a recording wholly; say what it holds and what is\ndamaged"},
    {RV_OPTION_REPAIR, CHECK, "repair", "=OUT.rvz", "the same, and write what is whole as a clean recording"},
    {RV_OPTION_OUTPUT, WATCH | INFO | CHECK | DIFF | BENCH, "output", "=FILE",
     "where --report, --spans, --diff, --info, --check and\n--bench go (default: stdout, after the program has ended)"},
    {RV_OPTION_RECORD, WATCH, "record", "[=OUT.rvz]", "record everything while watching\n(default: COMMAND.PID.rvz)"},
    {RV_OPTION_RECORD_LIMIT, WATCH, "record-limit", "=SIZE|TIME",
     "keep the newest events only in a recording: so many\nbytes (64M, 2G) or so much time (30s, 5min)"},
    {RV_OPTION_TRIGGER, WATCH, "trigger", "='CONDITION'",
     "keep only what is around hits in a recording:\n'slow REGEX > 20ms' 'call REGEX' 'depth > N' 'gc > 5ms'\nlost "
     "'mark REGEX'; may be given again"},
    {RV_OPTION_TRIGGER_KEEP, WATCH, "trigger-keep", "=BEFORE[,AFTER]",
     "how much around a hit (default: 5s,5s; AFTER: BEFORE)"},
    {RV_OPTION_SCREENSHOT, WATCH | DIFF, "screenshot", "=OUT.png", "draw one picture into a file; implies --headless"},
    {RV_OPTION_FRAMES, WATCH, "frames", "=DIR", "film the run into a folder of numbered pictures;\nimplies --headless"},
    {RV_OPTION_VIDEO, WATCH, "video", "=OUT.y4m", "film the run into a video; implies --headless"},
    {RV_OPTION_FPS, WATCH, "fps", "=N", "pictures a second in a film (default: 30)"},
    {RV_OPTION_SPEED, WATCH | DIFF, "speed", "=X",
     "how fast time passes in a film (default: 1); plays FILE in\nthe window, from --from on, where there is no film"},
    {RV_OPTION_VIEW, WATCH | DIFF, "view", "=3d|aligned|flame|top",
     "the view of the picture, and of the window at first"},
    {RV_OPTION_COLOR, WATCH | DIFF, "color", "=SCHEME",
     "what colours stand for: package, subroutine, thread,\nduration, high-contrast (default: package)"},
    {RV_OPTION_THEME, WATCH | DIFF, "theme", "=dark|light", "what they are seen on (default: dark)"},
    {RV_OPTION_SIZE, WATCH | DIFF, "size", "=WxH", "its size in pixels (default: 1600x900)"},
    {RV_OPTION_AT, WATCH | DIFF, "at", "=TIME", "where its window begins, from the first event"},
    {RV_OPTION_WINDOW, WATCH | DIFF, "window", "=DURATION", "how long its window is (default: all there is)"},
    {RV_OPTION_FIND, WATCH | DIFF, "find", "=REGEX",
     "calls whose full name matches: pointed out in pictures,\nwhere the window moves to the first one, and the "
     "only\nones in "
     "--report and --spans"},
    {RV_OPTION_FILTER, WATCH | DIFF, "filter", "=RULE",
     "let through only what passes: name:REGEX package:REGEX\nthread:REGEX depth:<8 duration:>2ms; ! in front "
     "inverts;\nmay "
     "be given again"},
    {RV_OPTION_FROM, WATCH | DIFF, "from", "=TIME",
     "only calls that last into what comes after, from the\nfirst event on"},
    {RV_OPTION_TO, WATCH | DIFF, "to", "=TIME", "only calls that begin before"},
    {RV_OPTION_POLICY, WATCH, "policy", "=block|switch|fill|ring",
     "what a full ring means: wait, drop the newest,\nstop tracing, overwrite the oldest (default: block)"},
    {RV_OPTION_DRAIN_INTERVAL, WATCH, "drain-interval", "=TIME", "between two drains of a ring (default: 2ms)"},
    {RV_OPTION_RING_EVENTS, WATCH, "ring-events", "=N",
     "events in a ring, rounded up to a power of two\n(default: 131072)"},
    {RV_OPTION_RINGS, WATCH, "rings", "=N", "threads that can be traced at once (default: 256)"},
    {RV_OPTION_SLOTS, WATCH, "slots", "=N", "frames of a live stack (default: 64)"},
    {RV_OPTION_SLOT_SIZE, WATCH, "slot-size", "=SIZE", "bytes of text in each of them (default: 200)"},
    {RV_OPTION_MESSAGE_SIZE, WATCH, "message-size", "=SIZE", "longest command or response of a ring (default: 4K)"},
    {RV_OPTION_GLOBAL_SIZE, WATCH, "global-size", "=SIZE", "the global message area (default: 16K)"},
    {RV_OPTION_TRACE_FILE, WATCH, "trace-file", "=PATH",
     "keep the shared file at PATH\n(default: private, removed at the end)"},
    {RV_OPTION_INCLUDE, WATCH | DIFF, "include", "=REGEX", "capture only subroutines whose full name matches"},
    {RV_OPTION_EXCLUDE, WATCH | DIFF, "exclude", "=REGEX", "leave out those whose full name matches"},
    {RV_OPTION_MAX_DEPTH, WATCH | DIFF, "max-depth", "=N", "leave out calls nested deeper than N"},
    {RV_OPTION_DURATION, WATCH, "duration", "=TIME", "capture for this long only"},
    {RV_OPTION_IMPORT, WATCH | DIFF, "import", "=FORMAT",
     "what FILE is, where its content does not tell: chrome,\ncpuprofile, speedscope, strace, perf, folded,\nuftrace, "
     "ringbuffer, rrtrace, perl"},
    {RV_OPTION_RRTRACE, WATCH, "rrtrace", "=SHM", "watch the ring of Ruby's rrtrace gem, as its visualizer"},
    {RV_OPTION_PERL_PID, WATCH, "perl-pid", "=PID", "sample the stacks of a perl that runs already"},
    {RV_OPTION_CONTROL, CONTROL, "control", "=FILE",
     "stop, step and ask the threads of a trace file, by\ncommands from stdin; --trace-file gives a program's FILE"},
    {RV_OPTION_CLOCK, WATCH, "clock", "=tsc|tick|monotonic",
     "tsc: cycle counter; tick: cheaper, right to about 0.1 ms;\nmonotonic: the kernel's (default: tsc where "
     "invariant)"},
    {RV_OPTION_THREADS, WATCH | DIFF | MERGE, "threads", "=N", "worker threads of ringviz (default: CPUs - 1)"},
    {RV_OPTION_MEMORY, WATCH | DIFF, "memory", "=SIZE",
     "resident: exact calls get what all else leaves,\nolder ones keep their density (default: a quarter of RAM)"},
    {RV_OPTION_BENCH, BENCH, "bench", "[=NAME,..]",
     "measure: ring, drain, scan, lod, codec, replay, render,\nexport, overhead, control; codec and replay on "
     "FILE.rvz,\n"
     "overhead on -- COMMAND if given (default: all but\nreplay, which makes a recording of a gigabyte)"},
    {RV_OPTION_JSON, BENCH, "json", NULL, "--bench prints one JSON object a line"},
    {RV_OPTION_VERBOSE, ALL, "verbose", NULL, "say what is being done, and what it cost"},
    {RV_OPTION_VERSION, ALL, "version", NULL, "print the version"},
    {RV_OPTION_HELP, ALL, "help", NULL, "print this"},
};

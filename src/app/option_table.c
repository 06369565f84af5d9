#include "app/option_table.h"

#include <stddef.h>

const struct rv_option_entry RV_OPTION_TABLE[RV_N_OPTIONS] = {
    {RV_OPTION_HEADLESS, "headless", NULL, "no window; ends with the program"},
    {RV_OPTION_REPORT, "report", "[=text|csv|json]",
     "statistics of every subroutine, threads, loss;\nimplies --headless"},
    {RV_OPTION_SPANS, "spans", "[=csv|json]", "every call with its times; implies --headless"},
    {RV_OPTION_EXPORT, "export", "=FORMAT:OUT",
     "every call in the format of another tool: chrome,\nperfetto, folded, speedscope; OUT.gz is packed;\nimplies "
     "--headless"},
    {RV_OPTION_FORCE, "force", NULL, "write over a file that is there already"},
    {RV_OPTION_DIFF, "diff", "[=text|csv|json|window]",
     "two FILEs against each other: calls and times of\nevery subroutine before and after, and which differ;\nas text, "
     "or side by side in a window or --screenshot"},
    {RV_OPTION_MERGE, "merge", "=OUT.rvz", "one recording of all FILEs, aligned by their wall clocks"},
    {RV_OPTION_INFO, "info", NULL,
     "header, processes, rings, counters and names of FILE,\nwithout draining it; a recording's streams and "
     "chunks;\nthe format of another tool's trace"},
    {RV_OPTION_CHECK, "check", NULL, "read a recording wholly; say what it holds and what is\ndamaged"},
    {RV_OPTION_REPAIR, "repair", "=OUT.rvz", "the same, and write what is whole as a clean recording"},
    {RV_OPTION_OUTPUT, "output", "=FILE",
     "where --report, --spans, --info and --bench go\n(default: stdout, after the program has ended)"},
    {RV_OPTION_RECORD, "record", "[=OUT.rvz]", "record everything while watching\n(default: COMMAND.PID.rvz)"},
    {RV_OPTION_RECORD_LIMIT, "record-limit", "=SIZE|TIME",
     "keep the newest events only in a recording: so many\nbytes (64M, 2G) or so much time (30s, 5min)"},
    {RV_OPTION_TRIGGER, "trigger", "='CONDITION'",
     "keep only what is around hits in a recording:\n'slow REGEX > 20ms' 'call REGEX' 'depth > N' 'gc > 5ms'\nlost "
     "'mark REGEX'; may be given again"},
    {RV_OPTION_TRIGGER_KEEP, "trigger-keep", "=BEFORE[,AFTER]",
     "how much around a hit (default: 5s,5s; AFTER: BEFORE)"},
    {RV_OPTION_SCREENSHOT, "screenshot", "=OUT.png", "draw one picture into a file; implies --headless"},
    {RV_OPTION_FRAMES, "frames", "=DIR", "film the run into a folder of numbered pictures;\nimplies --headless"},
    {RV_OPTION_VIDEO, "video", "=OUT.y4m", "film the run into a video; implies --headless"},
    {RV_OPTION_FPS, "fps", "=N", "pictures a second in a film (default: 30)"},
    {RV_OPTION_SPEED, "speed", "=X",
     "how fast time passes in a film (default: 1); plays FILE in\nthe window, from --from on, where there is no film"},
    {RV_OPTION_VIEW, "view", "=3d|aligned|flame|top", "the view of the picture, and of the window at first"},
    {RV_OPTION_COLOR, "color", "=SCHEME",
     "what colours stand for: package, subroutine, thread,\nduration, high-contrast (default: package)"},
    {RV_OPTION_THEME, "theme", "=dark|light", "what they are seen on (default: dark)"},
    {RV_OPTION_SIZE, "size", "=WxH", "its size in pixels (default: 1600x900)"},
    {RV_OPTION_AT, "at", "=TIME", "where its window begins, from the first event"},
    {RV_OPTION_WINDOW, "window", "=DURATION", "how long its window is (default: all there is)"},
    {RV_OPTION_FIND, "find", "=REGEX",
     "calls whose full name matches: pointed out in pictures,\nwhere the window moves to the first one, and the "
     "only\nones in "
     "--report and --spans"},
    {RV_OPTION_FILTER, "filter", "=RULE",
     "let through only what passes: name:REGEX package:REGEX\nthread:REGEX depth:<8 duration:>2ms; ! in front "
     "inverts;\nmay "
     "be given again"},
    {RV_OPTION_FROM, "from", "=TIME", "only calls that last into what comes after, from the\nfirst event on"},
    {RV_OPTION_TO, "to", "=TIME", "only calls that begin before"},
    {RV_OPTION_POLICY, "policy", "=block|switch|fill|ring",
     "what a full ring means: wait, drop the newest,\nstop tracing, overwrite the oldest (default: block)"},
    {RV_OPTION_DRAIN_INTERVAL, "drain-interval", "=TIME", "between two drains of a ring (default: 2ms)"},
    {RV_OPTION_RING_EVENTS, "ring-events", "=N", "events in a ring, rounded up to a power of two\n(default: 131072)"},
    {RV_OPTION_RINGS, "rings", "=N", "threads that can be traced at once (default: 256)"},
    {RV_OPTION_SLOTS, "slots", "=N", "frames of a live stack (default: 64)"},
    {RV_OPTION_SLOT_SIZE, "slot-size", "=SIZE", "bytes of text in each of them (default: 200)"},
    {RV_OPTION_MESSAGE_SIZE, "message-size", "=SIZE", "longest command or response of a ring (default: 4K)"},
    {RV_OPTION_GLOBAL_SIZE, "global-size", "=SIZE", "the global message area (default: 16K)"},
    {RV_OPTION_TRACE_FILE, "trace-file", "=PATH",
     "keep the shared file at PATH\n(default: private, removed at the end)"},
    {RV_OPTION_INCLUDE, "include", "=REGEX", "capture only subroutines whose full name matches"},
    {RV_OPTION_EXCLUDE, "exclude", "=REGEX", "leave out those whose full name matches"},
    {RV_OPTION_MAX_DEPTH, "max-depth", "=N", "leave out calls nested deeper than N"},
    {RV_OPTION_DURATION, "duration", "=TIME", "capture for this long only"},
    {RV_OPTION_IMPORT, "import", "=FORMAT",
     "what FILE is, where its content does not tell: chrome,\nstrace, perf, folded, uftrace, ringbuffer, rrtrace, "
     "perl"},
    {RV_OPTION_RRTRACE, "rrtrace", "=SHM", "watch the ring of Ruby's rrtrace gem, as its visualizer"},
    {RV_OPTION_PERL_PID, "perl-pid", "=PID", "sample the stacks of a perl that runs already"},
    {RV_OPTION_CONTROL, "control", "=FILE",
     "stop, step and ask the threads of a trace file, by\ncommands from stdin; --trace-file gives a program's FILE"},
    {RV_OPTION_CLOCK, "clock", "=tsc|tick|monotonic",
     "tsc: cycle counter; tick: cheaper, right to about 0.1 ms;\nmonotonic: the kernel's (default: tsc where "
     "invariant)"},
    {RV_OPTION_THREADS, "threads", "=N", "worker threads of ringviz (default: CPUs - 1)"},
    {RV_OPTION_MEMORY, "memory", "=SIZE",
     "for exact calls; older ones keep their density\n(default: a quarter of RAM)"},
    {RV_OPTION_BENCH, "bench", "[=NAME,..]",
     "measure: ring, drain, scan, lod, codec, replay, render,\nexport, overhead, control; codec and replay on "
     "FILE.rvz,\n"
     "overhead on -- COMMAND if given (default: all but\nreplay, which makes a recording of a gigabyte)"},
    {RV_OPTION_JSON, "json", NULL, "--bench prints one JSON object a line"},
    {RV_OPTION_VERBOSE, "verbose", NULL, "say what is being done, and what it cost"},
    {RV_OPTION_VERSION, "version", NULL, "print the version"},
    {RV_OPTION_HELP, "help", NULL, "print this"},
};

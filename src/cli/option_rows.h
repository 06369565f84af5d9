/*
 * Every option, in the order of --help:
 *   OPTION(id, commands that accept it, name, argument, values, how it is set, help, details)
 * as in struct rv_option_entry. It is set, a field of struct rv_options being the first word in parentheses, by:
 *   FLAG(is_x)          it is true
 *   TEXT(x)             the value
 *   WORD(x)             the value's index among the words: an enum
 *   COUNT(n_x, most)    a number, from 1
 *   BYTES(x_bytes, most), TIME(x_ns, least)
 *   COMMAND(RV_COMMAND_X)
 *   CODE                its case in options.c
 * rv_options_has() says whether it was given.
 * Included where OPTION is defined: for enum rv_option_id, for the table, and in options.c.
 */
/* clang-format off */

/* ---- output ---- */

OPTION(HEADLESS, ALL, "headless", NULL, NULL, FLAG(is_headless),
    "open no window; end with the program",
    NULL)

OPTION(REPORT, WATCH, "report", "[=text|csv|json|lines|lines-csv|lines-json|html]", NULL, CODE,
    "print statistics of every subroutine, the threads, and what was lost; or of source lines; or a page for a browser",
    "Calls, total and own time, shortest, median, 99th percentile and longest call. Beside total and own time: how much of "
    "it the thread ran (`cpu`), was `blocked`, and was `runnable` but on no CPU; for Ruby threads, how much it was `ready` "
    "for the GVL and `suspended` without it; of fibers, coroutines and contexts, how much they were `suspended` while another "
    "one of their thread ran. Where threads' states are not known (--states) text has one line that says "
    "so, CSV empty fields, JSON \"states_known\":false. Text and JSON count threads that made no traced call, as "
    "--waits does, and say how long threads waited until ringviz had read their events (text, as stderr at the end of "
    "a run, from half a second and a twentieth of their time on). JSON, here and in --spans, says in \"form\" whether a name is a "
    "\"block\"'s, or that of code in \"c\" or in a \"library\" of a language's runtime. Text has template arguments only "
    "where names would be the same without. A terminal gets the columns that it has room for and the first 50 rows, lines that name the "
    "others, and files without their folders. With `lines`, as text, CSV or JSON: hits, total and own time of every line that was executed, and its "
    "subroutine. A line lasts until the next statement of its call begins, or the call ends; own time is without callees; "
    "where a line is executed again inside of itself, total time is that of the outermost execution. Lines are known for "
    "Perl and Ruby; for native programs with debug information, the lines that call traced functions, which last as long "
    "as these calls and have no own time; and for profiles of V8, the Firefox profiler, stackprof and perf (-F +srcline), "
    "where a hit is a sample. A COMMAND's programs report lines with this option, which costs a native call some 0.2 us "
    "more; other programs, and those that are recorded, with RINGVIZ_PERL_LINES=1, RINGVIZ_RUBY_LINES=1 or "
    "RINGVIZ_NATIVE_LINES=1 in their environment. --filter chooses the calls whose lines are printed, but not by "
    "arguments. `html` is --export=html, printed as a report is: on standard output, or into the file of --output. Implies --headless.")

OPTION(GROUP_BY, WATCH, "group-by", "=argN|ret[:sql]|task", NULL, CODE,
    "a row of --report for each text of argument N, of the result, or for each name of a task",
    "For subroutines whose arguments were captured (--prototypes), such as time per SQL text. With :sql numbers and '...' "
    "are shown as `?`, so that texts which differ in these alone share a row. JSON has the text as \"argument\", CSV in "
    "the last column. With task: by the name of the task (--flows) that was the thread's current one as the call began. "
    "Covers the whole capture.")

OPTION(SPANS, WATCH, "spans", "[=csv|json]", NULL, WORD(spans_format),
    "print every call with its times",
    "Thread by thread: process, thread, depth, start, duration, name, file, line, flags. Where threads' states are known (--states; else empty in CSV, not in JSON), before the flags: how much of the duration the thread ran, was blocked and was runnable but on no CPU, and the same without callees (self). Implies --headless.")

OPTION(WAITS, WATCH, "waits", "[=text|csv|json|arcs|arcs-csv|arcs-json]", NULL, CODE,
    "print what threads waited for, how long, and who kept them waiting",
    "Covered are mutexes, read-write locks, conditions, semaphores, barriers, pthread_once() and joins of a COMMAND's "
    "native code, by the functions of POSIX and C11, and futexes that it waits for by system calls, as C++20 and Rust "
    "do. Each object has a row: the longest wait, the thread and call that ended most of the waiting, and the calls that "
    "this thread was in at the longest of these waits. Most waiting comes first. For that, the ends of threads and "
    "children do not count, which stand for what these waited for, nor idle waiting, which held nobody up: waits for "
    "clients (poll and accept, unless a traced thread ended them), and in threads other than the command's first, "
    "waiting that is for no lock and exceeds the time for which others waited for the thread. A worker without work is "
    "idle, one that keeps its caller waiting is not. Nor does the part of a wait, but for a lock, in which the thread that ended it waited "
    "for others itself: that is waiting for what these had. ringviz_name_object() gives a name to an object that is no "
    "variable. For locks, barriers and pthread_once() the waker is `exact`, or an `owner`: the thread is known, but not "
    "the moment at which it released the object. For conditions and semaphores it is `likely`: the last that signalled. "
    "Of a lock that processes share, and of a file lock, the waker is the `owner` at the wait's begin, of a child's end the child; "
    "conditions, semaphores and barriers that processes share have none where another process ended the wait. Calls of the C library that block for 10 us or more are waits, too: sleeps; reads and writes, with "
    "the kind of file (`read pipe`), or where no traced thread ended the wait, its path or address; poll and its like, "
    "with the file that was ready; connections; file locks with their bytes, and sleeps after a lock was refused; sync, "
    "children, signals, messages. A `full ring` is ringviz's own: the program waited until the viewer had read its events (--policy=block). Calls that the C library makes itself, as for streams (fread), are not; nor is any once the program filters its own system calls (seccomp). For pipes, "
    "eventfds and sockets between traced threads, of other processes of the run, too, the last to write, or to read, is the "
    "`likely` waker; a process of another run, merged or not, is not found so. Where nothing of this tells the waker, the kernel does, to those who may "
    "ask it (--states): a thread, also of a program that is not traced, by its name and number, or an `interrupt`, such as a timer's. `start` is "
    "the time from the call that created a thread, forked its process or began its program, to its beginning. Threads "
    "that still wait for each other at the end, each for a lock that the next one has, are a `deadlock`, with their "
    "calls; --duration or Ctrl+C ends the run of a program that hangs. Of threads that the kernel reports (--states) and that "
    "made no traced call lines, in JSON `silent`, say how many they were, and how long each ran, was "
    "runnable and blocked. `arcs` lists the picture's arcs instead: a row for "
    "each call of a thread that ended waits for an object, and each call of another that had them. --export=html has the "
    "table by object, too. Implies --headless.")

OPTION(HOLDERS, WATCH, "holders", "[=text|csv|json]", NULL, WORD(report_format),
    "print who had each lock that was waited for, and who waited, over time",
    "The objects are those of --waits: locks, then others, most waiting first. For locks and file locks: each time in which "
    "a thread had one while others waited for it, with the call that released it. For all objects: each wait. The thread "
    "that had a lock when the first other one began to wait may have taken it before. Text lists the longest ones of each "
    "object. --lock-lanes draws them. Covers the whole capture. Implies --headless.")

OPTION(FLOWS, WATCH, "flows", "[=text|csv|json]", NULL, WORD(report_format),
    "print the flows and tasks that the program reports, and how long they took",
    "A flow leads from call to call across threads and processes, as programs report it: by ringviz_flow() and "
    "ringviz_task_begin() of producer.h, Devel::RingViz::flow() and RingViz.flow of Perl and Ruby, or the arrows of a "
    "Chrome trace. For each name: how many there were, how long they took from begin to end, for tasks also how long "
    "threads worked for them, and the way of the longest. Those whose begin or end is missing are counted, without a time. "
    "Covers the whole capture. Implies --headless.")

OPTION(CRITICAL_PATH, WATCH, "critical-path", "[=text|csv|json]", NULL, WORD(report_format),
    "print what the run, or its slowest call, depended on",
    "Backwards from the end: a thread runs back to its last wait, where the thread that ended the wait goes on. Its "
    "time by subroutine (without and with callees; how much of it the thread was blocked, or runnable but on no CPU) and by thread, and the objects for which it changed threads: only they made the run last. "
    "Then how much sooner the end would have come, were a subroutine's own time free, or waits for an object: each alone, "
    "all that depends on it computed anew. Assumed is that all else takes as long as it did, on however many CPUs, that a "
    "wait ends when its waker gets there, and that one without a known waker lasts as long as it did. A thread that spins runs: "
    "which other thread's store it looks for is not seen, so the path stays with it, and names the subroutine that spins. "
    "--from and --to: of that time; --find and --filter: of the longest call that passes. A thread whose creator is not known "
    "is taken for started by its process's first thread, which is taken for forked by the first of its parent; waits are those of "
    "--waits, so it is not of a process that runs already (--pid). Pictures show it, too, as a ribbon; in the window it is key R. "
    "Implies --headless.")

OPTION(EXPORT, WATCH, "export", "=FORMAT:OUT", EXPORT_WORDS, CODE,
    "write every call to OUT for another tool, FORMAT being {}",
    "`chrome` is Chrome Trace Event JSON, `perfetto` its protobuf, `folded` stacks for flame graphs with own time in ns, "
    "`html` one page for a browser, to send: picture, flame graph, subroutines; waits of the whole capture. "
    "A name that ends in `.gz` is compressed, `-` is standard output. May be given several times. Implies --headless.")

OPTION(OUTPUT, WATCH | INFO | CHECK | DIFF | BENCH, "output", "=FILE", NULL, TEXT(output),
    "write what --report, --spans, --waits, --holders, --flows, --critical-path, --diff, --info, --check or --bench print to FILE",
    "Default, and `-`: standard output, after the program has ended, behind what it printed there itself.")

OPTION(FORCE, WATCH | INFO | CHECK | DIFF | MERGE | BENCH, "force", NULL, NULL, FLAG(is_forced),
    "overwrite files that exist",
    "Also wait for the reader of a pipe. Without it --output and exports refuse a file that exists, except devices and "
    "pipes that have a reader; symbolic links are never followed. In CSV a field that a spreadsheet would take for a "
    "formula (it begins with = + - or @) has a ' in front.")

OPTION(FAIL_ON_LOSS, WATCH, "fail-on-loss", NULL, NULL, FLAG(fails_on_loss),
    "exit with status 1 if anything is known to be missing",
    "Counted are events dropped by full rings, threads without a ring and their events, names without room, processes "
    "that may not open the trace file, parts of the trace file that were overwritten, damaged parts of a file, a recording's "
    "missing end, and records that were left out. Each count is printed on stderr; it is also in \"lost\" of --report=json, in a line of its "
    "own of --spans=json and in exports to chrome, speedscope and html, in rows named `(lost: ...)` of --report=csv and "
    "--spans=csv (the count is under calls and line), in comments of folded exports, and on a track of perfetto's.")

/* ---- recordings ---- */

OPTION(RECORD, WATCH, "record", "[=OUT.rvz]", NULL, TEXT(record),
    "record every event, name, thread and count (default: COMMAND.PID.rvz)",
    "`ringviz` OUT.rvz opens it later. A ringviz that is killed or fills the disk leaves a recording of all before that.")

OPTION(RECORD_LIMIT, WATCH, "record-limit", "=SIZE|TIME", NULL, CODE,
    "keep only the newest events in a recording: so many bytes (64M, 2G) or so much time (30s, 5min)",
    "At least 1M or 100ms, and at most an eighth more; also in a recording that `R` in the window begins. What is "
    "discarded is given back to the file system while the recorder runs: the file has a hole there, which ls counts and du "
    "does not; --repair writes it without. The file system must be able to punch holes, as ext4, xfs, btrfs and tmpfs are. "
    "Calls that were open where the recording begins keep their true start; how much was discarded is printed when it is "
    "opened, by --info and by --check.")

OPTION(TRIGGER, WATCH, "trigger", "=CONDITION", NULL, CODE,
    "keep only what is around hits in a recording: 'slow REGEX > 20ms', 'call REGEX', 'depth > N', 'gc > 5ms', 'lost', "
    "'mark REGEX'",
    "A call of a subroutine whose full name matches took longer, or ended; a call was nested deeper; a garbage collection "
    "took longer; events were dropped; a mark's text matches. A call is a hit when it ends. May be given several times: "
    "each is an alternative. What a hit could still need of the end is kept too.")

OPTION(TRIGGER_KEEP, WATCH, "trigger-keep", "=BEFORE[,AFTER]", NULL, CODE,
    "how much time around a hit is kept (default: 5s,5s)",
    "Without AFTER, as much as BEFORE, which is at least 10ms.")

OPTION(INFO, INFO, "info", NULL, NULL, COMMAND(RV_COMMAND_INFO),
    "print what FILE holds, without draining it",
    "Header, processes, rings, counters and names of a trace file; of a recording its header, clocks, processes, threads, "
    "chunks, bytes per event and whether it ended properly; the format of another tool's trace.")

OPTION(CHECK, CHECK, "check", NULL, NULL, COMMAND(RV_COMMAND_CHECK),
    "read a whole recording; print what it holds and what is damaged",
    "Place by place. The exit status is 1 if anything is damaged.")

OPTION(REPAIR, CHECK, "repair", "=OUT.rvz", NULL, CODE,
    "the same, and write what is undamaged to a clean recording",
    NULL)

OPTION(DIFF, DIFF, "diff", "[=text|csv|json|window]", NULL, CODE,
    "compare two FILEs: calls and times of every subroutine before and after, and which differ",
    "`window` shows both side by side; with --screenshot that is drawn into a file. See COMPARING TWO CAPTURES in "
    "ringviz(1).")

OPTION(MERGE, MERGE, "merge", "=OUT.rvz", NULL, CODE,
    "join recordings into one, aligned by their wall clocks",
    "Processes keep lanes of their own. See JOINING RECORDINGS in ringviz(1).")

/* ---- what is shown ---- */

OPTION(FIND, WATCH | DIFF, "find", "=REGEX", NULL, CODE,
    "highlight calls whose full name matches; --report and --spans print only these",
    "A POSIX extended regular expression, which ignores case unless it holds an upper-case letter; as arg:REGEX over calls' "
    "arguments (--filter); in pictures and the window as wait:REGEX over what calls waited for, by the names of --waits. A picture's window moves to the first hit.")

OPTION(FILTER, WATCH | DIFF, "filter", "=RULE", "name: package: arg: thread: depth: duration:", CODE,
    "show only calls that match: name:REGEX, package:REGEX, thread:REGEX, depth:<8, duration:>2ms; ! inverts a RULE",
    "arg:REGEX is over the arguments that were captured (--prototypes), as they were at the call's begin and as they are shown: "
    "`1, \"SELECT 2\"`. A number has <, <=, >, >= or = in front, or is a range as in 2..8. May be given several times: a call must "
    "match every RULE.")

OPTION(DIM, WATCH | DIFF, "dim", NULL, NULL, FLAG(dims),
    "dim calls that do not match --filter in pictures and in the window, instead of leaving them out",
    "In the window it is Ctrl+H.")

OPTION(FROM, WATCH | DIFF, "from", "=TIME", NULL, TIME(from_ns, 0),
    "only calls that are still open at this time after the first event, or begin later",
    "Times in a report are the parts inside of the range. A picture shows the range; where --at or --window choose what is "
    "shown, it is marked there. A window selects it; with --speed it plays it.")

OPTION(TO, WATCH | DIFF, "to", "=TIME", NULL, TIME(to_ns, 1),
    "only calls that begin before this time",
    NULL)

OPTION(VIEW, WATCH | DIFF, "view", "=3d|aligned|flame|top|calls|tasks", NULL, WORD(look),
    "the view of pictures, and of the window at first",
    "`calls` has all calls of one subroutine behind each other, aligned at their start; `tasks` a lane for each task or flow that "
    "the program tells, with its parts on whichever threads.")

OPTION(CALLS_OF, WATCH | DIFF, "calls-of", "=REGEX", NULL, CODE,
    "the subroutine of --view=calls: of those whose full name matches, the one with most time",
    "Without it, the subroutine with most own time. With --from and --to, its calls in the range.")

OPTION(ORDER, WATCH | DIFF, "order", "=time|longest", NULL, WORD(order),
    "the order of calls and tasks in their views: by time (default for tasks), or the longest in front (for calls)",
    "In the window it is Shift+5.")

OPTION(ALIGN_TASKS, WATCH, "align-tasks", NULL, NULL, FLAG(aligns_tasks),
    "align the tasks of --view=tasks at their begin, instead of showing them at their times",
    NULL)

OPTION(LOCK_LANES, WATCH, "lock-lanes", NULL, NULL, FLAG(has_lock_lanes),
    "with lanes of what was waited for most, before the threads: who had it, and who waited",
    "In the views 3d, aligned and flame; --holders has them in text. In the window it is Shift+F9.")

OPTION(LANES, WATCH | DIFF, "lanes", "=CHOICE:THREAD,...", NULL, CODE,
    "hide:THREAD, row:THREAD (collapsed), front:THREAD (pinned), and others: how lanes of threads are shown",
    "THREAD is the number that the list of threads has; where several lanes have it, /2 behind it is the second of them. "
    "process:, family:, owner: and thread: show all lanes of that group of the THREAD as one row, with a ! in front each of "
    "them. They hold once the capture has ended. `Copy command` in the window writes them.")

OPTION(CROP, WATCH | DIFF, "crop", "=N", NULL, COUNT(most_depth, 1u << 24),
    "show only the outermost N depths of each thread, in pictures and in the window",
    "In the window these are the keys [ and ].")

OPTION(TURN, WATCH | DIFF, "turn", "=RIGHT,UP", NULL, CODE,
    "turn the views 3d, calls and tasks: the eye goes so many degrees to the right and up",
    "Up to 63 to either side, 20 down, 51 up. In the window it is a middle drag, or Ctrl+Shift and an arrow.")

OPTION(COLOR, WATCH | DIFF, "color", "=package|subroutine|thread|duration|high-contrast", NULL, WORD(scheme),
    "what colours stand for (default: package)",
    "`duration`: blue is short, yellow is long. `high-contrast` is always dark.")

OPTION(THEME, WATCH | DIFF, "theme", "=dark|light", NULL, WORD(theme),
    "the background (default: dark)",
    NULL)

/* ---- pictures and films ---- */

OPTION(SCREENSHOT, WATCH | DIFF, "screenshot", "=OUT.png", NULL, TEXT(screenshot),
    "draw one picture of the run into a file",
    "Implies --headless.")

OPTION(SIZE, WATCH | DIFF, "size", "=WxH", NULL, CODE,
    "size of pictures in pixels (default: 1600x900)",
    NULL)

OPTION(AT, WATCH | DIFF, "at", "=TIME", NULL, TIME(at_ns, 0),
    "where the visible window begins, from the first event on",
    NULL)

OPTION(WINDOW, WATCH | DIFF, "window", "=DURATION", NULL, TIME(window_ns, 1),
    "how long the visible window is (default: from the first call to the last)",
    NULL)

OPTION(FRAMES, WATCH, "frames", "=DIR", NULL, TEXT(frames),
    "film the run into a folder of numbered pictures",
    "frame-000001.png and so on, once the run has ended: the window moves from --from to --to and is --window long (default: "
    "100ms). Implies --headless.")

OPTION(VIDEO, WATCH, "video", "=OUT.y4m", NULL, TEXT(video),
    "film the run into a video (YUV4MPEG2, 4:4:4)",
    "`-` is standard output, for a pipe to an encoder. Implies --headless.")

OPTION(FPS, WATCH, "fps", "=N", NULL, COUNT(fps, 240),
    "pictures per second of a film (default: 30)",
    NULL)

OPTION(SPEED, WATCH | DIFF, "speed", "=X", NULL, CODE,
    "how fast time passes in a film, from 0.01 to 1000 (default: 1); without a film, play FILE in the window",
    "It is played from --from to --to, in a window of --window (default: 100ms) that follows.")

/* ---- what is captured ---- */

OPTION(INCLUDE, WATCH | DIFF, "include", "=REGEX", NULL, TEXT(include),
    "capture only subroutines whose full name matches",
    "Functions of a patched program (--patch) that --include or --exclude leave out by their names are not patched: a call "
    "costs nothing. With hooks, and of C++ names, calls are written for the first milliseconds only; then they cost next to "
    "nothing, and patches are taken out. While a program runs ringviz-control(1) changes what is captured, and Delete in the window leaves the subroutine under the cursor out. Others who read the command's --trace-file later do not find it either.")

OPTION(EXCLUDE, WATCH | DIFF, "exclude", "=REGEX", NULL, TEXT(exclude),
    "leave out subroutines whose full name matches",
    NULL)

OPTION(MAX_DEPTH, WATCH | DIFF, "max-depth", "=N", NULL, COUNT(max_depth, 1u << 24),
    "leave out calls nested deeper than N",
    "Of a command's native code such calls are not written: they cost little and are not in a recording. With --include or "
    "--exclude, depth is that of the calls that are left, and deeper ones are written for the first milliseconds only. What runs "
    "on a stack of its own counts as nested in what is open where that stack lies less than 1 MiB beneath.")

OPTION(MAX_OVERHEAD, WATCH, "max-overhead", "=PERCENT", NULL, CODE,
    "limit what tracing may cost a patched program, in percent of its own CPU time; off: no limit",
    "Functions that are called so often that their events cost more are not traced, the most expensive ones first, until there is room again: "
    "their code is put back while the program runs, and their calls are left out in all processes. The share of the first 0.1 s is lent; what costs less than a thousandth of a CPU is never left out. Marks in the lane, a warning at the end and reports say which, from "
    "when on, and to when. Default: 50, with --pid 10, off with --patch, -x or --include, which choose.")

OPTION(FOLLOW, WATCH | DETACH, "follow", "=no|all", NULL, CODE,
    "no: leave processes that the command starts untraced; all: with --pid, those that run below it, too",
    "With --pid and `all`, ringviz gets into each process that runs below that one, as a server's workers do, too, and prints a line for "
    "each that refuses, and for each of another user than process PID, which is left alone; it ends with the last of them. Of a COMMAND, child processes are traced however they are made (fork, vfork, posix_spawn, clone), and so is what they "
    "execute, unless it is statically linked. A new environment (env -i) gets ringviz's variables; one from which a "
    "program has removed LD_PRELOAD or RINGVIZ_FILE does not, and one of a Perl or Ruby program lacks those of their "
    "producers. A program that the command executes in its own process is traced in any case.")

OPTION(PATCH, WATCH, "patch", "=REGEX[@LIBRARY]", NULL, CODE,
    "trace these functions of a program as it is, without hooks; off: none",
    "A program without hooks of -finstrument-functions is patched in memory before it begins (x86-64): "
    "a jump at each function's first bytes leads to a hook. Default: all functions of the program itself, but trivial ones "
    "(64 bytes or less, without call and loop); of a program with no more than 64 KiB of code, as jq: also those of the "
    "libraries that it names itself, but for those of C and C++ and those with more than 16 MiB of code. With REGEX: those whose symbols match, trivial ones too, of the program or, "
    "behind an @, of libraries with LIBRARY in their path, but libc: also of those that dlopen loads later, before their first "
    "call; may be given several times. A function is also called 0xADDRESS, as in its file and in reports where it has no "
    "symbol: a REGEX with 0x in it, and a prototype, may name it so. Where a Perl or Ruby program calls them, they lie inside the calling sub or method. "
    "Functions that cannot be patched safely are left as they are, as are programs that read their own return addresses or copy their stacks (Go, OCaml, SBCL, Guile, sanitizers), "
    "privileged ones, those of another C library than GNU's, statically linked ones that other programs start, and, by default, shells, perl, and commands that run another, such as env. "
    "Reports, --info, --verbose and the list of threads say what each process was traced by. "
    "backtrace(3) in a patched program has frames of ringviz among its own. -x REGEX[@LIBRARY] is the same, but without "
    "LIBRARY of the program and all libraries; and where the program has DWARF, arguments and results of its functions are "
    "captured, as with --prototypes, whose prototypes go before: numbers, enums by name, strings, addresses of all else; not "
    "where REGEX chooses more than 1,024 of them.")

OPTION(LIBCALLS, WATCH, "libcalls", "[=REGEX[@LIBRARY]]", NULL, CODE,
    "trace the calls that a program makes of its libraries, as ltrace(1) does",
    "These are the program's calls of functions whose names match (default: all). They are named by its dynamic symbols, "
    "which a stripped program has, too, and lie in the lane inside of the function that made them. With @LIBRARY: calls of "
    "libraries with LIBRARY in their path, by the program and all other libraries, also those that dlopen loads later; "
    "with an @ alone, of all libraries. May be given several times. Only instructions that call are changed (x86-64), in "
    "the procedure linkage table or, with -fno-plt, in functions: bindings, lazy or not, and addresses that a program "
    "takes stay as they are. Not seen are calls by such an address, of what dlsym finds, and those that libc makes itself; "
    "functions that return twice or look at who called them (setjmp, vfork, getcontext, swapcontext, dlopen, dlsym); and "
    "functions that --patch traces themselves, which are shown as that. Without --libcalls and --patch, a program of whose "
    "functions fewer than a tenth have symbols has its calls of libraries traced besides its functions; --patch=off "
    "--libcalls traces nothing else. -F captures their arguments.")

OPTION(PROTOTYPES, WATCH, "prototypes", "=FILE", NULL, CODE,
    "capture arguments and results as ltrace.conf(5) in FILE says; also -F FILE",
    "They are those of patched functions whose prototypes are in FILE, such as /etc/ltrace.conf. It may be given several "
    "times: a later prototype of a function replaces the former. --spans, exports, recordings and the tooltip have them, "
    "as ltrace(1) writes them. What a pointer leads to is copied as the call begins; where the prototype has a +, as it "
    "ends: strings up to --string-size, of arrays four elements. A pointer that cannot be read is <0x...>. Each thread has "
    "1 MiB for them; what finds no room is counted as lost (--policy=block waits). Not with --clock=tick.")

OPTION(SYSCALLS, WATCH, "syscalls", "[=SET,...]", NULL, CODE,
    "show system calls, as strace(1) names and chooses them; default: all",
    "Each is a call of package syscall on top of the function that made it, with arguments and result or error as for "
    "--prototypes, whose prototypes of SYS_NAME come before ours. SET: a name, file, desc, network, process, memory, signal, ipc "
    "(a % may be in front), /REGEX (the last), or all but these with a ! in front of the first. Instructions that make system calls in "
    "libraries and the program are patched (x86-64, dynamically linked), of every program that the command starts: shells, perl "
    "and ruby, too. Not seen are those before a program's first constructors run, rt_sigreturn, and the few "
    "instructions that cannot be patched.")

OPTION(STRING_SIZE, WATCH, "string-size", "=BYTES", NULL, COUNT(string_bytes, 4096),
    "how much of a string is copied, 1 to 4096 (default: 64)",
    NULL)

OPTION(STATES, WATCH, "states", "=on|own|off", NULL, WORD(states),
    "show when the kernel ran the threads (default: on)",
    "Of a command, or with --pid. Along each lane's foot: when the thread was blocked, and when it was runnable but on no CPU: it was preempted, or its waker is known exactly (--waits) and had acted; --report has the sums. Threads of traced processes that "
    "make no call for half a second have lanes, too, at most 256 at once; one that calls later has another lane from then on. What they wait "
    "in, if for 10 ms or more, is the system call that /proc names to those who may trace them, such as `futex` of a condition. A thread "
    "that waits for room in its ring (--policy=block) is blocked, too: for a `full ring`, as --waits says. "
    "Context switches are read by perf_event_open(2), which an ordinary user may do where kernel.perf_event_paranoid "
    "is 2 or less, else with CAP_PERFMON. Who wakes the threads, of all the system's, is read from the tracepoint "
    "sched:sched_waking, which root may do (CAP_PERFMON, or kernel.perf_event_paranoid -1, if tracefs can be read) in the first namespace of process ids: "
    "--waits then knows more wakers, exactly, and when sleeps ended. Work that the kernel had put off, as for a network, counts for the thread that ran then: it is `likely` the waker. Meanwhile each wake on the machine, of any program, takes some .3 us more: `own` leaves that out. "
    "Changes without room in the kernel's buffers are counted as lost: from there to a "
     "thread's next change its state is not known, and that time is in no column (unknown_ns of its thread in JSON).")

OPTION(FLAME, WATCH, "flame", "=wall|on-cpu|off-cpu|blocked|runnable", NULL, WORD(flame),
    "which time the stacks of --export=folded count (default: wall)",
    "Own times of calls: all, what their thread ran in them, or what it was blocked or runnable but on no CPU, both or one of them. The window's "
    "statistics have buttons for it. Where threads' states are not known (--states) the export fails.")

OPTION(DURATION, WATCH, "duration", "=TIME", NULL, TIME(duration_ns, 1),
    "stop capturing after this time, and write reports and other outputs then",
    "A COMMAND runs on untraced. ringviz waits for its end, and ends with its status; Ctrl+C ends both.")

OPTION(IMPORT, WATCH | DIFF, "import", "=FORMAT", IMPORT_WORDS, CODE,
    "the format of FILE, where its content does not tell: {}",
    "See ringviz-formats(7).")

OPTION(RRTRACE, WATCH, "rrtrace", "=SHM", NULL, CODE,
    "watch the ring of Ruby's rrtrace gem in this shared memory, as its visualizer",
    "The same when ringviz is run by the name `rrtrace` with that one argument, as the gem does; further options are then in "
    "RINGVIZ_OPTIONS. The gem's 0.2 sends its visualizer SIGTERM at the end of the program, and at the end of every forked "
    "copy of it. One from a forked copy is ignored with a warning while the program runs; SIGINT always ends ringviz. A program "
    "that ends within a millisecond or so of starting its visualizer may leave no report: SIGTERM then comes before ringviz is "
    "loaded, and ends it as the system does.")

OPTION(PID, WATCH | DETACH, "pid", "=PID", NULL, COUNT(pid, 1u << 22),
    "watch a program that runs already, as it is; also -p PID",
    "A dynamically linked program for x86-64 with the GNU C library. Our library is loaded into it, its functions are found "
    "and patched as --patch says, while all its threads stand still for some milliseconds; from then on nothing stops it. "
    "When ringviz ends, all that was changed in its code and on its stacks is put back. A ringviz that is killed leaves the "
    "program running and correct, but patched: --detach puts that right. It needs the permission to ptrace(2) the process, as root has it for any user's: "
    "the trace file, without --trace-file, is then given to the user of process PID, whose programs alone may read and write it. "
    "Calls that are open at that moment are not seen. Processes that it forks from then on are traced; those that it has started "
    "already with --follow=all; those that it starts by exec are not: what they load depends on the environment, which is the process's own.")

OPTION(DETACH, DETACH, "detach", NULL, NULL, COMMAND(RV_COMMAND_DETACH),
    "with --pid: undo what a ringviz that was killed has left in a process",
    NULL)

OPTION(DEBUGINFOD, WATCH, "debuginfod", NULL, NULL, FLAG(fetches_debug_files),
    "fetch debug files that are not here from the servers in DEBUGINFOD_URLS",
    "For names, files and lines of functions of a program and of its libraries, by their build ids, into debuginfod's cache, which "
    "later runs look into without this option. Names wait for files, and the end of ringviz for the last of them: Ctrl-C then does "
    "without. A server that does not answer, or sends something else, costs a warning, and no more is asked for. It needs "
    "libdebuginfod1; see debuginfod(7).")

OPTION(PERL_PID, WATCH, "perl-pid", "=PID", NULL, CODE,
    "sample the stacks of a perl that runs already",
    "Of its threads and of the processes that it forks, every 2 ms, without loading anything into it or stopping it. Each "
    "thread has a row of subroutines and, beside it, one of the statements that are executed, FILE::line N: their times are "
    "those of the subroutines once more. Frames beyond 16,384 are left out; a child that lives less than 0.1 s may not be "
    "seen. It needs the permission to ptrace(2) the process, and "
    "the layout of perl's memory: Debian 12's 5.36 is known; of any other 5.30 to 5.40, with threads or without, it is "
    "learned from the DWARF of perl or libperl, or of its debug file (Debian: perl-debug), else from its headers, "
    "CORE/perl.h where perl was installed (libperl-dev), which cc compiles; they must be root's or yours. A perl with "
    "neither is refused.")

OPTION(CONTROL, CONTROL, "control", "=FILE", NULL, CODE,
    "debug the program that is traced to FILE, by commands from standard input",
    "--trace-file makes the FILE. See ringviz-control(1).")

/* ---- the trace file ---- */

OPTION(POLICY, WATCH, "policy", "=block|switch|fill|ring", NULL, WORD(map.policy),
    "what a full ring means: wait, drop the newest, stop tracing, overwrite the oldest (default: block)",
    "`block`: the program waits for room while ringviz lives, and nothing is lost. `switch`: it never waits; the newest "
    "events are dropped and counted. `fill`: the first full ring ends tracing altogether. `ring`: the oldest are "
    "overwritten; what is read at the end is the newest.")

OPTION(DRAIN_INTERVAL, WATCH, "drain-interval", "=TIME", NULL, TIME(drain_interval_ns, 10000),
    "time between two drains of a ring (default: 2ms, longer while there are few events)",
    "By default up to 4.5 ms, and with --policy=block up to 10 ms where no calls are drawn.")

OPTION(RING_EVENTS, WATCH, "ring-events", "=N", NULL, COUNT(map.ring_events, 1u << 20),
    "events in a ring, rounded up to a power of two (default: 131072)",
    NULL)

OPTION(RINGS, WATCH, "rings", "=N", NULL, COUNT(map.n_rings, RV_MAP_MAX_RINGS),
    "how many threads can be traced at once, at most 16384 (default: 256)",
    NULL)

OPTION(SLOTS, WATCH, "slots", "=N", NULL, COUNT(map.n_slots, 4096),
    "frames of a ring's live stack (default: 64)",
    NULL)

OPTION(SLOT_SIZE, WATCH, "slot-size", "=SIZE", NULL, BYTES(map.slot_bytes, 4096),
    "bytes of text in each of these frames (default: 200)",
    NULL)

OPTION(MESSAGE_SIZE, WATCH, "message-size", "=SIZE", NULL, BYTES(map.message_bytes, 1u << 20),
    "longest command of a ring; longer responses come in parts (default: 4K)",
    NULL)

OPTION(GLOBAL_SIZE, WATCH, "global-size", "=SIZE", NULL, BYTES(map.global_bytes, 1u << 24),
    "size of the global message area (default: 16K)",
    NULL)

OPTION(TRACE_FILE, WATCH, "trace-file", "=PATH", NULL, TEXT(trace_file),
    "keep the shared file at PATH (default: a private file in memory, removed at the end)",
    NULL)

OPTION(CLOCK, WATCH, "clock", "=tsc|monotonic|tick", NULL, WORD(map.clock_kind),
    "which clock stamps events (default: tsc, where it is invariant)",
    "`tsc`: the processor's cycle counter. `monotonic`: the kernel's clock. `tick`: the cycle counter, read only when it can "
    "have moved by about 0.1 ms; cheaper, and right to that much.")

/* ---- other ---- */

OPTION(THREADS, WATCH | DIFF | MERGE, "threads", "=N", NULL, COUNT(n_threads, 64),
    "worker threads of ringviz (default: one less than CPUs)",
    NULL)

OPTION(MEMORY, WATCH | DIFF, "memory", "=SIZE", NULL, CODE,
    "memory that ringviz may have resident (default: a quarter of RAM; 1/32 with a history)",
    "For a window, a picture or the report of a range, exact calls get what all else leaves of it, and at least a quarter; "
    "older calls are shown by their density only, and come back from the history, if there is one (--history). Without "
    "exact calls it takes some 30 MB, and more for many threads at once. A picture takes what its GL driver does besides: "
    "Mesa's software renderer 150 to 220 MB. One call may be open at once for each 1024 bytes of it, and 2,097,152 in any "
    "case; with more, ringviz says so and exits with status 1.")

OPTION(HISTORY, WATCH, "history", "=SIZE|off", NULL, CODE,
    "disk space for older calls of a program that is watched or drawn (default: a tenth of what is free)",
    "Calls that memory has no room for are read back when one looks at their time, from a private file in the folder for "
    "temporary files (TMPDIR, else /tmp, or /var/tmp where /tmp is in memory), which has no name and is gone with ringviz: half a "
    "byte an event, at least 1M. A folder in memory is used only with a SIZE, which --memory does not count. The list of what the "
    "file has takes some 6 bytes for each 1024 of it, an eighth of --memory at most. Of a longer run the oldest part is discarded; "
    "then, and with `off`, times whose short calls are gone are hatched: `detail released`. When the disk is full or does not answer "
    "for a second, the history is given up, and the window says so.")

OPTION(BENCH, BENCH, "bench", "[=NAME,..]", "ring drain scan lod codec replay render export overhead control patch max_overhead", CODE,
    "measure ringviz on this machine: {}",
    "`overhead` is what tracing costs programs, or the one after --; `patch` the same of programs without hooks, or which "
    "functions of the one after -- can be patched, and what that takes until it begins (it is started often, and ended before its "
    "main); `max_overhead` what one takes at limits of --max-overhead; `control` how soon a Perl program stops; `codec` and "
    "`replay` take a recording. Default: all but `replay`, which makes a recording of a gigabyte in the temporary folder.")

OPTION(JSON, BENCH, "json", NULL, NULL, FLAG(is_json),
    "print benchmarks as one JSON object per line",
    NULL)

OPTION(VERBOSE, ALL, "verbose", NULL, NULL, FLAG(is_verbose),
    "print what is being done, and what it cost",
    NULL)

OPTION(VERSION, ALL, "version", NULL, NULL, COMMAND(RV_COMMAND_VERSION),
    "print the version",
    NULL)

OPTION(HELP, ALL, "help", "[=TOPIC]", "keys man control formats output", CODE,
    "print this, or more on TOPIC: {}, or an option",
    "-h is the same without a TOPIC. `keys` are those of the window; `man`, `control`, `formats` and `output` open ringviz(1), "
    "ringviz-control(1), ringviz-formats(7) and ringviz-output(7).")

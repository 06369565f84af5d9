#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/attach.h"
#include "cli/diff.h"
#include "cli/help.h"
#include "cli/info.h"
#include "cli/merge.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/piped_input.h"
#include "cli/run_session.h"
#include "cli/window_module.h"
#include "base/err.h"
#include "bench/bench.h"
#include "debugger/console.h"
#include "sink/check_recording.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2 };

/* Run with the output of --output. An output that cannot be closed is an error, too. */
static int write_output(const struct rv_options *options, int (*write)(const struct rv_options *options, FILE *out))
{
    struct rv_output output;
    int error = rv_output_open(&output, options->output, options->is_forced);
    if (!error)
        error = rv_output_begin(&output);
    if (!error)
        error = write(options, output.file);
    int close_error = rv_output_close(&output);
    return error ? error : close_error;
}

static int write_info(const struct rv_options *options, FILE *out)
{
    return rv_info_write(options->file, out);
}

static int write_check(const struct rv_options *options, FILE *out)
{
    return rv_check_write(&(struct rv_check){options->file, options->repair, options->is_forced}, out);
}

static int draw_bench(const char *family, struct rv_bench_out *out)
{
    const struct rv_window_module *window = rv_window_module_load();
    return window ? window->bench(family, out) : -ENOTSUP;
}

static int write_bench(const struct rv_options *options, FILE *out)
{
    return rv_bench_run(&(struct rv_bench_params){.names = options->bench,
                                                  .is_json = options->is_json,
                                                  .input = options->file,
                                                  .command = options->argv,
                                                  .draw = draw_bench},
                        out);
}

static int run_bench(const struct rv_options *options)
{
    int error = write_output(options, write_bench);
    return error == -EINVAL ? STATUS_USAGE : error ? STATUS_FAILED : EXIT_SUCCESS;
}

/* A standard stream that was closed stays unusable, for us and for the command, instead of becoming one of our files.
 */
static int keep_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) != fd)
            return -EBADF;
    return 0;
}

/* Flush what --help or --version printed. */
static int close_standard_output(void)
{
    struct rv_output output = {.file = stdout};
    return rv_output_close(&output) == 0 ? EXIT_SUCCESS : STATUS_FAILED;
}

static int run(const struct rv_options *options)
{
    rv_set_verbose(options->is_verbose);
    if (rv_piped_input_read(options->files, options->n_files) != 0)
        return STATUS_FAILED;
    switch (options->command) {
    case RV_COMMAND_WATCH:
        return rv_run_session(options);
    case RV_COMMAND_DIFF:
        return rv_cli_diff(options);
    case RV_COMMAND_MERGE:
        return rv_cli_merge(options);
    case RV_COMMAND_CONTROL:
        return rv_console_talk(options->control);
    case RV_COMMAND_INFO:
        return write_output(options, write_info) == 0 ? EXIT_SUCCESS : STATUS_FAILED;
    case RV_COMMAND_CHECK:
        return write_output(options, write_check) == 0 ? EXIT_SUCCESS : STATUS_FAILED;
    case RV_COMMAND_BENCH:
        return run_bench(options);
    case RV_COMMAND_DETACH:
        return rv_cli_detach(options) == 0 ? EXIT_SUCCESS : STATUS_FAILED;
    case RV_COMMAND_HELP:
        if (rv_help_print(options->help_topic) != 0)
            return STATUS_USAGE;
        return close_standard_output();
    case RV_COMMAND_VERSION:
        puts("ringviz " RINGVIZ_VERSION);
        return close_standard_output();
    }
    rv_unreachable();
}

int main(int argc, char **argv)
{
    struct rv_options options;
    if (keep_standard_streams() != 0)
        return STATUS_FAILED;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit of file sizes fails with EFBIG */
    int status = rv_options_parse(&options, argc, argv) == 0 ? run(&options) : STATUS_USAGE;
    rv_options_fini(&options);
    return status;
}

#include "base/err.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

TestSuite(err, .timeout = 60);

static int saved_stderr;
static int read_end;

static void capture(void)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    saved_stderr = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[1]);
    read_end = ends[0];
}

static const char *captured(void)
{
    static char text[8192];
    size_t used = 0;
    ssize_t n;
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    while ((n = read(read_end, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)n;
    close(read_end);
    text[used] = '\0';
    return text;
}

Test(err, prints_one_line_and_returns_the_negative_number)
{
    capture();
    int result = rv_err(EBADMSG, "%s: not a trace file", "x.bin");
    const char *text = captured();
    cr_assert_eq(result, -EBADMSG);
    cr_assert_str_eq(text, "ringviz: x.bin: not a trace file\n");
}

Test(err, escapes_terminal_controls)
{
    capture();
    rv_warn("%s: gr\xc3\xbcn", "\033]0;x\007\r\n\xff");
    cr_assert_str_eq(captured(), "ringviz: \\x1b]0;x\\x07\\x0d\\x0a\\xff: gr\xc3\xbcn\n");
}

Test(err, says_why_a_system_call_failed)
{
    capture();
    errno = ENOENT;
    int result = rv_err_sys("%s: open", "x");
    int kept = errno;
    const char *text = captured();
    cr_assert_eq(result, -ENOENT);
    cr_assert_eq(kept, ENOENT);
    cr_assert_str_eq(text, "ringviz: x: open: No such file or directory\n");
}

Test(err, a_long_message_stays_one_line)
{
    capture();
    rv_warn("%05000d", 7);
    errno = EIO;
    rv_err_sys("%01010d", 7);
    const char *text = captured();
    const char *second = strchr(text, '\n') + 1;
    cr_assert_leq(second - text, 1024);
    cr_assert_leq(strlen(second), 1024);
    cr_assert_eq(second[strlen(second) - 1], '\n');
    cr_assert_eq(strchr(second, '\n'), second + strlen(second) - 1);
}

Test(err, notes_wait_for_verbose)
{
    capture();
    rv_note("quiet");
    rv_set_verbose(true);
    rv_note("loud");
    cr_assert_str_eq(captured(), "ringviz: loud\n");
}

Test(err, a_broken_invariant_aborts, .signal = SIGABRT)
{
    rv_assert(1 + 1 == 3);
}

Test(err, the_first_warnings_are_kept_as_they_were_printed)
{
    cr_assert_null(rv_warning_kept(0));
    capture();
    (void)rv_err(EINVAL, "not a warning");
    for (unsigned i = 0; i < RV_WARNINGS_KEPT + 3; i++)
        rv_warn("%u\n", i);
    (void)captured();
    cr_assert_str_eq(rv_warning_kept(0), "0\\x0a");
    cr_assert_str_eq(rv_warning_kept(RV_WARNINGS_KEPT - 1), "15\\x0a");
    cr_assert_null(rv_warning_kept(RV_WARNINGS_KEPT));
}

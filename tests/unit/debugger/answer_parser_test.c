#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "debugger/answer_parser.h"

struct line {
    const char *text, *call, *file;
    uint32_t line, number;
};

Test(answer_parser, a_frame_is_read_from_its_end, .timeout = 60)
{
    static const struct line lines[] = {
        {"#0 main::f(2) at x.pl line 3", "main::f(2)", "x.pl", 3, 0},
        {"#12 f(\"a at b line 9\") at c.pl line 3", "f(\"a at b line 9\")", "c.pl", 3, 12},
        {"#1 main program at a file.pl line 7", "main program", "a file.pl", 7, 1},
        {"#0 nat::leaf", "nat::leaf", "", 0, 0},
        {"#0 f at nowhere", "f at nowhere", "", 0, 0},
        {"#0 f line 3", "f line 3", "", 0, 0},
        {"#0", "#0", "", 0, 0},
        {"# at  line 4", "", "", 4, 0},
        {"   sqlite3_step at sqlite3.c line 5", "sqlite3_step", "sqlite3.c", 5, RV_DEBUG_SESSION_UNNUMBERED},
        {"   operator new(unsigned long)", "operator new(unsigned long)", "", 0, RV_DEBUG_SESSION_UNNUMBERED},
    };
    static struct rv_debug_session_report report;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        rv_answer_parser_read_stack(&report, lines[i].text);
        cr_assert_eq(report.n_frames, 1, "%s", lines[i].text);
        cr_assert_str_eq(report.frames[0].call, lines[i].call);
        cr_assert_str_eq(report.frames[0].file, lines[i].file);
        cr_assert_eq(report.frames[0].line, lines[i].line);
        cr_assert_eq(report.frames[0].number, lines[i].number);
    }
    rv_answer_parser_read_stack(&report, "nothing\n\n#0 a\n#1 b\n");
    cr_assert_eq(report.n_frames, 2, "what is no frame is left out");
    rv_answer_parser_read_stack(&report, NULL);
    cr_assert_eq(report.n_frames, 0);
}

Test(answer_parser, frames_beyond_the_table_are_reported, .timeout = 60)
{
    static struct rv_debug_session_report report;
    char text[8 * (RV_DEBUG_SESSION_FRAMES + 1)] = "";
    for (unsigned i = 0; i < RV_DEBUG_SESSION_FRAMES; i++)
        strcat(text, "#1 f\n");
    rv_answer_parser_read_stack(&report, text);
    cr_assert_eq(report.n_frames, RV_DEBUG_SESSION_FRAMES);
    cr_assert_not(report.has_more_frames);
    strcat(text, "#1 f\n");
    rv_answer_parser_read_stack(&report, text);
    cr_assert_eq(report.n_frames, RV_DEBUG_SESSION_FRAMES);
    cr_assert(report.has_more_frames);
}

Test(answer_parser, breakpoints_have_their_numbers, .timeout = 60)
{
    static struct rv_debug_session_report report;
    rv_answer_parser_read_breaks(&report, "1 main::f\nno\n12 x.pm:3 (not loaded yet)");
    cr_assert_eq(report.n_breaks, 2);
    cr_assert_eq(report.breaks[1].number, 12);
    cr_assert_str_eq(report.breaks[1].where, "x.pm:3 (not loaded yet)");
}

Test(answer_parser, a_long_text_is_cut_between_characters_and_marked, .timeout = 60)
{
    char out[7];
    rv_answer_parser_copy(out, sizeof out,
                          "ab\xc3\xa9\xc3\xa9"
                          "cd\n");
    cr_assert_str_eq(out, "ab...");
    rv_answer_parser_copy(out, sizeof out, "abcdef\n");
    cr_assert_str_eq(out, "abcdef");
}

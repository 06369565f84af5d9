/* What a user may write as a breakpoint, its conditions and watches, with a language whose names are small letters. */
#include "producers/commands/breakpoint_list.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "producers/commands/commands.h"

static const char *answer; /* to each expression; NULL: evaluation fails */
static char asked[64];

static bool evaluate(const struct rv_expression *expression, struct rv_text *out)
{
    snprintf(asked, sizeof asked, "%.*s", (int)expression->n_bytes, expression->text);
    rv_text_addf(out, "%s", answer ? answer : "it died");
    return answer;
}

static void start(void)
{
    static const struct rv_commands_runtime runtime = {.evaluate = evaluate};
    rv_commands_start(&runtime, NULL);
}

TestSuite(breakpoint_list, .init = start, .timeout = 60);

static bool parse_name(struct rv_breakpoint *point, const char *text, size_t n)
{
    point->kind = RV_BREAKPOINT_SUB;
    point->sub_bytes = n;
    return n > 0 && strspn(text, "abcdefghijklmnopqrstuvwxyz") == n;
}

static struct rv_breakpoint add(const char *text)
{
    struct rv_breakpoint point = {0};
    struct rv_text out = {0};
    cr_assert(rv_breakpoint_list_has_room(&out) && rv_breakpoint_list_parse(&point, text, parse_name), "%s", text);
    rv_breakpoint_list_keep(&point, &out);
    rv_text_fini(&out);
    return rv_breakpoint_list.points[rv_breakpoint_list.n - 1];
}

Test(breakpoint_list, names_lines_and_conditions_are_distinguished)
{
    static const struct {
        const char *text, *condition;
        size_t sub_bytes, file_bytes;
        unsigned long line;
    } cases[] = {
        {"work", NULL, 4, 0, 0},
        {"work if x > 2", "x > 2", 4, 0, 0},
        {"a.rb:12", NULL, 0, 4, 12},
        {"/a/b.rb:7 if y", "y", 0, 7, 7},
        {"(eval 3):2", NULL, 0, 8, 2},
        {"What if it.rb:3", NULL, 0, 13, 3},
        {"What if it.rb:3 if a if b", "a if b", 0, 13, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rv_breakpoint point = {0};
        bool is_name = cases[i].sub_bytes;
        const char *whole = cases[i].text;
        cr_assert(rv_breakpoint_list_parse(&point, whole, parse_name), "%s", whole);
        cr_assert_eq(point.kind, is_name ? RV_BREAKPOINT_SUB : RV_BREAKPOINT_LINE, "%s", whole);
        cr_assert_eq(point.line, cases[i].line, "%s", whole);
        cr_assert_eq(point.file_bytes, cases[i].file_bytes, "%s", whole);
        cr_assert_str_eq(point.condition ? point.condition : "", cases[i].condition ? cases[i].condition : "", "%s",
                         whole);
        rv_breakpoint_list_free(&point);
    }
    struct rv_breakpoint none = {0};
    cr_assert(!rv_breakpoint_list_parse(&none, "a.rb", parse_name));
    cr_assert(!rv_breakpoint_list_parse(&none, "a.rb:0", parse_name));
    cr_assert(!rv_breakpoint_list_parse(&none, ":3", parse_name));
}

Test(breakpoint_list, a_file_is_known_by_its_last_components)
{
    struct rv_breakpoint point = add("lib/a.rb:1");
    cr_assert(rv_breakpoint_list_is_file(&point, "lib/a.rb"));
    cr_assert(rv_breakpoint_list_is_file(&point, "/x/lib/a.rb"));
    cr_assert(!rv_breakpoint_list_is_file(&point, "/x/mylib/a.rb"));
    cr_assert(!rv_breakpoint_list_is_file(&point, "a.rb"));
    cr_assert(!rv_breakpoint_list_is_file(&point, NULL));
    rv_breakpoint_list_forget();
}

Test(breakpoint_list, they_are_listed_and_removed_by_number)
{
    struct rv_text out = {0};
    add("a");
    add("b if 1");
    add("c");
    cr_assert(rv_breakpoint_list_remove("1", &out));
    cr_assert(!rv_breakpoint_list_remove("1", &out));
    rv_text_addf(&out, "\n");
    rv_breakpoint_list_list(&out);
    cr_assert_str_eq(out.bytes, "no breakpoint 1\n2 b if 1\n3 c\n");
    rv_text_fini(&out);
    while (rv_breakpoint_list_has_room(&out))
        add("d");
    cr_assert_eq(rv_breakpoint_list.n, RV_BREAKPOINTS);
    cr_assert_str_eq(out.bytes, "at most 64 breakpoints");
    rv_text_fini(&out);
    cr_assert(rv_breakpoint_list_remove("", &out));
    cr_assert_eq(rv_breakpoint_list.n, 0);
}

Test(breakpoint_list, a_condition_holds_by_its_value_or_when_it_dies)
{
    struct rv_breakpoint point = add("a if x # why");
    struct rv_text why = {0};
    answer = "printed\n1";
    cr_assert(rv_breakpoint_list_holds(&point, &why));
    cr_assert_str_eq(asked, "(x # why\n) ? 1 : 0");
    answer = "0";
    cr_assert(!rv_breakpoint_list_holds(&point, &why));
    cr_assert_eq(why.n_bytes, 0);
    answer = NULL;
    cr_assert(rv_breakpoint_list_holds(&point, &why));
    cr_assert_str_eq(why.bytes, "1 a if x # why: error: it died\n");
    rv_text_fini(&why);
    rv_breakpoint_list_forget();
}

Test(breakpoint_list, a_watch_tells_each_change)
{
    struct rv_breakpoint point = {0};
    struct rv_text out = {0};
    answer = "5";
    cr_assert(rv_breakpoint_list_has_room(&out) && rv_breakpoint_list_watch(&point, "@n", 0, &out));
    cr_assert_str_eq(out.bytes, "1 watch @n = 5");
    rv_text_fini(&out);
    struct rv_breakpoint *kept = &rv_breakpoint_list.points[0];
    cr_assert(!rv_breakpoint_list_has_changed(kept, 0, &out));
    answer = "6";
    cr_assert(rv_breakpoint_list_has_changed(kept, 0, &out));
    answer = NULL;
    cr_assert(rv_breakpoint_list_has_changed(kept, 0, &out));
    cr_assert_str_eq(out.bytes, "1 watch @n: 5 => 6\n1 watch @n: error: it died\n");
    rv_text_fini(&out);
    cr_assert(!rv_breakpoint_list_watch(&point, "@n", 0, &out));
    cr_assert_eq(rv_breakpoint_list.n, 1);
    rv_text_fini(&out);
    rv_breakpoint_list_forget();
}

Test(breakpoint_list, texts_are_cut_between_characters)
{
    struct rv_text text = {0};
    cr_assert_str_eq(rv_text_bytes(&text), "");
    rv_text_addf(&text, "aé%d", 7);
    rv_text_cut(&text, 4);
    cr_assert_str_eq(rv_text_bytes(&text), "aé7");
    rv_text_cut(&text, 2);
    cr_assert_str_eq(rv_text_bytes(&text), "a");
    for (int i = 0; i < 1000; i++)
        rv_text_add(&text, "0123456789", 10);
    cr_assert_eq(text.n_bytes, 10001);
    rv_text_fini(&text);
}

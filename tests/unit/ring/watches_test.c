#include "fixture.h"

#include "ring/watches.h"

static struct rv_wire_control *open_control(struct fixture *f)
{
    open_fixture(f, NULL);
    return rv_map_control(&f->map, 0);
}

Test(watches, is_evaluated_again_after_each_fetch, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    char expression[257], result[512];
    int32_t n_bytes;
    cr_assert_eq(rv_watches_take(control, 0, expression), -ENOENT);
    cr_assert_eq(rv_watches_add(control, "$x"), 0);
    cr_assert_eq(rv_watches_add(control, "$y"), 1);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), -EAGAIN);
        cr_assert_eq(rv_watches_take(control, 0, expression), 0);
        cr_assert_str_eq(expression, "$x");
        cr_assert_eq(rv_watches_set_result(control, 0, "value", 5, false), 0);
        cr_assert_eq(rv_watches_take(control, 0, expression), 1, "the first has its result");
        cr_assert_str_eq(expression, "$y");
        cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), 0);
        cr_assert_eq(n_bytes, 5);
        cr_assert_eq(memcmp(result, "value", 5), 0);
    }
    close_fixture(&f);
}

Test(watches, errors_have_a_negative_length_and_undefined_has_none, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    char result[512];
    int32_t n_bytes;
    cr_assert_eq(rv_watches_add(control, "1/0"), 0);
    rv_watches_set_result(control, 0, "Illegal division by zero", 24, true);
    cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), 0);
    cr_assert_eq(n_bytes, -24);
    cr_assert_eq(memcmp(result, "Illegal", 7), 0);
    rv_watches_set_result(control, 0, NULL, 0, false);
    cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), 0);
    cr_assert_eq(n_bytes, 0);
    rv_watches_set_result(control, 0, "", 0, true);
    rv_watches_get_result(control, 0, result, &n_bytes);
    cr_assert_lt(n_bytes, 0, "an error without text is still one");
    close_fixture(&f);
}

Test(watches, four_at_most_and_sizes_are_bounded, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    char text[600], expression[257], result[512];
    int32_t n_bytes;
    memset(text, 't', sizeof text);
    text[257] = '\0';
    cr_assert_eq(rv_watches_add(control, text), -E2BIG);
    text[256] = '\0';
    cr_assert_eq(rv_watches_add(control, text), 0);
    cr_assert_eq(rv_watches_expression(control, 0, expression), 0);
    cr_assert_str_eq(expression, text);
    for (int i = 1; i < 4; i++)
        cr_assert_eq(rv_watches_add(control, "x"), i);
    cr_assert_eq(rv_watches_add(control, "x"), -ENOSPC);
    text[256] = 't';
    rv_watches_set_result(control, 0, text, sizeof text, false);
    cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), 0);
    cr_assert_eq(n_bytes, 512);
    rv_watches_set_result(control, 0, text, sizeof text, true);
    rv_watches_get_result(control, 0, result, &n_bytes);
    cr_assert_eq(n_bytes, -512);
    control->watches[0].is_result_ready = 1;
    control->watches[0].result_bytes = INT32_MIN;
    rv_watches_get_result(control, 0, result, &n_bytes);
    cr_assert_eq(n_bytes, -512);
    close_fixture(&f);
}

Test(watches, removal_is_acknowledged_by_the_owner, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    char expression[257], result[512];
    int32_t n_bytes;
    rv_watches_add(control, "$x");
    rv_watches_set_result(control, 0, "1", 1, false);
    cr_assert_eq(rv_watches_remove(control, 0), 0);
    cr_assert_eq(control->watches[0].in_use, -2);
    cr_assert_eq(rv_watches_remove(control, 0), -ENOENT);
    cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), -ENOENT);
    cr_assert_eq(rv_watches_set_result(control, 0, "2", 1, false), -ENOENT);
    cr_assert_eq(rv_watches_take(control, 0, expression), -ENOENT);
    cr_assert_eq(control->watches[0].in_use, 0);
    cr_assert_eq(rv_watches_add(control, "$y"), 0);
    cr_assert_eq(rv_watches_get_result(control, 0, result, &n_bytes), -EAGAIN, "the old result is gone");
    const unsigned wrong[] = {4, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(rv_watches_remove(control, wrong[i]), -ENOENT);
        cr_assert_eq(rv_watches_expression(control, wrong[i], expression), -ENOENT);
        cr_assert_eq(rv_watches_set_result(control, wrong[i], "", 0, false), -ENOENT);
        cr_assert_eq(rv_watches_get_result(control, wrong[i], result, &n_bytes), -ENOENT);
    }
    close_fixture(&f);
}

Test(watches, a_monitor_that_died_while_adding_leaves_its_place, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    pid_t pid = fork_child();
    if (pid == 0)
        _exit(0);
    reap(pid);
    control->watches[0].in_use = 16 + pid;
    control->watches[1].in_use = 16 + getppid();
    cr_assert_eq(rv_watches_add(control, "x"), 0);
    cr_assert_eq(rv_watches_add(control, "y"), 2);
    close_fixture(&f);
}

static int evaluate(const char *path)
{
    struct rv_map map;
    if (rv_map_open(&map, path, RV_MAP_PRODUCER, true))
        return 1;
    struct rv_wire_control *control = rv_map_control(&map, 0);
    char expression[257], value[300];
    for (uint64_t n = 0;; n++) {
        int idx = rv_watches_take(control, 0, expression);
        if (idx < 0)
            continue;
        if (strcmp(expression, "quit") == 0)
            return 0;
        int n_bytes = snprintf(value, sizeof value, "<%s>", expression);
        rv_watches_set_result(control, (unsigned)idx, value, (size_t)n_bytes, false);
    }
}

static void fetch_round(struct rv_wire_control *control, int i)
{
    char expression[64], expected[70], result[512];
    int32_t n_bytes;
    snprintf(expression, sizeof expression, "expression %d", i);
    snprintf(expected, sizeof expected, "<%s>", expression);
    int idx;
    while ((idx = rv_watches_add(control, expression)) < 0)
        cr_assert_eq(idx, -ENOSPC);
    int error;
    while ((error = rv_watches_get_result(control, (unsigned)idx, result, &n_bytes)) == -EAGAIN)
        continue;
    cr_assert_eq(error, 0);
    cr_assert_eq((size_t)n_bytes, strlen(expected));
    cr_assert_eq(memcmp(result, expected, (size_t)n_bytes), 0, "'%.*s' is not '%s'", n_bytes, result, expected);
    cr_assert_eq(rv_watches_remove(control, (unsigned)idx), 0);
}

Test(watches, works_between_two_processes, .timeout = 60)
{
    struct fixture f;
    struct rv_wire_control *control = open_control(&f);
    pid_t pid = fork_child();
    if (pid == 0)
        _exit(evaluate(f.path));
    for (int i = 0; i < 1000; i++)
        fetch_round(control, i);
    while (rv_watches_add(control, "quit") < 0)
        continue;
    cr_assert_eq(reap(pid), 0);
    close_fixture(&f);
}

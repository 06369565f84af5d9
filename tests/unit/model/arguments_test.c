#include <criterion/criterion.h>

#include "model/arguments.h"

enum { FIRST = 3, SECOND, THIRD };

static void add(struct rv_argument_texts *texts, uint64_t at_ns, uint32_t subroutine, uint32_t id, bool is_result)
{
    rv_argument_texts_add(
        texts, &(struct rv_argument_text){.at_ns = at_ns, .id = id, .subroutine = subroutine, .is_result = is_result});
}

Test(arguments, calls_that_begin_or_end_at_one_time_have_their_own_texts, .timeout = 60)
{
    struct rv_argument_texts texts = {0};
    const struct rv_span outer = {.start = 100, .end = 200, .id = FIRST},
                         inner = {.start = 100, .end = 200, .id = SECOND};
    add(&texts, 100, FIRST, 10, false);
    add(&texts, 100, SECOND, 20, false);
    add(&texts, 200, SECOND, 21, true);
    add(&texts, 200, FIRST, 11, true);
    cr_assert_eq(rv_argument_texts_find(&texts, &outer, false), 10);
    cr_assert_eq(rv_argument_texts_find(&texts, &inner, false), 20);
    cr_assert_eq(rv_argument_texts_find(&texts, &outer, true), 11);
    cr_assert_eq(rv_argument_texts_find(&texts, &inner, true), 21);
    cr_assert_eq(rv_argument_texts_find(&texts, &(struct rv_span){.start = 100, .id = THIRD}, false), 0);
    rv_argument_texts_fini(&texts);
}

Test(arguments, a_text_of_an_unknown_subroutine_is_of_any_call, .timeout = 60)
{
    struct rv_argument_texts texts = {0};
    add(&texts, 100, 0, 10, false);
    cr_assert_eq(rv_argument_texts_find(&texts, &(struct rv_span){.start = 100, .id = FIRST}, false), 10);
    rv_argument_texts_fini(&texts);
}

Test(arguments, texts_that_are_merged_come_in_order_and_once, .timeout = 60)
{
    struct rv_argument_texts texts = {0};
    const struct rv_argument_text more[] = {{.at_ns = 50, .id = 1, .subroutine = FIRST},
                                            {.at_ns = 100, .id = 10, .subroutine = FIRST},
                                            {.at_ns = 100, .id = 11, .subroutine = SECOND},
                                            {.at_ns = 300, .id = 3, .subroutine = FIRST}};
    add(&texts, 100, FIRST, 10, false);
    add(&texts, 200, FIRST, 2, true);
    rv_argument_texts_merge(&texts, more, 4);
    cr_assert_eq(texts.n, 5);
    for (size_t i = 1; i < texts.n; i++)
        cr_assert_geq(texts.all[i].at_ns, texts.all[i - 1].at_ns);
    rv_argument_texts_merge(&texts, more, 4);
    cr_assert_eq(texts.n, 5);
    rv_argument_texts_fini(&texts);
}

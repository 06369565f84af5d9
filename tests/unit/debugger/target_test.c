#include "../ring/fixture.h"

#include "debugger/target.h"
#include "tracee.h"

#define SECOND UINT64_C(1000000000)

struct talk {
    struct fixture f;
    struct tracee *tracee;
    struct rv_target *target;
    struct rv_answer answer;
};

static void begin(struct talk *talk)
{
    memset(talk, 0, sizeof *talk);
    open_fixture(&talk->f, NULL);
    talk->tracee = tracee_start(talk->f.path, &(struct tracee_params){0});
    talk->target = rv_target_open(talk->f.path);
    cr_assert_not_null(talk->target);
}

static void end(struct talk *talk)
{
    rv_answer_fini(&talk->answer);
    rv_target_close(talk->target);
    tracee_end(talk->tracee);
    close_fixture(&talk->f);
}

static bool is_late(void *context)
{
    (void)context;
    return true;
}

Test(target, an_endless_answer_is_aborted, .timeout = 100)
{
    struct talk talk;
    begin(&talk);
    cr_assert_eq(rv_target_ask(talk.target, 0, "tell", "", SECOND / 10, &talk.answer), -ETIMEDOUT);
    rv_target_limit(talk.target, &(struct rv_target_limits){.is_given_up = is_late});
    cr_assert_eq(rv_target_ask(talk.target, 0, "tell", "", 60 * SECOND, &talk.answer), -ECANCELED);
    end(&talk);
}

Test(target, a_code_is_escaped_for_the_terminal, .timeout = 100)
{
    struct talk talk;
    begin(&talk);
    cr_assert_eq(rv_target_ask(talk.target, 0, "wild", "", 60 * SECOND, &talk.answer), 0);
    cr_assert_str_eq(talk.answer.code, "\\x1bc");
    cr_assert_not(talk.answer.is_fine);
    end(&talk);
}

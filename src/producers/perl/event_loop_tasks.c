/* Subs without variables of their own from outside are one CV, whichever task hands them over: only closures are noted. */
#include "producers/perl/event_loop_tasks.h"

#include <string.h>

#include "producers/perl/sub_names.h"
#include "ringviz/producer.h"

bool rv_tasks_are_told;

static MGVTBL task_magic; /* its address tells our magic */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    const AV *stack; /* the coroutine's, when it was last looked at */
    uint64_t told;   /* the thread's current task, as ringviz has it; 0: none */
} current;

/* The task of a callback or of a coroutine's stack; 0: none. */
static uint64_t task_of(const SV *of)
{
    const MAGIC *magic = SvTYPE(of) >= SVt_PVMG ? mg_findext(of, PERL_MAGIC_ext, &task_magic) : NULL;
    return magic ? (uint64_t)PTR2UV(magic->mg_ptr) : 0;
}

static void set_task(pTHX_ SV *of, uint64_t id)
{
    MAGIC *magic = SvTYPE(of) >= SVt_PVMG ? mg_findext(of, PERL_MAGIC_ext, &task_magic) : NULL;
    if (!magic)
        magic = sv_magicext(of, NULL, PERL_MAGIC_ext, &task_magic, NULL, 0);
    magic->mg_ptr = INT2PTR(char *, id);
}

/* The coroutine's current task from here on. is_told: ringviz knows it. */
static void set_current(pTHX_ uint64_t id, bool is_told)
{
    set_task(aTHX_(SV *) PL_mainstack, id);
    if (!is_told && id != current.told)
        ringviz_task_switch(id);
    current.stack = PL_mainstack;
    current.told = id;
}

void rv_tasks_begin(pTHX_ uint64_t id, uint32_t name)
{
    rv_tasks_are_told = true;
    ringviz_task_begin(id, name);
    set_current(aTHX_ id, true);
}

void rv_tasks_switch(pTHX_ uint64_t id)
{
    rv_tasks_are_told = true;
    ringviz_task_switch(id);
    set_current(aTHX_ id, true);
}

void rv_tasks_end(pTHX_ uint64_t id)
{
    ringviz_task_end(id);
    if (id == current.told)
        set_current(aTHX_ 0, true);
}

void rv_tasks_follow(pTHX)
{
    if (PL_mainstack && current.stack != PL_mainstack)
        set_current(aTHX_ task_of((const SV *)PL_mainstack), false);
}

static bool is_loop(const HEK *package)
{
    static const char *const loops[] = {"AE",           "AnyEvent",      "Coro",         "EV",
                                        "Mojo::IOLoop", "Mojo::Promise", "Mojo::Reactor"};
    for (size_t i = 0; package && i < sizeof loops / sizeof *loops; i++) {
        const size_t n = strlen(loops[i]), length = (size_t)HEK_LEN(package);
        if (length >= n && memcmp(HEK_KEY(package), loops[i], n) == 0 && (length == n || HEK_KEY(package)[n] == ':'))
            return true;
    }
    return false;
}

void rv_tasks_note(pTHX_ const CV *cv, SV *const *arguments, SSize_t n)
{
    rv_tasks_follow(aTHX);
    if (!current.told || n <= 0 || !is_loop(rv_subs_keys(cv).package))
        return;
    for (SSize_t i = 0; i < n; i++) {
        SV *callback = arguments[i] && SvROK(arguments[i]) ? SvRV(arguments[i]) : NULL;
        if (callback && SvTYPE(callback) == SVt_PVCV && CvCLONED((const CV *)callback) && !task_of(callback))
            set_task(aTHX_ callback, current.told);
    }
}

static void leave(pTHX_ void *before)
{
    set_current(aTHX_ PTR2UV(before), false);
}

void rv_tasks_enter(pTHX_ CV *cv)
{
    AV *arguments = GvAV(PL_defgv);
    if (arguments)
        rv_tasks_note(aTHX_ cv, AvARRAY(arguments), AvFILLp(arguments) + 1);
    const uint64_t id = task_of((const SV *)cv);
    if (!id)
        return;
    SAVEDESTRUCTOR_X(leave, INT2PTR(void *, current.told));
    set_current(aTHX_ id, false);
}

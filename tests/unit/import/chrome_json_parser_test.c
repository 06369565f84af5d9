#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/chrome_json_parser.h"

/* Events as text, one a line. */
struct log {
    char text[4096];
    size_t n;
};

static int on_event(void *context, const struct rv_chrome_event *event)
{
    struct log *log = context;
    log->n += (size_t)snprintf(log->text + log->n, sizeof log->text - log->n, "%d%c%.*s@%lld+%lld/%.*s:%.*s",
                               event->kind, event->phase ? event->phase : '-', (int)event->name.n, event->name.bytes,
                               (long long)event->ns, (long long)event->duration_ns, (int)event->pid.n, event->pid.bytes,
                               (int)event->tid.n, event->tid.bytes);
    for (size_t i = 0; i < event->n_series; i++)
        log->n += (size_t)snprintf(log->text + log->n, sizeof log->text - log->n, " %.*s=%g",
                                   (int)event->series[i].n_name, event->series[i].name, event->series[i].value);
    log->n += (size_t)snprintf(log->text + log->n, sizeof log->text - log->n, " sf=%.*s<%.*s arg=%.*s\n",
                               (int)event->frame.n, event->frame.bytes, (int)event->parent.n, event->parent.bytes,
                               (int)event->argument_name.n, event->argument_name.bytes);
    return 0;
}

/* Feed the text in pieces of n_piece bytes; returns the first error. */
static int feed(const char *text, size_t n_piece, struct log *log, bool *is_cut)
{
    struct rv_chrome_json *json = rv_chrome_json_create(on_event, log);
    char why[160] = "", *copy = strdup(text);
    size_t n = strlen(text);
    int error = 0;
    log->n = 0;
    log->text[0] = '\0';
    for (size_t i = 0; i < n && !error; i += n_piece)
        error = rv_chrome_json_feed(json, copy + i, n - i < n_piece ? n - i : n_piece, why, sizeof why);
    if (!error)
        error = rv_chrome_json_feed(json, copy, 0, why, sizeof why);
    cr_assert_eq(error != 0, *why != '\0', "'%s' in pieces of %zu: error %d says '%s'", text, n_piece, error, why);
    *is_cut = rv_chrome_json_is_cut(json);
    rv_chrome_json_destroy(json);
    free(copy);
    return error;
}

static const struct {
    const char *text, *events;
    int error;
    bool is_cut;
} cases[] = {
    {"[]", "", 0, false},
    {"[", "", 0, false},
    {"{\"traceEvents\": []}", "", 0, false},
    {"[{\"ph\":\"B\",\"ts\":1}{\"ph\":\"E\",\"ts\":2} \n{\"ph\":\"B\",\"ts\":3}]",
     "0B@1000+0/: sf=< arg=\n0E@2000+0/: sf=< arg=\n0B@3000+0/: sf=< arg=\n", 0, false},
    {"[{\"ph\":\"B\",\"ts\":1,\"name\":\"a\tb\nc\"}]", "0Ba b c@1000+0/: sf=< arg=\n", 0, false},
    {"{\"ph\":\"B\",\"ts\":1}\n{\"ph\":\"E\",\"ts\":2}", "", -EBADMSG, false},
    {"{\"version\":1.2,\"samples\":2,\"frames\":{},\"raw\":[1,7,2]}", "", -EBADMSG, false},
    {"[{\"ph\":\"B\",\"ts\":1,\"name\":\"a\"}]", "0Ba@1000+0/: sf=< arg=\n", 0, false},
    {"\xef\xbb\xbf [{\"ph\":\"X\",\"ts\":\"1.5\",\"dur\":2,\"name\":\"a\",\"pid\":7,\"tid\":\"x\"},\n",
     "0Xa@1500+2000/7:x sf=< arg=\n", 0, false},
    {"[{\"ph\":\"X\",\"tdur\":3,\"ts\":1,\"name\":\"\\\"],}\\\\\"}, ] trailing", "0X\"],}\\@1000+3000/: sf=< arg=\n", 0,
     false},
    {"[{\"ph\":\"C\",\"ts\":1,\"name\":\"c\",\"args\":{\"a\":1.5,\"b\":{\"c\":4},\"d\":-2,},},]",
     "0Cc@1000+0/: a=1.5 d=-2 sf=< arg=\n", 0, false},
    {"{\"other\":[{\"ph\":\"B\"}],\"traceEvents\":[{\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":\"n\"}}],"
     "\"samples\":[{\"sf\":3,\"ts\":2}],\"stackFrames\":{\"3\":{\"name\":\"f\",\"parent\":\"1\"}}}",
     "0Mthread_name@0+0/: sf=< arg=n\n1-@2000+0/: sf=3< arg=\n2-f@0+0/: sf=3<1 arg=\n", 0, false},
    {"[{\"ph\":\"B\",\"ts\":1,\"na", "", 0, true},
    {"{\"traceEvents\":[{\"ph\":\"B\",\"ts\":1}", "0B@1000+0/: sf=< arg=\n", 0, true},
    {"{\"a\":1}", "", -EBADMSG, false},
    {"[{\"ph\" \"B\"}]", "", -EBADMSG, true},
    {"17", "", -EBADMSG, true},
    {"", "", -EBADMSG, true},
};

TestSuite(chrome_json_parser, .timeout = 60);

Test(chrome_json_parser, gives_the_same_events_in_pieces_of_any_size)
{
    struct log log;
    bool is_cut;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t n_piece = 1; n_piece < 300; n_piece += n_piece < 20 ? 1 : 93) {
            int error = feed(cases[i].text, n_piece, &log, &is_cut);
            cr_assert_eq(error, cases[i].error, "'%s' in pieces of %zu: %d", cases[i].text, n_piece, error);
            cr_assert_str_eq(log.text, cases[i].events, "'%s' in pieces of %zu", cases[i].text, n_piece);
            cr_assert_eq(is_cut, cases[i].is_cut, "'%s' in pieces of %zu: cut %d", cases[i].text, n_piece, is_cut);
        }
}

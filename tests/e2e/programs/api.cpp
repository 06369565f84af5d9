// api [N]: the API of producer.h from C++, within functions that have hooks, too; all on one ring a thread.
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

#include "count.h"
#include "ringviz/producer.h"

DEFINE_COUNT(hot)
DEFINE_COUNT(leaf)

static uint32_t parse_id, lex_id, mark_id;

KEPT static unsigned leaf(unsigned i)
{
    COUNTED(leaf);
    return i * 5;
}

// Both enter and leave in one frame; leave comes last, where a compiler would jump to it.
QUIET KEPT static void lex(unsigned i)
{
    ringviz_enter(lex_id);
    leaf(i);
    ringviz_leave(lex_id);
}

KEPT static void hot(unsigned i)
{
    COUNTED(hot);
    ringviz_enter(parse_id);
    lex(i);
    if (i % 16 == 0) {
        ringviz_mark(mark_id);
        ringviz_value(mark_id, 0.5F * static_cast<float>(i));
    }
    ringviz_leave(parse_id);
}

QUIET static void *work(void *context)
{
    ringviz_thread_name("api worker");
    unsigned n = *static_cast<unsigned *>(context);
    for (unsigned i = 0; i < n; i++)
        hot(i);
    ringviz_gc_begin();
    ringviz_gc_end();
    ringviz_thread_state(RINGVIZ_SUSPENDED);
    ringviz_thread_state(RINGVIZ_RESUMED);
    ringviz_stack_switch(7);
    hot(1);
    ringviz_stack_switch(0);
    return nullptr;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static unsigned n_waits, n_releases;

QUIET static void note_mutex(const void *which, bool is_waiting)
{
    if (which == &mutex)
        ++(is_waiting ? n_waits : n_releases);
}

// Two releases and a wait, whose end is no release.
QUIET static void use_mutex(void)
{
    const timespec past = {0, 0};
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        if (i)
            pthread_cond_timedwait(&condition, &mutex, &past);
        pthread_mutex_unlock(&mutex);
    }
}

QUIET static bool watches_mutexes(const void *which, bool is_expected)
{
    n_waits = n_releases = 0;
    const bool is_seen = ringviz_watch_mutex(which, note_mutex);
    use_mutex();
    ringviz_watch_mutex(which, nullptr);
    const unsigned n = is_seen && is_expected;
    return n_waits == n && n_releases == 2 * n;
}

QUIET static int fail(int line)
{
    std::fprintf(stderr, "api.cpp:%d failed\n", line);
    return 1;
}

QUIET int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 5000;
    bool is_traced = std::getenv("RINGVIZ_FILE") != nullptr;
    parse_id = ringviz_intern("Parser", "parse", __FILE__, __LINE__);
    lex_id = ringviz_intern(nullptr, "lexer", nullptr, 0);
    mark_id = ringviz_intern("", "milestone", "", 0);
    if (ringviz_is_active() != is_traced || (parse_id != 0) != is_traced)
        return fail(__LINE__);
    if (is_traced && (parse_id == lex_id || ringviz_intern("Parser", "parse", __FILE__, 0) == parse_id ||
                      ringviz_intern("", "lexer", "", 0) != lex_id))
        return fail(__LINE__);

    if (!watches_mutexes(nullptr, true) || !watches_mutexes(&mutex, true) || !watches_mutexes(&condition, false))
        return fail(__LINE__);
    use_mutex();

    pthread_t thread;
    pthread_create(&thread, nullptr, work, &n);
    pthread_join(thread, nullptr);
    work(&n);
    ringviz_close();
    ringviz_enter(parse_id);
    ringviz_leave(parse_id);
    if (ringviz_is_active())
        return fail(__LINE__);
    REPORT_COUNT(hot);
    REPORT_COUNT(leaf);
    std::printf("COUNT parse %u\nCOUNT lexer %u\n", 2 * (n + 1), 2 * (n + 1));
    std::printf("KIND 4 2\nKIND 5 2\nKIND 6 4\nKIND 7 4\nKIND 9 %u\nKIND 10 %u\n", 2 * ((n + 15) / 16), 2 * ((n + 15) / 16));
    return 0;
}

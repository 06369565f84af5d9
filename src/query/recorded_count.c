#include "query/recorded_count.h"

#include <stdlib.h>

#include "base/vec.h"

static void work(void *context)
{
    struct rv_tally *tally = context;
    enum rv_survey_status status = RV_SURVEY_LATER;
    while (status != RV_SURVEY_OVER && rv_worker_is_wanted(&tally->worker)) {
        struct rv_survey_page page;
        status = rv_survey_take(tally->survey, RV_WORKER_WAIT_NS, &page);
        if (status != RV_SURVEY_PAGE)
            continue;
        for (size_t i = 0; i < page.n_lanes; i++)
            rv_search_add(tally->found, page.lanes[i].calls);
        rv_survey_page_fini(&page);
        atomic_store_explicit(&tally->n_hits, tally->found->n_hits, memory_order_relaxed);
        atomic_store_explicit(&tally->percent, (unsigned)(100.0 * rv_survey_progress(tally->survey)),
                              memory_order_relaxed);
    }
}

static void start(struct rv_tally *tally, const struct rv_search *search)
{
    tally->found = rv_alloc(1, sizeof *tally->found);
    rv_matches_follow(&tally->found->matches, &search->matches);
    rv_worker_start(&tally->worker, work, tally);
}

static void finish(struct rv_tally *tally)
{
    if (!tally->survey)
        return;
    rv_survey_close(tally->survey);
    rv_search_stop(tally->found);
    free(tally->found);
    tally->survey = NULL;
    tally->found = NULL;
}

bool rv_tally_begin(struct rv_tally *tally, struct rv_session *session, struct rv_search *search)
{
    bool is_needed = search->matches.n_matching && !(tally->has_begun && tally->generation == search->generation);
    if (!is_needed || !search->is_named || !rv_session_is_done(session))
        return false;
    rv_tally_end(tally);
    tally->has_begun = true;
    tally->generation = search->generation;
    tally->survey =
        rv_session_survey(session, &(struct rv_survey_params){.to_ns = UINT64_MAX, .only = &search->matches});
    if (!tally->survey)
        return false;
    rv_search_restart(search);
    start(tally, search);
    return true;
}

void rv_tally_end(struct rv_tally *tally)
{
    rv_worker_stop(&tally->worker);
    finish(tally);
    *tally = (struct rv_tally){.has_begun = false};
}

bool rv_tally_poll(struct rv_tally *tally, struct rv_search *search, bool waits)
{
    if (!tally->survey)
        return false;
    if (waits)
        rv_worker_wait(&tally->worker);
    bool has_got_on = rv_worker_poll(&tally->worker, atomic_load_explicit(&tally->percent, memory_order_relaxed));
    if (tally->worker.is_running)
        return has_got_on;
    rv_search_merge(search, tally->found);
    finish(tally);
    return true;
}

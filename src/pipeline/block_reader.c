#include "pipeline/block_reader.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/os.h"
#include "base/vec.h"
#include "model/density.h"
#include "pipeline/page_loader.h"

/* Blocks that are asked for and not taken: few at first, as who looks for something may have found it. */
enum { AHEAD = 12, FIRST_AHEAD = 3 };

struct block {
    struct rv_stream *stream;
    uint32_t number;
    uint64_t edge_ns; /* forward: its calls do not begin before; backward: they end before */
};

struct rv_survey_slot {
    struct rv_survey *survey;
    struct rv_survey_page page;
    bool is_there;
};

struct rv_survey {
    /* fixed */
    struct rv_paging *paging;
    struct block *blocks; /* in their order */
    size_t n_blocks, blocks_capacity;
    struct rv_matches only;
    bool has_only, is_backward;
    /* under the paging's lock; n_taken is the taker's to read without */
    size_t n_taken, n_asked, n_coming;
    struct rv_survey_slot slots[AHEAD]; /* block i's is i % AHEAD */
    bool is_closed;
    struct rv_survey *next;
};

void rv_survey_page_fini(struct rv_survey_page *page)
{
    for (size_t i = 0; i < page->n_lanes; i++)
        rv_timeline_destroy(page->lanes[i].calls);
    free(page->lanes);
    *page = (struct rv_survey_page){0};
}

static void destroy(struct rv_survey *survey)
{
    for (size_t i = 0; i < AHEAD; i++)
        rv_survey_page_fini(&survey->slots[i].page);
    rv_matches_fini(&survey->only);
    free(survey->blocks);
    free(survey);
}

/* ---- which blocks, in which order ---- */

static bool has_lane(const struct rv_stream *stream, uint32_t lane_idx)
{
    for (size_t i = 0; i < stream->n_tracks; i++)
        if (stream->tracks[i].lane->idx == lane_idx)
            return true;
    return false;
}

static int by_edge(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->edge_ns != y->edge_ns)
        return x->edge_ns < y->edge_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_edge_backward(const void *a, const void *b)
{
    return by_edge(b, a);
}

/* A call begins less than a cell before the block that it ends in, whose first event may be at the last one's time. */
static uint64_t first_start_ns(const struct rv_stream *stream, size_t number)
{
    uint64_t reach_ns = (UINT64_C(1) << rv_density_shift(stream->sums_level)) + 1,
             from_ns = stream->blocks[number].from_ns;
    return from_ns > reach_ns ? from_ns - reach_ns : 0;
}

static void list_blocks(struct rv_survey *survey, struct rv_stream *stream, const struct rv_survey_params *params)
{
    size_t end, first = rv_paging_find(stream, params->from_ns, params->to_ns, 0, &end);
    survey->blocks = rv_vec_reserve(survey->blocks, &survey->blocks_capacity, survey->n_blocks + (end - first),
                                    sizeof *survey->blocks);
    for (size_t i = first; i < end; i++) {
        uint64_t start_ns = first_start_ns(stream, i), end_ns = stream->blocks[i].to_ns;
        if (!params->wants || params->wants(params->context, start_ns, end_ns))
            survey->blocks[survey->n_blocks++] =
                (struct block){stream, (uint32_t)i, params->is_backward ? end_ns : start_ns};
    }
}

struct rv_survey *rv_survey_open(struct rv_paging *paging, const struct rv_survey_params *params)
{
    struct rv_survey *survey = rv_alloc(1, sizeof *survey);
    survey->paging = paging;
    survey->is_backward = params->is_backward;
    survey->has_only = params->only;
    if (params->only)
        rv_matches_follow(&survey->only, params->only);
    for (size_t i = 0; i < AHEAD; i++)
        survey->slots[i].survey = survey;
    pthread_mutex_lock(&paging->lock);
    for (size_t i = 0; i < paging->n_streams; i++)
        if (!params->lane_idx || has_lane(paging->streams[i], *params->lane_idx))
            list_blocks(survey, paging->streams[i], params);
    if (survey->n_blocks)
        qsort(survey->blocks, survey->n_blocks, sizeof *survey->blocks,
              survey->is_backward ? by_edge_backward : by_edge);
    bool is_empty = survey->n_blocks == 0;
    if (!is_empty) {
        survey->next = paging->surveys;
        paging->surveys = survey;
        pthread_cond_signal(&paging->has_wishes);
    }
    pthread_mutex_unlock(&paging->lock);
    if (is_empty)
        destroy(survey);
    return is_empty ? NULL : survey;
}

void rv_survey_close(struct rv_survey *survey)
{
    if (!survey)
        return;
    struct rv_paging *paging = survey->paging;
    pthread_mutex_lock(&paging->lock);
    struct rv_survey **place = &paging->surveys;
    while (*place != survey)
        place = &(*place)->next;
    *place = survey->next;
    survey->is_closed = true;
    bool is_last = survey->n_coming == 0;
    pthread_mutex_unlock(&paging->lock);
    if (is_last)
        destroy(survey);
}

/* ---- taking ---- */

/* Will the next block come some day? */
static bool is_to_come(const struct rv_survey *survey)
{
    return survey->n_taken < survey->n_blocks && (survey->n_asked > survey->n_taken || !survey->paging->is_over);
}

enum rv_survey_status rv_survey_take(struct rv_survey *survey, uint64_t timeout_ns, struct rv_survey_page *page)
{
    struct rv_paging *paging = survey->paging;
    struct rv_survey_slot *slot = &survey->slots[survey->n_taken % AHEAD];
    uint64_t end_ns = rv_clock_mono_ns() + timeout_ns;
    enum rv_survey_status status = RV_SURVEY_LATER;
    pthread_mutex_lock(&paging->lock);
    while (timeout_ns && !slot->is_there && is_to_come(survey) &&
           rv_os_wait_until(&paging->has_news, &paging->lock, end_ns))
        ;
    if (slot->is_there) {
        *page = slot->page;
        slot->page = (struct rv_survey_page){0};
        slot->is_there = false;
        survey->n_taken++;
        pthread_cond_signal(&paging->has_wishes);
        status = RV_SURVEY_PAGE;
    } else if (!is_to_come(survey)) {
        status = RV_SURVEY_OVER;
    }
    pthread_mutex_unlock(&paging->lock);
    return status;
}

uint64_t rv_survey_edge_ns(const struct rv_survey *survey)
{
    if (survey->n_taken < survey->n_blocks)
        return survey->blocks[survey->n_taken].edge_ns;
    return survey->is_backward ? 0 : UINT64_MAX;
}

double rv_survey_progress(const struct rv_survey *survey)
{
    return (double)survey->n_taken / (double)survey->n_blocks;
}

/* ---- the pipeline's side ---- */

static bool wants_more(const struct rv_survey *survey)
{
    size_t ahead = survey->n_taken + FIRST_AHEAD;
    return survey->n_asked < survey->n_blocks && survey->n_asked - survey->n_taken < (ahead < AHEAD ? ahead : AHEAD);
}

static struct rv_survey *find_asking(const struct rv_paging *paging)
{
    struct rv_survey *survey = paging->surveys;
    while (survey && !wants_more(survey))
        survey = survey->next;
    return survey;
}

bool rv_survey_asks(const struct rv_paging *paging)
{
    return find_asking(paging);
}

bool rv_survey_ask(struct rv_paging *paging, struct rv_page_request *request)
{
    struct rv_survey *survey = find_asking(paging);
    if (!survey)
        return false;
    const struct block *block = &survey->blocks[survey->n_asked];
    *request = (struct rv_page_request){
        .stream = block->stream, .block = block->number, .slot = &survey->slots[survey->n_asked % AHEAD]};
    survey->n_asked++;
    survey->n_coming++;
    return true;
}

void rv_survey_deliver(struct rv_stream *page)
{
    struct rv_survey_slot *slot = page->slot;
    struct rv_survey *survey = slot->survey;
    slot->page.lanes = rv_alloc(page->n_tracks, sizeof *slot->page.lanes);
    for (size_t i = 0; i < page->n_tracks; i++) {
        struct rv_track *track = &page->tracks[i];
        if (rv_timeline_n_spans(track->page))
            slot->page.lanes[slot->page.n_lanes++] = (struct rv_survey_lane){track->lane->idx, track->page};
        else
            rv_timeline_destroy(track->page);
        track->page = NULL;
    }
    slot->is_there = true;
    survey->n_coming--;
    pthread_cond_broadcast(&survey->paging->has_news);
    if (survey->is_closed && survey->n_coming == 0)
        destroy(survey);
}

bool rv_survey_keeps(const struct rv_stream *page, const struct rv_span *span)
{
    const struct rv_survey *survey = page->slot ? page->slot->survey : NULL;
    return !survey || !survey->has_only || rv_matches_has(&survey->only, span->id);
}

#include "query/totals_job.h"

#include <stdlib.h>

static void work(void *context)
{
    struct rv_totals_job *job = context;
    struct rv_stats *all = rv_session_stats(job->session);
    job->stats = rv_stats_by_name(all, job->subroutines);
    job->rows = rv_stats_take_rows(job->stats, &job->n_rows);
    for (size_t i = 0; i < job->n_rows; i++)
        job->self_ns += job->rows[i].self_ns;
    job->is_doubtful = rv_stats_has_doubtful_totals(all, job->stats);
    rv_stats_destroy(all);
}

void rv_totals_job_start(struct rv_totals_job *job, struct rv_session *session, struct rv_subroutines *subroutines)
{
    rv_totals_job_stop(job);
    job->session = session;
    job->subroutines = subroutines;
    job->names_version = rv_subroutines_version(subroutines);
    rv_job_thread_start(&job->thread, work, job);
}

void rv_totals_job_stop(struct rv_totals_job *job)
{
    rv_job_thread_stop(&job->thread);
    rv_stats_destroy(job->stats);
    free(job->rows);
    *job = (struct rv_totals_job){0};
}

void rv_totals_job_wait(struct rv_totals_job *job)
{
    rv_job_thread_wait(&job->thread);
}

bool rv_totals_job_poll(struct rv_totals_job *job)
{
    return rv_job_thread_poll(&job->thread, 0);
}

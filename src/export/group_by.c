/*
 * Two passes over the calls of a lane, as in model/stats.c: backwards for total_ns, where the call of a group that closed last
 * contains those of the group that start no earlier; forwards for the rest.
 */
#include "export/group_by.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"

struct total {
    uint64_t total_ns;
    uint64_t cover_ns; /* begin of the outermost call so far, on the lane marked by stamp */
    uint32_t stamp;
};

struct rv_group_by {
    struct rv_group_by_params params;
    uint32_t *as_id; /* of subroutines that are the same */
    uint32_t n_as_ids;
    struct rv_stats *stats; /* by group, without totals */
    struct rv_call_group *groups;
    struct total *totals;
    size_t n, capacity, totals_capacity;
    struct rv_hash_index by_key; /* 1 + group */
    uint32_t stamp;              /* of the lane being read */
};

bool rv_group_by_parse(const char *word, struct rv_group_by_key *key)
{
    char *end = (char *)(uintptr_t)word;
    *key = (struct rv_group_by_key){
        .is_on = true, .is_result = strncmp(word, "ret", 3) == 0, .is_task = strcmp(word, "task") == 0};
    if (key->is_task)
        return true;
    if (key->is_result)
        end += 3;
    else if (strncmp(word, "arg", 3) == 0 && isdigit((unsigned char)word[3]))
        key->argument = (uint32_t)strtoul(word + 3, &end, 10);
    key->is_sql = strcmp(end, ":sql") == 0;
    return (key->is_result || (key->argument > 0 && key->argument <= 64)) && (key->is_sql || !*end);
}

/* ---- texts ---- */

/* The last byte of a character as it is shown: a backslash as two, a line's end as \n. */
static const char *shown_end(const char *at)
{
    return at + (at[0] == '\\' && at[1]);
}

/* Of a string that begins behind its quote. A backslash of SQL takes the character behind it along. */
static const char *string_end(const char *at)
{
    for (; *at; at++)
        if (at[0] == '\\' && at[1] == '\\' && at[2])
            at = shown_end(at + 2);
        else if (at[0] == '\\')
            at = shown_end(at);
        else if (at[0] == '\'' && at[1] == '\'')
            at++;
        else if (at[0] == '\'')
            return at + 1;
    return at;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

void rv_group_by_normalize_sql(char *text)
{
    char *out = text;
    const char *at = text;
    for (char before = ' '; *at; before = *at++) {
        if (*at == '\'')
            at = string_end(at + 1) - 1;
        else if (isdigit((unsigned char)*at) && !is_word(before))
            while (is_word(at[1]) || at[1] == '.')
                at++;
        else {
            *out++ = *at;
            continue;
        }
        *out++ = '?';
    }
    *out = '\0';
}

/* Of the task that was current as the call began. */
static char *take_task(const struct rv_group_by *groups, const struct rv_lane *lane, const struct rv_span *span)
{
    const struct rv_flow *task = rv_flow_table_task(groups->params.flows, lane->idx, span->start);
    if (!task || !task->name)
        return rv_strdup("");
    struct rv_subroutine name = rv_subroutines_get(groups->params.subroutines, task->name);
    return rv_subroutine_take_full_name(&name);
}

static char *take_text(const struct rv_group_by *groups, const struct rv_lane *lane, const struct rv_span *span)
{
    const struct rv_group_by_key *key = &groups->params.key;
    struct rv_call_arguments arguments;
    if (key->is_task)
        return take_task(groups, lane, span);
    (void)rv_call_arguments_read(&arguments, &lane->texts, groups->params.subroutines, span);
    const char *found = key->is_result                 ? arguments.result
                        : key->argument <= arguments.n ? arguments.arguments[key->argument - 1]
                                                       : NULL;
    char *text = rv_strdup(found ? found : "");
    rv_call_arguments_fini(&arguments);
    if (key->is_sql)
        rv_group_by_normalize_sql(text);
    return text;
}

static bool is_same(const void *context, uint32_t value, const void *key)
{
    const struct rv_group_by *groups = context;
    const struct rv_call_group *a = &groups->groups[value - 1], *b = key;
    return a->subroutine == b->subroutine && strcmp(a->text, b->text) == 0;
}

static uint32_t group_of(struct rv_group_by *groups, const struct rv_lane *lane, const struct rv_span *span)
{
    const struct rv_call_group wanted = {.subroutine = span->id < groups->n_as_ids ? groups->as_id[span->id] : span->id,
                                         .text = take_text(groups, lane, span)};
    const uint64_t hash = rv_hash_bytes_seeded(wanted.text, strlen(wanted.text), wanted.subroutine);
    const uint32_t found = rv_hash_index_find(&groups->by_key, hash, is_same, groups, &wanted);
    if (found) {
        free(wanted.text);
        return found - 1;
    }
    groups->groups = rv_vec_reserve(groups->groups, &groups->capacity, groups->n + 1, sizeof *groups->groups);
    groups->totals = rv_vec_reserve(groups->totals, &groups->totals_capacity, groups->n + 1, sizeof *groups->totals);
    groups->totals[groups->n] = (struct total){0};
    groups->groups[groups->n++] = wanted;
    rv_hash_index_put(&groups->by_key, hash, (uint32_t)groups->n);
    return (uint32_t)groups->n - 1;
}

/* ---- calls ---- */

static void add_total(struct rv_group_by *groups, const struct rv_lane *lane, const struct rv_span *span)
{
    const uint32_t group = group_of(groups, lane, span);
    struct total *total = &groups->totals[group];
    if (total->stamp == groups->stamp && span->start >= total->cover_ns)
        return;
    total->stamp = groups->stamp;
    total->cover_ns = span->start;
    total->total_ns += span->end - span->start;
}

static int read_backwards(struct rv_group_by *groups, const struct rv_lane *lane, struct rv_spool_block *block)
{
    int error = 0;
    uint64_t number = rv_spool_last_block(groups->params.spool, lane->idx);
    groups->stamp++;
    for (; number && !error; number = block->previous) {
        error = rv_spool_read(groups->params.spool, number, block);
        for (uint32_t i = error ? 0 : block->n; i-- > 0;)
            if (!(block->spans[i].flags & RV_SPAN_ORPHAN))
                add_total(groups, lane, &block->spans[i]);
    }
    return error;
}

static void add_call(struct rv_group_by *groups, const struct rv_lane *lane, struct rv_stats_lane *open,
                     const struct rv_span *span)
{
    uint64_t own_ns;
    if (rv_stats_lane_own(open, span, &own_ns))
        rv_stats_add_call(groups->stats, group_of(groups, lane, span),
                          &(struct rv_stats_call){.self_ns = own_ns,
                                                  .duration_ns = span->end - span->start,
                                                  .is_doubtful = (span->flags & RV_SPAN_DOUBTFUL) != 0});
}

static int read_forwards(struct rv_group_by *groups, const struct rv_lane *lane, struct rv_spool_block *block)
{
    int error = 0;
    const struct rv_spool *spool = groups->params.spool;
    uint64_t number = rv_spool_first_block(spool, lane->idx);
    struct rv_stats_lane *open = rv_stats_lane_create();
    for (; number && !error; number = rv_spool_next_block(spool, lane->idx, number, block)) {
        error = rv_spool_read(spool, number, block);
        for (uint32_t i = 0; !error && i < block->n; i++)
            add_call(groups, lane, open, &block->spans[i]);
    }
    rv_stats_lane_destroy(open);
    return error;
}

struct rv_group_by *rv_group_by_create(const struct rv_group_by_params *params)
{
    struct rv_group_by *groups = rv_alloc(1, sizeof *groups);
    struct rv_spool_block *block = rv_alloc(1, sizeof *block);
    int error = 0;
    groups->params = *params;
    groups->as_id = rv_subroutines_take_namesakes(params->subroutines, &groups->n_as_ids);
    groups->stats = rv_stats_create();
    for (size_t i = 0; i < rv_lanes_n(params->lanes) && !error; i++) {
        const struct rv_lane *lane = rv_lanes_get(params->lanes, i);
        error = read_backwards(groups, lane, block);
        if (!error)
            error = read_forwards(groups, lane, block);
    }
    free(block);
    if (!error)
        return groups;
    rv_group_by_destroy(groups);
    return NULL;
}

void rv_group_by_destroy(struct rv_group_by *groups)
{
    if (!groups)
        return;
    for (size_t i = 0; i < groups->n; i++)
        free(groups->groups[i].text);
    free(groups->groups);
    free(groups->totals);
    free(groups->as_id);
    rv_hash_index_fini(&groups->by_key);
    rv_stats_destroy(groups->stats);
    free(groups);
}

size_t rv_group_by_rows(const struct rv_group_by *groups, struct rv_stats_row *out, size_t max)
{
    const size_t n = rv_stats_rows(groups->stats, out, max);
    for (size_t i = 0; i < n && i < max; i++)
        out[i].total_ns = groups->totals[out[i].id].total_ns;
    return n;
}

const struct rv_call_group *rv_group_by_at(const struct rv_group_by *groups, uint32_t id)
{
    return &groups->groups[id];
}

bool rv_group_by_has_texts(const struct rv_group_by *groups)
{
    for (size_t i = 0; i < groups->n; i++)
        if (*groups->groups[i].text)
            return true;
    return false;
}

#include "model/lane_choices_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { HIDE, ROW, FRONT, N_OF_LANE };

/* Of a lane, then of a group, in the order of enum rv_lane_group_kind. */
static const char *const WORDS[] = {"hide", "row", "front", "process", "family", "owner", "thread"};
enum { N_WORDS = sizeof WORDS / sizeof *WORDS };

struct item {
    bool expands;
    int word;
    uint32_t tid, number; /* from 1: which lane of the thread */
};

static enum rv_lane_group_kind kind_of(int word)
{
    return (enum rv_lane_group_kind)(word - N_OF_LANE + RV_LANE_GROUP_PROCESS);
}

static bool read_number(const char **at, uint32_t *out)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    const unsigned long long number = strtoull(*at, &end, 10);
    *at = end;
    *out = (uint32_t)number;
    return number <= UINT32_MAX;
}

/* Steps past the item. */
static bool read_item(const char **text, struct item *out)
{
    const char *at = *text;
    *out = (struct item){.expands = *at == '!', .word = -1, .number = 1};
    at += out->expands;
    for (int i = 0; i < N_WORDS; i++) {
        const size_t n = strlen(WORDS[i]);
        if (strncmp(at, WORDS[i], n) == 0 && at[n] == ':')
            out->word = i;
    }
    if (out->word < (out->expands ? N_OF_LANE : 0))
        return false;
    at += strlen(WORDS[out->word]) + 1;
    if (!read_number(&at, &out->tid))
        return false;
    if (*at == '/') {
        at++;
        if (!read_number(&at, &out->number) || out->number == 0)
            return false;
    }
    *text = at;
    return *at == ',' || *at == '\0';
}

const char *rv_lane_choices_text_check(const char *text)
{
    for (;; text++) {
        const char *item_text = text;
        struct item item;
        if (!read_item(&text, &item))
            return item_text;
        if (!*text)
            return NULL;
    }
}

static uint32_t tid_of(const struct rv_lanes *lanes, uint32_t lane_idx)
{
    return rv_lanes_get(lanes, lane_idx)->tid;
}

static uint32_t find_lane(const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes,
                          const struct item *item)
{
    uint32_t n = 0;
    for (size_t i = 0; i < lane_order->n_lanes; i++)
        if (tid_of(lanes, lane_order->as_they_came[i]) == item->tid && ++n == item->number)
            return lane_order->as_they_came[i];
    return RV_LANE_CHOICES_NONE;
}

static struct rv_arranged_group *find_group(const struct rv_lane_choices *lane_order, uint32_t lane_idx,
                                            enum rv_lane_group_kind kind)
{
    for (uint32_t i = lane_order->lanes[lane_idx].group; i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent)
        if (lane_order->groups[i].kind == kind)
            return &lane_order->groups[i];
    return NULL;
}

static bool apply(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes, const struct item *item)
{
    const uint32_t lane_idx = find_lane(lane_order, lanes, item);
    if (lane_idx == RV_LANE_CHOICES_NONE)
        return false;
    struct rv_arranged_lane *lane = &lane_order->lanes[lane_idx];
    if (item->word >= N_OF_LANE) {
        struct rv_arranged_group *group = find_group(lane_order, lane_idx, kind_of(item->word));
        if (group)
            group->choice = item->expands ? RV_LANE_GROUP_EXPANDED : RV_LANE_GROUP_COLLAPSED;
        return group;
    }
    if (item->word == HIDE && !lane->is_hidden)
        rv_lane_choices_toggle_hidden(lane_order, lane_idx);
    else if (item->word == FRONT && !lane->is_pinned)
        rv_lane_choices_toggle_pinned(lane_order, lane_idx);
    else if (item->word == ROW)
        lane->is_collapsed = true;
    return true;
}

const char *rv_lane_choices_text_apply(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes,
                                       const char *text)
{
    const char *unknown = NULL;
    for (;; text++) {
        const char *item_text = text;
        struct item item;
        if (!read_item(&text, &item) || !apply(lane_order, lanes, &item))
            unknown = unknown ? unknown : item_text;
        if (*text != ',')
            return unknown;
    }
}

static void write_item(FILE *out, const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes, size_t place,
                       const char *sign, const char *word)
{
    const uint32_t tid = tid_of(lanes, lane_order->as_they_came[place]);
    uint32_t number = 1;
    for (size_t i = 0; i < place; i++)
        number += tid_of(lanes, lane_order->as_they_came[i]) == tid;
    (void)fprintf(out, "%s%s%s:%" PRIu32, ftell(out) ? "," : "", sign, word, tid);
    if (number > 1)
        (void)fprintf(out, "/%" PRIu32, number);
}

/* Of the lane's groups, those that no lane before it is in: `told` says which were written. */
static void write_groups(FILE *out, const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes,
                         size_t place, bool *told)
{
    const uint32_t lane_idx = lane_order->as_they_came[place];
    for (uint32_t i = lane_order->lanes[lane_idx].group; i != RV_LANE_CHOICES_NONE; i = lane_order->groups[i].parent) {
        const struct rv_arranged_group *group = &lane_order->groups[i];
        if (!told[i] && group->choice != RV_LANE_GROUP_AS_FITS)
            write_item(out, lane_order, lanes, place, group->choice == RV_LANE_GROUP_EXPANDED ? "!" : "",
                       WORDS[N_OF_LANE + group->kind - RV_LANE_GROUP_PROCESS]);
        told[i] = true;
    }
}

char *rv_lane_choices_text_take(const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes)
{
    char *text = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&text, &n_bytes);
    bool *told = rv_alloc(lane_order->n_groups + 1, sizeof *told);
    for (size_t i = 0; out && i < lane_order->n_lanes; i++) {
        const struct rv_arranged_lane *lane = &lane_order->lanes[lane_order->as_they_came[i]];
        const bool has[N_OF_LANE] = {[HIDE] = lane->is_hidden, [ROW] = lane->is_collapsed, [FRONT] = lane->is_pinned};
        for (int word = 0; word < N_OF_LANE; word++)
            if (has[word])
                write_item(out, lane_order, lanes, i, "", WORDS[word]);
        write_groups(out, lane_order, lanes, i, told);
    }
    free(told);
    if (out)
        (void)fclose(out);
    return text ? text : rv_strdup("");
}

#include "render/box_colors.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/box_times.h"
#include "ringviz/wire.h"

#define GROUP_UNKNOWN UINT32_MAX
#define ID_MAX (1u << 24)
#define HEIGHT_MIN 0.2f   /* height of the subroutines that became fastest */
#define SPLIT_FROM 0.75   /* share of all areas from which a package is split into its subroutines */
#define WHOLE_BELOW 0.5   /* and below which it is one group again */
#define RANK_FOLLOWS 0.02 /* per view, while moving: how far the ranks move to the present shares */

struct group {
    uint64_t key;
    const char *package, *name; /* package: of an address; else NULL */
    size_t name_bytes;
    const char *file; /* with the line, of the subroutine that was met first */
    double area_now, self_now; /* inclusive and own time, as shares of the window, in this view */
    double area_sum;           /* inclusive time in all views */
    double self, inclusive;    /* of the legend: while moving, they follow this view slowly, once they are shown */
    uint32_t line, n_members;
    uint32_t slot, step; /* of lightness */
    enum rv_box_colors_kind kind;
    bool is_state, is_split; /* is_split: of the package that is split */
};

struct member { /* by subroutine id */
    uint32_t group;
    uint16_t hash;       /* of the name */
    uint16_t difference; /* colour index, if runs are compared */
};

struct rv_box_colors {
    enum rv_color_scheme scheme;
    const struct rv_diff *diff; /* or NULL */
    struct group *groups;
    size_t n_groups, groups_capacity;
    uint32_t *table; /* open addressing by key: group index + 1 */
    size_t table_size;
    struct member *members;
    size_t n_members, members_capacity;
    size_t n_met;    /* groups at the last update */
    uint64_t split;  /* key of the package that is split into subroutines; 0 = none */
    double nameless; /* own time, in statistics, of subroutines without a group */
    bool is_moving, is_updated;
    uint64_t version;          /* rises when a colour changes */
    struct rv_box_times times; /* scratch */
};

struct rv_box_colors *rv_box_colors_create(void)
{
    return rv_alloc(1, sizeof(struct rv_box_colors));
}

void rv_box_colors_destroy(struct rv_box_colors *colors)
{
    if (!colors)
        return;
    free(colors->groups);
    free(colors->table);
    free(colors->members);
    rv_box_times_fini(&colors->times);
    free(colors);
}

void rv_box_colors_copy(struct rv_box_colors *into, const struct rv_box_colors *from)
{
    into->scheme = from->scheme;
    into->diff = from->diff;
    into->split = from->split;
    into->nameless = from->nameless;
    into->is_moving = from->is_moving;
    into->is_updated = from->is_updated;
    into->version = from->version;
    into->n_met = from->n_met;
    into->groups = rv_vec_reserve(into->groups, &into->groups_capacity, from->n_groups, sizeof *into->groups);
    into->members = rv_vec_reserve(into->members, &into->members_capacity, from->n_members, sizeof *into->members);
    into->n_groups = from->n_groups;
    into->n_members = from->n_members;
    if (into->table_size != from->table_size) {
        free(into->table);
        into->table = rv_alloc(from->table_size, sizeof *into->table);
        into->table_size = from->table_size;
    }
    if (from->n_groups)
        memcpy(into->groups, from->groups, from->n_groups * sizeof *into->groups);
    if (from->n_members)
        memcpy(into->members, from->members, from->n_members * sizeof *into->members);
    if (from->table_size)
        memcpy(into->table, from->table, from->table_size * sizeof *into->table);
}

static uint32_t *table_cell(const struct rv_box_colors *colors, uint64_t key)
{
    size_t at = key & (colors->table_size - 1);
    while (colors->table[at] && colors->groups[colors->table[at] - 1].key != key)
        at = (at + 1) & (colors->table_size - 1);
    return &colors->table[at];
}

static void grow_table(struct rv_box_colors *colors)
{
    if (colors->n_groups * 2 < colors->table_size)
        return;
    free(colors->table);
    colors->table_size = colors->table_size ? colors->table_size * 2 : 256;
    colors->table = rv_alloc(colors->table_size, sizeof *colors->table);
    for (size_t i = 0; i < colors->n_groups; i++)
        *table_cell(colors, colors->groups[i].key) = (uint32_t)i + 1;
}

/* Is it an address, for want of a name? */
static bool is_address(const char *name)
{
    return strncmp(name, "0x", 2) == 0;
}

/* Length of a name's first part: before the first "_", "::", "." or digit that is not at its beginning. */
static size_t stem_length(const char *name)
{
    if (is_address(name))
        return 2;
    size_t start = strspn(name, "_");
    size_t length = start + strcspn(name + start, "_:.(<0123456789");
    return length - start >= 2 ? length : strlen(name);
}

/* By its key alone, which is of its name, so that it is the same in every run. Any bits of the key would do. */
static void take_colour(struct group *group)
{
    const bool is_striped = group->key >> 19 & 1;
    group->step = (uint32_t)(group->key >> 21) % RV_COLOR_STEPS;
    group->slot = (uint32_t)(group->key >> 34) % RV_COLOR_HUES + (is_striped ? RV_COLOR_HUES : 0);
    if (group->is_state)
        group->slot = RV_COLOR_WAIT;
}

/* Group key of a subroutine: a name, its length and its hash. The split package is not part of its subroutines' keys:
 * its name may be the program's, which another build has changed. */
static struct group group_of(const struct rv_box_colors *colors, const struct rv_subroutine *subroutine)
{
    bool has_package = subroutine->package[0] != '\0';
    struct group group = {.kind = has_package ? RV_BOX_COLORS_PACKAGE : RV_BOX_COLORS_STEM};
    group.name = has_package ? subroutine->package : subroutine->name;
    group.name_bytes = has_package ? strlen(group.name) : stem_length(group.name);
    group.key = rv_hash_combine(rv_hash_bytes(group.name, group.name_bytes), has_package);
    group.file = subroutine->file;
    group.line = subroutine->line;
    group.is_state = has_package && rv_name_form(subroutine->line_form) & RV_NAME_STATE;
    if (colors->split && group.key == colors->split) {
        group.kind = RV_BOX_COLORS_SUBROUTINE;
        group.is_split = true;
        group.package = is_address(subroutine->name) ? subroutine->package : NULL;
        group.name = subroutine->name;
        group.name_bytes = strlen(group.name);
        group.key = rv_hash_combine(rv_hash_bytes(group.name, group.name_bytes), group.kind);
    }
    take_colour(&group);
    return group;
}

static uint32_t find_group(struct rv_box_colors *colors, const struct rv_subroutine *subroutine)
{
    struct group group = group_of(colors, subroutine);
    grow_table(colors);
    uint32_t *cell = table_cell(colors, group.key);
    if (*cell)
        return *cell - 1;
    colors->groups =
        rv_vec_reserve(colors->groups, &colors->groups_capacity, colors->n_groups + 1, sizeof(struct group));
    colors->groups[colors->n_groups] = group;
    *cell = (uint32_t)++colors->n_groups;
    return *cell - 1;
}

/* With too few calls: grey, and of middle height. */
static uint16_t difference_of(const struct rv_box_colors *colors, const struct rv_subroutine *subroutine)
{
    const struct rv_diff_row *row = colors->diff ? rv_diff_find(colors->diff, subroutine) : NULL;
    uint32_t slot = RV_COLOR_NEUTRAL, shade = rv_color_difference_shade(0.0);
    if (row && (row->verdict == RV_DIFF_NEW || row->verdict == RV_DIFF_GONE)) {
        slot = RV_COLOR_ONE_RUN;
        shade = RV_COLOR_SHADES - 1;
    } else if (row && row->verdict != RV_DIFF_FEW) {
        slot = 0;
        shade = rv_color_difference_shade(rv_diff_octaves(row));
    }
    return (uint16_t)(slot * RV_COLOR_SHADES + shade);
}

static struct member member_of(const struct rv_box_colors *colors, uint32_t group,
                               const struct rv_subroutine *subroutine)
{
    return (struct member){group, (uint16_t)rv_hash_bytes(subroutine->name, strlen(subroutine->name)),
                           difference_of(colors, subroutine)};
}

static inline bool is_known(const struct rv_box_colors *colors, uint32_t id)
{
    return id < colors->n_members && colors->members[id].group != GROUP_UNKNOWN;
}

static const struct member *learn(struct rv_box_colors *colors, uint32_t id, struct rv_subroutines *subroutines)
{
    static const struct member unknown = {.group = GROUP_UNKNOWN};
    if (id >= ID_MAX)
        return &unknown;
    if (id >= colors->n_members) {
        size_t need = (size_t)id + 1;
        colors->members = rv_vec_reserve(colors->members, &colors->members_capacity, need, sizeof(struct member));
        for (size_t i = colors->n_members; i < need; i++)
            colors->members[i] = (struct member){.group = GROUP_UNKNOWN};
        colors->n_members = need;
    }
    struct member *member = &colors->members[id];
    if (member->group != GROUP_UNKNOWN)
        return member;
    struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    if (!subroutine.is_defined || subroutine.name[0] == '\0')
        return member;
    *member = member_of(colors, find_group(colors, &subroutine), &subroutine);
    colors->groups[member->group].n_members++;
    return member;
}

static inline uint32_t learn_group(struct rv_box_colors *colors, uint32_t id, struct rv_subroutines *subroutines)
{
    return (is_known(colors, id) ? &colors->members[id] : learn(colors, id, subroutines))->group;
}

struct learning {
    struct rv_box_colors *colors;
    struct rv_subroutines *subroutines;
};

static void add_times(struct group *group, double inclusive_ns, double self_ns)
{
    group->area_now += inclusive_ns;
    group->self_now += self_ns;
}

/* Take a box's time from its caller's self time. */
static void add_area(void *context, const struct rv_box *box, const struct rv_box *caller, double visible_ns)
{
    const struct learning *learning = context;
    struct rv_box_colors *colors = learning->colors;
    uint32_t group = learn_group(colors, box->id, learning->subroutines);
    uint32_t callers = caller ? learn_group(colors, caller->id, learning->subroutines) : GROUP_UNKNOWN;
    if (group != GROUP_UNKNOWN)
        add_times(&colors->groups[group], visible_ns, visible_ns);
    if (callers != GROUP_UNKNOWN)
        colors->groups[callers].self_now -= visible_ns;
}

static void add_lane_areas(struct rv_box_colors *colors, const struct rv_view *view, const struct rv_view_lane *lane,
                           struct rv_subroutines *subroutines)
{
    const uint64_t window_ns[2] = {view->from_ns, view->to_ns};
    struct learning learning = {colors, subroutines};
    rv_box_times_find(&colors->times, view->boxes + lane->first_box, lane->n_boxes, window_ns, add_area, &learning);
}

/* Cells of several lanes show the majority's subroutines only. */
static void add_shared_areas(struct rv_box_colors *colors, const struct rv_view *view,
                             struct rv_subroutines *subroutines)
{
    for (size_t i = 0; i < view->activity.n_times; i++) {
        const struct rv_group_activity_time *time = &view->activity.times[i];
        uint32_t group = learn_group(colors, time->id, subroutines);
        if (group != GROUP_UNKNOWN)
            add_times(&colors->groups[group], time->inclusive_ns, time->self_ns);
    }
}

/* Areas are shares of the window, so that long and short windows are comparable. */
static void add_areas(struct rv_box_colors *colors, const struct rv_view *view, struct rv_subroutines *subroutines)
{
    double window_ns = view->to_ns > view->from_ns ? (double)(view->to_ns - view->from_ns) : 1.0;
    for (size_t i = 0; i < colors->n_groups; i++)
        colors->groups[i].area_now = colors->groups[i].self_now = 0.0;
    for (size_t i = 0; i < view->n_lanes; i++)
        if (view->lanes[i].n_members <= 1 && !view->lanes[i].object)
            add_lane_areas(colors, view, &view->lanes[i], subroutines);
    add_shared_areas(colors, view, subroutines);
    for (size_t i = 0; i < colors->n_groups; i++) {
        struct group *group = &colors->groups[i];
        const double step = colors->is_moving && group->area_sum > 0.0 ? RANK_FOLLOWS : 1.0;
        group->area_now /= window_ns;
        group->area_sum += group->area_now;
        group->self_now = fmax(group->self_now / window_ns, 0.0);
        group->self += step * (group->self_now - group->self);
        group->inclusive += step * (group->area_now - group->inclusive);
    }
}

static void forget_members(struct rv_box_colors *colors)
{
    for (size_t i = 0; i < colors->n_members; i++)
        colors->members[i].group = GROUP_UNKNOWN; /* learned anew */
    for (size_t i = 0; i < colors->n_groups; i++)
        colors->groups[i].n_members = 0;
}

/*
 * The package to split: the one with most of the area, if it has several subroutines. 0 = none. All views so far count,
 * so that colours do not change back and forth where its share swings about a limit.
 */
static uint64_t split_of(const struct rv_box_colors *colors)
{
    double whole = 0.0, split = 0.0;
    const struct group *largest = NULL;
    for (size_t i = 0; i < colors->n_groups; i++) {
        const struct group *group = &colors->groups[i];
        if (group->is_state)
            continue;
        whole += group->area_sum;
        split += group->is_split || group->key == colors->split ? group->area_sum : 0.0;
        if (group->kind == RV_BOX_COLORS_PACKAGE && (!largest || group->area_sum > largest->area_sum))
            largest = group;
    }
    if (colors->split)
        return split < WHOLE_BELOW * whole ? 0 : colors->split;
    return largest && largest->n_members > 1 && largest->area_sum >= SPLIT_FROM * whole ? largest->key : 0;
}

/* The groups of a package that is split now, or is not any more, are others. */
static void split(struct rv_box_colors *colors, uint64_t package, const struct rv_view *view,
                  struct rv_subroutines *subroutines)
{
    colors->split = package;
    colors->version++;
    forget_members(colors);
    for (size_t i = 0; i < colors->n_groups; i++)
        colors->groups[i].self = colors->groups[i].inclusive = 0.0;
    add_areas(colors, view, subroutines);
}

void rv_box_colors_update(struct rv_box_colors *colors, const struct rv_view *view, struct rv_subroutines *subroutines,
                          enum rv_box_colors_stage stage)
{
    colors->is_moving = stage != RV_BOX_COLORS_RESTING;
    add_areas(colors, view, subroutines);
    const bool has_new = colors->n_groups != colors->n_met;
    if ((stage == RV_BOX_COLORS_SETTLING || !colors->is_updated) && split_of(colors) != colors->split)
        split(colors, split_of(colors), view, subroutines);
    colors->n_met = colors->n_groups;
    colors->version += has_new;
    colors->is_updated |= has_new;
}

void rv_box_colors_take_self_times(struct rv_box_colors *colors, const struct rv_stats_row *rows, size_t n,
                                   struct rv_subroutines *subroutines)
{
    colors->nameless = 0.0;
    for (size_t i = 0; i < colors->n_groups; i++)
        colors->groups[i].self = 0.0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t group = learn_group(colors, rows[i].id, subroutines);
        *(group == GROUP_UNKNOWN ? &colors->nameless : &colors->groups[group].self) += (double)rows[i].self_ns;
    }
}

void rv_box_colors_choose(struct rv_box_colors *colors, enum rv_color_scheme scheme)
{
    colors->scheme = scheme;
}

enum rv_color_scheme rv_box_colors_scheme(const struct rv_box_colors *colors)
{
    return colors->scheme;
}

void rv_box_colors_set_diff(struct rv_box_colors *colors, const struct rv_diff *diff)
{
    if (colors->diff == diff)
        return;
    colors->diff = diff;
    forget_members(colors);
}

float rv_box_colors_least_height(const struct rv_box_colors *colors)
{
    return colors->scheme == RV_COLOR_DIFFERENCE ? HEIGHT_MIN : 1.0f;
}

float rv_box_colors_height(const struct rv_box_colors *colors, uint32_t colour_idx)
{
    float least = rv_box_colors_least_height(colors);
    return least + (1.0f - least) * (float)(colour_idx % RV_COLOR_SHADES) / (RV_COLOR_SHADES - 1);
}

/* Duration of a box; of a cell, the average of its calls. */
static uint64_t call_ns(const struct rv_box *box)
{
    double covered_ns = (double)box->duration_ns * box->coverage / RV_BOX_EXACT;
    return (uint64_t)(covered_ns / (box->count ? box->count : 1));
}

static uint32_t index_of(const struct rv_box_colors *colors, const struct group *group, const struct member *member)
{
    if (group->is_state)
        return RV_COLOR_WAIT * RV_COLOR_SHADES;
    if (colors->scheme == RV_COLOR_DIFFERENCE)
        return member->difference;
    if (colors->scheme == RV_COLOR_SUBROUTINE)
        return (member->hash >> 6) % RV_COLOR_SLOTS * RV_COLOR_SHADES + member->hash % RV_COLOR_SHADES;
    return group->slot * RV_COLOR_SHADES + rv_color_shade_of(group->step, member->hash);
}

/* Colour of an unknown subroutine. */
static uint32_t grey_of(const struct rv_box_colors *colors)
{
    uint32_t shade = colors->scheme == RV_COLOR_DIFFERENCE ? rv_color_difference_shade(0.0) : 0;
    return RV_COLOR_NEUTRAL * RV_COLOR_SHADES + shade;
}

bool rv_box_colors_knows(const struct rv_box_colors *colors, uint32_t id)
{
    return is_known(colors, id);
}

uint32_t rv_box_colors_index(const struct rv_box_colors *colors, const struct rv_box *box, uint32_t thread)
{
    uint32_t index = grey_of(colors);
    if (is_known(colors, box->id)) {
        const struct member *member = &colors->members[box->id];
        const struct group *group = &colors->groups[member->group];
        index = index_of(colors, group, member);
        if (group->is_state)
            return index;
    }
    if (colors->scheme == RV_COLOR_THREAD)
        return thread % RV_COLOR_SLOTS * RV_COLOR_SHADES + rv_color_shade_of(thread / RV_COLOR_SLOTS, index);
    if (colors->scheme == RV_COLOR_DURATION)
        return rv_color_duration_shade(call_ns(box));
    return index;
}

uint32_t rv_box_colors_index_of(const struct rv_box_colors *colors, const struct rv_subroutine *subroutine)
{
    struct group group = group_of(colors, subroutine);
    uint32_t known = colors->table_size ? *table_cell(colors, group.key) : 0;
    struct member member = member_of(colors, known - 1, subroutine);
    return index_of(colors, known ? &colors->groups[known - 1] : &group, &member);
}

struct rv_color rv_box_colors_front(const struct rv_box_colors *colors, uint32_t colour_idx)
{
    return rv_color_front_of(colors->scheme, colour_idx / RV_COLOR_SHADES, colour_idx % RV_COLOR_SHADES);
}

uint64_t rv_box_colors_version(const struct rv_box_colors *colors)
{
    return colors->version;
}

bool rv_box_colors_is_split(const struct rv_box_colors *colors)
{
    return colors->split != 0;
}

bool rv_box_colors_has_packages(const struct rv_box_colors *colors)
{
    for (size_t i = 0; i < colors->n_groups; i++)
        if (colors->groups[i].kind == RV_BOX_COLORS_PACKAGE && !colors->groups[i].is_state)
            return true;
    return false;
}

size_t rv_box_colors_rank(const struct rv_box_colors *colors, struct rv_box_colors_group *out, size_t max)
{
    double self = colors->nameless, inclusive = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < colors->n_groups; i++) {
        const struct group *group = &colors->groups[i];
        size_t at = n;
        self += group->self;
        inclusive += group->inclusive;
        if (group->self <= 0.0 && group->inclusive <= 0.0)
            continue;
        while (at > 0 && out[at - 1].share < group->self)
            at--;
        if (at >= max)
            continue;
        n = n < max ? n + 1 : max;
        memmove(&out[at + 1], &out[at], (n - 1 - at) * sizeof *out);
        out[at] = (struct rv_box_colors_group){.key = group->key,
                                               .package = group->package,
                                               .name = group->name,
                                               .name_bytes = group->name_bytes,
                                               .file = group->file,
                                               .line = group->line,
                                               .n_members = group->n_members,
                                               .kind = group->kind,
                                               .is_state = group->is_state,
                                               .share = group->self,
                                               .inclusive = group->inclusive,
                                               .slot = group->slot,
                                               .shade = rv_color_shade_of(group->step, RV_COLOR_SHADES / 2)};
    }
    for (size_t i = 0; i < n; i++) {
        out[i].share /= fmax(self, 1e-12);
        out[i].inclusive /= fmax(inclusive, 1e-12);
    }
    return n;
}

static void write_texel(uint8_t *texels, uint32_t row, uint32_t shade, struct rv_color color)
{
    uint8_t *texel = texels + 4 * ((size_t)row * RV_COLOR_SHADES + shade);
    texel[0] = color.r;
    texel[1] = color.g;
    texel[2] = color.b;
    texel[3] = 255;
}

void rv_box_colors_texels(enum rv_color_scheme scheme, uint8_t out[RV_BOX_COLORS_TEXEL_BYTES])
{
    for (uint32_t slot = 0; slot < RV_COLOR_ROWS; slot++) {
        for (uint32_t shade = 0; shade < RV_COLOR_SHADES; shade++) {
            struct rv_color_tones tones = rv_color_tones_of(scheme, slot, shade);
            write_texel(out, slot * RV_BOX_COLORS_TONES, shade, tones.front);
            write_texel(out, slot * RV_BOX_COLORS_TONES + 1, shade, tones.top);
            write_texel(out, slot * RV_BOX_COLORS_TONES + 2, shade, tones.side);
        }
    }
}

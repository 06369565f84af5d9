#include "ui/legend_names.h"

#include <stdio.h>
#include <string.h>

#include "glyphs/clusters.h"
#include "model/alike_names.h"

static bool fits(const char *name, const struct rv_short_name_room *room)
{
    return room->width_of(room->context, name, strlen(name)) <= room->width;
}

void rv_legend_names_cut(const char *name, const struct rv_short_name_room *room, char out[RV_LEGEND_FITTED_BYTES])
{
    const char *end = name + strlen(name), *begins[RV_LEGEND_FITTED_BYTES];
    size_t n = 0, head, tail = 0;
    for (const char *at = name; at < end; at = rv_cluster_next(at, end))
        begins[n++] = at;
    begins[n] = end;
    snprintf(out, RV_LEGEND_FITTED_BYTES, "%s", name);
    while (tail < n && begins[tail] - name < (end - name) / 2)
        tail++;
    for (head = tail; !fits(out, room) && (head || tail < n);) {
        if (begins[head] - name >= end - begins[tail])
            head--;
        else
            tail++;
        snprintf(out, RV_LEGEND_FITTED_BYTES, "%.*s…%s", (int)(begins[head] - name), name, begins[tail]);
    }
}

static bool is_template(const char *name)
{
    return *name && strchr(name + 1, '<');
}

/* Do names that differ read alike, cut? */
static bool is_ambiguous(const char *const *names, size_t n, size_t row, char cuts[][RV_LEGEND_FITTED_BYTES])
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cuts[i], cuts[row]) == 0 && strcmp(names[i], names[row]) != 0)
            return true;
    return false;
}

void rv_legend_names_fit(const char *const *names, size_t n, const struct rv_short_name_room *room,
                         char out[][RV_LEGEND_FITTED_BYTES])
{
    struct rv_alike_names alike = {.n = 0};
    bool is_alike[RV_LEGEND_ROWS];
    for (size_t i = 0; i < n; i++)
        rv_legend_names_cut(names[i], room, out[i]);
    for (size_t i = 0; i < n; i++) {
        is_alike[i] = !fits(names[i], room) && (is_template(names[i]) || is_ambiguous(names, n, i, out));
        if (is_alike[i] || is_template(names[i]))
            rv_alike_names_add(&alike, names[i]);
    }
    for (size_t i = 0; i < n; i++)
        if (is_alike[i])
            (void)rv_alike_names_fit(&alike, names[i], room, out[i], RV_LEGEND_FITTED_BYTES);
    rv_alike_names_clear(&alike);
}

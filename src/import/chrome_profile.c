#include "import/chrome_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "import/import.h"

/* Limit of entries, above any real profile; the rest of a hostile one is dropped. */
enum { MOST_ENTRIES = 1 << 24, MOST_NODES = 1 << 20, MOST_TICKS = 1 << 22 };

enum key {
    OTHER,
    DATA,
    START,
    END,
    DELTAS,
    CPU_PROFILE,
    SAMPLES,
    NODES,
    ID,
    PARENT,
    CHILDREN,
    FRAME,
    FUNCTION,
    URL,
    LINE,
    POSITIONS,
    POSITION_LINE,
    POSITION_TICKS
};

void rv_chrome_profile_clear(struct rv_chrome_profile *profile)
{
    memset(profile->path, OTHER, sizeof profile->path);
    profile->has_start = profile->has_end = false;
    profile->n_nodes = profile->n_edges = profile->n_samples = profile->n_deltas = profile->n_ticks = 0;
    profile->n_left_out = 0;
}

void rv_chrome_profile_begin_file(struct rv_chrome_profile *profile)
{
    rv_chrome_profile_clear(profile);
    profile->path[2] = DATA;
    profile->path[3] = CPU_PROFILE;
}

void rv_chrome_profile_fini(struct rv_chrome_profile *profile)
{
    free(profile->nodes);
    free(profile->edges);
    free(profile->samples);
    free(profile->ticks);
    free(profile->deltas_ns);
}

static enum key key_of(const char *bytes, size_t n)
{
    static const struct rv_json_key keys[] = {{"data", DATA},
                                              {"startTime", START},
                                              {"endTime", END},
                                              {"timeDeltas", DELTAS},
                                              {"cpuProfile", CPU_PROFILE},
                                              {"samples", SAMPLES},
                                              {"nodes", NODES},
                                              {"id", ID},
                                              {"parent", PARENT},
                                              {"children", CHILDREN},
                                              {"callFrame", FRAME},
                                              {"url", URL},
                                              {"functionName", FUNCTION},
                                              {"lineNumber", LINE},
                                              {"positionTicks", POSITIONS},
                                              {"line", POSITION_LINE},
                                              {"ticks", POSITION_TICKS},
                                              {NULL, 0}};
    return (enum key)rv_json_key_of(keys, bytes, n);
}

void rv_chrome_profile_key(struct rv_chrome_profile *profile, unsigned depth, const char *key, size_t n)
{
    if (depth >= RV_CHROME_PROFILE_DEPTH)
        return;
    profile->path[depth] = (unsigned char)(depth == 2 || profile->path[2] == DATA ? key_of(key, n) : OTHER);
    memset(profile->path + depth + 1, OTHER, sizeof profile->path - depth - 1);
}

enum {
    NODE_DEPTH = RV_CHROME_PROFILE_FIELDS + 2,
    TICK_DEPTH = NODE_DEPTH + 2
}; /* depth of a node's own fields, of a tick's */

static bool is_in_nodes(const struct rv_chrome_profile *profile)
{
    return profile->path[2] == DATA && profile->path[3] == CPU_PROFILE && profile->path[4] == NODES;
}

static void open_tick(struct rv_chrome_profile *profile)
{
    struct rv_chrome_node *node = &profile->nodes[profile->n_nodes - 1];
    if (profile->n_ticks == MOST_TICKS)
        return;
    profile->ticks =
        rv_vec_reserve(profile->ticks, &profile->ticks_capacity, profile->n_ticks + 1, sizeof *profile->ticks);
    if (!node->n_ticks++)
        node->first_tick = (uint32_t)profile->n_ticks;
    profile->ticks[profile->n_ticks++] = (struct rv_chrome_tick){0, 0};
}

void rv_chrome_profile_open(struct rv_chrome_profile *profile, unsigned depth)
{
    if (depth == TICK_DEPTH && is_in_nodes(profile) && profile->path[NODE_DEPTH] == POSITIONS && profile->n_nodes &&
        profile->is_node_kept)
        open_tick(profile);
    if (depth != NODE_DEPTH || !is_in_nodes(profile))
        return;
    profile->is_node_kept = profile->n_nodes < MOST_NODES;
    if (!profile->is_node_kept) {
        profile->n_left_out++;
        return;
    }
    profile->nodes =
        rv_vec_reserve(profile->nodes, &profile->nodes_capacity, profile->n_nodes + 1, sizeof *profile->nodes);
    struct rv_chrome_node *node = &profile->nodes[profile->n_nodes++];
    node->id = node->parent = node->line = node->n_ticks = 0;
    node->name[0] = node->url[0] = '\0';
}

static uint64_t number_of(const char *bytes, size_t n)
{
    int64_t value;
    return rv_import_decimal(bytes, n, 0, &value, NULL) ? (uint64_t)value : 0;
}

static void copy(char *out, size_t out_bytes, const char *bytes, size_t n)
{
    n = n < out_bytes - 1 ? n : out_bytes - 1;
    memcpy(out, bytes, n);
    out[n] = '\0';
}

static void add_edge(struct rv_chrome_profile *profile, uint64_t caller, uint64_t callee)
{
    profile->edges =
        rv_vec_reserve(profile->edges, &profile->edges_capacity, profile->n_edges + 1, sizeof *profile->edges);
    profile->edges[profile->n_edges++] = (struct rv_chrome_edge){caller, callee};
}

static void set_tick(struct rv_chrome_profile *profile, enum key key, uint64_t value)
{
    struct rv_chrome_tick *tick = &profile->ticks[profile->n_ticks - 1];
    if (key == POSITION_LINE && value < UINT32_MAX)
        tick->line = (uint32_t)value;
    else if (key == POSITION_TICKS && value < UINT32_MAX)
        tick->n = (uint32_t)value;
}

static void set_node(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n)
{
    struct rv_chrome_node *node = &profile->nodes[profile->n_nodes - 1];
    enum key key = profile->path[depth];
    if (depth == NODE_DEPTH && key == ID)
        node->id = number_of(bytes, n);
    else if (depth == NODE_DEPTH && key == PARENT)
        node->parent = number_of(bytes, n);
    else if (depth == NODE_DEPTH + 1 && profile->path[NODE_DEPTH] == CHILDREN)
        add_edge(profile, node->id, number_of(bytes, n));
    else if (depth == NODE_DEPTH + 1 && profile->path[NODE_DEPTH] == FRAME && key == FUNCTION)
        copy(node->name, sizeof node->name, bytes, n);
    else if (depth == NODE_DEPTH + 1 && profile->path[NODE_DEPTH] == FRAME && key == URL)
        copy(node->url, sizeof node->url, bytes, n);
    else if (depth == NODE_DEPTH + 1 && profile->path[NODE_DEPTH] == FRAME && key == LINE)
        node->line = (uint32_t)number_of(bytes, n) + 1;
    else if (depth == TICK_DEPTH && profile->path[NODE_DEPTH] == POSITIONS && node->n_ticks)
        set_tick(profile, key, number_of(bytes, n));
}

/* Is a value at this depth the field's, or (n_inside 1) in the array of that field? Fields of "Profile" and
 * "ProfileChunk" are one level higher. */
static bool is_field(const struct rv_chrome_profile *profile, unsigned depth, unsigned n_inside, enum key key)
{
    unsigned at = depth - n_inside;
    return (at == RV_CHROME_PROFILE_FIELDS - 1 && profile->path[at] == key) ||
           (at == RV_CHROME_PROFILE_FIELDS && profile->path[3] == CPU_PROFILE && profile->path[at] == key);
}

void rv_chrome_profile_value(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n)
{
    if (depth < 3 || depth >= RV_CHROME_PROFILE_DEPTH || profile->path[2] != DATA)
        return;
    if (is_field(profile, depth, 0, START)) {
        profile->has_start = rv_import_decimal(bytes, n, 3, &profile->start_ns, NULL);
    } else if (is_field(profile, depth, 0, END)) {
        profile->has_end = rv_import_decimal(bytes, n, 3, &profile->end_ns, NULL);
    } else if (is_field(profile, depth, 1, DELTAS) && profile->n_deltas < MOST_ENTRIES) {
        int64_t delta_ns;
        profile->deltas_ns = rv_vec_reserve(profile->deltas_ns, &profile->deltas_capacity, profile->n_deltas + 1,
                                            sizeof *profile->deltas_ns);
        profile->deltas_ns[profile->n_deltas++] = rv_import_decimal(bytes, n, 3, &delta_ns, NULL) ? delta_ns : 0;
    } else if (is_field(profile, depth, 1, SAMPLES) && profile->n_samples < MOST_ENTRIES) {
        profile->samples = rv_vec_reserve(profile->samples, &profile->samples_capacity, profile->n_samples + 1,
                                          sizeof *profile->samples);
        profile->samples[profile->n_samples++] = number_of(bytes, n);
    } else if (is_field(profile, depth, 1, SAMPLES)) {
        profile->n_left_out++;
    } else if (depth >= NODE_DEPTH && is_in_nodes(profile) && profile->n_nodes && profile->is_node_kept) {
        set_node(profile, depth, bytes, n);
    }
}

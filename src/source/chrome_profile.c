#include "source/chrome_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "source/import.h"

/* More than a chunk has; the rest of a hostile one is passed over. */
enum { MOST_ENTRIES = 1 << 20 };

enum key { OTHER, DATA, START, DELTAS, CPU_PROFILE, SAMPLES, NODES, ID, PARENT, FRAME, FUNCTION, URL, LINE };

void rv_chrome_profile_clear(struct rv_chrome_profile *profile)
{
    memset(profile->path, OTHER, sizeof profile->path);
    profile->has_start = false;
    profile->n_nodes = profile->n_samples = profile->n_deltas = 0;
}

void rv_chrome_profile_fini(struct rv_chrome_profile *profile)
{
    free(profile->nodes);
    free(profile->samples);
    free(profile->deltas_ns);
}

static enum key key_of(const char *bytes, size_t n)
{
    static const struct {
        const char *text;
        enum key key;
    } keys[] = {{"data", DATA},
                {"startTime", START},
                {"timeDeltas", DELTAS},
                {"cpuProfile", CPU_PROFILE},
                {"samples", SAMPLES},
                {"nodes", NODES},
                {"id", ID},
                {"parent", PARENT},
                {"callFrame", FRAME},
                {"url", URL},
                {"functionName", FUNCTION},
                {"lineNumber", LINE}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (n == strlen(keys[i].text) && memcmp(bytes, keys[i].text, n) == 0)
            return keys[i].key;
    return OTHER;
}

void rv_chrome_profile_key(struct rv_chrome_profile *profile, unsigned depth, const char *key, size_t n)
{
    if (depth >= RV_CHROME_PROFILE_DEPTH)
        return;
    profile->path[depth] = (unsigned char)(depth == 2 || profile->path[2] == DATA ? key_of(key, n) : OTHER);
    memset(profile->path + depth + 1, OTHER, sizeof profile->path - depth - 1);
}

static bool is_in_nodes(const struct rv_chrome_profile *profile)
{
    return profile->path[2] == DATA && profile->path[3] == CPU_PROFILE && profile->path[4] == NODES;
}

void rv_chrome_profile_open(struct rv_chrome_profile *profile, unsigned depth)
{
    if (depth != 6 || !is_in_nodes(profile) || profile->n_nodes == MOST_ENTRIES)
        return;
    profile->nodes =
        rv_vec_reserve(profile->nodes, &profile->nodes_capacity, profile->n_nodes + 1, sizeof *profile->nodes);
    struct rv_chrome_node *node = &profile->nodes[profile->n_nodes++];
    node->id = node->parent = node->line = 0;
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

static void set_node(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n)
{
    struct rv_chrome_node *node = &profile->nodes[profile->n_nodes - 1];
    enum key key = profile->path[depth];
    if (depth == 6 && key == ID)
        node->id = number_of(bytes, n);
    else if (depth == 6 && key == PARENT)
        node->parent = number_of(bytes, n);
    else if (depth == 7 && profile->path[6] == FRAME && key == FUNCTION)
        copy(node->name, sizeof node->name, bytes, n);
    else if (depth == 7 && profile->path[6] == FRAME && key == URL)
        copy(node->url, sizeof node->url, bytes, n);
    else if (depth == 7 && profile->path[6] == FRAME && key == LINE)
        node->line = (uint32_t)number_of(bytes, n) + 1;
}

void rv_chrome_profile_value(struct rv_chrome_profile *profile, unsigned depth, const char *bytes, size_t n)
{
    if (depth < 3 || depth >= RV_CHROME_PROFILE_DEPTH || profile->path[2] != DATA)
        return;
    if (depth == 3 && profile->path[3] == START) {
        profile->has_start = rv_import_decimal(bytes, n, 3, &profile->start_ns, NULL);
    } else if (depth == 4 && profile->path[3] == DELTAS && profile->n_deltas < MOST_ENTRIES) {
        int64_t delta_ns;
        profile->deltas_ns = rv_vec_reserve(profile->deltas_ns, &profile->deltas_capacity, profile->n_deltas + 1,
                                            sizeof *profile->deltas_ns);
        profile->deltas_ns[profile->n_deltas++] = rv_import_decimal(bytes, n, 3, &delta_ns, NULL) ? delta_ns : 0;
    } else if (depth == 5 && profile->path[3] == CPU_PROFILE && profile->path[4] == SAMPLES &&
               profile->n_samples < MOST_ENTRIES) {
        profile->samples = rv_vec_reserve(profile->samples, &profile->samples_capacity, profile->n_samples + 1,
                                          sizeof *profile->samples);
        profile->samples[profile->n_samples++] = number_of(bytes, n);
    } else if (depth >= 6 && is_in_nodes(profile) && profile->n_nodes) {
        set_node(profile, depth, bytes, n);
    }
}

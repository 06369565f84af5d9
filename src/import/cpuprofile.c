/*
 * A V8 profile, as `node --cpu-prof` and DevTools write it to .cpuprofile files: one JSON object of nodes, which are
 * frames with their callers, and samples, which are nodes with the time since the previous one. The file is read in
 * full, then emitted as one thread, whose stack is each sample's until the next.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/vec.h"
#include "import/chrome_samples.h"
#include "import/formats.h"

enum { SAMPLES_PER_STEP = 1 << 14 };
/* Offset from this file's depths to those of the profile's parser. */
enum { DEPTH_SHIFT = RV_CHROME_PROFILE_FIELDS - 1 };

struct cpuprofile {
    struct rv_import import; /* first */
    struct rv_json *json;
    struct rv_chrome_profile profile;
    struct rv_chrome_samples samples;
    bool is_read; /* the whole file is */
    uint32_t thread;
    size_t n, n_emitted; /* samples */
    int64_t now_ns;
};

static unsigned depth_of(const struct cpuprofile *cpuprofile)
{
    return rv_json_depth(cpuprofile->json) + DEPTH_SHIFT;
}

static int on_key(void *context, const char *bytes, size_t n)
{
    struct cpuprofile *cpuprofile = context;
    rv_chrome_profile_key(&cpuprofile->profile, depth_of(cpuprofile), bytes, n);
    return 0;
}

static int on_value(void *context, const char *bytes, size_t n, bool is_number)
{
    (void)is_number;
    struct cpuprofile *cpuprofile = context;
    rv_chrome_profile_value(&cpuprofile->profile, depth_of(cpuprofile), bytes, n);
    return 0;
}

static int on_open(void *context, bool is_array)
{
    struct cpuprofile *cpuprofile = context;
    if (!is_array)
        rv_chrome_profile_open(&cpuprofile->profile, depth_of(cpuprofile));
    return 0;
}

static int on_close(void *context, bool is_array)
{
    (void)context, (void)is_array;
    return 0;
}

static int begin(struct rv_import *import)
{
    static const struct rv_json_handler handler = {
        .key = on_key, .value = on_value, .open = on_open, .close = on_close};
    struct cpuprofile *cpuprofile = (struct cpuprofile *)import;
    cpuprofile->thread = rv_import_only_thread(import, "samples");
    cpuprofile->json = rv_json_create(&handler, cpuprofile);
    rv_chrome_profile_begin_file(&cpuprofile->profile);
    return 0;
}

static int end_reading(struct cpuprofile *cpuprofile)
{
    struct rv_import *import = &cpuprofile->import;
    const struct rv_chrome_profile *profile = &cpuprofile->profile;
    if (profile->n_nodes == 0 || profile->n_samples == 0 || profile->n_deltas == 0)
        return rv_err(EBADMSG, "%s: a V8 profile without nodes, samples or timeDeltas", import->path);
    rv_chrome_samples_add_nodes(&cpuprofile->samples, import->builder, 0, profile);
    import->faults[RV_FAULT_NOT_READ] += profile->n_left_out;
    cpuprofile->n = profile->n_samples < profile->n_deltas ? profile->n_samples : profile->n_deltas;
    cpuprofile->is_read = true;
    cpuprofile->now_ns = profile->has_start ? profile->start_ns : 0;
    rv_event_builder_see_time(import->builder, cpuprofile->now_ns);
    return 1;
}

static int emit_samples(struct cpuprofile *cpuprofile)
{
    struct rv_import *import = &cpuprofile->import;
    const struct rv_chrome_profile *profile = &cpuprofile->profile;
    for (int i = 0; i < SAMPLES_PER_STEP && cpuprofile->n_emitted < cpuprofile->n; i++) {
        size_t at = cpuprofile->n_emitted++;
        cpuprofile->now_ns = rv_import_later_ns(cpuprofile->now_ns, profile->deltas_ns[at]);
        if (!rv_chrome_samples_emit(&cpuprofile->samples, import->builder, cpuprofile->thread, cpuprofile->now_ns,
                                    rv_chrome_samples_node(0, profile->samples[at])))
            rv_import_fault(import, RV_FAULT_NO_FRAME);
    }
    if (cpuprofile->n_emitted < cpuprofile->n)
        return 1;
    rv_event_builder_sample(import->builder, cpuprofile->thread,
                            profile->has_end ? profile->end_ns : cpuprofile->now_ns, NULL, 0);
    return 0;
}

static int step(struct rv_import *import)
{
    struct cpuprofile *cpuprofile = (struct cpuprofile *)import;
    if (cpuprofile->is_read)
        return emit_samples(cpuprofile);
    int status = rv_import_read_json(import, cpuprofile->json);
    return status == 0 ? end_reading(cpuprofile) : status;
}

static bool matches(const char *head, size_t n)
{
    static const char *const keys[] = {"nodes", "timeDeltas", "head", NULL};
    return rv_json_has_key(head, n, keys);
}

static void fini(struct rv_import *import)
{
    struct cpuprofile *cpuprofile = (struct cpuprofile *)import;
    rv_json_destroy(cpuprofile->json);
    rv_chrome_profile_fini(&cpuprofile->profile);
    rv_chrome_samples_fini(&cpuprofile->samples);
}

const struct rv_import_format rv_import_cpuprofile = {.name = "cpuprofile",
                                                      .describe = "a V8 profile",
                                                      .bytes = sizeof(struct cpuprofile),
                                                      .is_text = true,
                                                      .matches = matches,
                                                      .begin = begin,
                                                      .step = step,
                                                      .fini = fini};

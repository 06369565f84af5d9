#include "cli/exports.h"

#include <errno.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/slice.h"
#include "base/err.h"
#include "export/export.h"

int rv_exports_open(struct rv_exports *exports, const struct rv_options *options)
{
    *exports = (struct rv_exports){.options = options};
    int error = 0;
    for (size_t i = 0; i < options->n_exports && !error; i++)
        error = rv_output_create(&exports->outputs[i], options->exports[i].path, options->is_forced);
    return error;
}

static void tell(void *context, uint64_t n_done, uint64_t n_all)
{
    rv_progress_tell(context, (double)n_done / (double)n_all);
}

static int write_one(const struct rv_export *base, enum rv_export_kind kind, struct rv_output *output)
{
    struct rv_export export = *base;
    struct rv_progress progress;
    rv_progress_begin(&progress, output->path ? output->path : "standard output");
    export.progress = tell;
    export.context = &progress;
    int error = rv_output_begin(output);
    if (!error)
        error = rv_export_write(&export, kind, output->file);
    rv_progress_end(&progress);
    return rv_output_finish(output, error);
}

int rv_exports_write(struct rv_exports *exports, const struct rv_exports_content *content)
{
    struct rv_export export = {.lanes = rv_session_lanes(content->session),
                               .subroutines = rv_session_subroutines(content->session),
                               .spool = content->spool,
                               .title = content->title,
                               .losses = content->losses,
                               .waits = rv_session_waits(content->session),
                               .flows = rv_session_flows(content->session),
                               .flame = exports->options->flame};
    struct rv_cli_slice slice;
    int error = 0;
    if (export.flame != RV_TIME_WALL && !rv_lanes_have_stretches(export.lanes))
        return rv_err(ENODATA, "--flame: the threads' states are not known: there is no time on or off the CPU");
    rv_cli_slice_init(&slice, exports->options, export.lanes, export.subroutines);
    export.part = rv_cli_slice_part(&slice);
    for (size_t i = 0; i < exports->options->n_exports; i++) {
        int failure = write_one(&export, exports->options->exports[i].kind, &exports->outputs[i]);
        error = failure ? failure : error;
    }
    rv_cli_slice_fini(&slice);
    return error;
}

void rv_exports_abandon(const struct rv_exports *exports)
{
    for (size_t i = 0; i < RV_OPTIONS_MAX_EXPORTS; i++)
        rv_output_abandon(&exports->outputs[i]);
}

void rv_exports_close(struct rv_exports *exports)
{
    for (size_t i = 0; i < RV_OPTIONS_MAX_EXPORTS; i++)
        if (exports->outputs[i].file)
            (void)rv_output_finish(&exports->outputs[i], -ECANCELED);
}

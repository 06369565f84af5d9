/* --export: opens its files before the program runs and writes them after its end. */
#ifndef RV_CLI_EXPORTS_H
#define RV_CLI_EXPORTS_H

#include "cli/options.h"
#include "cli/output.h"
#include "pipeline/session.h"
#include "export/spool.h"

struct rv_exports { /* zeroed = none */
    const struct rv_options *options;
    struct rv_output outputs[RV_OPTIONS_MAX_EXPORTS];
};

/* Create every file. 0, or a negative errno with one line printed. */
int rv_exports_open(struct rv_exports *exports, const struct rv_options *options);

/*
 * Write all exports; a failed one is reported and removed. The session is done, the spool sealed.
 *   returns  0, or the negative errno of the last failure
 */
struct rv_exports_content {
    struct rv_session *session;
    const struct rv_spool *spool;
    const struct rv_losses *losses;
    const char *title;
};
int rv_exports_write(struct rv_exports *exports, const struct rv_exports_content *content);

/* rv_output_abandon() each. */
void rv_exports_abandon(const struct rv_exports *exports);

/* Remove created but unwritten files. Safe on a zeroed struct. */
void rv_exports_close(struct rv_exports *exports);

#endif

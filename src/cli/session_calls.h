/* The calls of a session that has ended, from its lanes and from blocks that are not loaded, for text outputs. */
#ifndef RV_CLI_SESSION_CALLS_H
#define RV_CLI_SESSION_CALLS_H

#include "export/lane_calls.h"
#include "pipeline/session.h"

/* Warns about calls in damaged blocks, and about evicted ones. The session outlives it. */
struct rv_lane_calls rv_cli_session_calls(struct rv_session *session);

#endif

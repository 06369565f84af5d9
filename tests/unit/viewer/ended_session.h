/* A live session that has ended without an event: tests add lanes and names. */
#ifndef RV_TESTS_VIEWER_ENDED_SESSION_H
#define RV_TESTS_VIEWER_ENDED_SESSION_H

#include "pipeline/session.h"

struct rv_session *ended_session_start(void);

#endif

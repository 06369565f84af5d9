/* What names say about which threads belong together. Pure functions. */
#ifndef RV_MODEL_THREAD_FAMILY_H
#define RV_MODEL_THREAD_FAMILY_H

#include "model/lanes.h"

/* What stands in front of ": " in a thread's name, such as the Ractor of a Ruby thread: "Ractor 2" of "Ractor 2:
 * app.rb:4"; else all of it. */
void rv_thread_family_owner(const char *name, char owner[RV_LANE_NAME_BYTES]);

/* That without its last number, and without what joins or brackets the number: "worker" of "worker-17", "io_uring" of
 * "io_uring/3", "Thread (run)" of "Thread-5 (run)". "": it is only a number. */
void rv_thread_family_name(const char *name, char family[RV_LANE_NAME_BYTES]);

#endif

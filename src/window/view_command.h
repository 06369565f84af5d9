/* The command line that shows what a window shows, to be sent to somebody or kept in a script. No GL, no SDL. */
#ifndef RV_WINDOW_VIEW_COMMAND_H
#define RV_WINDOW_VIEW_COMMAND_H

#include "viewer/viewer.h"

/*
 * The options for view, colours, time, lanes, filters and search, and the file, as words that a POSIX shell reads. The
 * caller frees them.
 */
char *rv_view_command(const struct rv_viewer *viewer, const char *file);

#endif

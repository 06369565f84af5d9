/* Why a FILE is no input: what it is instead, and what to do about it. */
#ifndef RV_CLI_REFUSED_FILE_H
#define RV_CLI_REFUSED_FILE_H

/*
 * Of a FILE that is neither a recording nor of a known format of other tools.
 *   returns  0: it may be a trace file, or cannot be opened; else a negative errno with one line printed
 */
int rv_refused_file_explain(const char *path);

#endif

/* The live ring of the rrtrace gem, before it is imported. */
#ifndef RV_IMPORT_RRTRACE_H
#define RV_IMPORT_RRTRACE_H

#define RV_RRTRACE_NAMES "RINGVIZ_RRTRACE_NAMES" /* of the environment: the file with names of methods */

/* Open the shared memory with this name, and the file with names of methods unless it is NULL, for their import later:
 * a short program has removed both by then. Prints nothing: where one cannot be opened, the import tries again. Main
 * thread, at most once. */
void rv_rrtrace_open_early(const char *name, const char *names);

#endif

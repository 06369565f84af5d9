/* The live ring of the rrtrace gem, before it is imported. */
#ifndef RV_IMPORT_RRTRACE_H
#define RV_IMPORT_RRTRACE_H

/* Open the shared memory with this name for its import later, when it may have lost the name. Prints nothing: where it
 * cannot be opened, the import tries again. Main thread, at most once. */
void rv_rrtrace_open_early(const char *name);

#endif

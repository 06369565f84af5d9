/* The objects that threads waited for, for formats of --export: who had them, and how many waited. */
#ifndef RV_EXPORT_HELD_OBJECTS_H
#define RV_EXPORT_HELD_OBJECTS_H

#include "export/format.h"

/* Those in the slice; nothing where the format has no callback, or there were no waits. */
void rv_held_objects_write(const struct rv_export_format *format, void *state, struct rv_export_target *target);

#endif

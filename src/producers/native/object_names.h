/* Names that a program has given the objects that its threads wait for (ringviz_name_object). */
#ifndef RV_PRODUCERS_NATIVE_OBJECT_NAMES_H
#define RV_PRODUCERS_NATIVE_OBJECT_NAMES_H

#include <stdint.h>

#include "producers/native/visibility.h"

/* The id of its name; 0: it has none. Any thread; async-signal-safe. */
RV_HIDDEN uint32_t rv_object_names_find(const void *object);

#endif

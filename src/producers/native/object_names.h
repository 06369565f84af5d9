/* Names that a program has given the objects that its threads wait for (ringviz_name_object). */
#ifndef RV_PRODUCERS_NATIVE_OBJECT_NAMES_H
#define RV_PRODUCERS_NATIVE_OBJECT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "producers/native/visibility.h"

RV_HIDDEN extern bool rv_object_names_are_given; /* [atomic] to any object */
RV_HIDDEN uint32_t rv_object_names_look_up(const void *object);

/* The id of its name; 0: it has none. Any thread; async-signal-safe. Inline: of few programs an object has one. */
static inline uint32_t rv_object_names_find(const void *object)
{
    const bool are_given = __atomic_load_n(&rv_object_names_are_given, __ATOMIC_RELAXED);
    return __builtin_expect(are_given, 0) ? rv_object_names_look_up(object) : 0;
}

#endif

#include "producers/native/watched_mutex.h"

#include <errno.h>

#include "ringviz/producer.h"

const void *rv_watched_mutex;
const char rv_watched_any;
bool rv_watched_mutex_is_seen;
static ringviz_mutex_fn *told;

void rv_watched_mutex_say(const void *mutex, bool is_waiting)
{
    int saved = errno;
    told(mutex, is_waiting);
    errno = saved;
}

RV_EXPORT bool ringviz_watch_mutex(const void *mutex, ringviz_mutex_fn *watch)
{
    if (!rv_watched_mutex_is_seen)
        return false;
    __atomic_store_n(&rv_watched_mutex, NULL, __ATOMIC_RELAXED);
    if (!watch)
        return true;
    told = watch;
    __atomic_store_n(&rv_watched_mutex, mutex ? mutex : &rv_watched_any, __ATOMIC_RELEASE); /* M1 -> M2 */
    return true;
}

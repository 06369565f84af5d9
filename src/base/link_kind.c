#include "base/link_kind.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *front;
    enum rv_wait_on on;
} FILES[] = {
    {"pipe:", RV_WAIT_ON_PIPE},
    {"socket:", RV_WAIT_ON_SOCKET},
    {"anon_inode:[eventfd]", RV_WAIT_ON_EVENTFD},
    {"anon_inode:[timerfd]", RV_WAIT_ON_TIMERFD},
    {"/dev/pts/", RV_WAIT_ON_TERMINAL},
    {"/dev/", RV_WAIT_ON_DEVICE},
    {"/", RV_WAIT_ON_FILE},
};

enum rv_wait_on rv_link_kind(const char *target)
{
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
        if (strncmp(target, FILES[i].front, strlen(FILES[i].front)) == 0)
            return FILES[i].on;
    return RV_WAIT_ON_OTHER;
}

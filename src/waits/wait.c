#include "waits/wait.h"

static const struct {
    const char *name;
    enum rv_wait_group group;
} KINDS[] = {[RV_WAIT_MUTEX] = {"mutex", RV_WAIT_GROUP_LOCK},
             [RV_WAIT_READ_LOCK] = {"read lock", RV_WAIT_GROUP_LOCK},
             [RV_WAIT_WRITE_LOCK] = {"write lock", RV_WAIT_GROUP_LOCK},
             [RV_WAIT_CONDITION] = {"condition", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_SEMAPHORE] = {"semaphore", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_JOIN] = {"end of a thread", RV_WAIT_GROUP_START},
             [RV_WAIT_BARRIER] = {"barrier", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_ONCE] = {"once", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_FUTEX] = {"futex", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_SLEEP] = {"sleep", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_READ] = {"read", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_WRITE] = {"write", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_POLL] = {"poll", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_ACCEPT] = {"accept", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_CONNECT] = {"connect", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_SYNC] = {"sync", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_FILE_LOCK] = {"file lock", RV_WAIT_GROUP_LOCK},
             [RV_WAIT_PROCESS] = {"process", RV_WAIT_GROUP_START},
             [RV_WAIT_SIGNAL] = {"signal", RV_WAIT_GROUP_SIGNAL},
             [RV_WAIT_MESSAGE] = {"message", RV_WAIT_GROUP_TRANSFER},
             [RV_WAIT_START] = {"start", RV_WAIT_GROUP_START},
             [RV_WAIT_FULL_RING] = {"full ring", RV_WAIT_GROUP_TRANSFER}};
_Static_assert(sizeof KINDS / sizeof *KINDS == RV_WAIT_KIND_COUNT, "the last kind of wait has no name");

const char *rv_wait_kind_name(enum rv_wait_kind kind)
{
    return KINDS[kind].name;
}

enum rv_wait_group rv_wait_kind_group(enum rv_wait_kind kind)
{
    return KINDS[kind].group;
}

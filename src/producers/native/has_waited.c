#include "producers/native/has_waited.h"

#include <sys/resource.h>

#include "base/own_syscalls.h"
#include "producers/native/process.h"

RV_THREAD_LOCAL bool rv_has_waited_before;

bool rv_has_waited(void)
{
    static RV_THREAD_LOCAL long n_before;
    struct rusage usage = {.ru_nvcsw = -1};
    if (rv_process_is_confined())
        return false;
    (void)rv_os_call(SYS_getrusage, RUSAGE_THREAD, RV_OS_POINTER(&usage), 0, 0, 0, 0);
    const bool may_have = usage.ru_nvcsw != n_before;
    n_before = usage.ru_nvcsw;
    rv_has_waited_before = false;
    return may_have;
}

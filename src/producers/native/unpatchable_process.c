#include "producers/native/unpatchable_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHADOW_STACK_STATUS 0x5005 /* arch_prctl: ARCH_SHSTK_STATUS of Linux 6.6 */

/* The processor compares returns with a stack of its own: return addresses must not be changed. */
static bool has_shadow_stack(void)
{
    unsigned long features = 0;
    return syscall(SYS_arch_prctl, SHADOW_STACK_STATUS, &features) == 0 && features & 1;
}

/* Is libunwind ahead of the compiler's own unwinder? Where it puts the landing pad, a trampoline's frame has no room for it. */
static bool throws_by_libunwind(void)
{
    Dl_info found;
    const void *raise = dlsym(RTLD_DEFAULT, "_Unwind_RaiseException");
    return raise && dladdr(raise, &found) && strstr(found.dli_fname, "/libunwind.so.8") &&
           dlsym(RTLD_DEFAULT, "__cxa_throw");
}

int rv_unpatchable_process_error(void)
{
    return has_shadow_stack() ? -ENOTSUP : throws_by_libunwind() ? -ELIBBAD : 0;
}

bool rv_unpatchable_process_is_debugged(void)
{
    static const char NAME[] = "\nTracerPid:\t";
    char status[4096];
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, status, sizeof status - 1);
    if (fd >= 0)
        close(fd);
    status[n > 0 ? n : 0] = '\0';
    const char *found = strstr(status, NAME);
    return !found || found[strlen(NAME)] != '0';
}

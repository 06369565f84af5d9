/* Preloaded into a ringviz that the rrtrace gem starts: SIGTERM while it splits its options, the first thing it does. */
#include <dlfcn.h>
#include <signal.h>
#include <wordexp.h>

int wordexp(const char *words, wordexp_t *out, int flags)
{
    int (*real)(const char *, wordexp_t *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "wordexp");
    raise(SIGTERM);
    return real(words, out, flags);
}

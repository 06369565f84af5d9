/* Preloaded into a ringviz that the rrtrace gem starts: before its main the program ends, as the gem tells it. */
#include <signal.h>
#include <sys/mman.h>

__attribute__((constructor)) static void end(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] != '/')
        return;
    shm_unlink(argv[1]);
    raise(SIGTERM);
}

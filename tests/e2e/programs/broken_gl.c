/* Preloaded: OpenGL that reports what GL_ERROR_INJECTED says, from the given call of glGetError() on (GL_ERROR_FROM).
 */
#include <stdlib.h>

unsigned glGetError(void);

unsigned glGetError(void)
{
    static int n_calls;
    const char *error = getenv("GL_ERROR_INJECTED"), *from = getenv("GL_ERROR_FROM");
    return error && n_calls++ >= (from ? atoi(from) : 0) ? (unsigned)strtoul(error, NULL, 0) : 0;
}

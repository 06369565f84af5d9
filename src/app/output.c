#include "app/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

int rv_output_open(struct rv_output *output, const char *path)
{
    *output = (struct rv_output){.file = stdout, .path = path};
    if (!path)
        return 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    return output->file ? 0 : rv_err_sys("%s", path);
}

int rv_output_begin(struct rv_output *output)
{
    struct stat status;
    bool is_regular = output->path && fstat(fileno(output->file), &status) == 0 && S_ISREG(status.st_mode);
    if (is_regular && ftruncate(fileno(output->file), 0) != 0)
        return rv_err_sys("%s", output->path);
    return 0;
}

int rv_output_close(struct rv_output *output)
{
    if (!output->file)
        return 0;
    bool has_failed = fflush(output->file) != 0 || ferror(output->file);
    if (output->path)
        has_failed |= fclose(output->file) != 0;
    output->file = NULL;
    return has_failed ? rv_err_sys("%s", output->path ? output->path : "standard output") : 0;
}

#include "cli/film.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    size_t n = 0;
    while (folder && n < 3 && readdir(folder))
        n++;
    if (folder)
        closedir(folder);
    return n < 3; /* the entries . and .. */
}

static int open_folder(struct rv_film *film, const struct rv_options *options)
{
    film->folder = options->frames;
    if (mkdir(film->folder, 0777) == 0)
        return 0;
    if (errno != EEXIST || access(film->folder, W_OK | X_OK) != 0)
        return rv_err_sys("%s", film->folder);
    if (!options->is_forced && !is_empty(film->folder))
        return rv_err(EEXIST, "%s: is not empty; --force writes into it", film->folder);
    return 0;
}

int rv_film_open(struct rv_film *film, const struct rv_options *options)
{
    *film = (struct rv_film){.has_video = false};
    int err = options->frames ? open_folder(film, options) : 0;
    if (!err && options->video) {
        err = rv_output_create(&film->video, options->video, options->is_forced);
        film->has_video = !err;
    }
    return err;
}

void rv_film_close(struct rv_film *film)
{
    if (film->has_video)
        (void)rv_output_finish(&film->video, -ECANCELED);
    film->has_video = false;
}

/* What include/ringviz/monitor.h calls a file. */
#ifndef RV_PRODUCERS_NATIVE_FILE_H
#define RV_PRODUCERS_NATIVE_FILE_H

#include "producers/native/linkage.h"
#include "ring/map.h"
#include "ringviz/monitor.h"

struct rv_scribe;

struct ringviz_file {
    struct rv_map *map; /* &opened, or the one that this process is traced to */
    struct rv_map opened;
    struct ringviz_file *next; /* all of these under `lock` */
    uint32_t n_users;
    int process; /* index, or negative: this process claimed nothing yet */
    uint32_t pid;
    struct rv_scribe **scribes; /* NULL where the map is the process's; a ring's, once this process has claimed it; kept
                                   until the file is closed */
};

/* Does this process own the ring by this file? 0, -EINVAL, -EROFS, -ENOENT, -EPERM. */
RV_HIDDEN int rv_file_check_owner(const struct ringviz_file *file, uint32_t ring);

#endif

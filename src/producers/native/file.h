/* What include/ringviz/monitor.h calls a file. */
#ifndef RV_PRODUCERS_NATIVE_FILE_H
#define RV_PRODUCERS_NATIVE_FILE_H

#include "producers/native/linkage.h"
#include "ring/map.h"
#include "ringviz/monitor.h"

struct rv_ring_writer;

struct ringviz_file {
    struct rv_map *map; /* &opened, or the one that this process is traced to */
    struct rv_map opened;
    struct ringviz_file *next; /* all of these under `lock` */
    uint32_t n_users;
    int process; /* index, or negative: this process claimed nothing yet */
    uint32_t pid;
    struct rv_ring_writer *
        *scribes; /* NULL where the map is the process's; a ring's, once this process has claimed it; kept
                                   until the file is closed */
};

RV_HIDDEN bool rv_file_has_ring(const struct ringviz_file *file, uint32_t ring);

/* All of the ring's control has its pages: nothing that is read or written there can fail. */
RV_HIDDEN bool rv_file_has_pages(const struct ringviz_file *file, uint32_t ring);

/* Does this process own the ring by this file? 0, -EINVAL, -EROFS, -ENOENT, -EPERM. */
RV_HIDDEN int rv_file_check_owner(const struct ringviz_file *file, uint32_t ring);

/* Of a ring that this process has claimed by this file, else NULL. */
RV_HIDDEN struct rv_ring_writer *rv_file_scribe(const struct ringviz_file *file, uint32_t ring);

#endif

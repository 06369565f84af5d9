/* The file object of include/ringviz/monitor.h. */
#ifndef RV_PRODUCERS_NATIVE_MONITOR_FILE_H
#define RV_PRODUCERS_NATIVE_MONITOR_FILE_H

#include "producers/native/visibility.h"
#include "ring/map.h"
#include "ringviz/monitor.h"

struct rv_ring_writer;

struct ringviz_file {
    struct rv_map *map; /* &opened, or the map that this process is traced to */
    struct rv_map opened;
    struct ringviz_file *next; /* list of all files; under `lock` */
    uint32_t n_users;
    int process; /* index, or negative: this process has claimed nothing yet */
    uint32_t pid;
    struct rv_ring_writer *
        *writers; /* by ring, NULL until this process has claimed it; NULL if the map is the process's; kept
                                   until the file is closed */
};

/* Is there a ring of this number? */
RV_HIDDEN bool rv_monitor_file_has_ring(const struct ringviz_file *file, uint32_t ring);

/* Are all pages of the ring's control allocated, so that no access can fail? */
RV_HIDDEN bool rv_monitor_file_has_pages(const struct ringviz_file *file, uint32_t ring);

/* Does this process own the ring through this file? 0, -EINVAL, -EROFS, -ENOENT, -EPERM. */
RV_HIDDEN int rv_monitor_file_check_owner(const struct ringviz_file *file, uint32_t ring);

/* The writer of a ring claimed by this process through this file, else NULL. */
RV_HIDDEN struct rv_ring_writer *rv_monitor_file_writer(const struct ringviz_file *file, uint32_t ring);

#endif

/*
 * Times that the user has marked, with notes. Kept in a text file beside the capture, one line for each: "1200300ns =
 * note", from the first event on, or "@5300200300ns = note", by the clock of the capture. No GL, no SDL.
 */
#ifndef RV_VIEWER_BOOKMARKS_H
#define RV_VIEWER_BOOKMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/bookmark_flags.h"
#include "ui/action.h"

#define RV_BOOKMARKS_MAX 64u
#define RV_BOOKMARKS_SUFFIX ".bookmarks" /* of the file, behind the capture's name */

struct rv_viewer;

struct rv_bookmarks {                                     /* zeroed = none, not saved */
    uint64_t ns[RV_BOOKMARKS_MAX];                        /* rising */
    char notes[RV_BOOKMARKS_MAX][RV_BOOKMARK_NOTE_BYTES]; /* "" = none */
    size_t n;
    char *path; /* of the file that each change is saved to; NULL = none */
    uint64_t origin_ns;
    bool is_by_clock; /* what is saved, because the file has another first event */
};

/* Path of the file for a capture's; NULL for no capture, or a path that is too long. */
const char *rv_bookmarks_path(const char *capture, char *path, size_t path_bytes);

void rv_bookmarks_fini(struct rv_bookmarks *marks);

/* Toggle a bookmark: remove one within near_ns of the time, else add one; a message says where there is no room. */
void rv_bookmarks_toggle(struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns);

/*
 * Write a note at the bookmark of exactly this time, or at a new one; a message says where there is no room. The note
 * is cut to what fits.
 */
void rv_bookmarks_write(struct rv_bookmarks *marks, uint64_t ns, const char *note);

/* The index of the first bookmark within near_ns of a time; SIZE_MAX = none. */
size_t rv_bookmarks_near(const struct rv_bookmarks *marks, uint64_t ns, uint64_t near_ns);

/* The first bookmark after a time, else the first of all; false without bookmarks. */
bool rv_bookmarks_next(const struct rv_bookmarks *marks, uint64_t ns, uint64_t *next_ns);

/*
 * Add those of a file that need not exist, save those made before, and save each change from now on: to the file as it
 * is then, since others may write to it. A file that cannot be used or written is said once and left alone; one that is
 * reached by a symbolic link is not followed.
 *   origin_ns  time of the capture's first event
 */
void rv_bookmarks_open(struct rv_bookmarks *marks, const char *path, uint64_t origin_ns);

/* Save those from a time on in a file of another capture of them, whose first event is unknown. The file is as
 * above. */
void rv_bookmarks_copy(const struct rv_bookmarks *marks, const char *path, uint64_t from_ns);

/* Actions about bookmarks. False for others. Part of rv_viewer_act(). */
bool rv_viewer_bookmarks_act(struct rv_viewer *viewer, const struct rv_act *act);

#endif

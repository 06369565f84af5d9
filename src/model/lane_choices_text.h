/*
 * Which lanes are hidden, collapsed or pinned, as a text that stands in a command line: "hide:17,row:18/2,!family:20".
 * One thread at a time.
 */
#ifndef RV_MODEL_LANE_CHOICES_TEXT_H
#define RV_MODEL_LANE_CHOICES_TEXT_H

#include "model/lane_choices.h"

/*
 * Read a text: items, separated by commas, of a choice, a colon and a thread's number, with a slash and which of them
 * where several lanes have the number. The choices of a lane are hide, row and front; process, family, owner and thread
 * collapse that group of the lane, or with a ! in front expand it.
 *   returns  NULL, or the first item that is none
 */
const char *rv_lane_choices_text_check(const char *text);

/* Make these choices. Returns NULL, or the first item whose lane or group is not known. The text was checked. */
const char *rv_lane_choices_text_apply(struct rv_lane_choices *lane_order, const struct rv_lanes *lanes,
                                       const char *text);

/* The user's choices; "" if there are none. The caller frees it. */
char *rv_lane_choices_text_take(const struct rv_lane_choices *lane_order, const struct rv_lanes *lanes);

#endif

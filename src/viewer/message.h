/* What came of something that the user did: shown over the picture for some seconds. Main thread. */
#ifndef RV_VIEWER_MESSAGE_H
#define RV_VIEWER_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

struct rv_message { /* zeroed = none */
    char text[200];
    bool is_warning;
    uint64_t until_ns; /* of the monotonic clock */
};

/* Show a text from now on; it replaces the one before. */
void rv_message_show(struct rv_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rv_message_warn(struct rv_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Show "PATH written", or why it is not. error: 0 or a negative errno. */
void rv_message_written(struct rv_message *message, const char *path, int error);

/* Forget a text whose time is over. Returns whether there was one. */
bool rv_message_expire(struct rv_message *message, uint64_t now_ns);

#endif

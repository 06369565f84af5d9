/* How the marks in a lane begin from which on calls of a function are missing, since they cost more than --max-overhead
 * allows: the function's name follows, and how often it was called; and from which on they are there again: its name
 * follows. Reports list these marks. */
#ifndef RV_STREAM_NOT_TRACED_H
#define RV_STREAM_NOT_TRACED_H

#define RV_NOT_TRACED "not traced from here: "
#define RV_TRACED_AGAIN "traced again from here: "

#endif

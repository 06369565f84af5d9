/* How the mark in a lane begins from which on calls of a function are missing, since they cost more than --max-overhead
 * allows: the function's name follows, and how often it was called. Reports list these marks. */
#ifndef RV_FLOW_NOT_TRACED_H
#define RV_FLOW_NOT_TRACED_H

#define RV_NOT_TRACED "not traced from here: "

#endif

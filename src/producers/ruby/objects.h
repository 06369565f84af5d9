/* How many objects calls make: of any class, those of callees that are not written among them. */
#ifndef RV_PRODUCERS_RUBY_OBJECTS_H
#define RV_PRODUCERS_RUBY_OBJECTS_H

/* Count from now on. Nothing below does anything before. */
void rv_objects_start(void);

/* What was made since the last look is the innermost call's: before an event ends its part. */
void rv_objects_tell(void);

/* What was made since the last look is ringviz's. */
void rv_objects_skip(void);

#endif

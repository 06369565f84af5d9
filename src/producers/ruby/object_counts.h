/* How many objects calls make, of any class, with those of callees that are not written. */
#ifndef RV_PRODUCERS_RUBY_OBJECT_COUNTS_H
#define RV_PRODUCERS_RUBY_OBJECT_COUNTS_H

/* Count from now on. Before, the functions below do nothing. */
void rv_object_counts_start(void);

/* Give the objects made since the last look to the innermost call; comes before each event that ends a part of it. */
void rv_object_counts_tell(void);

/* Leave out the objects made since the last look: they are ringviz's. */
void rv_object_counts_skip(void);

#endif

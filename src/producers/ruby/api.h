/* ::RingViz, for programs that say themselves what is to be seen; lib/ringviz.rb has what it does without a trace. */
#ifndef RV_PRODUCERS_RUBY_API_H
#define RV_PRODUCERS_RUBY_API_H

/* Define the module. Once, before the hooks. */
void rv_api_start(void);

#endif

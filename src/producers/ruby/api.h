/* ::RingViz, the API for programs that add spans, marks and values themselves; lib/ringviz.rb defines it for
 * untraced ones. */
#ifndef RV_PRODUCERS_RUBY_API_H
#define RV_PRODUCERS_RUBY_API_H

/* Define the module. Once, before the hooks. */
void rv_api_start(void);

#endif

/* Values as text for a monitor: no code of the program runs, unless it has redefined what Ruby's own classes do. */
#ifndef RV_PRODUCERS_RUBY_VALUE_TEXT_H
#define RV_PRODUCERS_RUBY_VALUE_TEXT_H

#include "producers/commands/text.h"
#include "producers/ruby/ruby_api.h"

/*
 * Append it: 42, "text", :name, nil, [1, 2], {"a"=>1}, #<Foo @n=1>, #<struct Point x=1>, #<IOError: closed stream>.
 * "..." marks truncated parts: texts and the whole output at 64 KiB, arrays, hashes and objects at 100 items.
 *   levels   levels of arrays, hashes and objects to show what is in
 */
void rv_value_text(struct rv_text *out, VALUE value, unsigned levels);

/* A string's bytes as UTF-8, where Ruby knows how. */
void rv_value_text_plain(struct rv_text *out, VALUE string);

#endif

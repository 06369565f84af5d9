/* What Ruby calls when lib/ringviz.rb has found the library that was made for it. */
#include <stdlib.h>
#include <string.h>

#include "producers/ruby/hooks.h"
#include "producers/ruby/methods.h"
#include "producers/ruby/stacks.h"
#include "ringviz/producer.h"

static bool is_set_to(const char *name, const char *value)
{
    const char *text = getenv(name);
    return text && strcmp(text, value) == 0;
}

static enum rv_hooks_level level(void)
{
    if (is_set_to("RINGVIZ_RUBY", "all"))
        return RV_HOOKS_ALL;
    return is_set_to("RINGVIZ_RUBY", "blocks") ? RV_HOOKS_BLOCKS : RV_HOOKS_RUBY;
}

RUBY_FUNC_EXPORTED void Init_ringviz(void);

void Init_ringviz(void)
{
    if (!ringviz_is_active())
        return;
    rb_ext_ractor_safe(true);
    rb_define_module("RingViz");
    rv_methods_start();
    rv_stacks_start();
    ringviz_on_ring(rv_stacks_replay);
    rv_hooks_start(level(), is_set_to("RINGVIZ_RUBY_BOOT", "1"));
}

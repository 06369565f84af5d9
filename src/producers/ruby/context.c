/*
 * Up to Ruby 3.2 it exports a pointer to the context that a thread executes; later Rubies have it in their thread. An event
 * tells the context, too: where the thread has the same pointer is looked for once.
 */
#include "producers/ruby/gvl_states.h"
#include "producers/ruby/sample_event.h"

#if RUBY_API_VERSION_CODE < 30300
bool rv_context_start(void)
{
    return true;
}
#else
#define THREAD_WORDS 32u

_Thread_local struct rv_execution_context **rv_context_place;
static size_t offset; /* in Ruby's thread */

static const struct rv_execution_context *found;

static void find(const struct rv_raw_event *event)
{
    found = event->context;
}

void rv_context_find(void)
{
    char *thread = RTYPEDDATA_GET_DATA(rb_thread_current());
    rv_gvl_go_on();
    rv_context_place = (struct rv_execution_context **)(void *)(thread + offset);
}

bool rv_context_start(void)
{
    const struct rv_execution_context *const *words = RTYPEDDATA_GET_DATA(rb_thread_current());
    rv_sample_event(find);
    for (size_t i = 0; found && i < THREAD_WORDS; i++)
        if (words[i] == found) {
            offset = i * sizeof *words;
            return true;
        }
    return false;
}
#endif

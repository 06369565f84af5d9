/* Ruby 3.2 tells, to the thread that is meant. */
#include "producers/ruby/gvl_states.h"
#include "producers/ruby/ruby_api.h"

static void on_event(rb_event_flag_t event, const rb_internal_thread_event_data_t *data, void *unused)
{
    (void)data;
    (void)unused;
    switch (event) {
    case RUBY_INTERNAL_THREAD_EVENT_READY:
        rv_gvl_change(RINGVIZ_READY);
        break;
    case RUBY_INTERNAL_THREAD_EVENT_RESUMED:
        rv_gvl_change(RINGVIZ_RESUMED);
        break;
    case RUBY_INTERNAL_THREAD_EVENT_SUSPENDED:
        rv_gvl_change(RINGVIZ_SUSPENDED);
        break;
    default:
        break;
    }
}

void rv_gvl_start(void)
{
    rb_internal_thread_add_event_hook(on_event,
                                      RUBY_INTERNAL_THREAD_EVENT_READY | RUBY_INTERNAL_THREAD_EVENT_RESUMED |
                                          RUBY_INTERNAL_THREAD_EVENT_SUSPENDED,
                                      NULL);
    rv_gvl_change(RINGVIZ_RESUMED);
}

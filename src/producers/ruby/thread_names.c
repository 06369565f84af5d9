#include "producers/ruby/thread_names.h"

#include <string.h>

#include "producers/ruby/gvl_states.h"
#include "producers/ruby/ruby_api.h"
#include "ringviz/producer.h"

enum { KERNEL_NAME_BYTES = 15 };

static _Thread_local bool has_begun;           /* of one whose name the kernel knows, up to its bytes */
static rb_ractor_local_key_t ractor_key; /* the name of a Ractor's first lane; NULL: the main Ractor */

/* "file.rb:3" of "#<Thread:0x00 /folder/file.rb:3 run>"; the first thread of a Ractor has no place. */
static VALUE place_of(VALUE thread)
{
    VALUE text = rb_funcall(thread, rb_intern("to_s"), 0);
    const char *begin = strchr(StringValueCStr(text), ' '), *end = begin ? strrchr(begin + 1, ' ') : NULL;
    if (!end)
        return Qnil;
    begin++;
    for (const char *at = begin; at < end; at++)
        if (*at == '/')
            begin = at + 1;
    return rb_str_new(begin, end - begin);
}

void rv_thread_names_begin_ractor(const char *lane)
{
    const size_t n_bytes = strlen(lane) + 1;
    rb_ractor_local_storage_ptr_set(ractor_key, memcpy(RB_ALLOC_N(char, n_bytes), lane, n_bytes));
    ringviz_thread_name(lane);
}

/* As Ruby names native threads: its own name, or where its block is. While a thread runs, the kernel's name of it follows
 * the program's, if cut; one that is set here does not. */
void rv_thread_names_tell(void)
{
    const VALUE thread = rb_thread_current();
    const char *ractor = rb_ractor_local_storage_ptr(ractor_key);
    const bool is_kernels = !ractor && !rv_gvl_has_own_ring();
    if (is_kernels && (has_begun = !has_begun))
        return;
    VALUE name = rb_funcall(thread, rb_intern("name"), 0);
    if (NIL_P(name))
        name = place_of(thread);
    if (NIL_P(name) || (is_kernels && RSTRING_LEN(name) <= KERNEL_NAME_BYTES))
        return;
    if (ractor)
        name = rb_sprintf("%s: %" PRIsVALUE, ractor, name);
    ringviz_thread_name(StringValueCStr(name));
}

void rv_thread_names_start(void)
{
    ractor_key = rb_ractor_local_storage_ptr_newkey(RB_RACTOR_LOCAL_STORAGE_TYPE_FREE);
}

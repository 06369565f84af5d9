/*
 * Before Ruby calls a hook it saves what the hook may change and gets ready for an exception: that takes longer than to
 * write an event, which does neither. In libruby 3.1 the function that does it is exported, and called through
 * libruby's own linkage table. There it is replaced by one that tries the quick way first. Where Ruby is not a library of
 * its own there is no such entry, and all events take Ruby's way.
 */
#include "producers/ruby/dispatch.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Not in the headers; their first members in Ruby 3.1 (vm_core.h, vm_trace.c). */
struct hook {
    rb_event_hook_flag_t flags;
    rb_event_flag_t events;
    rb_event_hook_func_t function;
    VALUE data;
    struct hook *next;
};

struct hook_list {
    const struct hook *first;
};

struct context { /* struct rv_execution_context, with more of its members */
    const void *members[13];
    const void *event; /* whose hooks run */
};

struct rb_trace_arg_struct {
    rb_event_flag_t event;
    const struct context *context;
    const void *frame;
    VALUE self;
    ID id, called;
    VALUE owner;
};

extern const VALUE rb_mRubyVMFrozenCore; /* its calls are no events */
void rb_exec_event_hooks(struct rb_trace_arg_struct *event, struct hook_list *hooks, int is_end);

static rb_event_hook_func_t our_hook;
static rv_dispatch_fn *our_quick;

static bool is_only_ours(const struct hook *hook, rb_event_flag_t event)
{
    for (; hook; hook = hook->next)
        if (hook->events & event && (hook->function != our_hook || hook->flags & RUBY_EVENT_HOOK_FLAG_DELETED))
            return false;
    return true;
}

static void dispatch(struct rb_trace_arg_struct *event, struct hook_list *hooks, int is_end)
{
    if (event->context->event || event->self == rb_mRubyVMFrozenCore || !is_only_ours(hooks->first, event->event) ||
        !our_quick(event->event, event->id, event->owner))
        rb_exec_event_hooks(event, hooks, is_end);
}

/* Of the library's functions that it calls through its table. */
static void **find_slot(const struct link_map *library, const char *name)
{
    uint64_t values[DT_NUM] = {0};
    for (const ElfW(Dyn) *entry = library->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag < DT_NUM)
            values[entry->d_tag] = entry->d_un.d_val;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(uintptr_t)values[DT_SYMTAB];
    const char *strings = (const char *)(uintptr_t)values[DT_STRTAB];
    const ElfW(Rela) *at = (const ElfW(Rela) *)(uintptr_t)values[DT_JMPREL];
    for (const ElfW(Rela) *end = at + values[DT_PLTRELSZ] / sizeof *at; at < end; at++)
        if (strcmp(strings + symbols[ELF64_R_SYM(at->r_info)].st_name, name) == 0)
            return (void **)(uintptr_t)(library->l_addr + at->r_offset);
    return NULL;
}

/* The loader may have made the table read-only; this page stays writable, since it may hold other data. */
static void set_slot(void **slot, void (*function)(void))
{
    const uintptr_t n = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(n - 1)); /* NOLINT */
    if (mprotect(page, n, PROT_READ | PROT_WRITE) == 0)
        __atomic_store_n(slot, (void *)(uintptr_t)function, __ATOMIC_RELAXED);
}

void rv_dispatch_start(rb_event_hook_func_t hook, rv_dispatch_fn *quick)
{
    Dl_info info;
    struct link_map *library;
    our_hook = hook;
    our_quick = quick;
    if (!dladdr1((void *)(uintptr_t)rb_add_event_hook, &info, (void **)&library, RTLD_DL_LINKMAP))
        return;
    void **slot = find_slot(library, "rb_exec_event_hooks");
    if (slot)
        set_slot(slot, (void (*)(void))dispatch);
}

/*
 * Numbers of operations are those of the section, from 1. The table by address only grows, as the functions' stubs do: a
 * slot's number is written before its address, and a table twice as large is whole before it is seen.
 */
#include "producers/native/capture_operations.h"

#if defined(__x86_64__) && defined(__LP64__)

#include <stdlib.h>
#include <string.h>

#include "producers/native/file_section.h"
#include "ring/map.h"

#define LEAST_SLOTS 1024u

struct slot {
    uint64_t function; /* [atomic] 0: free */
    uint32_t number;   /* [atomic] */
};

struct slots {  /* never freed: a thread may be about to use it */
    uint32_t n; /* power of two, more than twice what is bound */
    struct slot all[];
};

/* One for each section that was read. Never freed: a thread may be about to use it. */
struct plans {
    uint32_t n;
    struct rv_capture_operations_plan all[];
};

static struct {
    uint8_t *section;
    size_t n_bytes;
    struct plans *plans; /* [atomic] or NULL */
    uint32_t n;
    struct rv_patch_name *names; /* of functions */
    uint32_t n_names;
    struct slots *slots; /* [atomic] or NULL */
    uint32_t n_bound;
    uint32_t of_syscalls[RV_SYSCALLS]; /* [atomic] numbers, by the call's; 0: none */
    uint32_t n_syscalls;
} captures;

static bool is_operation(const struct rv_wire_capture_operation *operation)
{
    return operation->kind < RV_CAPTURE_KIND_COUNT && operation->source < RV_CAPTURE_VALUES &&
           operation->target < RV_CAPTURE_VALUES && operation->n <= RV_CAPTURE_MOST_STRING + (1u << 20);
}

/* Bytes that the operations can copy; 0xffffffff: they are none. */
static uint32_t count_bytes(const struct rv_wire_capture_operation *operations, uint32_t n)
{
    uint32_t n_bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!is_operation(&operations[i]))
            return UINT32_MAX;
        if (operations[i].kind == RV_CAPTURE_VALUE)
            n_bytes += 8;
        else if (operations[i].kind != RV_CAPTURE_LOAD && operations[i].n <= RV_CAPTURE_MOST_STRING)
            n_bytes += 2 + operations[i].n;
        else if (operations[i].kind != RV_CAPTURE_LOAD)
            return UINT32_MAX;
    }
    return n_bytes;
}

/* The record at *at, and past it. */
static bool read_record(const uint8_t **at, const uint8_t *end, struct rv_capture_operations_plan *plan,
                        const char **name)
{
    struct rv_wire_capture record;
    if ((size_t)(end - *at) < sizeof record)
        return false;
    memcpy(&record, *at, sizeof record);
    const uint64_t name_bytes = (record.name_bytes + 1u + 7u) / 8 * 8;
    const uint64_t n_operations = (uint64_t)record.n_calls + record.n_returns;
    if (record.n_calls > RV_CAPTURE_MOST_OPERATIONS || record.n_returns > RV_CAPTURE_MOST_OPERATIONS ||
        record.record_bytes != sizeof record + name_bytes + n_operations * sizeof *plan->calls ||
        record.record_bytes > (size_t)(end - *at) || (*at)[sizeof record + record.name_bytes] != '\0')
        return false;
    *name = (const char *)*at + sizeof record;
    plan->calls = (const struct rv_wire_capture_operation *)(const void *)(*at + sizeof record + name_bytes);
    plan->returns = plan->calls + record.n_calls;
    plan->n_calls = record.n_calls;
    plan->n_returns = record.n_returns;
    plan->needs_call = record.needs_call;
    const uint32_t call_bytes = count_bytes(plan->calls, plan->n_calls),
                   end_bytes = count_bytes(plan->returns, plan->n_returns);
    plan->most_bytes = call_bytes > end_bytes ? call_bytes : end_bytes;
    *at += record.record_bytes;
    return plan->most_bytes != UINT32_MAX;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(((const struct rv_patch_name *)left)->name, ((const struct rv_patch_name *)right)->name);
}

/* Else by the name of a function. */
static bool is_of_syscall(const char *name, uint32_t number)
{
    const bool has_front = strncmp(name, RV_SYSCALL_FRONT, sizeof RV_SYSCALL_FRONT - 1) == 0;
    const int syscall = has_front ? rv_syscall_find(name + sizeof RV_SYSCALL_FRONT - 1) : -1;
    if (syscall < 0)
        return false;
    __atomic_store_n(&captures.of_syscalls[syscall], number, __ATOMIC_RELAXED);
    captures.n_syscalls++;
    return true;
}

static void forget_syscalls(void)
{
    captures.n_syscalls = 0;
    for (uint32_t i = 0; i < RV_SYSCALLS; i++)
        __atomic_store_n(&captures.of_syscalls[i], 0, __ATOMIC_RELAXED);
}

static void read_records(uint8_t *section, size_t n_bytes)
{
    struct rv_wire_captures head;
    if (n_bytes < sizeof head)
        return;
    memcpy(&head, section, sizeof head);
    const uint64_t text_bytes = ((uint64_t)head.n_text_bytes + 7) / 8 * 8;
    if (text_bytes > n_bytes - sizeof head || head.n_captures > n_bytes / sizeof(struct rv_wire_capture))
        return;
    const uint8_t *at = section + sizeof head + text_bytes, *end = section + n_bytes;
    struct plans *plans = calloc(1, sizeof *plans + (head.n_captures + 1u) * sizeof *plans->all);
    captures.names = calloc(head.n_captures + 1u, sizeof *captures.names);
    for (uint32_t i = 0; plans && captures.names && i < head.n_captures; i++) {
        struct rv_patch_name *named = &captures.names[captures.n_names];
        if (!read_record(&at, end, &plans->all[i], &named->name))
            break;
        named->number = i + 1;
        captures.n_names += !is_of_syscall(named->name, i + 1);
        captures.n = plans->n = i + 1;
    }
    __atomic_store_n(&captures.plans, plans, __ATOMIC_RELEASE); /* F3 -> F4 */
    if (captures.n_names)
        qsort(captures.names, captures.n_names, sizeof *captures.names, compare_names);
}

bool rv_capture_operations_read(const char *path)
{
    size_t n_bytes = 0;
    uint8_t *section = path ? rv_section_read(path, offsetof(struct rv_wire_header, captures), &n_bytes) : NULL;
    if (n_bytes == captures.n_bytes && (!n_bytes || memcmp(section, captures.section, n_bytes) == 0)) {
        free(section);
        return false;
    }
    captures.n = captures.n_names = 0;
    forget_syscalls();
    captures.section = section;
    captures.n_bytes = n_bytes;
    free(captures.names);
    captures.names = NULL;
    read_records(section, n_bytes);
    return true;
}

const struct rv_patch_name *rv_capture_operations_names(size_t *n)
{
    *n = captures.n_names;
    return captures.names;
}

static struct slot *slot_of(struct slots *slots, uint64_t function)
{
    uint32_t i = (uint32_t)(function * 0x9e3779b97f4a7c15ull >> 32);
    for (;; i++) {
        struct slot *slot = &slots->all[i & (slots->n - 1)];
        const uint64_t found = __atomic_load_n(&slot->function, __ATOMIC_ACQUIRE); /* F2 <- F1 */
        if (found == function || !found)
            return slot;
    }
}

static void set_slot(struct slots *slots, uint64_t function, uint32_t number)
{
    struct slot *slot = slot_of(slots, function);
    __atomic_store_n(&slot->number, number, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->function, function, __ATOMIC_RELEASE); /* F1 -> F2 */
}

/* Room for one more. False: there is no memory. */
static bool make_room(void)
{
    const struct slots *old = captures.slots;
    const uint32_t n_old = old ? old->n : 0, n = n_old ? 2 * n_old : LEAST_SLOTS;
    if (captures.n_bound + 1 <= n_old / 2)
        return true;
    struct slots *slots = calloc(1, sizeof *slots + n * sizeof *slots->all);
    if (!slots)
        return false;
    slots->n = n;
    for (uint32_t i = 0; i < n_old; i++)
        if (old->all[i].function)
            set_slot(slots, old->all[i].function, old->all[i].number);
    __atomic_store_n(&captures.slots, slots, __ATOMIC_RELEASE); /* F5 -> F6 */
    return true;
}

void rv_capture_operations_bind(const struct rv_patch_named *named, size_t n)
{
    for (size_t i = 0; i < n && make_room(); i++) {
        captures.n_bound += !slot_of(captures.slots, named[i].address)->function;
        set_slot(captures.slots, named[i].address, named[i].number);
    }
}

uint32_t rv_capture_operations_find(uint64_t function)
{
    struct slots *slots = __atomic_load_n(&captures.slots, __ATOMIC_ACQUIRE); /* F6 <- F5 */
    const uint32_t number = slots ? __atomic_load_n(&slot_of(slots, function)->number, __ATOMIC_RELAXED) : 0;
    return number <= captures.n ? number : 0;
}

uint32_t rv_capture_operations_find_syscall(uint64_t number)
{
    return number < RV_SYSCALLS ? __atomic_load_n(&captures.of_syscalls[number], __ATOMIC_RELAXED) : 0;
}

bool rv_capture_operations_have_syscalls(void)
{
    return captures.n_syscalls != 0;
}

const struct rv_capture_operations_plan *rv_capture_operations_plan(uint32_t number)
{
    static const struct rv_capture_operations_plan none;
    const struct plans *plans = __atomic_load_n(&captures.plans, __ATOMIC_ACQUIRE); /* F4 <- F3 */
    return plans && number <= plans->n ? &plans->all[number - 1] : &none;
}

#endif

/* What of the producer can be seen from outside: RV_EXPORT only. */
#ifndef RV_PRODUCERS_NATIVE_LINKAGE_H
#define RV_PRODUCERS_NATIVE_LINKAGE_H

#define RV_HIDDEN __attribute__((visibility("hidden")))
#define RV_EXPORT __attribute__((visibility("default"), no_instrument_function))
#define RV_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/* The stack pointer with which the function that asks was entered: its caller's, less the return address. */
#define RV_ENTRY_STACK() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa() - sizeof(void *))

#endif

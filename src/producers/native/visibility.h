/* Visibility: only RV_EXPORT symbols are visible outside the producer. */
#ifndef RV_PRODUCERS_NATIVE_VISIBILITY_H
#define RV_PRODUCERS_NATIVE_VISIBILITY_H

#define RV_HIDDEN __attribute__((visibility("hidden")))
#define RV_EXPORT __attribute__((visibility("default"), no_instrument_function))
#define RV_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))

/* The stack pointer at entry of the current function, at the return address. */
#define RV_ENTRY_STACK() ((uint64_t)(uintptr_t)__builtin_dwarf_cfa() - sizeof(void *))

#endif

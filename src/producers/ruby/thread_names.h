/* Names of lanes that the kernel does not know: of Ractors, of their further threads, of threads that change native
 * ones, and what is cut of longer names, once their thread ends. */
#ifndef RV_PRODUCERS_RUBY_THREAD_NAMES_H
#define RV_PRODUCERS_RUBY_THREAD_NAMES_H

/* The calling thread is the first of a Ractor. Its lane has that name, and those of the Ractor's other threads begin
 * with it. */
void rv_thread_names_begin_ractor(const char *lane);

/* A thread of Ruby's begins or ends: the program may have named it since. GVL. */
void rv_thread_names_tell(void);

/* Once, before there are Ractors. */
void rv_thread_names_start(void);

#endif

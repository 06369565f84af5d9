#include "model/thread_family.h"

#include <criterion/criterion.h>

TestSuite(thread_family, .timeout = 60);

Test(thread_family, names_that_differ_in_their_last_number_are_of_one_family)
{
    static const struct {
        const char *name, *owner, *family;
    } rows[] = {
        {"worker", "worker", "worker"},
        {"worker-1", "worker-1", "worker"},
        {"worker 17", "worker 17", "worker"},
        {"worker17", "worker17", "worker"},
        {"worker #3", "worker #3", "worker"},
        {"worker_003", "worker_003", "worker"},
        {"io_uring/3", "io_uring/3", "io_uring"},
        {"Thread-5 (run)", "Thread-5 (run)", "Thread (run)"},
        {"worker (12)", "worker (12)", "worker"},
        {"worker[12]", "worker[12]", "worker"},
        {"[worker-12]", "[worker-12]", "[worker]"},
        {"pool-1-thread-3", "pool-1-thread-3", "pool-1-thread"},
        {"3: reader", "3", ""},
        {"3 reader", "3 reader", "reader"},
        {"17", "17", ""},
        {"", "", ""},
        {": x", ": x", ": x"},
        {"std::worker", "std::worker", "std::worker"},
        {"Ractor 2", "Ractor 2", "Ractor"},
        {"Ractor 2: app.rb:4", "Ractor 2", "Ractor"},
        {"Ractor 2 five", "Ractor 2 five", "Ractor five"},
        {"Ractor 2 five: app.rb:4", "Ractor 2 five", "Ractor five"},
        {"Ractor 2 five: a: b 7", "Ractor 2 five", "Ractor five"},
        {"\xe5\xb7\xa5\xe4\xba\xba 7", "\xe5\xb7\xa5\xe4\xba\xba 7", "\xe5\xb7\xa5\xe4\xba\xba"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char owner[RV_LANE_NAME_BYTES], family[RV_LANE_NAME_BYTES];
        rv_thread_family_owner(rows[i].name, owner);
        rv_thread_family_name(rows[i].name, family);
        cr_expect_str_eq(owner, rows[i].owner, "'%s': owner '%s'", rows[i].name, owner);
        cr_expect_str_eq(family, rows[i].family, "'%s': family '%s'", rows[i].name, family);
    }
}

/*
 * Clocks: ticks of the shared file to nanoseconds.
 *
 * A file's clock is the TSC where it is invariant, else CLOCK_MONOTONIC in ns. Ticks become nanoseconds of
 * CLOCK_MONOTONIC by ns = mono0_ns + (((ticks - ticks0) * mult) >> shift), in 128-bit arithmetic.
 */
#ifndef RV_BASE_CLOCK_H
#define RV_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum rv_clock_kind {
    RV_CLOCK_TSC,       /* the CPU's invariant time-stamp counter */
    RV_CLOCK_MONOTONIC, /* CLOCK_MONOTONIC, ns */
    RV_CLOCK_TICK,      /* the TSC, read only when a shared tick word has moved */
    RV_CLOCK_COUNT
};

struct rv_clock {
    enum rv_clock_kind kind;
    uint32_t shift;
    uint64_t mult;   /* 0: not settled yet */
    uint64_t ticks0; /* the tick at which CLOCK_MONOTONIC was mono0_ns */
    uint64_t mono0_ns;
    uint64_t real0_ns; /* CLOCK_REALTIME at ticks0 */
};

/* A time, or a length of time, in ns. */
static inline uint64_t rv_clock_time_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* CLOCK_MONOTONIC and CLOCK_REALTIME now. */
uint64_t rv_clock_mono_ns(void);
uint64_t rv_clock_real_ns(void);

/* ns + more_ns, saturated at UINT64_MAX. */
static inline uint64_t rv_clock_after_ns(uint64_t ns, uint64_t more_ns)
{
    uint64_t sum_ns;
    return __builtin_add_overflow(ns, more_ns, &sum_ns) ? UINT64_MAX : sum_ns;
}

static inline uint64_t rv_clock_earlier_ns(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

static inline uint64_t rv_clock_later_ns(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

/* CPU time of the calling thread, and of the process. */
uint64_t rv_clock_thread_cpu_ns(void);
uint64_t rv_clock_process_cpu_ns(void);

/* True when the TSC runs at a constant rate in all C-states (CPUID 0x80000007 EDX bit 8) and the kernel trusts it. */
bool rv_clock_has_invariant_tsc(void);

/* Read the clock of this kind now, in ticks. RV_CLOCK_TICK reads the TSC. Any thread. */
uint64_t rv_clock_ticks(enum rv_clock_kind kind);

struct rv_clock_instant { /* one moment by two clocks */
    uint64_t ticks, mono_ns;
};

/* Now, in ticks and by CLOCK_MONOTONIC, to some ns. */
struct rv_clock_instant rv_clock_instant(enum rv_clock_kind kind);

/* Ticks a ns, times 2^32; of a settled clock. */
uint64_t rv_clock_rate(const struct rv_clock *clock);

/* Ticks of a time by CLOCK_MONOTONIC, at most a few seconds from `now`: drift since the calibration does not count. */
uint64_t rv_clock_ticks_at(uint64_t rate, const struct rv_clock_instant *now, uint64_t mono_ns);

/* Begin to calibrate; mult is 0 until the clock is settled. A kind of TSC falls back to RV_CLOCK_MONOTONIC, which needs
 * no calibration, without an invariant TSC. */
void rv_clock_begin(struct rv_clock *clock, enum rv_clock_kind kind);

/* End the calibration: sleeps for what is left of 2 ms since it began. */
void rv_clock_settle(struct rv_clock *clock);

/* The same for a process that ended before it did. False if the calibration was not begun by this machine since its
 * boot. */
bool rv_clock_settle_for(struct rv_clock *clock);

void rv_clock_init(struct rv_clock *clock, enum rv_clock_kind kind); /* begin and settle */

__extension__ typedef unsigned __int128 rv_wide_uint;

/* The general case of rv_clock_to_ns(). */
uint64_t rv_clock_to_ns_slow(const struct rv_clock *clock, uint64_t ticks);

/* Ticks may lie before ticks0; the result saturates at both ends. Pure. Inline because it is called twice per span. */
static inline uint64_t rv_clock_to_ns(const struct rv_clock *clock, uint64_t ticks)
{
    uint64_t distance = ticks - clock->ticks0;
    if (distance >> 60)
        return rv_clock_to_ns_slow(clock, ticks);
    rv_wide_uint ns = ((rv_wide_uint)distance * clock->mult >> (clock->shift & 63)) + clock->mono0_ns;
    return ns >> 64 ? UINT64_MAX : (uint64_t)ns;
}

/*
 * Fast conversion of ticks in one stretch of time: equals rv_clock_to_ns(), but in 64-bit arithmetic. mult and shift
 * are scaled so that shift is 32; with (begin - ticks0) * mult = whole << 32 + rest, ns = mono0_ns + whole + ((rest +
 * (ticks - begin) * mult) >> 32).
 */
struct rv_clock_stretch {
    const struct rv_clock *clock;
    uint64_t begin_ticks, n_ticks; /* other ticks take the slow conversion */
    uint64_t begin_ns, rest, mult;
};

/* The stretch that begins at a tick. The clock is borrowed. */
struct rv_clock_stretch rv_clock_stretch(const struct rv_clock *clock, uint64_t begin_ticks);

/* Of ticks within the stretch. By value, so that it stays in registers in a loop. */
static inline uint64_t rv_clock_stretch_since(const struct rv_clock_stretch stretch, uint64_t since)
{
    return stretch.begin_ns + ((stretch.rest + since * stretch.mult) >> 32);
}

static inline uint64_t rv_clock_stretch_to_ns(const struct rv_clock_stretch stretch, uint64_t ticks)
{
    uint64_t since = ticks - stretch.begin_ticks;
    if (__builtin_expect(since >= stretch.n_ticks, 0))
        return rv_clock_to_ns_slow(stretch.clock, ticks);
    return rv_clock_stretch_since(stretch, since);
}

#endif

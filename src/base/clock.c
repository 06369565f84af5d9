/*
 * The TSC is calibrated against CLOCK_MONOTONIC by two readings of both at least 2 ms apart. Each is the tightest of
 * many tries, to exclude interruptions. One is accurate to some ns and the rate to some ppm, less than the slewing
 * of CLOCK_MONOTONIC.
 */
#include "base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#define HAS_TSC 1
#else
#define HAS_TSC 0
#endif

#define CALIBRATION_NS 2000000u
#define MOST_CORRECTION_NS 600000000000u /* of the calendar, within a file's life */
#define CALIBRATION_TRIES 64
#define INSTANT_TRIES 4
#define TSC_SHIFT 32u

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return rv_clock_time_ns(now);
}

uint64_t rv_clock_mono_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t rv_clock_real_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

uint64_t rv_clock_thread_cpu_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t rv_clock_process_cpu_ns(void)
{
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#if HAS_TSC
/* The kernel removes the TSC from its clock sources when it drifts between cores. */
static bool is_tsc_trusted(void)
{
    char sources[128];
    int fd = open("/sys/devices/system/clocksource/clocksource0/available_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true; /* no /sys in this container: trust CPUID */
    ssize_t n = read(fd, sources, sizeof sources - 1);
    close(fd);
    if (n <= 0)
        return true;
    sources[n] = '\0';
    return strstr(sources, "tsc") || strstr(sources, "kvm-clock") || strstr(sources, "hyperv");
}

bool rv_clock_has_invariant_tsc(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d >> 8 & 1) && is_tsc_trusted();
}

static uint64_t read_tsc(void)
{
    return __rdtsc();
}
#else
bool rv_clock_has_invariant_tsc(void)
{
    return false;
}

static uint64_t read_tsc(void)
{
    return rv_clock_mono_ns();
}
#endif

uint64_t rv_clock_ticks(enum rv_clock_kind kind)
{
    return kind == RV_CLOCK_MONOTONIC ? rv_clock_mono_ns() : read_tsc();
}

static struct rv_clock_instant read_instant(int n_tries)
{
    struct rv_clock_instant best = {0, 0};
    uint64_t best_gap = UINT64_MAX;
    for (int i = 0; i < n_tries; i++) {
        uint64_t before = read_tsc();
        uint64_t mono_ns = rv_clock_mono_ns();
        uint64_t gap = read_tsc() - before;
        if (gap < best_gap) {
            best_gap = gap;
            best.ticks = before + gap / 2;
            best.mono_ns = mono_ns;
        }
    }
    return best;
}

struct rv_clock_instant rv_clock_instant(enum rv_clock_kind kind)
{
    if (kind != RV_CLOCK_MONOTONIC)
        return read_instant(INSTANT_TRIES);
    uint64_t mono_ns = rv_clock_mono_ns();
    return (struct rv_clock_instant){.ticks = mono_ns, .mono_ns = mono_ns};
}

void rv_clock_begin(struct rv_clock *clock, enum rv_clock_kind kind)
{
    if (kind != RV_CLOCK_MONOTONIC && !rv_clock_has_invariant_tsc())
        kind = RV_CLOCK_MONOTONIC;
    *clock = (struct rv_clock){.kind = kind, .mult = 1};
    if (kind == RV_CLOCK_MONOTONIC) {
        clock->mono0_ns = clock->ticks0 = rv_clock_mono_ns();
        clock->real0_ns = rv_clock_real_ns();
        return;
    }
    struct rv_clock_instant first = read_instant(CALIBRATION_TRIES);
    *clock = (struct rv_clock){
        .kind = kind,
        .shift = TSC_SHIFT,
        .ticks0 = first.ticks,
        .mono0_ns = first.mono_ns,
        .real0_ns = rv_clock_real_ns() - (rv_clock_mono_ns() - first.mono_ns),
    };
}

void rv_clock_settle(struct rv_clock *clock)
{
    if (clock->mult)
        return;
    uint64_t elapsed_ns = rv_clock_mono_ns() - clock->mono0_ns;
    if (elapsed_ns < CALIBRATION_NS)
        rv_os_sleep_ns(CALIBRATION_NS - elapsed_ns);
    struct rv_clock_instant last = read_instant(CALIBRATION_TRIES);
    clock->mult =
        (uint64_t)(((rv_wide_uint)(last.mono_ns - clock->mono0_ns) << TSC_SHIFT) / (last.ticks - clock->ticks0));
}

/* Another boot began its clocks at another time; calendars may be corrected meanwhile. */
static bool is_of_this_boot(const struct rv_clock *clock, const struct rv_clock_instant *now)
{
    const uint64_t real_ns = rv_clock_real_ns(), elapsed_ns = now->mono_ns - clock->mono0_ns;
    const uint64_t expected_ns = rv_clock_after_ns(clock->real0_ns, elapsed_ns);
    const uint64_t apart_ns = real_ns > expected_ns ? real_ns - expected_ns : expected_ns - real_ns;
    return clock->mono0_ns < now->mono_ns && clock->ticks0 < now->ticks && apart_ns < MOST_CORRECTION_NS;
}

bool rv_clock_settle_for(struct rv_clock *clock)
{
    const struct rv_clock_instant now = rv_clock_instant(clock->kind);
    if (!is_of_this_boot(clock, &now))
        return false;
    rv_clock_settle(clock);
    return true;
}

void rv_clock_init(struct rv_clock *clock, enum rv_clock_kind kind)
{
    rv_clock_begin(clock, kind);
    rv_clock_settle(clock);
}

/* value * mult >> shift, saturated. */
static uint64_t scale(uint64_t value, uint64_t mult, unsigned shift)
{
    rv_wide_uint product = (rv_wide_uint)value * mult >> shift;
    return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static uint64_t move(uint64_t origin, uint64_t distance, bool is_back)
{
    if (is_back)
        return distance > origin ? 0 : origin - distance;
    return rv_clock_after_ns(origin, distance);
}

uint64_t rv_clock_to_ns_slow(const struct rv_clock *clock, uint64_t ticks)
{
    bool is_back = ticks < clock->ticks0;
    uint64_t distance = is_back ? clock->ticks0 - ticks : ticks - clock->ticks0;
    return move(clock->mono0_ns, scale(distance, clock->mult, clock->shift & 63), is_back);
}

uint64_t rv_clock_rate(const struct rv_clock *clock)
{
    const rv_wide_uint rate = ((rv_wide_uint)1 << (32 + (clock->shift & 63))) / (clock->mult ? clock->mult : 1);
    return rate > UINT64_MAX ? UINT64_MAX : (uint64_t)rate;
}

uint64_t rv_clock_ticks_at(uint64_t rate, const struct rv_clock_instant *now, uint64_t mono_ns)
{
    bool is_back = mono_ns < now->mono_ns;
    uint64_t distance = is_back ? now->mono_ns - mono_ns : mono_ns - now->mono_ns;
    rv_wide_uint ticks = (rv_wide_uint)distance * rate >> 32;
    return move(now->ticks, ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks, is_back);
}

/* 2^31 ticks, each shorter than 2 ns: neither the 64-bit product nor the result overflows. */
struct rv_clock_stretch rv_clock_stretch(const struct rv_clock *clock, uint64_t begin_ticks)
{
    const uint64_t n_ticks = UINT64_C(1) << 31, distance = begin_ticks - clock->ticks0;
    struct rv_clock_stretch stretch = {.clock = clock, .begin_ticks = begin_ticks};
    if (distance >> 60 || (distance + n_ticks) >> 60 || (begin_ticks + n_ticks) >> 60 || clock->shift > 32 ||
        clock->mult >> clock->shift > 1 || rv_clock_to_ns(clock, begin_ticks + n_ticks) == UINT64_MAX)
        return stretch;
    stretch.mult = clock->mult << (32 - clock->shift);
    stretch.rest = (uint32_t)(distance * stretch.mult);
    stretch.begin_ns = rv_clock_to_ns(clock, begin_ticks);
    stretch.n_ticks = n_ticks;
    return stretch;
}

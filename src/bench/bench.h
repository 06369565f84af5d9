/*
 * Benchmarks inside the binary: fixed seeds, median/min/n, and ratios of rows measured in one run.
 */
#ifndef RV_BENCH_BENCH_H
#define RV_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct rv_lanes;

struct rv_bench_row {
    const char *bench; /* "scan.walk10" */
    const char *unit;  /* "ns/event" */
    double median, min;
    unsigned n;
    const char *baseline; /* NULL: none */
    double ratio;         /* how many times better than the baseline, by minima of this run or by pairs of runs */
    const char *detail;   /* free text for the table: kernel, ping-pong; may be NULL */
};

struct rv_bench_out; /* where rows go: table or JSON lines */
/* Print a row, as a line of the table or of JSON, and flush it. */
void rv_bench_row(struct rv_bench_out *out, const struct rv_bench_row *row);

/* One benchmark family = one file. Each prints its rows. 0 or negative errno. */
int rv_bench_ring(struct rv_bench_out *out);
int rv_bench_drain(struct rv_bench_out *out);
int rv_bench_scan(struct rv_bench_out *out);
int rv_bench_lod(struct rv_bench_out *out);
/* Part of lod. has_few_paths: only rows are measured. */
void rv_bench_tables(struct rv_lanes *lanes, bool has_few_paths, struct rv_bench_out *out);
int rv_bench_codec(struct rv_bench_out *out);
int rv_bench_replay(struct rv_bench_out *out);
int rv_bench_render(struct rv_bench_out *out);
void rv_bench_render_model(struct rv_bench_out *out); /* part of render */
int rv_bench_export(struct rv_bench_out *out);
int rv_bench_overhead(struct rv_bench_out *out);
int rv_bench_control(struct rv_bench_out *out);
int rv_bench_patch(struct rv_bench_out *out);
/* Part of patch: set-up of the command, in whose program so many functions were found. */
int rv_bench_patch_setup(struct rv_bench_out *out, size_t n_functions);
int rv_bench_max_overhead(struct rv_bench_out *out);

/* The recording to measure on; NULL: none was given. */
const char *rv_bench_input(const struct rv_bench_out *out);

/* The command to measure, NULL-terminated; NULL: none was given. */
const char *const *rv_bench_command(const struct rv_bench_out *out);

struct rv_bench_params {
    const char *names; /* separated by commas; "" = all */
    bool is_json;
    const char *input;          /* a recording for the families that take one, or NULL */
    const char *const *command; /* a command for the families that measure one, or NULL */
    int (*draw)(const char *family, struct rv_bench_out *out); /* runs render and replay; 0 or negative errno */
};

/*
 * Run them in the order above, and write their rows.
 *   returns  0 or negative errno; -EINVAL for an unknown name
 */
int rv_bench_run(const struct rv_bench_params *params, FILE *file);

/* Make an empty file for a recording in the temporary folder; the caller removes it. 0, or a negative errno with one
 * line printed. */
int rv_bench_make_file(char *path, size_t path_bytes);

/* Median and min of n samples; sorts them. */
double rv_bench_median(double *samples, unsigned n);
/* Fixed-seed generator, the same everywhere. */
uint64_t rv_bench_random(uint64_t *state);

#endif

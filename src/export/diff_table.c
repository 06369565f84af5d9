/* Every number is written twice, before and after; a ratio without a value before is empty in text and CSV, null in
 * JSON. */
#include "export/diff_table.h"

#include <stdbool.h>

#include "base/units.h"
#include "export/table_names.h"
#include "export/text_buffer.h"
#include "model/diff_verdict.h"

enum { BEFORE = RV_DIFF_BEFORE, AFTER = RV_DIFF_AFTER };

struct number { /* a column with a value for each side */
    const char *name;
    uint64_t value[RV_DIFF_SIDES];
};

enum { N_NUMBERS = 8 };

static void numbers_of(const struct rv_diff_row *row, struct number out[N_NUMBERS])
{
    const struct rv_stats_row *before = &row->stats[BEFORE], *after = &row->stats[AFTER];
    out[0] = (struct number){"line", {row->line[BEFORE], row->line[AFTER]}};
    out[1] = (struct number){"calls", {before->n_calls, after->n_calls}};
    out[2] = (struct number){"total_ns", {before->total_ns, after->total_ns}};
    out[3] = (struct number){"self_ns", {before->self_ns, after->self_ns}};
    out[4] = (struct number){"self_p50_ns", {row->own_p50_ns[BEFORE], row->own_p50_ns[AFTER]}};
    out[5] = (struct number){"p50_ns", {before->p50_ns, after->p50_ns}};
    out[6] = (struct number){"p99_ns", {before->p99_ns, after->p99_ns}};
    out[7] = (struct number){"max_ns", {before->max_ns, after->max_ns}};
}

/* Ratio of the total times after / before; false without time before. */
static bool ratio_of(const struct rv_diff_row *row, double *ratio)
{
    uint64_t before_ns = row->stats[BEFORE].total_ns;
    *ratio = before_ns ? (double)row->stats[AFTER].total_ns / (double)before_ns : 0.0;
    return before_ns > 0;
}

/* For own and whole time: the ratio beyond the common one, and its p. */
static const char *const CHANGE_NAMES[RV_DIFF_VARIANCE_TIMES][2] = {{"self_change", "self_p"}, {"change", "p"}};

/* ---- JSON ---- */

static void add_json_row(struct rv_text_buffer *text, const struct rv_diff_row *row)
{
    struct number numbers[N_NUMBERS];
    double ratio;
    numbers_of(row, numbers);
    rv_text_buffer_add(text, "{\"name\":");
    rv_text_buffer_add_json(text, row->name);
    rv_text_buffer_add(text, ",\"file\":");
    rv_text_buffer_add_json(text, row->file);
    for (int i = 0; i < N_NUMBERS; i++)
        rv_text_buffer_format(text, ",\"%s\":[%llu,%llu]", numbers[i].name,
                              (unsigned long long)numbers[i].value[BEFORE],
                              (unsigned long long)numbers[i].value[AFTER]);
    if (ratio_of(row, &ratio))
        rv_text_buffer_format(text, ",\"total_ratio\":%.6g", ratio);
    else
        rv_text_buffer_add(text, ",\"total_ratio\":null");
    for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
        if (rv_diff_verdict_is_tested(row))
            rv_text_buffer_format(text, ",\"%s\":%.6g,\"%s\":%.6g", CHANGE_NAMES[time][0], row->changes[time].ratio,
                                  CHANGE_NAMES[time][1], row->changes[time].p);
        else
            rv_text_buffer_format(text, ",\"%s\":null,\"%s\":null", CHANGE_NAMES[time][0], CHANGE_NAMES[time][1]);
    rv_text_buffer_format(text, ",\"verdict\":\"%s\"}", rv_diff_verdict_word(row->verdict));
}

static void write_json(struct rv_text_buffer *text, const struct rv_diff_table *table)
{
    static const char *const sides[RV_DIFF_SIDES] = {"{\"before\":{\"title\":", ",\"after\":{\"title\":"};
    for (int side = 0; side < RV_DIFF_SIDES; side++) {
        rv_text_buffer_add(text, sides[side]);
        rv_text_buffer_add_json(text, table->title[side]);
        rv_text_buffer_format(text, ",\"spans\":%llu}", (unsigned long long)table->n_spans[side]);
    }
    rv_text_buffer_format(text, ",\"tested\":%zu,\"common_change\":%.6g,\"subroutines\":[", table->diff->n_tested,
                          table->diff->common_ratio);
    for (size_t i = 0; i < table->diff->n; i++) {
        rv_text_buffer_add(text, i ? ",\n" : "\n");
        add_json_row(text, &table->diff->rows[i]);
    }
    rv_text_buffer_add(text, "\n]}\n");
}

/* ---- CSV ---- */

static void write_csv(struct rv_text_buffer *text, const struct rv_diff *diff)
{
    rv_text_buffer_add(text,
                       "name,file,line_before,line_after,calls_before,calls_after,total_ns_before,total_ns_after,"
                       "self_ns_before,self_ns_after,self_p50_ns_before,self_p50_ns_after,p50_ns_before,p50_ns_after,"
                       "p99_ns_before,p99_ns_after,"
                       "max_ns_before,max_ns_after,total_ratio,self_change,self_p,change,p,verdict\n");
    for (size_t i = 0; i < diff->n; i++) {
        const struct rv_diff_row *row = &diff->rows[i];
        struct number numbers[N_NUMBERS];
        double ratio;
        numbers_of(row, numbers);
        rv_text_buffer_add_csv(text, row->name);
        rv_text_buffer_add(text, ",");
        rv_text_buffer_add_csv(text, row->file);
        for (int j = 0; j < N_NUMBERS; j++)
            rv_text_buffer_format(text, ",%llu,%llu", (unsigned long long)numbers[j].value[BEFORE],
                                  (unsigned long long)numbers[j].value[AFTER]);
        rv_text_buffer_add(text, ",");
        if (ratio_of(row, &ratio))
            rv_text_buffer_format(text, "%.6g", ratio);
        for (int time = 0; time < RV_DIFF_VARIANCE_TIMES; time++)
            if (rv_diff_verdict_is_tested(row))
                rv_text_buffer_format(text, ",%.6g,%.6g", row->changes[time].ratio, row->changes[time].p);
            else
                rv_text_buffer_add(text, ",,");
        rv_text_buffer_format(text, ",%s\n", rv_diff_verdict_word(row->verdict));
    }
}

/* ---- text ---- */

static void add_change(struct rv_text_buffer *text, const struct rv_diff_row *row)
{
    uint64_t before_ns = row->stats[BEFORE].total_ns, after_ns = row->stats[AFTER].total_ns;
    char duration[32], change[34];
    rv_units_format_ns(duration, sizeof duration, before_ns > after_ns ? before_ns - after_ns : after_ns - before_ns);
    snprintf(change, sizeof change, "%s%s", before_ns > after_ns ? "-" : "+", duration);
    rv_text_buffer_format(text, "%11s", before_ns == after_ns ? "0" : change);
}

static void add_text_row(struct rv_text_buffer *text, const struct rv_diff_row *row, const char *name)
{
    double ratio;
    add_change(text, row);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_add_duration(text, row->stats[side].total_ns);
    if (ratio_of(row, &ratio))
        rv_text_buffer_format(text, " %7.2f", ratio);
    else
        rv_text_buffer_format(text, " %7s", "");
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_format(text, " %10llu", (unsigned long long)row->stats[side].n_calls);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_add_duration(text, row->stats[side].self_ns);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_add_duration(text, row->own_p50_ns[side]);
    for (int side = 0; side < RV_DIFF_SIDES; side++)
        rv_text_buffer_add_duration(text, row->stats[side].p50_ns);
    rv_text_buffer_format(text, "  %-13s %s", rv_diff_verdict_word(row->verdict), name);
    if (row->file[0])
        rv_text_buffer_format(text, " (%s)", row->file);
    rv_text_buffer_add(text, "\n");
}

static void write_text(struct rv_text_buffer *text, const struct rv_diff_table *table)
{
    const struct rv_diff *diff = table->diff;
    size_t n_verdicts[RV_DIFF_GONE + 1] = {0};
    rv_text_buffer_format(text, "before: %s, %llu calls\nafter:  %s, %llu calls\n\n", table->title[BEFORE],
                          (unsigned long long)table->n_spans[BEFORE], table->title[AFTER],
                          (unsigned long long)table->n_spans[AFTER]);
    rv_text_buffer_format(text, "%11s %21s %7s %21s %21s %21s %21s\n", "total", "total", "", "calls", "self",
                          "self p50", "p50");
    rv_text_buffer_format(text, "%11s %10s %10s %7s", "change", "before", "after", "ratio");
    for (int i = 0; i < 4; i++)
        rv_text_buffer_format(text, " %10s %10s", "before", "after");
    rv_text_buffer_add(text, "  verdict       subroutine\n");
    char **names = rv_table_names_create(diff->rows, sizeof *diff->rows, offsetof(struct rv_diff_row, name), diff->n);
    for (size_t i = 0; i < diff->n; i++) {
        add_text_row(text, &diff->rows[i], names[i]);
        n_verdicts[diff->rows[i].verdict]++;
    }
    rv_table_names_destroy(names, diff->n);
    rv_text_buffer_format(
        text,
        "\n%zu subroutines, %zu with at least %u calls in both runs: %zu take longer themselves, %zu less "
        "long; %zu call what takes longer, %zu what takes less long\n",
        diff->n, diff->n_tested, RV_DIFF_LEAST_CALLS, n_verdicts[RV_DIFF_SLOWER], n_verdicts[RV_DIFF_FASTER],
        n_verdicts[RV_DIFF_SLOWER_INSIDE], n_verdicts[RV_DIFF_FASTER_INSIDE]);
    rv_text_buffer_format(
        text, "own times of all together: x%.2f (the machine, or the whole program); verdicts are beyond that\n",
        diff->common_ratio);
}

int rv_diff_table_write(const struct rv_diff_table *table, enum rv_report_format format, FILE *out)
{
    struct rv_text_buffer text = {0};
    switch (format) {
    case RV_REPORT_TEXT:
        write_text(&text, table);
        break;
    case RV_REPORT_CSV:
        write_csv(&text, table->diff);
        break;
    case RV_REPORT_JSON:
        write_json(&text, table);
        break;
    }
    return rv_text_buffer_finish(&text, out, 0);
}

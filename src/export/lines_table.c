#include "export/lines_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/units.h"
#include "base/vec.h"
#include "export/losses.h"
#include "export/text_buffer.h"

/* "" outside of all calls; for free(). */
static char *take_name(struct rv_subroutines *subroutines, uint32_t id)
{
    const struct rv_subroutine subroutine = rv_subroutines_get(subroutines, id);
    return id ? rv_subroutine_take_full_name(&subroutine) : rv_strdup("");
}

static void add_text_row(struct rv_text_buffer *text, const struct rv_line_table_row *row, const char *name)
{
    rv_text_buffer_format(text, "%12" PRIu64, row->sums.n_hits);
    rv_text_buffer_add_duration(text, row->sums.total_ns);
    rv_text_buffer_add_duration(text, row->sums.self_ns);
    rv_text_buffer_add(text, "  ");
    rv_text_buffer_add_utf8(text, *row->file ? row->file : "(unknown file)");
    rv_text_buffer_format(text, ":%" PRIu32 "%s", row->line, *name ? " in " : "");
    rv_text_buffer_add_utf8(text, name);
    rv_text_buffer_add(text, "\n");
}

static void add_csv_row(struct rv_text_buffer *text, const struct rv_line_table_row *row, const char *name)
{
    rv_text_buffer_add_csv(text, row->file);
    rv_text_buffer_format(text, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", row->line, row->sums.n_hits,
                          row->sums.self_ns, row->sums.total_ns);
    rv_text_buffer_add_csv(text, name);
    rv_text_buffer_add(text, "\n");
}

static void add_json_row(struct rv_text_buffer *text, const struct rv_line_table_row *row, const char *name)
{
    rv_text_buffer_add(text, "{\"file\":");
    rv_text_buffer_add_json(text, row->file);
    rv_text_buffer_format(
        text, ",\"line\":%" PRIu32 ",\"hits\":%" PRIu64 ",\"self_ns\":%" PRIu64 ",\"total_ns\":%" PRIu64 ",\"name\":",
        row->line, row->sums.n_hits, row->sums.self_ns, row->sums.total_ns);
    rv_text_buffer_add_json(text, name);
    rv_text_buffer_add(text, "}");
}

typedef void add_row_fn(struct rv_text_buffer *text, const struct rv_line_table_row *row, const char *name);

static void add_rows(struct rv_text_buffer *text, const struct rv_lines_report *report, add_row_fn *add,
                     const char *separator)
{
    for (size_t i = 0; i < report->n; i++) {
        char *name = take_name(report->subroutines, report->rows[i].subroutine);
        rv_text_buffer_add(text, i ? separator : "");
        add(text, &report->rows[i], name);
        free(name);
    }
}

static void add_sums(struct rv_text_buffer *text, const struct rv_lines_report *report)
{
    struct rv_line_sums all = {0};
    for (size_t i = 0; i < report->n; i++)
        rv_line_sums_add(&all, &report->rows[i].sums);
    rv_text_buffer_format(text, "%12" PRIu64 " %10s", all.n_hits, "");
    rv_text_buffer_add_duration(text, all.self_ns);
    rv_text_buffer_format(text, "  all %zu line%s\n", report->n, rv_units_word(report->n, "", "s"));
}

/* A row for each kind: its number as hits. */
static void add_csv_losses(struct rv_text_buffer *text, const struct rv_losses *losses)
{
    for (enum rv_loss loss = 0; losses && loss < RV_LOSS_COUNT; loss++)
        if (losses->n[loss])
            rv_text_buffer_format(text, ",0,%" PRIu64 ",0,0,(lost: %s)\n", losses->n[loss], rv_loss_words(loss));
}

static void write_text(struct rv_text_buffer *text, const void *context)
{
    const struct rv_lines_report *report = context;
    rv_text_buffer_format(text, "%12s %10s %10s  line\n", "hits", "total", "self");
    add_rows(text, report, add_text_row, "");
    add_sums(text, report);
    rv_losses_add_text(text, "lost", report->losses, RV_LOSS_EVENTS_DROPPED);
}

static void write_csv(struct rv_text_buffer *text, const void *context)
{
    const struct rv_lines_report *report = context;
    rv_text_buffer_add(text, "file,line,hits,self_ns,total_ns,name\n");
    add_rows(text, report, add_csv_row, "");
    add_csv_losses(text, report->losses);
}

static void write_json(struct rv_text_buffer *text, const void *context)
{
    const struct rv_lines_report *report = context;
    rv_text_buffer_add(text, "{\"lines\":[");
    add_rows(text, report, add_json_row, ",");
    rv_text_buffer_add(text, "],\"lost\":");
    rv_losses_add_json(text, report->losses);
    rv_text_buffer_add(text, "}\n");
}

int rv_lines_write(const struct rv_lines_report *report, enum rv_report_format format, FILE *out)
{
    const struct rv_table_forms forms = {write_text, write_csv, write_json};
    return rv_table_write(&forms, report, format, out, 0);
}

/*
 * Every format of --export: EXPORT_FORMAT(ID, name) for NAME.c with a struct rv_export_format rv_export_NAME.
 * Included where EXPORT_FORMAT is defined. The words of --export and the sources are taken from here.
 */
/* clang-format off */

EXPORT_FORMAT(CHROME, chrome)
EXPORT_FORMAT(PERFETTO, perfetto)
EXPORT_FORMAT(FOLDED, folded)
EXPORT_FORMAT(SPEEDSCOPE, speedscope)
EXPORT_FORMAT(HTML, html)

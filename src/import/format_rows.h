/*
 * Every import format, the strictest first: IMPORT_FORMAT(name) for NAME.c with a struct rv_import_format rv_import_NAME.
 * Included where IMPORT_FORMAT is defined. The words of --import, the sources and the fuzz targets are taken from here.
 */
/* clang-format off */

IMPORT_FORMAT(fxt)
IMPORT_FORMAT(cpuprofile)
IMPORT_FORMAT(firefox)
IMPORT_FORMAT(stackprof)
IMPORT_FORMAT(speedscope)
IMPORT_FORMAT(chrome)
IMPORT_FORMAT(strace)
IMPORT_FORMAT(perf)
IMPORT_FORMAT(folded)
IMPORT_FORMAT(uftrace)
IMPORT_FORMAT(ringbuffer)
IMPORT_FORMAT(rrtrace)
IMPORT_FORMAT(perl)

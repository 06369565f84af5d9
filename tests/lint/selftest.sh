#!/bin/sh
# Every lint accepts a clean tree and refuses each planted violation.
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tree=$dir/tree
n_bad=0

library() { # FILE PATH: that looks for others there
    echo 'int x;' | cc -shared -x c - -o "$1" "-Wl,-rpath,$2"
}
library "$dir/library.so" '$ORIGIN'

clean_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/src/base" "$tree/src/ring" "$tree/src/render" "$tree/src/producers/native" "$tree/include/ringviz" \
        "$tree/shaders" "$tree/assets/completion" "$tree/bin" "$tree/lib"
    cp "$dir/library.so" "$tree/lib"
    printf '#include <stdio.h>\n#include "base/err.h"\n' >"$tree/src/base/err.c"
    printf 'int rv_err(void);\n' >"$tree/src/base/err.h"
    printf '#include "ring/ring.h"\n' >"$tree/src/ring/map.h"
    printf 'rv_layer(base SOURCES err.c)\n' >"$tree/src/base/CMakeLists.txt"
    printf 'rv_layer(ring SOURCES ring.c\n    DEPENDS base)\n' >"$tree/src/ring/CMakeLists.txt"
    printf '#include "base/err.h"\n#include "ringviz/wire.h"\n' >"$tree/src/producers/native/hooks.c"
    printf '#include <GL/glew.h>\n' >"$tree/src/render/gl.c"
    cat >"$tree/src/ring/ring.c" <<'END'
#include "base/err.h"
/* A memory_order_release in a comment, and memory_order_acquire on
   the next line of it. */
    atomic_store_explicit(&head, 1, memory_order_release); /* P1 -> C1 */
    tail = atomic_load_explicit(&head, memory_order_acquire); /* C1 <- P1 */
    __atomic_compare_exchange_n(&word, &old, 1, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE); /* P2 -> C2, C2 <- P2 */
    __atomic_load_n(&word, __ATOMIC_ACQUIRE);      /* C2 <- P2 */
    __atomic_exchange_n(&word, 1, __ATOMIC_RELEASE); /* P2 -> C2 */
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
END
    printf '#version 330 core\nvoid main() { gl_Position = vec4(0.0); }\n' >"$tree/shaders/box.vert"
    printf '#version 330 core\nout vec4 o_color;\nvoid main() { o_color = vec4(1.0); }\n' >"$tree/shaders/box.frag"
    cat >"$tree/ringviz" <<'END'
#!/bin/sh
case $1 in
--help=--import) echo "does not tell: $(cat "${0%/*}/imports")." ;;
--help=--export) echo "FORMAT being $(cat "${0%/*}/exports")." ;;
*) printf "Usage\n  --report[=text]  x; see --bench\n  --export=X  z\n  --size=WxH  y\n\nIn the window:\n  W, wheel   zoom in\n" ;;
esac
END
    chmod +x "$tree/ringviz"
    printf 'folded, uftrace, perl' >"$tree/imports"
    printf 'chrome' >"$tree/exports"
    mkdir -p "$tree/tests/data/imports"
    : >"$tree/tests/data/imports/a.folded.spans"
    printf '.SH OTHER TOOLS\n.TP\n\\&\\fBfolded\\fR\n.TP\n\\&\\fBuftrace\\fR\n.TP\n\\&\\fBperl\\fR\n.SH EXPORTS\n.TP\n\\&\\fBchrome\\fR\n' >"$tree/assets/ringviz-formats.7"
    printf '# x\ncmake --preset dev\n| `--report[=text]` | x |\n| `--export=X` | `chrome` |\n| key | does |\n| `W` | zoom in |\n\n' >"$tree/README.md"
    printf '| room | what it holds | lines in files | may include |\n|---|---|---|---|\n| `base` | | 2 in 2 | nothing |\n| `ring` | | 11 in 1 | base |\n| `stream` | | | base |\n| `scan` | | | base |\n| `render` | | 1 in 1 | base |\n| `producers/native` | | 2 in 1 | ring, base |\n| `producers/perl` | | | nothing |\n' >"$tree/src/README.md"
}

lint() {
    case $1 in
    options | formats) sh "$here/$1.sh" "$tree/ringviz" "$tree" ;;
    files)
        git -C "$tree" init -q && git -C "$tree" add -- ':!ringviz' ':!imports' ':!exports' ':!lib'
        sh "$here/$1.sh" "$tree"
        ;;
    *) sh "$here/$1.sh" "$tree" ;;
    esac
}

accepts() {
    clean_tree
    lint "$1" >"$dir/said" 2>&1
    case $? in
    0 | 77) ;;
    *)
        echo "$1 refuses a clean tree:"
        cat "$dir/said"
        n_bad=$((n_bad + 1))
        ;;
    esac
}

# refuses LINT FILE TEXT: with TEXT added to FILE, or as where a library FILE looks for others.
refuses() {
    clean_tree
    mkdir -p "$(dirname "$tree/$2")"
    case $2 in
    *.so) library "$tree/$2" "$3" ;;
    *) printf '%b\n' "$3" >>"$tree/$2" ;;
    esac
    lint "$1" >"$dir/said" 2>&1
    case $? in
    1) [ -s "$dir/said" ] && return ;;
    77) return ;;
    esac
    echo "$1 accepts in $2: $3"
    n_bad=$((n_bad + 1))
}

accepts layers
refuses layers src/base/err.c '#include "ring/ring.h"'
refuses layers src/ring/ring.c '#  include "stream/queue.h"'
refuses layers src/ring/ring.c '#include "../base/err.h"'
refuses layers src/ring/ring.c '#include "ring.h"'
refuses layers src/ring/ring.c '#include <SDL2/SDL.h>'
refuses layers src/scan/block.c "#include <time.h>"
refuses layers src/render/gl.c '#include "stream/queue.h"'
refuses layers src/producers/native/hooks.c '#include "stream/queue.h"'
refuses layers src/producers/perl/ring.c '#include "base/err.h"'
refuses layers include/ringviz/wire.h '#include "base/err.h"'
refuses layers src/fresh/new.c 'int x;'
refuses layers src/base/err.c "$(yes x | head -n 300)"
refuses layers src/ring/CMakeLists.txt 'rv_layer(ring SOURCES a.c\n    DEPENDS base stream)'

accepts circles
refuses circles src/ring/ring.c '#include "ring/map.h"'
refuses circles src/README.md '| whole | its parts |\n|---|---|\n| `ring/ring` | none |\n'

accepts atomics
refuses atomics src/ring/ring.c 'atomic_store_explicit(&x, 1, memory_order_release);'
refuses atomics src/ring/ring.c 'x = __atomic_load_n(&x, __ATOMIC_ACQUIRE);'
refuses atomics src/ring/ring.c '__atomic_compare_exchange_n(&x, &y, 1, 0, __ATOMIC_ACQ_REL,\n__ATOMIC_RELAXED);\n/* P1 -> C1 */'
refuses atomics src/ring/ring.c '__atomic_thread_fence(__ATOMIC_SEQ_CST);'
refuses atomics src/ring/ring.c 'atomic_store_explicit(&x, 1, memory_order_release); /* P9 -> C9 */'
refuses atomics src/ring/ring.c 'atomic_load_explicit(&x, memory_order_acquire); /* C1 <- P3 */'
refuses atomics src/ring/ring.c '/* P8 <- C8 */\natomic_store_explicit(&x, 1, memory_order_release); /* C8 -> P8 */'
refuses atomics src/ring/ring.c 'atomic_store(&x, 1);'
refuses atomics src/ring/ring.c '__sync_synchronize();'

accepts files
for word in TODO FIXME XXX; do
    refuses files src/base/note.c "/* $word: later */"
done
refuses files src/base/err.h "/* $(printf 'word %.0s' $(seq 24)) */"
refuses files o 'output of a program'

accepts words
refuses words src/base/note.c '/* a list in sum */'
refuses words tests/note.sh '# it is told'
refuses words README.md 'whoever reads'

accepts shaders
refuses shaders shaders/box.frag 'void broken( {'
refuses shaders shaders/alone.vert '#version 330 core\nvoid main() { gl_Position = vec4(0.0); }'

accepts runpaths
for path in ':$ORIGIN' '$ORIGIN::/usr' '$ORIGIN:'; do
    refuses runpaths lib/planted.so "$path"
done

accepts formats
refuses formats imports ', strace'
refuses formats exports ', speedscope'
accepts options
refuses options README.md '| `--gone` | z |'
refuses options README.md '| `--size=W` | y |'
refuses options README.md '| key | does |
| `Z` | gone |'

[ "$n_bad" -eq 0 ]

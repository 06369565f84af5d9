#!/bin/sh
# shaders.sh ROOT: every shader compiles, in each of its forms too (#ifdef), and each pass has both of its stages.
cd "$1" || exit 1
[ -d shaders ] || exit 77
command -v glslangValidator >/dev/null 2>&1 || { echo "glslangValidator is not installed"; exit 77; }
n_bad=0
for shader in shaders/*.vert shaders/*.frag; do
    if [ ! -f "$shader" ]; then
        echo "no shaders found: $shader"
        n_bad=$((n_bad + 1))
        continue
    fi
    glslangValidator "$shader" >/dev/null || { glslangValidator "$shader"; n_bad=$((n_bad + 1)); }
    for form in $(sed -n 's/^#ifn*def //p' "$shader" | sort -u); do
        glslangValidator -l "-D$form" "$shader" >/dev/null && continue
        echo "with -D$form:"
        glslangValidator -l "-D$form" "$shader"
        n_bad=$((n_bad + 1))
    done
    case $shader in
    *.vert) other=${shader%.vert}.frag ;;
    *) other=${shader%.frag}.vert ;;
    esac
    [ -f "$other" ] || { echo "$shader: no $other"; n_bad=$((n_bad + 1)); }
done
[ "$n_bad" -eq 0 ]

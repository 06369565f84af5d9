#!/bin/sh
# broken_gl.sh RINGVIZ PROGRAM LIBRARY: without a display, without OpenGL 3.3, or when OpenGL fails or loses its context,
# one line reports it, and everything without pictures works.
set -u
ringviz=$1 program=$2 library=$3
. "${0%/*}/harness.sh"

# fails WHAT STATUS TEXT COMMAND...: COMMAND must fail with this status and one line that contains TEXT.
fails() {
    what=$1 wanted=$2 text=$3
    shift 3
    timeout 60 "$@" >"$folder/out" 2>"$folder/err"
    status=$?
    [ "$status" -eq "$wanted" ] || fail "$what: status $status"
    one_line "$what"
    grep -q "$text" "$folder/err" || fail "$what: said $(cat "$folder/err")"
}

picture="$folder/picture.png"
fails "a window without a display" 1 "no display for a window" \
    env -u DISPLAY -u WAYLAND_DISPLAY -u SDL_VIDEODRIVER "$ringviz" -- "$program"
fails "a picture by OpenGL 3.2" 1 "OpenGL 3.3 is needed" \
    env -u SDL_VIDEODRIVER MESA_GL_VERSION_OVERRIDE=3.2 "$ringviz" --screenshot="$picture" -- "$program"
fails "a picture without OpenGL" 1 "OpenGL\|display" \
    env SDL_VIDEODRIVER=dummy "$ringviz" --screenshot="$picture" -- "$program"
fails "a picture with an OpenGL error" 1 "OpenGL failed with error 0x505" \
    env LD_PRELOAD="$library" GL_ERROR_INJECTED=0x505 GL_ERROR_FROM=1 "$ringviz" --screenshot="$picture" -- "$program"
fails "a picture from a lost context" 1 "OpenGL lost its context" \
    env LD_PRELOAD="$library" GL_ERROR_INJECTED=0x507 "$ringviz" --screenshot="$picture" -- "$program"
fails "a window whose context is lost" 1 "OpenGL lost its context" \
    env LD_PRELOAD="$library" SDL_VIDEODRIVER=offscreen GL_ERROR_INJECTED=0x507 GL_ERROR_FROM=1 "$ringviz" -- "$program"
[ -e "$picture" ] && fail "a broken picture was written"
timeout 60 env -u DISPLAY MESA_GL_VERSION_OVERRIDE=3.2 SDL_VIDEODRIVER=dummy "$ringviz" --report -- "$program" \
    >"$folder/out" 2>"$folder/err" || fail "a report without OpenGL: $(cat "$folder/err")"
grep -q "fib" "$folder/out" || fail "without OpenGL the report lacks fib"
conclude

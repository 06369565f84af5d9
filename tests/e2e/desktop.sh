#!/bin/sh
# desktop.sh RINGVIZ PROGRAM COUNT_PIXELS: the window on X11 and on Wayland, at a scale of 1 and of 2: it opens, draws,
# handles keys and exits with 0. The screen is read from Xvfb's memory; weston shows its outputs in windows there.
set -u
ringviz=$1 program=$2 count_pixels=$3
. "${0%/*}/harness.sh"

background=0a0e16 pill=2a303c # the pill says that the program has ended
started=

for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done

finish() {
    for process in $started; do
        kill "$process" 2>/dev/null
    done
    wait
    rm -rf "$folder"
}
trap finish EXIT

pixels() {
    "$count_pixels" "$folder/Xvfb_screen0" "$1"
}

is_drawn() { # completely: two pictures in a row are the same
    n_pill=$(pixels $pill)
    [ "$n_pill" -gt 300 ] && [ "$(pixels $background)" -gt 200000 ] && sleep 0.2 && [ "$(pixels $pill)" = "$n_pill" ]
}

is_gone() {
    ! kill -0 "$1" 2>/dev/null
}

# window WHAT VARIABLE...: with this environment a window opens, draws and is closed by its key; $n_pill pixels are the
# pill's.
window() {
    what=$1
    shift
    env -u DISPLAY -u WAYLAND_DISPLAY "$@" timeout 200 "$ringviz" -- "$program" 20 >"$folder/out" 2>"$folder/err" &
    process=$!
    within 100 is_drawn || fail "$what: nothing was drawn"
    xdotool mousemove 300 600 mousemove 310 610 key ctrl+q # keys go where the mouse is
    if within 60 is_gone $process; then
        wait $process
        expect "$what: status" $? 0
    else
        fail "$what: Ctrl+Q did not end it"
        kill $process
    fi
    ! grep -q "^ringviz:" "$folder/err" || fail "$what: said $(cat "$folder/err")"
}

has_picture() {
    [ "$(pixels $background)" -gt 200000 ]
}

# A window is closed while its program runs: ringviz says that it waits for that.
closed_before_the_end() {
    SDL_VIDEODRIVER=x11 timeout 200 "$ringviz" -- sh -c '"$1" 20; until [ -e "$2" ]; do sleep 0.05; done' sh \
        "$program" "$folder/go" >"$folder/out" 2>"$folder/err" &
    process=$!
    within 100 has_picture || fail "a program that runs: nothing was drawn"
    xdotool mousemove 300 600 mousemove 310 610 key ctrl+q
    within 60 grep -q '^ringviz: the capture is over; sh runs on' "$folder/err" ||
        fail "a window closed before the program ends: said '$(cat "$folder/err")'"
    : >"$folder/go"
    wait $process || fail "a window closed before the program ends: status $?"
}

# weston SCALE: a compositor that has a screen of its own in a window on this one.
start_weston() {
    rm -f "$folder/wayland"*
    weston --backend=x11-backend.so --use-pixman --width=1300 --height=800 --scale="$1" --socket=wayland --idle-time=0 \
        >"$folder/weston.log" 2>&1 &
    compositor=$!
    started="$started $compositor"
    within 60 [ -S "$folder/wayland" ] || { fail "weston: $(cat "$folder/weston.log")"; return 1; }
}

is_four_times() { # WHAT ONE TWO: areas of a thing at a scale of 1 and of 2, whose letters and corners are not exact
    [ $(($2 * 33)) -lt $(($3 * 10)) ] && [ $(($3 * 10)) -lt $(($2 * 47)) ] || fail "$1: $2 pixels became $3"
}

export XDG_RUNTIME_DIR="$folder" XDG_CONFIG_HOME="$folder/config"
mkdir -p "$folder/config/ringviz"
mkfifo "$folder/number"
# An X server for each window, so that the previous one leaves no state such as a lost focus. Without -noreset
# it resets when its last client leaves, and refuses clients meanwhile.
start_screen() {
    Xvfb -displayfd 3 -noreset -screen 0 2700x1700x24 -fbdir "$folder" -nolisten tcp 3>"$folder/number" >"$folder/xvfb.log" 2>&1 &
    screen=$!
    started="$started $screen"
    read -r number <"$folder/number"
    [ -n "$number" ] || { fail "Xvfb: $(cat "$folder/xvfb.log")"; exit 1; }
    export DISPLAY=":$number"
}

end_last() { # PID WHAT: of those that are started the last
    kill "$1"
    within 60 is_gone "$1" || fail "$2 does not end"
    started=${started% *} # its number may be another's by now
}

start_screen
window "X11" DISPLAY="$DISPLAY" SDL_VIDEODRIVER=x11
once=$n_pill
end_last $screen Xvfb
start_screen
closed_before_the_end
end_last $screen Xvfb
start_screen
echo "scale = 200" >"$folder/config/ringviz/config"
window "X11 with a scale of 200" DISPLAY="$DISPLAY" SDL_VIDEODRIVER=x11
is_four_times "X11" "$once" "$n_pill"
rm "$folder/config/ringviz/config"
end_last $screen Xvfb

if ! command -v weston >/dev/null; then
    echo "weston is not installed: nothing of Wayland was tried"
    conclude
    exit
fi
for scale in 1 2; do
    start_screen
    start_weston $scale || exit 1
    window "Wayland, scale $scale" WAYLAND_DISPLAY=wayland SDL_VIDEODRIVER=wayland
    [ $scale = 1 ] && once=$n_pill
    end_last $compositor weston
    end_last $screen Xvfb
done
is_four_times "Wayland" "$once" "$n_pill"
conclude

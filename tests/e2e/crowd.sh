#!/bin/sh
# crowd.sh RINGVIZ THREADS PEAK: the cost of a thread does not grow with the number of threads, whether or not
# there are rings for all that are alive at once. Cost is counted in page faults: time depends on the machine.
set -u
ringviz=$1
threads=$2
peak=$3
. "${0%/*}/harness.sh"
n_threads=2000
most=20 # page faults that tracing adds to a thread

faults_of() { # COMMAND...: of THREADS under it, into $faults
    timeout 100 "$@" "$peak" "$folder/usage" "$threads" "$n_threads" 40 >"$folder/out" 2>"$folder/err" </dev/null ||
        fail "$*: exit status $?: $(cat "$folder/err")"
    read -r _ faults <"$folder/usage"
}

faults_of env
untraced=$faults
for rings in 1024 2048; do
    faults_of "$ringviz" --headless --rings=$rings --
    more=$(((faults - untraced) / n_threads))
    [ "$more" -le $most ] || fail "--rings=$rings: $more page faults more for each thread"
    echo "--rings=$rings: $more page faults more for each of $n_threads threads"
done
conclude

#!/bin/sh
# flows.sh RINGVIZ FLOWS PERFETTO.PROTO: flows through threads and processes, and tasks, as a program tells them.
set -u
ringviz=$1 flows=$2 proto=$3
. "${0%/*}/harness.sh"

field() { # FILE KIND COLUMN
    awk -F, -v kind="$2" -v column="$3" '$1 == kind { print $column }' "$1"
}

# Each flow has all its steps, in the calls that reported them; the child process ends the flows.
run --headless --record="$folder/run.rvz" -- "$flows" 200
expect "exit status" $status 0
run --flows=csv --output="$folder/flows" "$folder/run.rvz"
expect "exit status of --flows" $status 0
expect "flows, and those with begin and end" "$(field "$folder/flows" flow 3)/$(field "$folder/flows" flow 4)" 200/200
expect "steps of a flow" "$(field "$folder/flows" flow 13)" 3
expect "begin of a flow" "$(field "$folder/flows" flow 16)" program_flows::accept_one
expect "end of a flow" "$(field "$folder/flows" flow 19)" program_flows::answer
expect "tasks, and those with begin and end" "$(field "$folder/flows" task 3)/$(field "$folder/flows" task 4)" 200/200
expect "turns of a task, and its end" "$(field "$folder/flows" task 13)" 3
expect "thread of its end" "$(field "$folder/flows" task 18)" second
awk -F, '$1 == "task" && $10 >= 200 * 2 * 100000 && $10 < $9 { found = 1 } END { exit !found }' "$folder/flows" ||
    fail "tasks are on threads for as long as they sleep there, at least: $(cat "$folder/flows")"
run --flows=json "$folder/run.rvz"
grep -q '"call":"program_flows::accept_one"},.*"call":"program_flows::work_on"},.*"call":"program_flows::answer"}' \
    "$folder/out" || fail "not the way of a flow: $(cat "$folder/out")"
run --flows "$folder/run.rvz"
grep -q 'worker ([0-9]*) in program_flows::work_on$' "$folder/out" || fail "not the way of a flow: $(cat "$folder/out")"

# Calls by the task that was current as they began.
run --report=csv --group-by=task --output="$folder/tasks" "$folder/run.rvz"
expect "exit status of --group-by=task" $status 0
calls() { # NAME TASK
    awk -F, -v name="program_flows::$1" -v task="$2" '$1 == name && $NF == task { print $4 }' "$folder/tasks"
}
expect "calls of tasks, and of none" "$(calls part_one job) $(calls part_one '') $(calls part_two job) $(calls work_on '')" "200 100 200 200"

# Flows are the same live and replayed. In a recording merged with itself, each flow goes on in the other copy's.
run --flows=csv --output="$folder/live" -- "$flows" 200
expect "flows live" "$(field "$folder/live" flow 3)/$(field "$folder/live" flow 4)" 200/200
run --merge="$folder/both.rvz" "$folder/run.rvz" "$folder/run.rvz"
expect "exit status of --merge" $status 0
run --flows=csv --output="$folder/merged" "$folder/both.rvz"
expect "tasks of two hosts' processes" "$(field "$folder/merged" task 4)" 400

# Exports have each step, and are read back.
run --export=chrome:"$folder/run.json" --export=perfetto:"$folder/run.pftrace" "$folder/run.rvz"
expect "exit status of --export" $status 0
run --flows=csv --output="$folder/read" "$folder/run.json"
expect "flows of one's own trace" "$(grep '^flow,request,' "$folder/read" | cut -d, -f3-9,14-)" \
    "$(grep '^flow,request,' "$folder/flows" | cut -d, -f3-9,14-)"
expect "tasks of one's own trace" "$(grep '^flow,job,' "$folder/read" | cut -d, -f3-9)" \
    "$(grep '^task,job,' "$folder/flows" | cut -d, -f3-9)"
protoc --decode=perfetto.protos.Trace --proto_path="${proto%/*}" "${proto##*/}" <"$folder/run.pftrace" >"$folder/packets" ||
    fail "protoc"
expect "steps for Perfetto" "$(awk '/track_event {/ { is_wait = 0 } /categories: "wait"/ { is_wait = 1 }
    / flow_ids: / && !is_wait { n++ } / terminating_flow_ids: / && !is_wait { last++ } END { print n, last }' "$folder/packets")" "800 400"
cat >"$folder/arrows.json" <<'EOF'
[{"ph": "X", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "name": "send", "bind_id": "0x7", "flow_out": true},
 {"ph": "X", "pid": 1, "tid": 2, "ts": 20, "dur": 5, "name": "relay", "bind_id": "0x7", "flow_in": true, "flow_out": true},
 {"ph": "X", "pid": 2, "tid": 3, "ts": 30, "dur": 5, "name": "get", "bind_id": "0x7", "flow_in": true},
 {"ph": "X", "pid": 2, "tid": 3, "ts": 27, "dur": 2, "name": "before"},
 {"ph": "s", "pid": 1, "tid": 1, "ts": 12, "id": 5, "cat": "net", "name": "rpc"},
 {"ph": "f", "pid": 2, "tid": 3, "ts": 28, "id": 5, "cat": "net", "name": "rpc"},
 {"ph": "s", "pid": 1, "tid": 1, "ts": 13, "id": 5, "cat": "disk", "name": "io"},
 {"ph": "f", "pid": 2, "tid": 3, "ts": 28, "id": 5, "cat": "disk", "name": "io", "bp": "e"},
 {"ph": "s", "pid": 1, "tid": 1, "ts": 14, "id": 5, "cat": "disk", "name": "rpc"}]
EOF
run --flows=csv "$folder/arrows.json"
expect "arrows of a trace" "$(cut -d, -f2-4,8,13,16,19 "$folder/out" | tail -n +2 | LC_ALL=C sort)" \
    "bind_id,1,1,20000,3,send,get
io,1,1,15000,2,send,before
rpc,2,1,18000,2,send,get"

# Nothing is silent.
run --flows -- true
grep -q '^the program has told no flows and tasks' "$folder/out" || fail "no reason: $(cat "$folder/out")"
run --flows --from=1ms "$folder/run.rvz"
expect "exit status with --from" $status 2
one_line "--flows with --from"
run --flows --waits "$folder/run.rvz"
expect "exit status of two outputs" $status 2
conclude

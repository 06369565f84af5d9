#!/bin/sh
# max_overhead.sh RINGVIZ [NAME...]: --bench=max_overhead of real programs on work of one to two seconds each, as far as they are
# installed (Debian: gcc mawk git nodejs perl php-cli lua5.4 python3.11 sqlite3 redis-server gzip). A row: its name, the CPU time
# untraced in ms, and what is added in % with no function traced, at a limit of 10 and at one of 50: the median of pairs of runs
# at once, in brackets the least and the most.
set -eu
ringviz=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

measure() { # NAME COMMAND ARG...
    name=$1
    shift
    command -v "$1" >/dev/null || return 0
    "$ringviz" --bench=max_overhead -- "$@" | awk -v name="$name" '
        $1 == "max_overhead.untraced" { printf "%-8s %8.1f", name, $2 }
        match($0, /[-+][0-9.]+ % .*/) { printf " %26s", substr($0, RSTART) }
        END { print "" }'
}

trial_cc1() {
    awk 'BEGIN { for (i = 0; i < 230; i++) {
        printf "struct s%d { int a[%d]; double b; struct s%d *next; };\n", i, i % 7 + 1, i
        printf "int f%d(struct s%d *s, int n) { int sum = 0; for (int i = 0; i < n; i++) { ", i, i
        printf "switch (s->a[i %% %d] & 3) { case 0: sum += i * %d; break; case 1: sum ^= i << 2; break; default: ", i % 7 + 1, i
        printf "if (s->next) sum -= s->next->a[0]; } } return sum + (int)s->b; }\n" } }' >"$folder/input.c"
    measure cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 "$folder/input.c" -o /dev/null
}

trial_mawk() {
    measure mawk mawk 'BEGIN { for (i = 0; i < 6000000; i++) { n[i % 1000] += i; s = s i % 7; if (length(s) > 80) { gsub(/[12]/, "x", s); t += length(s); s = "" } } print t }'
}

trial_git() {
    git init -q "$folder/repository"
    awk 'BEGIN { for (i = 0; i < 40000; i++) print i, i * i % 977 }' >"$folder/repository/file"
    for i in $(seq 50); do
        sed -i "$((i))~$((i + 3))s/[0-9]*\$/$i/" "$folder/repository/file"
        git -C "$folder/repository" add file
        git -C "$folder/repository" -c user.name=a -c user.email=a@b commit -q -m "$i"
    done
    measure git git -C "$folder/repository" log -p --stat
}

trial_node() {
    cat >"$folder/work.js" <<'END'
const rows = []
for (let i = 0; i < 200000; i++) rows.push({ key: (i * 7919) % 100003, text: `row ${i}` })
rows.sort((a, b) => a.key - b.key)
let n = 0
for (let i = 0; i < 6; i++) n += JSON.parse(JSON.stringify(rows)).filter((row) => /7\d*3/.test(row.text)).length
console.log(n)
END
    measure node node "$folder/work.js"
}

# By a name under which it is patched; without the producer for its subs.
trial_perl() {
    cat >"$folder/work.pl" <<'END'
my (%n, @rows);
push @rows, ($_ * 7919) % 100003 for 1 .. 300000;
$n{$_ % 1000} .= chr(65 + $_ % 26) for sort { $a <=> $b } @rows;
my $n = 0;
for my $round (1 .. 100) { for (values %n) { $n++ while /[A-M][N-Z]/g } }
print "$n\n";
END
    measure perl env -u PERL5OPT perl5.36-x86_64-linux-gnu "$folder/work.pl"
}

trial_php() {
    cat >"$folder/work.php" <<'END'
<?php
$n = [];
for ($i = 0; $i < 20000000; $i++) $n[$i % 1000] = ($n[$i % 1000] ?? 0) + strlen((string)$i);
$text = str_repeat("the quick brown fox ", 20000);
for ($i = 0; $i < 100; $i++) preg_match_all('/\b[a-m]\w+\b/', $text, $words);
usort($words[0], 'strcmp');
echo array_sum($n), "\n";
END
    measure php php -n "$folder/work.php"
}

trial_lua() {
    cat >"$folder/work.lua" <<'END'
local t = {}
for i = 1, 200000 do t[i] = string.format("%06d", (i * 7919) % 100003) end
table.sort(t)
local s = table.concat(t, " ")
local n = 0
for i = 1, 20 do for w in s:gmatch("%d+7") do n = n + #w end end
print(n)
END
    measure lua lua5.4 "$folder/work.lua"
}

trial_python() {
    cat >"$folder/work.py" <<'END'
import json, re
rows = [{"key": i * 7919 % 100003, "text": f"row {i}"} for i in range(150000)]
rows.sort(key=lambda row: row["key"])
n = sum(1 for _ in range(4) for row in json.loads(json.dumps(rows)) if re.search(r"7\d*3", row["text"]))
print(n)
END
    measure python /usr/bin/python3.11 -S "$folder/work.py"
}

trial_sqlite() {
    cat >"$folder/work.sql" <<'END'
CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c INTEGER);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500000)
INSERT INTO t SELECT i, 'row ' || i, i * 7919 % 100003 FROM n;
CREATE INDEX c ON t (c);
SELECT count(*), sum(length(b)) FROM t WHERE c BETWEEN 100 AND 60000;
SELECT b, count(*) FROM t GROUP BY c % 1000 ORDER BY 2 DESC LIMIT 3;
SELECT count(*) FROM t x JOIN t y ON x.c = y.a WHERE y.b LIKE '%77%';
END
    measure sqlite sqlite3 :memory: ".read $folder/work.sql"
}

# Each server has a socket of its own and a client that gives it work, and ends it then.
serve_redis() {
    while [ -d "$folder" ]; do
        for socket in "$folder"/socket.*; do
            if [ -S "$socket" ] && mkdir "$socket+client" 2>/dev/null; then
                { redis-cli -s "$socket" eval "for i = 1, 200000 do redis.call('set', 'k' .. i % 5000, i) redis.call('zadd', 'z', i % 977, i % 5000) redis.call('lpush', 'l' .. i % 9, i) end return redis.call('zrange', 'z', 0, 9)" 0 &&
                    redis-cli -s "$socket" shutdown nosave; } >/dev/null 2>&1 &
            fi
        done
        sleep 0.01
    done
}

trial_redis() {
    command -v redis-server >/dev/null || return 0
    serve_redis &
    measure redis sh -c 'exec redis-server --port 0 --unixsocket "$0/socket.$$" --save "" --appendonly no --dir "$0"' "$folder"
    kill $!
}

trial_gzip() {
    awk 'BEGIN { for (i = 0; i < 1800000; i++) print i * 7919 % 100003, "row", i % 77 }' >"$folder/input"
    measure gzip gzip -6 -c "$folder/input"
}

printf '%-8s %8s %26s %26s %26s\n' program ms nothing limit_10 limit_50
[ $# -gt 0 ] || set -- cc1 mawk git node perl php lua python sqlite redis gzip
for name; do
    "trial_$name"
done

#!/bin/sh
# debug_info.sh RINGVIZ: declarations of functions, for all forms of debug information that compilers and tools make.
set -u
ringviz=$1
. "${0%/*}/harness.sh"
cd "$folder" || exit 1
HOME=$folder
unset XDG_CACHE_HOME DEBUGINFOD_CACHE_PATH
export HOME

mkdir -p src/include
cat >src/include/inner.h <<'END'
#pragma once

static int inner(int x)
{
    return x + 1;
}
END
cat >src/main.c <<'END'
#include "inner.h"

int outer(int x);

int main(void)
{
    return outer(inner(1)) - 3;
}
END
printf '#include "inner.h"\n\nint outer(int x)\n{\n    return inner(x);\n}\n' >src/outer.c

make() { # COMPILER FLAG...: builds the program in a folder of its own
    rm -rf build
    mkdir build
    (cd build && "$@" -finstrument-functions -I../src/include -c ../src/main.c ../src/outer.c &&
        "$@" main.o outer.o -o program) || fail "$* does not build"
}

expect_places() { # WHAT [PROGRAM]: names with the last two parts of their files, and lines
    run --report=csv -- "${2:-build/program}"
    expect "$1: exit status" $status 0
    expect "$1" "$(sed 1d out | awk -F, '{ n = split($2, f, "/"); print $1, f[n - 1] "/" f[n] ":" $3 }' | sort | tr '\n' ' ')" \
        "program::inner include/inner.h:3 program::main src/main.c:5 program::outer src/outer.c:3 "
}

for version in 2 3 4 5; do
    make gcc -gdwarf-$version
    expect_places "DWARF $version"
done
for version in 4 5; do
    make gcc -gdwarf-$version -gsplit-dwarf
    expect_places "split DWARF $version"
    make gcc -gdwarf-$version -gz -O2
    expect_places "compressed DWARF $version, optimized"
done
make gcc -g -gz=zlib-gnu
expect_places "compressed as GNU did it"
if gcc -g -gdwarf64 -c src/outer.c -Isrc/include -o /dev/null 2>/dev/null; then
    make gcc -g -gdwarf64
    expect_places "offsets of 64 bits"
fi
for clang in clang clang-14; do
    command -v $clang >/dev/null || continue
    for version in 4 5; do
        make $clang -gdwarf-$version -gsplit-dwarf
        expect_places "$clang's split DWARF $version"
    done
    make $clang -gdwarf-5 -gsplit-dwarf=single
    expect_places "$clang's, split inside of the objects"
    break
done

# ---- split DWARF, moved or lost: then the line of the code is reported ----
make gcc -g -gsplit-dwarf
mv build moved
expect_places "split, beside the program" moved/program
rm moved/*.dwo
run --report=csv -- moved/program
expect "split, and lost" "$status $(sed 1d out | grep -c '\.[ch],[1-9]')" "0 3"
rm -r moved

# ---- moved out of the program ----
strip_off() { # INTO: the program's debug information
    make gcc -g -Wl,--build-id
    objcopy --only-keep-debug build/program "$1"
    strip build/program
}
strip_off build/program.debug
expect_places "FILE.debug, by its build id"
mkdir links
mv build/program build/file && mv build/program.debug build/file.debug
ln -s ../build/file links/program
expect_places "FILE.debug, beside the file that a link leads to" links/program
strip_off linked
(cd build && objcopy --add-gnu-debuglink=../linked program && mv ../linked .)
expect_places "by .gnu_debuglink, beside the program"
(cd build && mkdir .debug && mv linked .debug)
expect_places "by .gnu_debuglink, in .debug"
make gcc -g -Wl,--build-id=none
(cd build && objcopy --only-keep-debug program linked && strip program && objcopy --add-gnu-debuglink=linked program)
expect_places "by .gnu_debuglink and its checksum"
printf x >>build/linked
run --report=csv -- build/program
expect "a debug file of another program" "$status $(sed 1d out | grep -c '\.[ch],[1-9]')" "0 0"
strip_off fetched
id=$(readelf -n build/program | awk '/Build ID/ { print $3 }')
for cache in .cache/debuginfod_client .debuginfod_client_cache; do
    mkdir -p "$cache/$id"
    cp fetched "$cache/$id/debuginfo"
    expect_places "debuginfod's cache, $cache"
    rm -r "$cache"
done
mkdir -p "cache/$id" && mv fetched "cache/$id/debuginfo"
DEBUGINFOD_CACHE_PATH=$folder/cache
export DEBUGINFOD_CACHE_PATH
expect_places "debuginfod's cache, in DEBUGINFOD_CACHE_PATH"
unset DEBUGINFOD_CACHE_PATH

# ---- from debuginfod's servers ----
serve() { # COMMAND...: it writes its port, and goes on; DEBUGINFOD_URLS names it
    "$@" >port &
    server=$!
    within 30 test -s port || fail "no server: $*"
    DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
}

end_server() {
    kill $server
    wait $server 2>/dev/null
    rm port
}

any_port='use Socket; socket(S, PF_INET, SOCK_STREAM, 0); bind(S, sockaddr_in(0, INADDR_LOOPBACK)); $| = 1;
    END { close S } sub port { (sockaddr_in(getsockname(S)))[0] }'
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
if command -v debuginfod >/dev/null; then
    DEBUGINFOD_CACHE_PATH=$folder/fetched
    rm -rf store
    mkdir store
    strip_off store/program.debug
    id=$(readelf -n build/program | awk '/Build ID/ { print $3 }')
    # shellcheck disable=SC2016 # perl's
    serve perl -e "$any_port"' my $port = port(); close S; print "$port\n"; close STDOUT;
        exec "debuginfod", "-p", $port, "-d", ":memory:", "-F", "store", "2>/dev/null"' 2>/dev/null
    mkdir ready
    echo 0 >ready/cache_miss_s
    DEBUGINFOD_CACHE_PATH=$folder/ready check "the server has the file" within 60 debuginfod-find debuginfo "$id" >/dev/null 2>&1
    run --report=csv -- build/program
    expect "not fetched unless asked for" "$status $(sed 1d out | grep -c '\.[ch],[1-9]') $(test -e fetched; echo $?)" "0 0 1"
    run --debuginfod --report=csv -- build/program
    expect "fetched: exit status" $status 0
    expect "fetched: names" "$(sed 1d out | awk -F, '{ n = split($2, f, "/"); print $1, f[n] ":" $3 }' | sort | tr '\n' ' ')" \
        "program::inner inner.h:3 program::main main.c:5 program::outer outer.c:3 "
    end_server
    expect_places "fetched once, and kept in debuginfod's cache"
    DEBUGINFOD_CACHE_PATH=$folder/refused
    run --debuginfod --report=csv -- build/program
    expect "a server that is gone" "$status $(sed 1d out | grep -c ::0x)" "0 4"
    expect "a server that is gone: said once" "$(grep -c 'cannot be fetched' err)" 1
    for answer in src/main.c /bin/true; do
        # shellcheck disable=SC2016 # perl's
        serve perl -e "$any_port"' listen S, 9; print port(), "\n"; close STDOUT; $SIG{PIPE} = "IGNORE"; local ($/, @ARGV) = (undef, @ARGV);
            my $answer = <>; $/ = "\r\n";
            while (accept my $client, S) {
                open my $asked, ">>", "asked"; print $asked scalar <$client>; close $asked;
                while (<$client> ne $/) {}
                print $client "HTTP/1.0 200 OK$/Content-Length: ", length $answer, "$/$/$answer"; close $client }' $answer
        DEBUGINFOD_CACHE_PATH=$folder/sent
        run --report=csv -- build/program
        expect "$answer: not asked for" "$status $(test -e asked; echo $?)" "0 1"
        run --debuginfod --report=csv -- build/program
        expect "$answer is sent: the report" "$status $(sed 1d out | grep -c ::0x)" "0 4"
        expect "$answer is sent: said once" "$(grep -c 'not its debug file' err)" 1
        expect "$answer is sent: asked for once" "$(grep -c "^GET /buildid/$id/debuginfo " asked) $(wc -l <asked)" "1 1"
        end_server
        rm -r sent asked
    done
    # shellcheck disable=SC2016 # perl's
    serve perl -e "$any_port"' listen S, 9; print port(), "\n"; close STDOUT; sleep 1000'
    DEBUGINFOD_CACHE_PATH=$folder/silent
    "$ringviz" --debuginfod --report=csv -- build/program >out 2>err </dev/null &
    pid=$!
    within 30 test -e silent || fail "the silent server is not asked"
    sleep 3 # daemons would be reported by then
    expect "a server that does not answer is no daemon" "$(grep -c 'run on' err)" 0
    kill -TERM $pid
    check "a server that does not answer: TERM ends it" within 20 eval "! kill -0 $pid 2>/dev/null"
    wait $pid
    expect "a server that does not answer: the report" "$(sed 1d out | grep -c ::0x)" 4
    end_server
    # shellcheck disable=SC2016 # perl's
    if [ "$(id -u)" -eq 0 ] && unshare -m mount --bind src/main.c /etc/resolv.conf 2>/dev/null; then
        serve perl -e 'use Socket; socket(S, PF_INET, SOCK_DGRAM, 0); bind(S, sockaddr_in(53, inet_aton("127.0.0.9"))) or exit;
            $| = 1; print "53\n"; close STDOUT; sleep 1000'
        DEBUGINFOD_CACHE_PATH=$folder/nameless
        DEBUGINFOD_URLS=http://debug-files.test/
        printf 'nameserver 127.0.0.9\noptions timeout:30 attempts:5\n' >resolv.conf
        for script in 'exec build/program' 'build/program; exec sleep 1000'; do
            rm -rf nameless
            unshare -m sh -c 'mount --bind resolv.conf /etc/resolv.conf && exec "$@"' sh \
                "$ringviz" --debuginfod --report=csv -- sh -c "$script" >out 2>err </dev/null &
            pid=$!
            within 30 test -e nameless || fail "$script: no server's name is looked up"
            sleep 1
            kill -TERM $pid
            check "$script, a name server that does not answer: TERM ends it" within 20 eval "! kill -0 $pid 2>/dev/null"
            wait $pid
            expect "$script, a name server that does not answer: the report" "$(grep -c '^program::0x' out)" 4
        done
        end_server
    fi
    make gcc -g -Wl,--build-id
    run --debuginfod --report=csv -- build/program
    expect "debug information of its own: nothing is fetched" "$status $(grep -c 'cannot be fetched' err)" "0 0"
    unset DEBUGINFOD_CACHE_PATH
fi
unset DEBUGINFOD_URLS
run --debuginfod --report -- build/program
expect "no server is named" "$status" 1
one_line "no server is named"

# ---- shared by dwz ----
if command -v dwz >/dev/null; then
    for version in 4 5; do
        make gcc -gdwarf-$version
        cp build/program build/other
        (cd build && dwz program)
        expect_places "dwz, DWARF $version"
        make gcc -gdwarf-$version
        cp build/program build/other
        (cd build && dwz -m shared program other && readelf -S program | grep -q debugaltlink) || fail "dwz -m"
        expect_places "dwz with a shared file, DWARF $version"
        rm -f build/shared
        run --report=csv -- build/program
        expect "dwz, and its shared file lost" $status 0
    done
fi
conclude

#!/bin/sh
# Fuzzes the readers of the tool, guided by coverage, with libFuzzer.
#
#   scripts/fuzz-readers.sh [SECONDS [READER...]]
#
# SECONDS (default 60) is the time for each reader; READER is a folder of fuzz/corpus (default: all of them). Inputs that
# reach new code are kept in build/fuzz/READER, not in the repository. An input that crashes a reader, or takes longer
# than 10 seconds or 2 GB, is written to fuzz/corpus/READER: `make test` replays it from then on. Exit code 1 if there is one.
#
# Works with a stable compiler: coverage is LLVM's own pass, for which rustc has a stable option.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls fuzz/corpus)

host=$(rustc -vV | sed -n 's/^host: //p')
target=$PWD/build/fuzz-target
# The target is named so that build scripts and macros are not instrumented.
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares" \
    cargo build --release --manifest-path fuzz/Cargo.toml --target "$host" --target-dir "$target"

failed=0
for reader; do
    [ -d "fuzz/corpus/$reader" ] || { echo "fuzz-readers: fuzz/corpus has no folder $reader" >&2; exit 2; }
    mkdir -p "build/fuzz/$reader"
    echo "fuzz-readers: $reader, $seconds seconds"
    LOSTBITS_READER=$reader "$target/$host/release/readers" "build/fuzz/$reader" "fuzz/corpus/$reader" \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix="fuzz/corpus/$reader/" 2>"build/fuzz/$reader.log" || failed=1
    grep -E 'ERROR|panicked|execs/s|number_of_executed|average_exec' "build/fuzz/$reader.log" || true
done
exit $failed

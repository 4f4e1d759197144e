#!/bin/sh
# Shows what Anaphora is for: run_demo.sh BUILD_DIR [REPLAYS]. Exit status 0 if every replay was the same as the
# recording.
set -u
build=${1:?usage: run_demo.sh BUILD_DIR [REPLAYS]}
replays=${2:-20}
here=$(cd "$(dirname "$0")" && pwd)
native_cxx=$(command -v clang++-19 || command -v clang++ || command -v g++)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "demo: $1" >&2
  exit 1
}

echo "1. A racy program, compiled as usual, six times:"
"$native_cxx" -std=c++20 -O2 -g -pthread "$here/racy.cc" -o "$work/native" || fail "the native compiler failed"
for run in 1 2 3 4 5 6; do
  echo "     $("$work/native" | tail -n 1)"
done

echo "2. The same program, compiled with anaphora-c++ and recorded once:"
"$build/bin/anaphora-c++" -std=c++20 -O2 -g -pthread "$here/racy.cc" -o "$work/racy" || fail "anaphora-c++ failed"
timeout 60 "$build/bin/anaphora" record -o "$work/trace" "$work/racy" > "$work/recorded" 2> "$work/record.log"
status=$?
[ $status -eq 0 ] || { cat "$work/record.log" >&2; fail "recording ended with status $status"; }
echo "     $(tail -n 1 "$work/recorded")"

echo "3. The recording, replayed $replays times:"
same=0
run=1
while [ $run -le "$replays" ]; do
  timeout 60 "$build/bin/anaphora" replay -a "$work/trace" > "$work/replayed" 2> "$work/replay.log"
  status=$?
  if [ $status -eq 0 ] && cmp -s "$work/recorded" "$work/replayed"; then
    same=$((same + 1))
  else
    echo "     replay $run differs (status $status):"
    diff "$work/recorded" "$work/replayed" | head -n 5
    cat "$work/replay.log"
  fi
  run=$((run + 1))
done
echo "     $(tail -n 1 "$work/replayed")"
echo "     $same of $replays replays printed the same, to the last byte: the counter, the order of the lines,"
echo "     the random number and the microseconds."
[ $same -eq "$replays" ] || exit 1
echo "Next: anaphora record ./your-program, then anaphora replay -a. The other bugs are in examples/README.md."

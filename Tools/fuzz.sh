#!/usr/bin/env bash
# Feeds the readers with damaged inputs for HOURS: each target of Tests/Fuzz in turn, or those that are
# named, on all processors (FUZZ_JOBS sets how many). What reaches new code is kept in .build/fuzz/corpus,
# from which the next hours go on; an input that ends the process, hangs or takes too much memory is
# kept in .build/fuzz/finds, and told at the end with exit status 1.
#
#   Tools/fuzz.sh HOURS [TARGET...]
#   Tools/fuzz.sh again FILE...      # each an input of .build/fuzz/finds/TARGET
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { sed -n '2,8s/^# \?//p' "$0"; exit 64; }

export MESHPIPE_FUZZ=1
home=.build/fuzz
driver=$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')/clang/lib/linux/libclang_rt.fuzzer_no_main-$(uname -m).a
[ -e "$driver" ] || { echo "fuzz: this toolchain has no libFuzzer ($driver)" >&2; exit 69; }
coverage=edge,inline-8bit-counters,pc-table,trace-cmp
swift build --configuration release --product Fuzz --scratch-path "$home/build" --sanitize address \
  -Xswiftc -sanitize-coverage=$coverage \
  -Xcc -fsanitize-coverage=$coverage -Xlinker "$driver" -Xlinker -lstdc++
fuzz=$home/build/release/Fuzz
# Of a folder in memory, where there is one: thousands of files are written each second.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
# The search for the lines of a trap would outlast the time.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_sigbus=0

if [ "$1" = again ]; then
  shift
  for file; do
    MESHPIPE_FUZZ_TARGET=$(basename "$(dirname "$file")") "$fuzz" -timeout=20 -rss_limit_mb=3000 "$file"
  done
  exit
fi

hours=$1
shift
read -ra targets <<< "${*:-$("$fuzz" | tr '\n' ' ')}"
seconds=$(awk "BEGIN { print int($hours * 3600 / ${#targets[@]}) }")
for target in "${targets[@]}"; do
  corpus=$home/corpus/$target finds=$home/finds/$target
  mkdir -p "$corpus" "$finds"
  export MESHPIPE_FUZZ_TARGET=$target
  MESHPIPE_FUZZ_SEEDS=$corpus "$fuzz"
  case $target in
    pipeline) cp pipelines/*.json Tests/PipelineTests/Broken/*.json "$corpus" ;;
    manifest) cp examples/plugins/*/*.json "$corpus" ;;
    capture) cp Tests/Fuzz/Seeds/capture/* "$corpus" ;;
  esac
  echo "fuzz: $target, $seconds s"
  # Each job is a process of its own, and goes on behind a find.
  "$fuzz" -fork="${FUZZ_JOBS:-$(getconf _NPROCESSORS_ONLN)}" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1 \
    -max_total_time="$seconds" -max_len=20000 -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
    -artifact_prefix="$finds/" "$corpus" > "$home/$target.log" 2>&1 || true
  grep -E '^#[0-9]+' "$home/$target.log" | tail -n 1
done
finds=$(find "$home/finds" -type f | wc -l)
echo "fuzz: $finds finds in $home/finds"
[ "$finds" = 0 ]

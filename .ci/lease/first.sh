#!/usr/bin/env bash
# first.sh OUT SECONDS: on a machine with a GPU that is lent for minutes: are the bytes right, how fast is it,
# and which assumption of the model is wrong? second.sh has what comes after it. See steps.sh.
set -uo pipefail
# shellcheck source=.ci/lease/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
begin first 330 "$@"

# data: num_plasma as words, and as many of them as fill a GPU.
data() {
  local i
  "$program" data decode "$folder/data/num_plasma.trace.fpc" "$room/plasma.f64" &&
    for i in 1 2; do cat "$room/plasma.f64"; done >"$room/large.f64" &&
    for ((i = 0; i < 16; ++i)); do cat "$room/large.f64"; done >"$room/gigabyte.f64" &&
    stat -c '%n %s' "$room"/*.f64
}

# there_and_back NAME CHUNK_WORDS METHOD: a generated program writes the library's bytes, and restores them;
# the first one restores a gigabyte, too.
there_and_back() {
  local container=$room/$1.fps back=$room/back.f64
  "$bin/$1" compress --force "$room/large.f64" "$container" &&
    "$program" compress "$3" --chunk-words "$2" "$room/large.f64" "$room/library.fps" --force &&
    cmp "$container" "$room/library.fps" &&
    "$bin/$1" decompress --force "$container" "$back" &&
    cmp "$room/large.f64" "$back" && stat -c '%n %s' "$container" || return
  [[ $1 == "$(head -n 1 "$folder/methods" | cut -d ' ' -f 1)" ]] || return 0
  "$bin/$1" compress --force "$room/gigabyte.f64" "$container" &&
    "$bin/$1" decompress --force "$container" "$back" &&
    cmp "$room/gigabyte.f64" "$back" && stat -c '%n %s' "$container" "$back"
}
export -f data there_and_back

start_checked stop
for precision in double single; do
  step "search_$precision" 35 rows "$program" bench search "$plasma" --backend cuda --precision "$precision" \
    --repetitions 2 --reference 64 --json
done
# One at a time, so that each is there when it has ended. Generated code is compiled by nvcc, if it is here.
for method in "LNV6s BIT LNV1s ZE" "LNV2s LNV2s LNV2x | ZE" "LNV1s BINS" "DIM2 BINS | ZEC"; do
  step "pipelines_$(tr -cs '[:alnum:]\n' _ <<<"$method")" 16 rows "$program" bench pipelines "$method" \
    --data "$plasma" --precision double --backend cuda --repetitions 20 --json
done
step data 8 text bash -c data
while read -r project words method; do
  step "generated_$project" 10 text bash -c 'there_and_back "$@"' - "$project" "$words" "$method"
done <"$folder/methods"

# Every second chunk is more than a GPU holds at once. ncu repeats the first launches a dozen times.
walk=("$program" search "$plasma" --backend cuda --precision double --sample 2)
profiled ncu_verified 24 "${walk[@]}" --out "$scratch/verified"
profiled ncu_counted 14 "${walk[@]}" --verify none --out "$scratch/counted"
profiled ncu_compress 10 "$program" compress "LNV6s BIT LNV1s ZE" "$room/large.f64" "$room/ncu.fps" \
  --backend cuda --force
profiled ncu_decompress 10 "$program" decompress "$room/ncu.fps" "$room/ncu.f64" --backend cuda --force
for tests in components codec; do sanitized_tests memcheck "$tests" 20; done
end_steps

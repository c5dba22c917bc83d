#!/usr/bin/env bash
# second.sh OUT SECONDS [differs]: on a machine with a GPU that is lent for minutes, after first.sh: races,
# layouts, baselines and tests; or, with `differs`, which tests fail where `gpu check` found a wrong byte,
# and what compute-sanitizer says of these. See steps.sh.
set -uo pipefail
# shellcheck source=.ci/lease/steps.sh
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
mode=${3:-}
[[ $mode != differs ]] || set -- "${@:1:2}"
begin second 300 "$@"
folders=(components codec search baselines)

if [[ $mode == differs ]]; then
  start_checked go-on
  # A wrong byte that is another one the second time is a race.
  step check_again 25 statuses "$program" gpu check --limit "$(limit_of each 20)" --json
  for tests in "${folders[@]}"; do tests_step "$tests" 20; done
  for tests in "${folders[@]}"; do
    failing=$(sed -n 's/^\[  FAILED  \] \([^ ,]*\.[^ ,]*\).*/\1/p' "$results/test_$tests.part" 2>/dev/null | sort -u | paste -sd :)
    [[ $failing ]] || continue
    for tool in memcheck racecheck synccheck; do sanitized_tests "$tool" "$tests" 20 "$failing"; done
  done
  end_steps
  exit
fi

# both COMMAND...: two of it at once, as two ranks on one GPU are.
both() {
  local other=0
  "$@" &
  "$@" >/dev/null || other=$?
  wait $! && return "$other"
}
export -f both

start_checked stop
for tests in "${folders[@]}"; do tests_step "$tests" 12; done
step two_processes 30 statuses bash -c 'both "$@"' both "$program" gpu check --limit "$(limit_of each 20)" --json
# Blocks that look back at each other's sums, again and again.
step repeated_codec 20 tests "$bin/test_codec" --gtest_brief=1 --gtest_filter="$short" --gtest_repeat=20 \
  --gtest_break_on_failure
step baselines 30 rows "$program" bench pipelines "LNV1s BINS" --data "$plasma" --precision double --backend cuda \
  --baselines --no-generated --repetitions 5 --json
step layouts 50 rows "$program" bench search "$plasma" --backend cuda --layouts --repetitions 1 --reference 64 --json
small=("$program" search "$plasma" --stages 2 --backend cuda --precision double --sample 256)
for tool in racecheck synccheck; do
  sanitized_tests "$tool" codec 24
  sanitized "${tool}_search" 15 "$tool" "${small[@]}" --out "$scratch/$tool"
done
end_steps

#!/usr/bin/env bash
# gpu_test.sh: `./run gpu` on a stand-in for a machine with a GPU, whose program, tests and tools fail,
# hang or crash in every step: no step is left out, and each has its line. Needs python3, which reads
# the lines; without it, exit status 77.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v python3 >/dev/null || { echo "skipped: python3 is not here" && exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/fpsynth_gpu_XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp -r "$root/run" "$root/.ci" .
failures=0
not_ok() {
  echo "not ok: $1"
  failures=$((failures + 1))
}

# stand_in FILE...: programs that do what FAKE says.
stand_in() {
  local file
  for file in "$@"; do
    cat >"$file" <<'END'
#!/usr/bin/env bash
case ${0##*/} in
  nvidia-smi) [[ $FAKE == hangs ]] || { echo "fake ${1#*=}" && exit; } ;;
  fpsynth) [[ $1 != --version ]] || { echo "fpsynth 0, a stand-in" && exit; } ;;
esac
case $FAKE in
  works) ;;
  fails)
    printf 'Wrong "bytes" in chunk\t3 of \\x: \xff\n' >&2
    echo half
    exit 1
    ;;
  hangs)
    # Every other one does not even listen.
    ((RANDOM % 2)) && trap '' TERM
    sleep 60 &
    wait
    sleep 60
    ;;
  crashes) kill -SEGV $$ ;;
esac
[[ ${0##*/} == fpsynth ]] && echo '{"figure": 1, "multiprocessors": 132}' || echo "[  PASSED  ] 3 tests."
END
    chmod +x "$file"
  done
}
mkdir prebuilt tools
stand_in prebuilt/{fpsynth,test_{components,codec,search,baselines,timing}} \
  tools/{nvidia-smi,ncu,compute-sanitizer}
mkdir -p tests/cli
ln -s "$folder/prebuilt/test_codec" tests/cli/cli_test.sh

# gpu FAULT OPTION...: runs the verb; the status is in $status, the lines "STEP STATUS" in FAULT.steps.
gpu() {
  FAKE=$1 PATH=$folder/tools:$PATH FPSYNTH_GPU_STEP_LIMIT=${limit:-0.3} ./run gpu --out "$1" "${@:2}" \
    >"$1.out" 2>&1 </dev/null
  status=$?
  [[ ! -e $1/steps.jsonl ]] || steps "$1"
}
steps() {
  python3 - "$1" >"$1.steps" <<'END' || not_ok "$1: lines or provenance that are not JSON"
import json, sys
for line in open(sys.argv[1] + "/steps.jsonl"):
    step = json.loads(line)
    assert {"step", "command", "status", "seconds", "limit", "why", "log"} <= step.keys()
    assert (step["why"] != "") == (step["status"] != "ok")
    print(step["step"], step["status"].replace(" ", "_"))
about = json.load(open(sys.argv[1] + "/provenance.json"))
assert len(about["sha256"]) == 64 and about["program"].startswith("fpsynth 0")
END
}
# all_are FAULT STATUS: all steps have this status.
all_are() {
  local others
  others=$(grep -v " $2\$" "$1.steps") && not_ok "$1: steps that are not $2: $others"
  cmp -s <(cut -d ' ' -f 1 works.steps) <(cut -d ' ' -f 1 "$1.steps") || not_ok "$1: the steps are others"
}

limit=60 gpu works --prebuilt prebuilt
((status == 0)) || not_ok "exit status $status where all works: $(tail -n 3 works.out)"
all_are works ok
(($(wc -l <works.steps) > 30)) || not_ok "only $(wc -l <works.steps) steps"
[[ $(head -n 3 works.steps | cut -d ' ' -f 1 | paste -sd ' ') == "check bench_search_double bench_search_single" ]] ||
  not_ok "the first steps are others: $(head -n 3 works.steps)"
[[ $(cat works/bench_search_double.json) == '{"figure": 1, "multiprocessors": 132}' ]] || not_ok "no result of bench search"
for fact in '"driver_version": "fake driver_version"' '"multiprocessors": "132"'; do
  grep -q "$fact" works/provenance.json || not_ok "not in the provenance: $fact"
done
[[ ! $(find works -name '*.part') ]] || not_ok "temporary files are left"

gpu hangs --prebuilt prebuilt &
gpu fails --prebuilt prebuilt
((status == 1)) || not_ok "exit status $status where all fails"
all_are fails failed
grep -q 'Wrong \\"bytes\\" in chunk\\t3 of \\\\x' fails/steps.jsonl || not_ok "the end of the log is not there"
[[ $(cat fails/check.failed) == half && ! -e fails/check.json ]] || not_ok "half a result is a result"
gpu crashes --prebuilt prebuilt
all_are crashes crashed
wait
all_are hangs timed_out

# Tools and tests that are not there, and time that is up, are said.
mv prebuilt/test_codec codec
mv tools/ncu tools/compute-sanitizer .
PATH=/usr/bin:/bin gpu works --prebuilt prebuilt --budget 1
((status == 1)) || not_ok "exit status $status where nothing was done"
[[ $(tail -n 1 works.steps) == "cli skipped" ]] || not_ok "not skipped, for want of time: $(tail -n 1 works.steps)"
rm -r works
limit=60 gpu works --prebuilt prebuilt
for step in "test_codec skipped" "test_search ok"; do
  grep -qx "$step" works.steps || not_ok "not in the lines: $step"
done
mv codec prebuilt/test_codec

# A lease that ends loses the step in progress alone.
rm -r works
cp prebuilt/fpsynth fpsynth
sed -i '2i [[ $* != *layouts* ]] || { touch started; exec sleep 60; }' prebuilt/fpsynth
FAKE=works PATH=$folder/tools:$PATH setsid ./run gpu --prebuilt prebuilt --out works >works.out 2>&1 &
until [[ -e started ]]; do sleep 0.05; done
kill -KILL -- -"$(pgrep -o -f "$folder/prebuilt/fpsynth bench search --backend cuda --layouts")" 2>/dev/null
{ kill -KILL -- "-$!" && wait; } 2>/dev/null
steps works
[[ $(cut -d ' ' -f 2 works.steps | sort | uniq -c | tr -s ' ') == " 3 ok" ]] || not_ok "lost: $(cat works.steps)"
mv fpsynth prebuilt/fpsynth

# Without --prebuilt: no network, and tests that cannot be built.
cat >tools/cmake <<'END'
#!/usr/bin/env bash
[[ $* != *tests_of_gpu* ]] || exit 1
mkdir -p build/cuda/bin && cp prebuilt/fpsynth prebuilt/test_codec build/cuda/bin
END
printf '#!/bin/sh\nexit 100\n' >tools/apt-get
for tool in dpkg-query apt-cache sudo; do cp tools/apt-get "tools/$tool"; done
printf '#!/bin/sh\n' >tools/nvcc
chmod +x tools/*
rm -r works
limit=60 gpu works
for step in "build_tests failed" "bench_search_double ok" "test_codec ok" "test_search skipped"; do
  grep -qx "$step" works.steps || not_ok "where tests cannot be built, not in the lines: $step"
done

# Wrong use.
for options in "--budget soon" "--budget 0" "--backend cuda" "--prebuilt"; do
  # shellcheck disable=SC2086 # words
  ./run gpu $options >/dev/null 2>.err && not_ok "accepted: $options"
  [[ -s .err ]] || not_ok "no message for $options"
done
((failures == 0))

#!/usr/bin/env bash
# gpu_test.sh: a rehearsal of `./run gpu --prepare`, first.sh and second.sh, in which shell scripts stand in for
# the program, the tests, the tools and the GPU, and fail, hang or crash where a case says so. Needs python3,
# which reads the results; without it, exit status 77.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v python3 >/dev/null || { echo "skipped: python3 is not here" && exit 77; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/fpsynth_gpu_XXXXXX") || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/checkout/tests/{vectors,fuzz/seeds} "$folder"/{tools,data} && cd "$folder/checkout" || exit 1
cp -r "$root/run" "$root/.ci" .
cp "$root/tests/vectors/components.json" tests/vectors/
cp -r "$root/tests/fuzz/seeds/container" tests/fuzz/seeds/
failures=0
not_ok() {
  echo "not ok: $1"
  failures=$((failures + 1))
}
# says FILE TEXT, says_not FILE TEXT
says() { grep -qF -- "$2" "$1" || not_ok "$1 does not say '$2': $(tail -n 5 "$1")"; }
says_not() { ! grep -qF -- "$2" "$1" || not_ok "$1 says '$2'"; }

# --- stand-ins -----------------------------------------------------------------------------------

# A call that matches AT ends as FAULT says. Of the arguments, paths from the root are files.
cat >"$folder/stand_in" <<'END'
#!/usr/bin/env bash
call="${0##*/} $*" files=()
echo "$call" >>"${CALLS:-/dev/null}"
for argument; do [[ $argument != /* ]] || files+=("$argument"); done
# shellcheck disable=SC2053 # a pattern
if [[ ${AT:-} && $call == $AT ]]; then
  echo '{"benchmark":"search", "rows": [' && echo ' {"name":"half a document","gb_per_s":1.5}'
  case $FAULT in
    fails) echo '[  FAILED  ] Stages.Zero (1 ms)' && printf 'Wrong "bytes" in chunk\t3 of \\x: \xff\n' >&2 && exit 1 ;;
    lacks) exit 2 ;;
    crashes) kill -SEGV $$ ;;
    hangs) sleep 60 ;;
    # It does not even listen.
    wedged) trap '' TERM && sleep 60 & wait && sleep 60 ;;
    talks) yes '{"name":"LNV6s BIT LNV1s ZE","how":"library","gb_per_s":123.456789}' | head -n 20000 ;;
  esac
fi
case $call in
  fpsynth\ --version*) echo "fpsynth 0, a stand-in" ;;
  fpsynth\ gpu*)
    echo '{ "steps": [' && echo '  {"name":"open","status":"ok","seconds":0.1,"detail":""},'
    echo '  {"name":"MPC","status":"skipped","seconds":0.1,"detail":"no memory"}' && echo ']}'
    ;;
  fpsynth\ bench*)
    echo '{"benchmark":"search", "rows": ['
    echo ' {"name":"shared prefixes, counting","chunks":2904,"pipeline_bytes_per_second":3.25e12,"seconds":[1,2]}' && echo ']}'
    ;;
  fpsynth\ data*) head -c 4096 /dev/zero >"${files[1]}" ;;
  fpsynth\ generate*) mkdir -p "${*: -1}" ;;
  test_*) echo "[  PASSED  ] 3 tests." ;;
  ncu*)
    echo '==PROF== Connected'
    echo '"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
    for metric in Duration "Active Warps Per Scheduler" "Other"; do echo "\"0\",\"1\",\"void fpsynth::Walk(int)\",\"s\",\"$metric\",\"u\",\"2.75\""; done
    ;;
  compute-sanitizer*) echo "[  PASSED  ] 3 tests." && echo "========= ERROR SUMMARY: 0 errors" ;;
  nvidia-smi*) echo "A GPU, 9.0" ;;
  cmake\ --preset*) ;;
  cmake\ --build\ --preset*)
    mkdir -p build/gpu-portable/bin
    for name in fpsynth test_components test_codec test_search test_baselines; do cp "${0%/*}/../stand_in" build/gpu-portable/bin/$name; done
    ;;
  dpkg-query*) [[ $call == *lib@(gtest|boost-context)-dev ]] || echo installed ;;
  apt-cache*) echo "Package: known" ;;
  nvcc\ --help) echo "--compress-mode" ;;
  nvcc\ *-o*) cp "${0%/*}/../stand_in" "${*: -1}" ;;
  *compress*) cp "${files[0]}" "${files[1]}" ;;
esac
exit 0
END
chmod +x "$folder/stand_in"
stand_in() { for file; do cp "$folder/stand_in" "$folder/tools/$file"; done; }
stand_in cmake nvcc dpkg-query apt-cache apt-get nvidia-smi ncu compute-sanitizer
system=/usr/bin:/bin
PATH=$folder/tools:$system
mkdir "$folder/tmp"
export PATH CUDA_HOME=/nonexistent TMPDIR=$folder/tmp

# --- preparing -----------------------------------------------------------------------------------

# prepare STATUS LOG [VARIABLE...]: as on a machine that lacks the libraries of the tests.
prepare() {
  env FPSYNTH_DATA="$folder/data" FPSYNTH_NO_INSTALL=0 "${@:3}" ./run gpu --prepare "$folder/lent" >"$folder/$2" 2>&1 </dev/null
  local status=$?
  ((status == $1)) || not_ok "exit status $status instead of $1 ($2): $(tail -n 3 "$folder/$2")"
}
prepare 1 no_data
says "$folder/no_data" "there is no $folder/data/num_plasma.trace.fpc"
echo data >"$folder/data/num_plasma.trace.fpc"
mv "$folder/tools/nvcc" "$folder" && prepare 1 no_nvcc PATH="$PATH" && mv "$folder/nvcc" "$folder/tools"
says "$folder/no_nvcc" "nvcc is needed"
mkdir "$folder/large" && truncate -s 46M "$folder/large/num_plasma.trace.fpc"
prepare 1 too_large FPSYNTH_DATA="$folder/large"
says "$folder/too_large" "more than the 45 that may be carried"
rm -r "$folder/lent" && mkdir "$folder/lent" && prepare 1 foreign
says "$folder/foreign" "has not prepared it"
rm -r "$folder/lent"
prepare 0 prepared CALLS="$folder/prepared.calls"
says "$folder/prepared" "bash DIR/first.sh OUT 330"
for part in "$(tr ' ' '\n' <"$folder/prepared.calls" | grep -cE 'lib(gtest|boost-context)-dev') -ge 2" "-s lent/bin/fpsynth.gz" \
  "-s lent/bin/prelude.gz" "-s lent/bin/test_codec.gz" "-s lent/data/num_plasma.trace.fpc" "-s lent/second.sh" \
  "-s lent/tests/vectors/components.json" "! -e lent.part"; do
  # shellcheck disable=SC2086 # words
  (cd "$folder" && test $part) || not_ok "prepared: not $part"
done
grep -q '^apt-get install .*libgtest-dev libboost-context-dev$' "$folder/prepared.calls" || not_ok "the missing packages are not installed"
grep -q '^nvcc .*code=sm_90 .*--compress-mode=size .*/bins.cu' "$folder/prepared.calls" || not_ok "the generated projects are not compressed, or not for sm_90"
grep -q '^cmake --preset gpu-portable -DCMAKE_CUDA_ARCHITECTURES=90-real$' "$folder/prepared.calls" || not_ok "not configured for 90-real alone"
for options in "--backend cuda" --prepare "--prepare a --out b"; do
  # shellcheck disable=SC2086 # words
  ./run gpu $options >/dev/null 2>.err && not_ok "accepted: $options"
  [[ -s .err ]] || not_ok "no message for $options"
done

# --- the two scripts -----------------------------------------------------------------------------

# rehearse NAME FAULT AT SCRIPT [ARGUMENT...]: what is printed is in NAME.out, what was called in NAME.calls.
cd "$folder" || exit 1
rehearse() {
  FAULT=$2 AT=$3 CALLS=$folder/$1.calls bash "lent/$4.sh" "$1" "${@:5}" >"$1.out" 2>&1 </dev/null
  echo $? >"$1.status"
}
# ended NAME STATUS: the exit status, and whether what came back would be accepted.
ended() {
  local status
  status=$(<"$1.status")
  ((status == $2)) || not_ok "$1: exit status $status instead of $2: $(tail -n 3 "$1.out")"
  [[ $(ls "$1") == @(first|second).tar.gz ]] || not_ok "$1: other files came back: $(ls "$1")"
  (($(wc -c <"$1.out") < 12000)) || not_ok "$1: $(wc -c <"$1.out") characters are printed"
  python3 - "$1" >"$1.steps" <<'END' || not_ok "$1: the tar is not as it should be"
import glob, json, os, sys, tarfile
[path] = glob.glob(sys.argv[1] + "/*.tar.gz")
assert os.path.getsize(path) < 16 << 20
tar, total = tarfile.open(path), 0
name = os.path.basename(path).split(".")[0]
assert max(member.size for member in tar.getmembers()) < 525000
for member in tar.getnames():
    if member.endswith(".json"): json.load(tar.extractfile(member))
for line in tar.extractfile(name + "/steps.jsonl").read().splitlines():
    step = json.loads(line)
    assert (step["why"] != "") == (step["result"] != "ok"), step
    total += step["limit"]
    print(step["step"], step["result"].replace(" ", "_"))
assert total <= {"first": 330, "second": 300}[name], total
print(" ".join(sorted(os.path.basename(member) for member in tar.getnames())), file=open(sys.argv[1] + ".members", "w"))
END
}
# has NAME LINE...: lines of the steps.
has() {
  local line
  for line in "${@:2}"; do grep -qx "$line" "$1.steps" || not_ok "$1: not '$line': $(paste -sd , "$1.steps")"; done
}
# stopped NAME STEP WHY: STEP is the last one.
stopped() {
  ended "$1" 1
  [[ $(tail -n 1 "$1.steps") == "$2" ]] || not_ok "$1: the last step is $(tail -n 1 "$1.steps"), not $2"
  says "$1.out" "stopped: $3"
  says "$1.out" "not started: "
}

rehearse works '' '' first 330 &
rehearse works_too '' '' second 300 &
rehearse fails fails '@(fpsynth bench|words|ncu) *' first 330 &
rehearse talks talks '@(fpsynth bench|words|bins|bins_cut|prelude|nvidia-smi)*' first 330 &
rehearse no_gpu lacks 'fpsynth gpu*' first 330 &
rehearse wrong fails 'fpsynth gpu*' first 330 &
rehearse differs fails '@(fpsynth gpu|test_components)*' second 300 differs &
FPSYNTH_GPU_HANGS=about rehearse smi_hangs hangs 'nvidia-smi*' first 330 &
FPSYNTH_GPU_HANGS=check rehearse check_hangs wedged 'fpsynth gpu*' first 330 &
FPSYNTH_GPU_HANGS="search_double answers" rehearse gpu_hangs hangs 'fpsynth @(bench|compress)*' first 330 &
FPSYNTH_GPU_HANGS=search_single rehearse slow hangs 'fpsynth bench search*single*' first 330 &
PATH=$system rehearse crashes crashes 'fpsynth bench search*single*' first 330 &

# A loan that ends leaves the tar and what the step in progress has printed; with a warning, that is in the tar.
for signal in KILL TERM; do
  (
    FAULT=hangs AT='fpsynth bench search*single*' setsid bash lent/first.sh "$signal" 330 >"$signal.out" 2>&1 </dev/null &
    until [[ -s $signal/search_single.out ]]; do sleep 0.05; done
    if [[ $signal == KILL ]]; then kill -KILL -- -$!; else kill -TERM $!; fi
    wait $!
    echo $? >"$signal.status"
  ) 2>/dev/null &
done
wait

for name in works works_too; do
  ended "$name" 0
  ! grep -qv ' ok$' "$name.steps" || not_ok "$name: not ok: $(grep -v ' ok$' "$name.steps")"
done
[[ $(head -n 4 works.steps | cut -d ' ' -f 1 | paste -sd ' ') == "about check search_double search_single" ]] ||
  not_ok "the first steps are others: $(head -n 4 works.steps)"
(($(wc -l <works.steps) >= 19 && $(wc -l <works_too.steps) >= 14)) || not_ok "steps are missing"
for text in "A GPU, 9.0" "skipped MPC: no memory" "shared prefixes, counting, chunks 2904, pipeline_bytes_per_second 3.25e+12" \
  "Walk(int): Duration 2.75, Active Warps Per Scheduler 2.75," "ERROR SUMMARY: 0 errors"; do says works.out "$text"; done
grep -q '^ncu .*--clock-control none .*large.f64' works.calls || not_ok "ncu does not leave the clocks alone, or the codec has few data"
grep -q '^fpsynth bench search .*num_plasma.* --reference 64 --json$' works.calls || not_ok "the reference is not 64 chunks"

ended fails 1
has fails "search_double failed" "pipelines_LNV1s_BINS failed" "ncu_verified failed" "generated_words failed" "memcheck_codec ok" "after ok"
says fails.members "search_double.part"
says_not fails.members "search_double.json"
ended talks 0
says talks.members search_double.json.cut
ended crashes 1
has crashes "search_single crashed" "generated_bins_cut ok" "ncu_verified skipped" "memcheck_codec skipped"
says crashes.out "ncu is not here"

stopped no_gpu "check failed" "no GPU"
stopped wrong "check failed" "gpu check finds wrong bytes"
says wrong.out 'Wrong "bytes" in chunk'
stopped smi_hangs "about timed_out" "about hangs"
stopped check_hangs "check timed_out" "check hangs"
stopped gpu_hangs "search_double timed_out" "search_double hangs"
says gpu_hangs.members "search_double.part"
for name in no_gpu wrong check_hangs; do
  [[ $(grep -v nvidia-smi "$name.calls" | tail -n 1) == "fpsynth gpu check"* ]] || not_ok "$name: something runs afterwards: $(tail -n 1 "$name.calls")"
done
ended slow 1
has slow "search_single timed_out" "generated_words ok"
ended differs 1
has differs "check_again failed" "test_components failed" "test_codec ok" "racecheck_components ok"
grep -q '^compute-sanitizer --tool racecheck .*--gtest_filter=Stages.Zero$' differs.calls || not_ok "what failed is not tried again"

tar -tzf KILL/first.tar.gz >KILL.members || not_ok "the tar is not whole after a kill"
says KILL.members first/search_double.json
says KILL/search_single.out "half a document"
ended TERM 1
has TERM "search_double ok" "search_single stopped"
says TERM.members search_single.part

for arguments in "" "out" "out soon" "out 0" "out 300 what"; do
  # shellcheck disable=SC2086 # words
  bash lent/second.sh $arguments >usage 2>&1
  (($? == 2)) || not_ok "not refused: second.sh $arguments"
  says usage "usage: bash second.sh OUT SECONDS [differs]"
done
((failures == 0))

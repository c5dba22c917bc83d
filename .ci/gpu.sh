# shellcheck shell=bash
# `./run gpu`: checks, measures and tests on a machine with an NVIDIA GPU, which may be lent for ten
# minutes. Sourced by ./run.
#
# Each step has a limit of time, and no step that fails, hangs or crashes stops the others. Its line
# is in OUT/steps.jsonl as soon as it has ended, its result in OUT/STEP.json, its messages in
# OUT/logs/: what ends the lease loses the step in progress alone. First comes whether results are
# right, then measurements, then tests.

gpu_usage() {
  cat <<'END'
usage: ./run gpu [--prebuilt DIR] [--out DIR] [--budget SECONDS]

  --prebuilt  the folder of fpsynth and the tests (test_*), such as build/gpu-portable/bin, built on
              another machine; if left out, they are built here (preset cuda)
  --out       where steps.jsonl, provenance.json, the results and logs go [build/gpu/TIME]
  --budget    seconds for all of it [540 with --prebuilt, else 7200]
END
}

# json_text TEXT: as a string of JSON. What is not ASCII goes, because a log may be cut in a character.
json_text() {
  local LC_ALL=C text=${1//[^$'\t\n' -~]/}
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/\\t}
  printf '"%s"' "${text//$'\n'/\\n}"
}

# place FILE: what is on standard input as this file, whole or not at all.
place() { cat >"$1.part" && mv "$1.part" "$1"; }

# longest: the limit of a step with that of FPSYNTH_GPU_STEP_LIMIT, which tests set.
longest() { printf '%s' "${FPSYNTH_GPU_STEP_LIMIT:-$1}"; }

# record STEP STATUS SECONDS LIMIT COMMAND WHY LOG: a line of steps.jsonl.
record() {
  local log=''
  [[ -s $7 ]] && log=$(tail -c 2000 "$7")
  printf '{"run": "%s", "step": %s, "command": %s, "status": %s, "seconds": %s, "limit": %s, "why": %s, "log": %s}\n' \
    "$begun" "$(json_text "$1")" "$(json_text "$5")" "$(json_text "$2")" "$3" "$4" "$(json_text "$6")" \
    "$(json_text "$log")" >>"$out/steps.jsonl"
  say "  $1: $2 ${6:+($6) }in $3 s"
  case $2 in
    ok) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
}

# skip STEP WHY COMMAND...
skip() { record "$1" skipped 0 0 "${*:3}" "$2" /dev/null; }

# limited SECONDS COMMAND...: ends the command after that time, and does not wait for one that a driver
# keeps from ending. Sets `status` to its exit status, 124 if it was ended, 125 if it cannot be.
limited() {
  local limit=$1 pid last
  shift
  timeout --kill-after=2 "$limit" "$@" </dev/null &
  pid=$!
  last=$((SECONDS + ${limit%.*} + 4))
  while kill -0 "$pid" 2>/dev/null; do
    if ((SECONDS > last)); then
      disown "$pid"
      status=125
      return
    fi
    sleep 0.1
  done
  wait "$pid"
  status=$?
  # Of a command that had to be killed, timeout says 137, as of one that was killed by others.
  ((status == 137 && SECONDS >= last - 3)) && status=124
}

# step NAME LIMIT COMMAND...: what it prints is OUT/NAME.json, or .txt, if it succeeds, else
# OUT/NAME.failed.
step() {
  local name=$1 limit=$2 left=$((deadline - SECONDS)) from to status result why
  shift 2
  if ((left < 5)); then
    skip "$name" "no time is left" "$@"
    return
  fi
  ((limit > left - 3)) && limit=$((left - 3))
  limit=$(longest "$limit")
  from=${EPOCHREALTIME/[.,]/}
  limited "$limit" "$@" >"$out/$name.part" 2>"$out/logs/$name.log"
  to=${EPOCHREALTIME/[.,]/}
  why='' result=ok
  if ((status == 124)); then
    result='timed out' why="ended after $limit s"
  elif ((status == 125)); then
    result='timed out' why="did not end, even when killed"
  elif ((status > 128)); then
    result=crashed why="signal $((status - 128))"
  elif ((status != 0)); then
    result=failed why="exit status $status"
  elif grep -qE '^\[  PASSED  \] 0 tests' "$out/$name.part"; then
    result=failed why="no test ran"
  fi
  if [[ ! -s $out/$name.part ]]; then
    rm -f "$out/$name.part"
  elif [[ $result == ok && $(head -c 1 "$out/$name.part") == [[{] ]]; then
    mv "$out/$name.part" "$out/$name.json"
  elif [[ $result == ok ]]; then
    mv "$out/$name.part" "$out/$name.txt"
  else
    mv "$out/$name.part" "$out/$name.failed"
  fi
  # Tests say on standard output what went wrong.
  if [[ $1 != "$program" && $result != ok && -e $out/$name.failed ]]; then
    tail -c 2000 "$out/$name.failed" >>"$out/logs/$name.log"
  fi
  printf -v to '%d.%03d' $(((to - from) / 1000000)) $(((to - from) / 1000 % 1000))
  record "$name" "$result" "$to" "$limit" "$*" "$why" "$out/logs/$name.log"
}

# tests_step NAME LIMIT FILTER TEST [PREFIX...]: the GPU's tests of one executable, in one process.
tests_step() {
  local name=$1 limit=$2 filter=$3 test=$4
  shift 4
  if [[ ! -x $test ]]; then
    skip "$name" "$test is not there"
  else
    step "$name" "$limit" "$@" "$test" "--gtest_filter=$filter"
  fi
}

# gpu_fields VARIABLE NAME...: what nvidia-smi says of each, as members of an object; empty where it
# knows nothing of it. One that hangs is not asked again.
gpu_fields() {
  local -n members=$1
  local name value
  members=''
  for name in "${@:2}"; do
    value=''
    if ((!smi_hangs)); then
      value=$(timeout --kill-after=1 "$(longest 10)" nvidia-smi --query-gpu="$name" \
        --format=csv,noheader 2>/dev/null </dev/null)
      case $? in
        0) ;;
        124 | 137) value='' smi_hangs=1 ;;
        *) value='' ;;
      esac
    fi
    members+=${members:+,}$'\n    '$(json_text "$name"):\ $(json_text "${value//$'\n'/; }")
  done
}

# provenance: OUT/provenance.json.
provenance() {
  {
    printf '{\n  "begun": %s,\n  "commit": %s,\n' "$(json_text "$begun")" \
      "$(json_text "$(git describe --always --dirty --abbrev=12 2>/dev/null)")"
    printf '  "program": %s,\n' "$(json_text "$about")"
    printf '  "sha256": %s,\n' "$(json_text "$(sha256sum "$program" 2>/dev/null | cut -d ' ' -f 1)")"
    printf '  "host": %s,\n' "$(json_text "$(uname -srm); $(nproc) cores; $(grep -m 1 'model name' /proc/cpuinfo)")"
    printf '  "multiprocessors": %s,\n' \
      "$(json_text "$(cat "$out"/check.{json,failed} 2>/dev/null | sed -n 's/.*"multiprocessors": *\([0-9]*\).*/\1/p')")"
    printf '  "gpu": {%s\n  },\n  "before": {%s\n  },\n  "after": {%s\n  }\n}\n' "$facts" "$before" "$after"
  } | place "$out/provenance.json"
}

# Whatever can be built is used: one broken test must not stop the program from being measured.
build_for_gpu() {
  local capability start
  (install_packages "${test_packages[@]}") || say "Going on with the packages that are there"
  (install_optional)
  command -v nvcc >/dev/null || fail "nvcc is needed: install the CUDA Toolkit, 12.8 or later; or see --prebuilt"
  has_gpu || fail "there is no NVIDIA GPU on this machine"
  say "Building with CUDA (preset cuda, $jobs jobs)"
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc 0-9)
  build cuda fpsynth ${capability:+"-DCMAKE_CUDA_ARCHITECTURES=$capability"} || fail "the build failed"
  start=$SECONDS
  if ! logged cuda-tests cmake --build --preset cuda --parallel "$jobs" --target tests_of_gpu -- -k 0; then
    record build_tests failed $((SECONDS - start)) 0 "cmake --build --preset cuda --target tests_of_gpu" \
      "not all tests could be built" "$logs/cuda-tests.log"
  fi
}

all_steps() {
  local precision name tool search folders=(components codec search baselines timing)
  # Its own limit comes first, so that it can name what hangs. It also counts the multiprocessors.
  step check 60 "$program" gpu check --limit 30 --json
  provenance

  for precision in double single; do
    step "bench_search_$precision" 90 "$program" bench search --backend cuda --precision "$precision" --json
  done
  for precision in double single; do
    step "bench_layouts_$precision" 110 "$program" bench search --backend cuda --layouts --repetitions 2 \
      --precision "$precision" --json
  done

  # The first launch of each kernel, on little data: any bytes will do. The report is what is printed.
  head -c 262144 "$program" >"$scratch/sample.f64"
  search=(search "$scratch/sample.f64" --backend cuda)
  if ncu=$(command -v ncu || compgen -G '/usr/local/cuda*/bin/ncu' | tail -n 1) && [[ $ncu ]]; then
    profile=("$ncu" --csv --kernel-id ':::1' --section SpeedOfLight --section Occupancy
      --section WarpStateStats --section LaunchStats)
    step ncu_walks_verified 45 "${profile[@]}" "$program" "${search[@]}" --out "$scratch/verified"
    step ncu_walks_counted 30 "${profile[@]}" "$program" "${search[@]}" --verify none --out "$scratch/counted"
    step ncu_encode 30 "${profile[@]}" "$program" compress "LNV6s BIT LNV1s ZE" "$scratch/sample.f64" \
      "$scratch/sample.fps" --backend cuda --force
    step ncu_decode 30 "${profile[@]}" "$program" decompress "$scratch/sample.fps" "$scratch/back.f64" \
      --backend cuda --force
  else
    skip ncu "ncu is not here"
  fi

  # The copy, the codec, GFC and Holt.
  for precision in double single; do
    step "bench_pipelines_$precision" 90 "$program" bench pipelines "LNV6s BIT LNV1s ZE" \
      "LNV2s LNV2s LNV2x | ZE" --backend cuda --baselines --precision "$precision" --json
  done

  for name in "${folders[@]}"; do
    tests_step "test_$name" 60 '*GPU_*-*LONG_*:*Large*' "$prebuilt/test_$name"
  done

  tool=$(command -v compute-sanitizer || compgen -G '/usr/local/cuda*/bin/compute-sanitizer' | tail -n 1)
  sanitize() {
    if [[ $tool ]]; then
      tests_step "$1_$2" "$3" '*GPU_*-*LONG_*:*Large*' "$prebuilt/test_$2" "$tool" --tool "$1" --error-exitcode 9
    else
      skip "$1_$2" "compute-sanitizer is not here"
    fi
  }
  for name in components codec search baselines; do sanitize memcheck "$name" 120; done

  # While time is left.
  for name in "${folders[@]}"; do
    tests_step "test_${name}_long" 300 '*GPU_*LONG_*:*GPU_*Large*' "$prebuilt/test_$name"
  done
  for name in components codec search baselines; do sanitize racecheck "$name" 900; done
  for name in components codec search baselines; do sanitize synccheck "$name" 900; done
  step cli 900 bash tests/cli/cli_test.sh "$program"
}

measure_gpu() {
  local prebuilt='' out='' budget='' deadline program scratch begun about facts before after=''
  local smi_hangs=0 passed=0 failed=0 skipped=0 ncu profile
  while (($#)); do
    case $1 in
      --prebuilt | --out | --budget)
        (($# > 1)) || { gpu_usage >&2 && fail "gpu: $1 takes a value"; }
        case $1 in
          --prebuilt) prebuilt=$2 ;;
          --out) out=$2 ;;
          --budget) budget=$2 ;;
        esac
        shift 2
        ;;
      *)
        gpu_usage >&2
        printf './run: gpu knows no %s\n' "$1" >&2
        exit 2
        ;;
    esac
  done
  if [[ ! ${budget:=$([[ $prebuilt ]] && echo 540 || echo 7200)} =~ ^[1-9][0-9]*$ ]]; then
    printf './run: gpu --budget %s: give a number of seconds\n' "$budget" >&2
    exit 2
  fi
  deadline=$((SECONDS + budget))
  begun=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  # Paths are those of the caller, whose folder ./run has left.
  [[ ! $prebuilt || $prebuilt == /* ]] || prebuilt=$OLDPWD/$prebuilt
  [[ ! $out || $out == /* ]] || out=$OLDPWD/$out
  out=${out:-build/gpu/$begun}
  mkdir -p "$out/logs" || fail "cannot make $out"
  if [[ ! $prebuilt ]]; then
    build_for_gpu
    prebuilt=build/cuda/bin
  fi
  program=$prebuilt/fpsynth
  [[ -x $program ]] || fail "there is no program $program"
  scratch=$(mktemp -d) || fail "cannot make a temporary folder"
  # shellcheck disable=SC2064 # the folder's name is known now
  trap "rm -rf '$scratch'" EXIT
  about=$(timeout "$(longest 20)" "$program" --version 2>&1 </dev/null)
  gpu_fields facts name uuid compute_cap driver_version memory.total ecc.mode.current mig.mode.current \
    compute_mode persistence_mode clocks.max.sm clocks.max.mem power.limit
  gpu_fields before clocks.sm clocks.mem temperature.gpu power.draw memory.used
  provenance
  say "Measuring into $out, for $((deadline - SECONDS)) s"
  all_steps
  gpu_fields after clocks.sm clocks.mem temperature.gpu power.draw memory.used
  provenance
  say "All in $SECONDS s: $passed ok, $failed failed, $skipped skipped; $out/steps.jsonl says which"
  ((failed == 0 && passed > 0))
}

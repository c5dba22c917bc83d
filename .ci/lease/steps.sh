# shellcheck shell=bash
# The steps of first.sh and second.sh, on a machine with a GPU that is lent for minutes and may be without
# network. `./run gpu --prepare` puts all of it into one folder. Sourced.
#
# A step prints into OUT/STEP.out as it goes. When it has ended, its files move to OUT/NAME.tar.gz, which is
# replaced as a whole after each step: what ends the loan leaves that and what the step in progress has
# printed. Figures go to standard output, too, in fewer than 12,000 characters, because more may be cut off.
# Nothing is started any more once there is no GPU, a step hangs, or `gpu check` finds a wrong byte.

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) || exit 1
plasma=$folder/data/num_plasma.trace.fpc
# The GPU's tests that take seconds, and those that take seconds under compute-sanitizer, too.
quick='*GPU_*-*LONG_*:*Large*'
short="$quick:*MuchData*"
export folder plasma FPSYNTH_DATA=$folder/data

say() { printf '%s\n' "$*"; }

# begin NAME PLANNED OUT SECONDS: the limits of the steps are made for PLANNED seconds, and are longer in
# proportion where there are more.
begin() {
  name=$1 out=${3:-} seconds=${4:-}
  if (($# > 4)) || [[ ! $out || ! $seconds =~ ^[1-9][0-9]{0,5}$ ]]; then
    printf 'usage: bash %s.sh OUT SECONDS%s\n' "$name" "${mode+ [differs]}" >&2
    printf 'OUT: a folder for the results; SECONDS: of all steps together, %s or more\n' "$2" >&2
    exit 2
  fi
  growth=$((seconds > $2 ? 100 * seconds / $2 : 100))
  deadline=$((SECONDS + seconds)) begun=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  stopped='' current='' pid='' printed=0 passed=0 failed=0 skipped=0 left_out=()
  ulimit -c 0
  mkdir -p "$out" && out=$(cd "$out" && pwd) && scratch=$(mktemp -d) && room=$(make_room) &&
    mkdir "$scratch/$name" "$scratch/bin" && cd "$folder" || exit 1
  trap 'rm -rf "$scratch" "$room"' EXIT
  results=$scratch/$name bin=$scratch/bin program=$scratch/bin/fpsynth
  export scratch room bin program
  for packed in bin/*.gz; do
    gzip -dc "$packed" >"$scratch/${packed%.gz}" || exit 1
  done
  chmod +x "$bin"/*
  trap interrupted TERM INT HUP
  cp "$folder/about" "$results/"
  say "$name: $begun, $(paste -sd ' ' "$folder/about")"
}

# make_room: a folder to which gigabytes can be written fast: in memory, if there is enough and TMPDIR names no
# other place. Programs may not be allowed to start there.
make_room() {
  local free
  free=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [[ ! ${TMPDIR:-} && -w /dev/shm ]] && ((${free:-0} > 8000000)); then mktemp -d /dev/shm/fpsynth_XXXXXX; else mktemp -d; fi
}

# json_text TEXT: as a string of JSON. What is not ASCII goes, because a log may be cut in a character.
json_text() {
  local LC_ALL=C text=${1//[^$'\t\n' -~]/}
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\t'/\\t}
  printf '"%s"' "${text//$'\n'/\\n}"
}

# limit_of STEP SECONDS: its limit, longer where there is more time, shorter at the end. Tests name steps that
# are to hang.
limit_of() {
  local limit=$(($2 * growth / 100)) left=$((deadline - SECONDS - 3))
  ((limit <= left)) || limit=$((left > 1 ? left : 1))
  [[ " ${FPSYNTH_GPU_HANGS:-} " != *" $1 "* ]] || limit=0.5
  echo "$limit"
}

# pack: renews the tar.
pack() {
  if ! tar -czf "$out/$name.tar.gz.part" -C "$scratch" "$name" ||
    ! mv "$out/$name.tar.gz.part" "$out/$name.tar.gz"; then
    say "$out/$name.tar.gz cannot be written"
  fi
}

# keep FILE AS: moves a file of OUT to the results; of a long one, the beginning and the end.
keep() {
  if (($(stat -c %s "$1") > 524288)); then
    { head -c 262144 "$1" && printf '\n... cut ...\n' && tail -c 262144 "$1"; } >"$results/$2.cut"
    rm -f "$1"
  elif [[ -s $1 ]]; then
    mv "$1" "$results/$2"
  else
    rm -f "$1"
  fi
}

# figures CHARACTERS: prints the beginning of what is on standard input, as long as there is room.
figures() {
  local text room=$((9000 - printed))
  ((room > 0)) || return
  text=$(head -c $(($1 < room ? $1 : room)) | sed 's/^/    /')
  printed=$((printed + ${#text}))
  [[ ! $text ]] || say "$text"
}

# record STEP RESULT SECONDS LIMIT WHY COMMAND...: a line of steps.jsonl, and one that is printed.
record() {
  printf '{"run": "%s", "step": "%s", "result": "%s", "seconds": %s, "limit": %s, "why": %s, "command": %s}\n' \
    "$begun" "$1" "$2" "$3" "$4" "$(json_text "$5")" "$(json_text "${*:6}")" >>"$results/steps.jsonl"
  say "$1: $2${5:+, $5}, $3 s"
  case $2 in
    ok) passed=$((passed + 1)) ;;
    skipped) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
}

# skip STEP WHY
skip() {
  if [[ $stopped ]]; then left_out+=("$1"); else record "$1" skipped 0 0 "$2"; fi
}

# stop WHY: nothing is started any more.
stop() {
  stopped=$1
  say "stopped: $1"
}

# interrupted: the loan ends now. What the step in progress has printed is kept.
interrupted() {
  trap '' TERM INT HUP
  [[ ! $pid ]] || kill "$pid" 2>/dev/null
  if [[ $current ]]; then
    keep "$out/$current.out" "$current.part"
    keep "$out/$current.log" "$current.log"
    record "$current" stopped 0 0 "the script was ended"
  fi
  pack
  exit 1
}

# limited SECONDS COMMAND...: ends the command after that time, and does not wait for one that a driver
# keeps from ending. Sets `status` to its exit status, 124 if it was ended, 125 if it cannot be.
limited() {
  local limit=$1 last
  shift
  timeout --kill-after=2 "$limit" "$@" </dev/null &
  pid=$!
  last=$((SECONDS + ${limit%.*} + 4))
  # The shell does not say which jobs were killed.
  {
    while kill -0 "$pid"; do
      if ((SECONDS > last)); then
        disown "$pid"
        pid='' status=125
        return
      fi
      sleep 0.05
    done
    wait "$pid"
    status=$?
  } 2>/dev/null
  pid=
  # Of a command that had to be killed, timeout says 137, as of one that was killed by others.
  ((status == 137 && SECONDS >= last - 3)) && status=124
}

# step NAME LIMIT DIGEST COMMAND...: DIGEST is a function that makes figures of the output. A step whose time
# is up hangs if the GPU does not answer then; otherwise it is slow, and the others go on. Returns 0 if the
# command succeeded, and sets `status`.
step() {
  local step=$1 limit=$2 digest=$3 from to result=ok why='' file
  shift 3
  status=0
  if [[ $stopped ]] || ((deadline - SECONDS < 5)); then
    skip "$step" "no time is left"
    return 1
  fi
  limit=$(limit_of "$step" "$limit")
  current=$step from=${EPOCHREALTIME/[.,]/}
  limited "$limit" "$@" >"$out/$step.out" 2>"$out/$step.log"
  to=$((${EPOCHREALTIME/[.,]/} - from))
  current=
  case $status in
    0) ! grep -qE '^\[  PASSED  \] 0 tests' "$out/$step.out" || { result=failed why="no test ran"; } ;;
    124) result='timed out' why="ended after $limit s" ;;
    125) result='timed out' why="did not end, even when killed" ;;
    *) if ((status > 128)); then result=crashed why="signal $((status - 128))"; else result=failed why="status $status"; fi ;;
  esac
  record "$step" "$result" "$((to / 1000000)).$((to / 100000 % 10))" "$limit" "$why" "$@"
  figures 900 < <("$digest" <"$out/$step.out")
  [[ $result == ok ]] || figures 400 < <(tail -n 4 "$out/$step.log")
  file=$step.part
  if [[ $result == ok ]]; then
    file=$step.txt
    [[ $(head -c 2 "$out/$step.out") != @(\[|\{*) ]] || file=$step.json
  fi
  keep "$out/$step.out" "$file"
  keep "$out/$step.log" "$step.log"
  pack
  if [[ $result == 'timed out' ]] && ((deadline - SECONDS >= 5)); then
    { [[ $step != about && $step != check ]] && answers; } || stop "$step hangs"
  fi
  [[ $result == ok ]]
}

# answers: true if the GPU still compresses something as the processor does.
answers() {
  local backend status
  head -c 65536 "$program" >"$scratch/sample.f64"
  for backend in cuda cpu; do
    limited "$(limit_of answers 10)" "$program" compress ZE "$scratch/sample.f64" "$scratch/$backend.fps" \
      --backend "$backend" --force >/dev/null 2>&1
    ((status == 0)) || return 1
  done
  cmp -s "$scratch/cuda.fps" "$scratch/cpu.fps"
}

# --- digests -------------------------------------------------------------------------------------

text() { cat; }

# rows: a line for each row of a document that has one to a line.
rows() {
  awk '{
    line = ""
    while (match($0, /"(name|how|layout|chunks|pipeline_bytes_per_second|of_roofline|gb_per_s|different|why_not)": ?("[^"]*"|[^],} ]+)/)) {
      value = substr($0, RSTART, RLENGTH)
      $0 = substr($0, RSTART + RLENGTH)
      key = value
      sub(/": ?.*/, "", key)
      sub(/^"[^"]*": ?/, "", value)
      gsub(/"/, "", value)
      if (value + 0 > 100000) value = sprintf("%.4g", value)
      else if (value ~ /^[0-9.]+$/) value = sprintf("%.5g", value)
      line = line (line ? ", " : "") (key == "\"name" || key == "\"how" ? "" : substr(key, 2) " ") value
    }
    if (line ~ /,/) print line
  }'
}

# statuses: how many steps of `gpu check` have each status, and those that are not ok.
statuses() {
  sed -n 's/^ *{"name": *"\([^"]*\)", *"status": *"\([^"]*\)".*"detail": *"\(.*\)"}.*/\2 \1: \3/p' |
    awk '{ count[$1]++ } $1 != "ok" { others = others $0 "\n" }
      END { for (status in count) printf "%s %d  ", status, count[status]; if (NR) printf "\n%s", others }'
}

# tests: what GoogleTest and compute-sanitizer say at the end.
tests() { grep -aE '^\[  (PASSED|FAILED)|ERROR SUMMARY'; }

# counters: of each kernel, those of ncu's figures that the model of speed assumes.
counters() {
  awk -F'","' '/^"ID"/ { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); column[$i] = i }; next }
    !/^"[0-9]/ || !("Metric Value" in column) { next }
    {
      kernel = $column["Kernel Name"]
      gsub(/void |fpsynth::|device::|kernel</, "", kernel)
      metric = $column["Metric Name"]
      if (metric !~ /^(Duration|Grid Size|Registers Per Thread|Shared Memory Configuration Size|(Active|Eligible|Issued) Warps? Per Scheduler|Warp Cycles Per Issued Instruction|Mem Busy|Memory Throughput|Compute .SM. Throughput|L1.TEX Hit Rate|L2 Hit Rate)$/) next
      if (kernel != last) printf "%s%s:", last ? "\n" : "", substr(kernel, 1, 48)
      last = kernel
      value = $column["Metric Value"]
      gsub(/"/, "", value)
      printf " %s %s,", metric, value
    }
    END { print "" }'
}

# --- steps of both scripts -----------------------------------------------------------------------

# find_tool NAME: its path, or nothing.
find_tool() { command -v "$1" || compgen -G "${CUDA_HOME:-/usr/local/cuda*}/bin/$1" | tail -n 1; }

# about: whether the program starts, and what is here.
about() {
  local lacking tool
  if lacking=$(ldd "$program" 2>&1 | grep 'not found'); then
    say "$lacking"
    return 1
  fi
  "$program" --version | head -n 2 || return 1
  say "$(nproc) cores,$(grep -m 1 'model name' /proc/cpuinfo | cut -d : -f 2)"
  for tool in ncu compute-sanitizer nvcc; do say "$tool: $(find_tool "$tool" || echo no)"; done
  smi name,compute_cap,driver_version,memory.total,ecc.mode.current,mig.mode.current,compute_mode
  smi clocks.max.sm,clocks.max.mem,power.limit
}

# smi FIELDS: what nvidia-smi says of them, which no step depends on.
smi() { nvidia-smi --format=csv,noheader --query-gpu="$1" 2>&1 || say "nvidia-smi does not know $1"; }

# start_checked: everything else waits for it. A wrong byte ends the call if $1 says so.
start_checked() {
  export -f about find_tool say smi
  step about 10 text bash -o pipefail -c about || [[ $stopped ]] || stop "the program does not start here"
  step check 25 statuses "$program" gpu check --limit "$(limit_of each 20)" --json
  [[ $stopped ]] && return
  case $status in
    0) ;;
    2) stop "no GPU" ;;
    *) [[ $1 == go-on ]] || stop "gpu check finds wrong bytes or a hang; see the lines above" ;;
  esac
}

# end_steps: the clocks at the end, and how it went.
end_steps() {
  step after 8 text bash -c 'smi clocks.sm,clocks.mem,temperature.gpu,power.draw,memory.used'
  pack
  [[ ! $stopped ]] || say "not started: ${left_out[*]}"
  say "$name: $passed ok, $failed failed, $skipped skipped, ${#left_out[@]} not started, in $SECONDS s; $out/$name.tar.gz"
  [[ ! $stopped ]] && ((failed == 0))
}

# tests_step FOLDER LIMIT: the GPU's quick tests of a folder.
tests_step() {
  step "test_$1" "$2" tests "$bin/test_$1" --gtest_brief=1 --gtest_filter="$quick"
}

# sanitized STEP LIMIT TOOL COMMAND...: under a tool of compute-sanitizer.
sanitized() {
  local tool
  if tool=$(find_tool compute-sanitizer); then
    step "$1" "$2" tests "$tool" --tool "$3" --error-exitcode 9 "${@:4}"
  else
    skip "$1" "compute-sanitizer is not here"
  fi
}

# sanitized_tests TOOL FOLDER LIMIT [FILTER]
sanitized_tests() {
  sanitized "$1_$2" "$3" "$1" "$bin/test_$2" --gtest_brief=1 --gtest_filter="${4:-$short}"
}

# profiled STEP LIMIT COMMAND...: the first launch of each kernel under ncu, which leaves the clocks alone.
profiled() {
  local ncu
  if ncu=$(find_tool ncu); then
    step "$1" "$2" counters "$ncu" --csv --clock-control none --kernel-id ':::1' --print-details all \
      --section SpeedOfLight --section WarpStateStats --section SchedulerStats \
      --section MemoryWorkloadAnalysis --section LaunchStats "${@:3}"
  else
    skip "$1" "ncu is not here"
  fi
}

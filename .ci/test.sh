# shellcheck shell=bash
# `./run test`: the suites of three presets, counted together. Sourced by ./run.
#
# ctest counts all tests, also the layout, shellcheck, drawing and fuzzing, which are no unit tests. A
# suite that cannot be built or has no tests counts as one that failed.

passed=0 failed=0 skipped=0

# dearest TITLE: of lines "SECONDS NAME", the ten with the most seconds, so that a change that adds to
# them is seen.
dearest() {
  local line
  say "  dearest $1, in s:"
  sort -rn | head -n 10 | while read -r line; do say "    $line"; done
}

# run_ctest TEST_PRESET [OPTION...]: adds ctest's own figures to the sums. Prints failures only. Runs
# one test more than there are jobs at a time, because some tests mostly wait.
run_ctest() {
  local log=$logs/$1-ctest.log start=$SECONDS status total=0 bad=0 left_out
  ctest --preset "$1" --parallel "$((jobs + 1))" "${@:2}" >"$log" 2>&1 </dev/null
  status=$?
  if [[ $(grep -E '^[0-9]+% tests passed' "$log") =~ ([0-9]+)\ tests?\ failed\ out\ of\ ([0-9]+) ]]; then
    bad=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
  fi
  left_out=$(grep -cE '^ *[0-9]+/[0-9]+ Test.*\*\*\*Skipped' "$log")
  if ((total == 0 || (status != 0 && bad == 0))); then
    say "  $1: ctest ended with status $status; the end of $log:"
    tail -n 20 "$log"
    failed=$((failed + 1))
    return
  fi
  passed=$((passed + total - bad - left_out)) failed=$((failed + bad)) skipped=$((skipped + left_out))
  say "  $1-ctest: $((total - bad - left_out)) passed, $bad failed, $left_out skipped" \
    "in $((SECONDS - start)) s"
  sed -nE 's@^ *[0-9]+/[0-9]+ Test +#[0-9]+: (\S+) \.*.* ([0-9.]+) sec.*@\2 \1@p' "$log" | dearest tests
  if ((bad)); then
    # The output of the failed tests is above the summary; their list is below it.
    grep -nE '\*\*\*[^S]|: Failure|ERROR: |runtime error|WARNING: ThreadSanitizer|^not ok' "$log" | head -n 60
    sed -n '/^The following tests FAILED/,$p' "$log" | head -n 40
    say "  all of it: $log"
  fi
}

# suite TITLE PRESET TEST_PRESET TARGET [CMAKE OPTION...]: builds and runs one preset's tests.
suite() {
  say "$1 (preset $2)"
  if [[ $2 != dev ]] && ! command -v clang++ >/dev/null; then
    say "  skipped: needs clang++"
    skipped=$((skipped + 1))
  elif build "$2" "$4" "${@:5}"; then
    awk -F'\t' 'NR > 1 { ms[$4] = $2 - $1 } END { for (name in ms) print ms[name] / 1000, name }' \
      "build/$2/.ninja_log" | dearest builds
    run_ctest "$3"
  else
    failed=$((failed + 1))
  fi
}

# The last line of `test` and `gpu`, and their exit status.
summarize() {
  say "All in $SECONDS s; $skipped skipped"
  say "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

# levels_here: the instruction sets that this machine runs (components/teams/simd/levels.cmake). A sanitizer
# finds nothing in others, each of which takes it one and a half minutes to compile.
levels_here() {
  local found=baseline
  grep -qsw avx2 /proc/cpuinfo && found+=';avx2'
  grep -qsw avx512_vbmi2 /proc/cpuinfo && grep -qsw gfni /proc/cpuinfo && found+=';avx512'
  echo "$found"
}

run_tests() {
  local which=once cuda=OFF mpi=OFF dev=tests_of_dev-once asan=tests_of_asan-once
  local unite=(-DFPSYNTH_UNITE=ON) levels=("-DFPSYNTH_LEVELS=$(levels_here)")
  case ${1:-} in
    '') ;;
    --all)
      which=all dev=all asan=all unite=(-DFPSYNTH_UNITE=OFF)
      levels=('-DFPSYNTH_LEVELS=baseline;avx2;avx512')
      ;;
    *) usage >&2 && printf './run: test knows --all alone, not %s\n' "$1" >&2 && exit 2 ;;
  esac
  install_packages "${test_packages[@]}"
  install_optional
  # Device code is built wherever its compiler is installed, because compiling it is a test. Tests that
  # run it need a GPU, and are skipped without one. The other presets build without device code.
  command -v nvcc >/dev/null && [[ ${FPSYNTH_CUDA:-1} != 0 ]] && cuda=ON
  [[ $cuda == ON ]] || say "Device code: not compiled, for want of nvcc or with FPSYNTH_CUDA=0"
  # MPI is used wherever it is installed.
  command -v mpicxx >/dev/null && mpi=ON
  [[ $mpi == ON ]] || say "fpsynth-mpi: not compiled, for want of MPI"
  # Several sources as one are compiled sooner from nothing, but a build that is there stays as it is. One
  # by one, they show which includes are missing.
  [[ $which == once && -e build/dev/CMakeCache.txt ]] && unite=()
  suite "Layout, the command line, drawing, generated projects, clusters, device code" dev \
    "dev-$which" "$dev" "-DFPSYNTH_CUDA=$cuda" "-DFPSYNTH_MPI=$mpi" "${unite[@]}"
  suite "Unit tests, damaged inputs and fuzzing, under AddressSanitizer and UndefinedBehaviorSanitizer" \
    asan "asan-$which" "$asan" "${levels[@]}"
  # Threads are the same in all instruction sets.
  suite "Threads under ThreadSanitizer" tsan tsan tests_of_tsan -DFPSYNTH_LEVELS=baseline
  summarize
}

# shellcheck shell=bash
# `./run test`: the suites of three presets, counted together. Sourced by ./run.
#
# ctest counts all tests, also the layout, shellcheck, drawing and fuzzing, which are no unit tests. A
# suite that cannot be built or has no tests counts as one that failed.

passed=0 failed=0 skipped=0

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

run_tests() {
  local all='' cuda=OFF mpi=OFF
  case ${1:-} in
    '') ;;
    --all) all=-all ;;
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
  suite "Layout, unit and command-line tests, drawing" dev "dev$all" all "-DFPSYNTH_CUDA=$cuda" \
    "-DFPSYNTH_MPI=$mpi"
  suite "The same under AddressSanitizer and UndefinedBehaviorSanitizer, and fuzzing" \
    asan "asan$all" all
  suite "The search under ThreadSanitizer" tsan tsan search_tests
  summarize
}

# shellcheck shell=bash
# `./run gpu`: on a machine with an NVIDIA GPU, builds for it, runs the tests that need one, also
# under compute-sanitizer (labels `gpu` and `compute-sanitizer`), and those of the command line
# (`cli`), which use the GPU where there is one. Then it measures. Sourced by ./run, after .ci/test.sh.

# measure NAME COMMAND...: the standard output of a command as results/measured/NAME-GPU-DATE.json.
measure() {
  local name=$1 gpu file
  shift
  gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1 | tr 'A-Z ' 'a-z_' | tr -dc 'a-z0-9_')
  file=results/measured/$name-${gpu:-gpu}-$(date +%Y-%m-%d).json
  say "  $file"
  if "$@" >"$file.part" 2>"$logs/measure-$name.log" </dev/null && [[ -s $file.part ]]; then
    mv "$file.part" "$file"
    passed=$((passed + 1))
  else
    rm -f "$file.part"
    tail -n 5 "$logs/measure-$name.log"
    say "  FAILED: $*"
    failed=$((failed + 1))
  fi
}

measure_gpu() {
  local program=build/cuda/bin/fpsynth precision capability
  install_packages "${test_packages[@]}"
  install_optional
  command -v nvcc >/dev/null || fail "nvcc is needed: install the CUDA Toolkit, 12.8 or later"
  has_gpu || fail "there is no NVIDIA GPU on this machine"
  say "Building with CUDA (preset cuda, $jobs jobs)"
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc 0-9)
  build cuda all ${capability:+"-DCMAKE_CUDA_ARCHITECTURES=$capability"} || fail "the build failed"
  say "Tests on the GPU"
  run_ctest cuda -L '^(gpu|cli|compute-sanitizer)$'
  say "Measuring, into results/measured/"
  for precision in double single; do
    measure "bench_search_$precision" "$program" bench search --backend cuda \
      --precision "$precision" --json
    measure "bench_pipelines_$precision" "$program" bench pipelines "LNV6s BIT LNV1s ZE" \
      "LNV2s LNV2s LNV2x | ZE" --backend cuda --baselines --precision "$precision" --json
  done
  summarize
}

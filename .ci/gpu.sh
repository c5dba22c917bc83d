# shellcheck shell=bash
# `./run gpu`: checks, measures and tests on a machine with an NVIDIA GPU, or prepares a folder to be carried
# to one that is lent for minutes. Sourced by ./run. What runs there is in .ci/lease/.

gpu_usage() {
  cat <<'END'
usage: ./run gpu [--out DIR]       on a machine with a GPU: build for it, then run first.sh and second.sh
       ./run gpu --prepare DIR     on a machine with nvcc: fill a folder for a machine with a Hopper GPU,
                                   which needs nothing but the driver there

  --out   where the results go [build/gpu/TIME]
END
}

# More may not be accepted where the folder is sent to.
readonly carried_mb=45
readonly portable=build/gpu-portable/bin

# The generated projects: name, words of a chunk, method.
generated_methods() {
  cat <<'END'
words 1024 LNV6s BIT LNV1s ZE
bins 1024 LNV1s BINS
bins_cut 4096 DIM2 BINS | ZEC
prelude 1024 LAGx:18200 / LNV1s ZE | RLE
END
}

find_plasma() {
  local file=${FPSYNTH_DATA:-../shared/data}/num_plasma.trace.fpc
  [[ -r $file ]] || fail "there is no $file, on which the estimates rest: name its folder with FPSYNTH_DATA"
  printf '%s' "$file"
}

# build_generated CAPABILITY DIR: the programs of the generated projects, with CUDA's runtime in them, unlike
# those that their CMake files build.
build_generated() {
  local name words method project
  local flags=(-std=c++20 -O3 --expt-relaxed-constexpr -gencode "arch=compute_$1,code=sm_$1"
    -Xlinker -s -Xcompiler "-static-libstdc++,-static-libgcc")
  [[ $(nvcc --help) != *--compress-mode* ]] || flags+=(--compress-mode=size)
  generated_methods | while read -r name words method; do
    project=build/gpu/generated/$name
    rm -rf "$project"
    "$portable/fpsynth" generate "$method" --chunk-words "$words" --target cuda --name "$name" --out "$project" &&
      nvcc "${flags[@]}" "$project/$name.cu" "$project/${name}_main.cpp" -o "$2/$name" || return
  done
}

# prepare CAPABILITY DIR: builds everything and fills the folder, which is replaced as a whole.
prepare() {
  local folder=$2 new=$2.part plasma
  plasma=$(find_plasma) || exit 1
  [[ ! -e $folder || -e $folder/about ]] ||
    fail "$folder exists, and ./run gpu has not prepared it: name another folder"
  install_packages "${gpu_packages[@]}"
  command -v nvcc >/dev/null || fail "nvcc is needed: install the CUDA Toolkit, 12.8 or later, and put it on PATH"
  say "Building for sm_$1 (preset gpu-portable, $jobs jobs), which takes about an hour of one core"
  build gpu-portable tests_of_gpu "-DCMAKE_CUDA_ARCHITECTURES=$1-real" || fail "the build failed"
  rm -rf "$new"
  mkdir -p "$new"/{bin,data,tests/vectors,tests/fuzz/seeds} || fail "cannot make $new"
  logged gpu-generated build_generated "$1" "$new/bin" || fail "a generated project could not be built"
  # In tests/ is what the tests read.
  if ! { cp "$portable"/{fpsynth,test_{components,codec,search,baselines}} "$new/bin/" &&
    gzip -9 "$new"/bin/* && cp .ci/lease/*.sh "$new/" && generated_methods >"$new/methods" &&
    cp "$plasma" "$new/data/" && cp tests/vectors/*.json "$new/tests/vectors/" &&
    cp -r tests/fuzz/seeds/container "$new/tests/fuzz/seeds/"; }; then
    fail "cannot fill $new"
  fi
  printf '%s\n' "$(git describe --always --dirty --abbrev=12)" "sm_$1" "$(nvcc --version | tail -n 1)" >"$new/about"
  rm -rf "$folder"
  mv "$new" "$folder" || fail "cannot write $folder"
}

# prepare_carried DIR
prepare_carried() {
  local bytes
  prepare 90 "$1"
  bytes=$(du -sb "$1" | cut -f 1)
  (cd "$1" && du -b bin/* data tests | sort -rn | awk '{ printf "  %-30s %8.1f MB\n", $2, $1 / 1e6 }')
  ((bytes <= carried_mb * 1000000)) ||
    fail "$1 has $((bytes / 1000000)) MB, more than the $carried_mb that may be carried: see the sizes above"
  say "$1: $((bytes / 1000000)) MB. On the machine with a GPU, one command at a time:"
  say "  bash DIR/first.sh OUT 330"
  say "  bash DIR/second.sh OUT 300"
}

measure_gpu() {
  local folder='' out='' path capability script status=0
  while (($#)); do
    case $1 in
      --prepare | --out)
        (($# > 1)) || { gpu_usage >&2 && fail "gpu: $1 takes a folder"; }
        # Paths are those of the caller, whose folder ./run has left.
        path=$2
        [[ $path == /* ]] || path=$OLDPWD/$path
        if [[ $1 == --out ]]; then out=$path; else folder=$path; fi
        shift 2
        ;;
      *)
        gpu_usage >&2
        printf './run: gpu knows no %s\n' "$1" >&2
        exit 2
        ;;
    esac
  done
  if [[ $folder ]]; then
    [[ ! $out ]] || { gpu_usage >&2 && fail "gpu: --prepare goes without --out"; }
    prepare_carried "$folder"
    return
  fi
  has_gpu || fail "there is no NVIDIA GPU on this machine; --prepare fills a folder for another one"
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc 0-9)
  [[ $capability ]] || fail "nvidia-smi does not say which GPU this is"
  prepare "$capability" "$PWD/build/gpu/here"
  out=${out:-$PWD/build/gpu/$(date -u +%Y-%m-%dT%H:%M:%SZ)}
  # With so many seconds, every limit is ten times as long.
  for script in first second; do bash "build/gpu/here/$script.sh" "$out" 3300 || status=1; done
  return "$status"
}

#!/usr/bin/env bash
# cli_test.sh PROGRAM CASE...: the program as its user meets it. Each case is a file, or the name of one
# in cases/, run in an empty folder of its own; without a CASE, all of these. Exit status 77: the case
# was skipped.
#
# A case consists of calls of the functions below. It continues after a failure and ends with 1.
# shellcheck disable=SC2317 # the functions are called by the cases
set -uo pipefail

fpsynth=$(realpath "$1")
shift
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export root=${tests%/tests/cli}
export LC_ALL=C
failures=0
out='' err=''

not_ok() {
  printf 'not ok: %s\n' "$1"
  [[ -n ${out:-} ]] && printf '%s\n' "$out" | head -n 15 | sed 's/^/    stdout| /'
  [[ -n ${err:-} ]] && printf '%s\n' "$err" | head -n 15 | sed 's/^/    stderr| /'
  failures=$((failures + 1))
}

# expect STATUS COMMAND...: runs the command, with no input, and compares its exit status, which is in
# $status then. What it printed is in $out and $err. The program under test goes by its file's name.
expect() {
  local wanted=$1
  shift
  last="$*"
  local command=("$@")
  [[ $1 == "${fpsynth##*/}" ]] && command[0]=$fpsynth
  "${command[@]}" >.out 2>.err </dev/null
  status=$?
  out=$(tr -d '\0' <.out | head -c 100000)
  err=$(tr -d '\0' <.err | head -c 100000)
  ((status == wanted)) || not_ok "exit status $status instead of $wanted: $last"
  # An error is reported on standard error, with the program's name.
  if ((wanted != 0)) && [[ -z $err ]]; then
    not_ok "no message on standard error: $last"
  fi
  if [[ $err == *"terminate called"* || $err == *Sanitizer* || $err == *"runtime error"* ]]; then
    not_ok "crashed: $last"
  fi
}

# says REGEX: the standard error of the last command matches (ignoring case).
says() { grep -qiE -- "$1" .err || not_ok "standard error does not match '$1': $last"; }
# prints REGEX: the same for standard output.
prints() { grep -qiE -- "$1" .out || not_ok "standard output does not match '$1': $last"; }
# same, exists, absent FILE...: compare files, or test whether they exist.
same() { cmp -s "$1" "$2" || not_ok "$1 and $2 differ"; }
exists() { [[ -e $1 ]] || not_ok "$1 does not exist (after: $last)"; }
absent() { [[ ! -e $1 ]] || not_ok "$1 exists (after: $last)"; }
# nothing_else NAME...: the folder holds these files and no temporary ones.
nothing_else() {
  local here there
  here=$(find . -mindepth 1 -maxdepth 1 ! -name .out ! -name .err -printf '%f\n' | sort)
  there=$(printf '%s\n' "$@" | sort)
  [[ $here == "$there" ]] || not_ok "files here: ${here//$'\n'/ }; expected: $* (after: $last)"
}

# doubles COUNT FILE: a smooth signal; floats: the same in single precision.
doubles() { perl -e 'binmode STDOUT; print pack("d<*", map { sin($_ / 50) * 1e3 } 1 .. shift)' "$1" >"$2"; }
floats() { perl -e 'binmode STDOUT; print pack("f<*", map { sin($_ / 50) * 1e3 } 1 .. shift)' "$1" >"$2"; }
# flip FILE OFFSET: inverts one byte (a negative offset counts from the end).
flip() {
  perl -e 'my ($file, $at) = @ARGV; open(my $f, "+<:raw", $file) or die; $at += -s $f if $at < 0;
           seek($f, $at, 0); read($f, my $byte, 1); seek($f, $at, 0); print $f ~$byte;' "$1" "$2"
}
size() { stat -c %s "$1"; }
# The build tool of generated projects, as options of CMake.
tool=()
command -v ninja >/dev/null && tool=(-G Ninja)
# configure NAME OPTION...: a generated project, to be built in its own folder with nothing of the
# caller's environment. Every warning is an error.
configure() {
  env -i PATH="$PATH" cmake -S "$1" -B "$1/build" "${tool[@]}" "${@:2}" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wshadow -Wpedantic -Werror"
}
# build NAME: what is configured; the case ends if that fails. Neither fpsynth nor its sources may be named
# in what was generated, nor in what the compiler says it read.
build() {
  expect 0 env -i PATH="$PATH" cmake --build "$1/build" --parallel 2
  ((status == 0)) || exit 1
  ! grep -rqF "${root:?}" "$1" || not_ok "$1 knows of $root: $(grep -rlF "$root" "$1" | head -n 3)"
}
# same_codec NAME METHOD IN BYTES...: the program of a generated project writes and reads fpsynth's bytes.
# All of IN, long enough for three threads, on every instruction set; its first BYTES. Of these it leaves
# the last as `part`, and what they become as part.fps.
same_codec() {
  local program=$1/build/$1 simd=${1^^}_SIMD method=$2 in=$3 level threads bytes
  shift 3
  expect 0 fpsynth compress "$method" "$in" whole.fps --type f64
  for level in baseline avx2 avx512; do
    for threads in 1 3; do
      export "$simd=$level"
      expect 0 "$program" compress --force --threads "$threads" "$in" out.fps
      same whole.fps out.fps
      expect 0 "$program" decompress --force --threads "$threads" whole.fps copy
      same "$in" copy
    done
  done
  unset "$simd"
  for bytes in "$@"; do
    head -c "$bytes" "$in" >part
    expect 0 fpsynth compress "$method" part part.fps --type f64 --force
    expect 0 "$program" compress --force part out.fps
    same part.fps out.fps
    expect 0 "$program" decompress --force part.fps copy
    same part copy
  done
}
# user/, a project in C that uses the installed codec $1; its user.c is to be written.
c_user() {
  mkdir user
  cat >user/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package($1 REQUIRED)
add_executable(user user.c)
target_compile_options(user PRIVATE -std=c99 -Wall -Wextra -Wpedantic -Werror)
target_link_libraries(user $1::$1)
END
}
skip() {
  printf 'skipped: %s\n' "$1"
  exit 77
}

run_case() (
  folder=$(mktemp -d "${TMPDIR:-/tmp}/fpsynth_cli_XXXXXX") || exit 1
  trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
  cd "$folder" || exit 1
  # shellcheck source=/dev/null
  source "$1"
  ((failures == 0))
)

if (($# == 0)); then
  set -- "$tests"/cases/*.sh
fi
worst=0
for file in "$@"; do
  name=$(basename "$file" .sh)
  if [[ -e $file ]]; then file=$(realpath "$file"); else file=$tests/cases/$name.sh; fi
  run_case "$file"
  status=$?
  printf '%s: %s\n' "$name" "$(case $status in 0) echo ok ;; 77) echo skipped ;; *) echo FAILED ;; esac)"
  ((status == 0 || worst == 1)) || worst=$status
done
exit "$worst"

# The installed copy from its user's view: CMake and pkg-config find it from any prefix, the examples
# of docs/library.md use it, and every header compiles alone. Compiles some ten seconds of one core.
build=${fpsynth:?}
build=${build%/bin/*}
doubles 20000 in.f64
expect 0 cmake --install "$build" --prefix "$PWD/first" --strip
mv first usr

# The program and what belongs to it.
expect 0 usr/bin/fpsynth --version
exists usr/share/doc/fpsynth/LICENSE
exists usr/share/doc/fpsynth/CHANGELOG.md
exists usr/share/bash-completion/completions/fpsynth
exists usr/share/zsh/site-functions/_fpsynth
exists usr/share/fish/vendor_completions.d/fpsynth.fish
# A man page for fpsynth and for each of its commands, which the first leads to.
pages=usr/share/man/man1
expect 0 cat $pages/fpsynth.1
mapfile -t named < <(tr -d '\134' <.out | grep -oE 'fpsynth-[a-z0-9]+')
[[ $(printf '%s.1\n' fpsynth "${named[@]}" | sort) == "$(ls $pages)" ]] ||
  not_ok "fpsynth.1 names other pages than are installed"
for part in 'search ^\.TH FPSYNTH-SEARCH 1 ' 'search \\-\\-verify' 'query ^\.SS fpsynth query top' \
  'baseline ^\.SS fpsynth baseline fpc'; do
  grep -qE -- "${part#* }" "$pages/fpsynth-${part%% *}.1" || not_ok "no '${part#* }' in the page of ${part%% *}"
done
if command -v groff >/dev/null; then
  for page in "$pages"/*; do
    expect 0 groff -ww -man -Tascii "$page"
    [[ -z $err ]] || not_ok "groff complains of ${page##*/}"
  done
else
  printf 'groff is not here: the man pages are not tested with it\n'
fi
# The report is drawn with what is installed.
# shellcheck source=/dev/null
python=$(source "$root/.ci/tools.sh" && find_python)
if [[ -n $python ]]; then
  expect 0 usr/bin/fpsynth search in.f64 --stages 1 --out runs
  expect 0 "$python" usr/share/fpsynth/analysis/make.py --runs runs --fpsynth usr/bin/fpsynth
  expect 0 "$python" usr/share/fpsynth/analysis --runs runs --out figures
  exists figures/index.html
  expect 0 "$python" usr/share/fpsynth/analysis --study usr/share/fpsynth/configs/studies/mini.json --runs runs --out figures
else
  printf 'no Python has matplotlib: no report is drawn\n'
fi
# Studies and spaces have names, wherever the program is called; a file of that name goes before.
expect 0 usr/bin/fpsynth search --study mini --space wide --dry-run
prints '^plan: 608484 distinct pipelines'
prints '^data: 13 data sets'
doubles 100 mini
expect 1 usr/bin/fpsynth search --study mini --dry-run
says 'mini'
rm mini
expect 1 usr/bin/fpsynth search --study no-such-study --dry-run
says '^fpsynth: cannot read no-such-study: '
! grep -rlF "${root:?}" usr/share usr/include usr/lib/cmake usr/lib/pkgconfig ||

# Headers need nothing but the standard library and each other.
for header in usr/include/fpsynth/*.hpp; do
  expect 0 "${CXX:-c++}" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I usr/include \
    -include "fpsynth/${header##*/}" -x c++ /dev/null
done
for language in "c -std=c99" "c++ -std=c++11"; do
  # shellcheck disable=SC2086 # words
  expect 0 "${CXX:-c++}" -x $language -Wall -Wextra -pedantic -Werror -fsyntax-only usr/include/fpsynth.h
done
! grep -hE "^#include" usr/include/fpsynth/*.hpp | grep -qvE "<([a-z_]+|fpsynth/[a-z]+\.hpp)>$" ||
  not_ok "a public header includes what is not public"

# The examples of docs/library.md: its blocks of C++ and the one of C.
awk '/^```cpp/ { file = "example" ++n ".cpp"; next } /^```c$/ { file = "example.c"; next } /^```/ { file = "" }
  file { print > file }' "$root/docs/library.md"
exists example1.cpp
exists example2.cpp
exists example.c
sed 's/"auto"/"LNV1s BIT | ZE"/' example.c >named.c
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES CXX)
find_package(fpsynth 1.0 REQUIRED COMPONENTS codec)
if(TARGET fpsynth::fpsynth OR TARGET fmt::fmt)
  message(FATAL_ERROR "the codec alone was asked for")
endif()
find_package(fpsynth 1.0 REQUIRED)
add_executable(example1 example1.cpp)
target_link_libraries(example1 fpsynth::codec)
add_executable(example2 example2.cpp)
target_link_libraries(example2 fpsynth::fpsynth)
END
expect 0 cmake -S . -B user "${tool[@]}" -DCMAKE_PREFIX_PATH="$PWD/usr" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror"
expect 0 cmake --build user
# run FOLDER: the examples there do what the page says.
run() {
  rm -f values.fps
  expect 0 "$1/example1"
  prints '^80000 bytes -> [0-9]+, and back$'
  expect 0 fpsynth decompress values.fps values.f64 --force
  [[ $(size values.f64) == 80000 ]] || not_ok "values.fps has another original"
  expect 0 "$1/example2"
  prints '^[0-9.]+  [A-Z].* (ZE|RLE)$'
}
run user
ldd user/example1 | grep -E 'fmt|omp' && not_ok "the codec needs more than xxHash"

# c_examples FOLDER PKG-CONFIG'S OPTIONS...: the example in C, with "auto", and with a method and the codec alone, to
# which "auto" is an error.
c_examples() {
  local to=$1 cc=("${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror)
  shift
  # shellcheck disable=SC2046 # words
  {
    expect 0 "${cc[@]}" example.c -o "$to/c" $(pkg-config --cflags --libs "$@" fpsynth)
    expect 0 "${cc[@]}" named.c -o "$to/named" $(pkg-config --cflags --libs "$@" fpsynth-codec)
    expect 0 "${cc[@]}" example.c -o "$to/alone" $(pkg-config --cflags --libs "$@" fpsynth-codec)
  }
  local program
  for program in c named; do
    expect 0 env LD_LIBRARY_PATH="$shared" "$to/$program"
    prints '^80000 bytes -> [0-9]+, and back$'
    prints '^damaged: compressed data.* is damaged'
  done
  expect 1 env LD_LIBRARY_PATH="$shared" "$to/alone"
  says 'pkg-config fpsynth'
}
# Through pkg-config, from another prefix.
shared=$build/runners/library/shared
if command -v pkg-config >/dev/null; then
  mv usr moved
  export PKG_CONFIG_PATH=$PWD/moved/lib/pkgconfig
  mkdir packages
  # shellcheck disable=SC2046 # words
  {
    expect 0 "${CXX:-c++}" -std=c++20 example1.cpp -o packages/example1 $(pkg-config --cflags --libs fpsynth-codec)
    expect 0 "${CXX:-c++}" -std=c++20 example2.cpp -o packages/example2 $(pkg-config --cflags --libs fpsynth)
  }
  run packages
  c_examples packages
  mkdir with_shared
  c_examples with_shared --define-variable=libdir="$shared"
  mv moved usr
else
  printf 'pkg-config is not here: not tested with it\n'
fi

# As shared libraries, which export only public symbols.
mkdir shared
expect 0 "${CXX:-c++}" -std=c++20 -I usr/include example1.cpp -o shared/example1 \
  "$shared/libfpsynth-codec.so" -Wl,-rpath,"$shared"
expect 0 "${CXX:-c++}" -std=c++20 -I usr/include example2.cpp -o shared/example2 \
  "$shared/libfpsynth.so" "$shared/libfpsynth-codec.so" -Wl,-rpath,"$shared"
run shared

# Its searches are the program's, also behind preludes and on longer chunks.
cat >preludes.cpp <<'END'
#include <fstream>
#include <fpsynth/search.hpp>

int main() {
  std::vector<double> values(20000);
  std::ifstream("in.f64", std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()), std::streamsize(8 * values.size()));
  fpsynth::SearchOptions options;
  options.name = "in";
  options.space = {.stages = 2, .components = {"NUL", "LNV1s", "RRE"}, .last = {"ZE", "CLOG"},
                   .cuts = {0, 2}, .chunk_words = 2048};
  options.preludes = "LAGs:1, ORD LAGx:2";
  fpsynth::search_pipelines(values, options).write("of-library.json");
}
END
printf '{"stages": 2, "components": ["NUL", "LNV1s", "RRE"], "last": ["ZE", "CLOG"], "cuts": [0, 2], "chunk_words": 2048}' >space.json
expect 0 "${CXX:-c++}" -std=c++20 -I usr/include preludes.cpp -o shared/preludes \
  "$shared/libfpsynth.so" "$shared/libfpsynth-codec.so" -Wl,-rpath,"$shared"
expect 0 shared/preludes
expect 0 fpsynth search in.f64 --backend cpu --space space.json --preludes "LAGs:1, ORD LAGx:2" --out found
# found FILE: the space, the candidates and all sizes.
found() { tr -d ' \n' <"$1" | grep -oE '"(space|prelude_candidates|payload_bytes|ranking)":[[{][^]]*\]'; }
[[ $(found of-library.json) == "$(found found/in.double.json)" && -n $(found of-library.json) ]] ||
  not_ok 'the library finds something else than the program'
for library in fpsynth fpsynth-codec; do
  nm -DC --defined-only "$shared/lib$library.so" | grep -E 'fpsynth::[a-z_]+::' | grep -vE '^\w+ [VW] ' |
    grep . && not_ok "lib$library.so shows what is private"
done

# A generated project from its user's view: built in its own folder, it writes and reads the files of
# fpsynth. Compiles a project, half a minute of one core; generate_single.sh compiles another.
doubles 30000 in.f64
floats 5001 in.f32
printf 'xyz' >>in.f64

# Wrong calls leave nothing behind.
expect 2 fpsynth generate "LNV2s FOO ZE" --name mpc6 --out p
says 'FOO'
says '\^'
for name in 6mpc my-codec class a/b ../p _x std test NULL INT32_MAX assert c xxhash CMakeFiles; do
  expect 2 fpsynth generate "ZE" --name "$name" --out p
  says 'name'
done
expect 2 fpsynth generate "ZE" --name mpc6
says 'out'
expect 2 fpsynth generate --name mpc6 --out p
says 'PIPELINE'
expect 2 fpsynth generate "ZE" --name mpc6 --out p --target fortran
says 'target'
expect 2 fpsynth generate "ZE" --name mpc6 --out p --word quarter
says 'quarter not in'
expect 2 fpsynth generate "LNV65s ZE" --name mpc6 --out p
says 'n of LNVns is 1 to 64'
expect 2 fpsynth generate "ZE" --name mpc6 --out ""
says '\-\-out is empty'
expect 2 fpsynth generate "ZE" --name mpc6 --out p --runs in
says '\-\-best'
expect 2 fpsynth generate "ZE" --name mpc6 --out p --filter-id 300
says '\-\-target hdf5'
expect 2 fpsynth generate "ZE" --name mpc6 --out p --target hdf5 --filter-id 255
says 'testing'
expect 2 fpsynth generate "ZE" --best in --name mpc6 --out p
says 'give a PIPELINE or --best, not both'
expect 1 fpsynth generate --best in --runs nowhere --name mpc6 --out p
says 'nowhere'
expect 1 fpsynth generate "ZE" --name mpc6 --out in.f64
says 'no folder'
expect 1 fpsynth generate "ZE" --name mpc6 --out in.f64/p
nothing_else in.f64 in.f32

# Nothing is overwritten without --force, and with it only files of a generated project.
mkdir full empty
echo mine >full/notes
echo mine >full/README.md
for force in "" --force; do
  # shellcheck disable=SC2086 # no word if it is empty
  expect 1 fpsynth generate "ZE" --name mpc6 --out full $force
  says "force"
  [[ $(ls full) == $'README.md\nnotes' && $(cat full/README.md) == mine ]] || not_ok "full was changed"
done
rm full/README.md
expect 0 fpsynth generate "ZE" --name mpc6 --out full/ --force
echo edited >full/README.md
expect 0 fpsynth generate "ZE" --name mpc6 --out full/ --force
grep -q '^# mpc6' full/README.md || not_ok "--force did not replace README.md"
expect 0 fpsynth generate "ZE" --name other --target cuda --out full --force
prints 'mpc6.hpp: removed'
[[ $(cat full/notes) == mine ]] || not_ok "--force replaced a file that is not the project's"
[[ -z $(find full -name 'mpc6*') ]] || not_ok "files of the project before stay beside the new one's"
expect 0 fpsynth generate "ZE" --name mpc6 --out empty
expect 0 fpsynth generate "ZE" --name mpc6 --out new/folder/
diff -r empty new/folder >/dev/null || not_ok "the same call gave different files"
[[ $(ls -A empty) == "$(ls empty)" ]] || not_ok "left in empty: $(ls -A empty)"
# A new folder has the mode of any other; one that is there may be on another file system.
(umask 027 && mkdir usual && exec "$fpsynth" generate "ZE" --name mpc6 --out private >/dev/null)
[[ $(stat -c %a private) == "$(stat -c %a usual)" ]] || not_ok "the new folder has mode $(stat -c %a private)"
[[ $(stat -c %a private/mpc6.h) == 640 ]] || not_ok "new files have mode $(stat -c %a private/mpc6.h)"
if [[ -w /dev/shm && $(stat -c %d /dev/shm) != $(stat -c %d .) ]]; then
  elsewhere=$(mktemp -d /dev/shm/fpsynth_cli_XXXXXX)
  ln -s "$elsewhere" elsewhere
  expect 0 fpsynth generate "ZE" --name mpc6 --out elsewhere
  diff -r empty elsewhere/ >/dev/null || not_ok "other files behind a link to another file system"
  rm -r elsewhere "$elsewhere"
else
  echo '/dev/shm is no other file system: not tested with one'
fi
rm -r usual private
nothing_else in.f64 in.f32 full empty new

# The winner of a study.
head -c 8192 in.f64 >small.f64
expect 0 fpsynth search small.f64 --precision both --out runs --verify none
expect 2 fpsynth generate --best small --runs runs --name best --out best
says 'precision'
expect 0 fpsynth generate --best small --runs runs --precision single --name best --out best
expect 0 fpsynth query top 1 --runs runs --precision single --csv
winner=$(sed -n 2p .out | grep -oE '[A-Z]+[0-9]*[sx]?( \|)?( [A-Z]+[0-9]*[sx]?( \|)?){3}' | tail -n 1)
grep -qF "    $winner" best/best.h || not_ok "best.h does not name $winner"
grep -q 'best of 138240 pipelines on the data set small' best/README.md || not_ok "no origin"
grep -q 'std::vector<float> data' best/README.md || not_ok "README.md shows another type"
expect 0 fpsynth generate "ZE" --precision single --name best --out named
grep -qF 'Pipeline = StaticPipeline<std::uint32_t' named/best.hpp || not_ok "--precision was not heeded"
expect 0 fpsynth search in.f64 --sample 8 --out sampled --verify none
expect 0 fpsynth generate --best in --runs sampled --name best --out sample
grep -q 'pipelines on a 1/8 sample of the data set in:' sample/README.md || not_ok "no word of the sample"

# A project, built with nothing of fpsynth.
pipeline="LNV6s BIT LNV1s ZE"
expect 0 fpsynth generate "$pipeline" --name mpc6 --out mpc6
expect 0 fpsynth generate "RLE LNV2s | DIM8 RLE" --word single --name plasma --out plasma
expect 0 configure mpc6 -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX="$PWD/usr"
build mpc6

for _ in {1..40}; do cat in.f64; done >long.f64
same_codec mpc6 "$pipeline" long.f64 0 1 7 8 9 8191 8192 8193 131072 131081 200000
expect 0 fpsynth compress "$pipeline" in.f64 ref.fps
expect 0 fpsynth compress "RLE LNV2s | DIM8 RLE" in.f32 single.fps

# A file that cannot be decompressed is an error, and no output is left.
rm -f copy
expect 1 mpc6/build/mpc6 decompress single.fps copy
says 'another pipeline'
expect 1 mpc6/build/mpc6 decompress in.f64 copy
says 'FPSY'
head -c 1000 ref.fps >short.fps
expect 1 mpc6/build/mpc6 decompress short.fps copy
says 'damaged'
cp ref.fps bad.fps
flip bad.fps 30
expect 1 mpc6/build/mpc6 decompress bad.fps copy
says 'checksum'
cp ref.fps old.fps
printf '\001' | dd of=old.fps bs=1 seek=4 conv=notrunc status=none
expect 1 mpc6/build/mpc6 decompress old.fps copy
says 'earlier development version.*compress the original again'
expect 1 mpc6/build/mpc6 compress missing copy
says 'missing'
expect 1 mpc6/build/mpc6 compress in.f64 ref.fps
says 'force'
expect 2 mpc6/build/mpc6 squeeze in.f64 copy
expect 2 mpc6/build/mpc6 compress in.f64
absent copy

# Only regular files are replaced: links are followed, pipes are written to and read, and other files
# are not changed.
echo mine >copy.part
expect 0 mpc6/build/mpc6 decompress ref.fps copy
[[ $(cat copy.part) == mine ]] || not_ok "copy.part was replaced"
same in.f64 copy
expect 1 mpc6/build/mpc6 compress copy copy --force
says 'both input and output'
mkdir place
expect 1 mpc6/build/mpc6 decompress ref.fps place --force
says 'directory'
echo old >place/real
ln -s place/real link
expect 1 mpc6/build/mpc6 decompress ref.fps link
expect 0 mpc6/build/mpc6 decompress ref.fps link --force
[[ -L link ]] || not_ok "a link was replaced"
same in.f64 place/real
[[ $(ls place) == real ]] || not_ok "left in place: $(ls place)"
mkfifo pipe
cat <pipe >copy &
expect 0 mpc6/build/mpc6 decompress ref.fps pipe
wait $!
[[ -p pipe ]] || not_ok "a pipe was replaced"
same in.f64 copy
cat in.f64 >pipe &
expect 0 mpc6/build/mpc6 compress pipe out.fps --force
same ref.fps out.fps

# What is replaced keeps its mode, links to nothing are not, and what appears while the program works is
# replaced by force only.
echo old >secret
chmod 600 secret
expect 0 mpc6/build/mpc6 decompress ref.fps secret --force
[[ $(stat -c %a secret) == 600 ]] || not_ok "a private file was replaced by one of mode $(stat -c %a secret)"
same in.f64 secret
(umask 027 && exec mpc6/build/mpc6 decompress ref.fps fresh)
[[ $(stat -c %a fresh) == 640 ]] || not_ok "a new file has mode $(stat -c %a fresh)"
ln -s missing nothing
for force in "" --force; do
  # shellcheck disable=SC2086 # no word if it is empty
  expect 1 mpc6/build/mpc6 decompress ref.fps nothing $force
  says 'nothing is a symbolic link that leads to no file'
  [[ -L nothing ]] || not_ok "a link to nothing was replaced"
done
last="a file that appears while mpc6 works" out=''
for force in "" --force; do
  # shellcheck disable=SC2086 # no word if it is empty
  mpc6/build/mpc6 compress pipe late.fps $force 2>.err &
  # Opens when the program, which has looked for its output, opens its input.
  exec 7>pipe
  echo mine >late.fps
  # A name that a program with this number, killed long ago, may have left.
  echo other >"late.fps.$!.tmp"
  cat in.f64 >&7
  exec 7>&-
  wait $!
  status=$? err=$(cat .err)
  [[ $(cat "late.fps.$!.tmp") == other ]] || not_ok "another program's temporary file was changed"
  rm "late.fps.$!.tmp"
  if [[ $force ]]; then
    ((status == 0)) || not_ok "exit status $status with --force: $last"
    same ref.fps late.fps
  else
    ((status == 1)) || not_ok "exit status $status instead of 1: $last"
    says 'late\.fps: file exists; give --force'
    [[ $(cat late.fps) == mine ]] || not_ok "replaced without --force: $last"
    rm late.fps
  fi
done
last="mpc6 decompress under ulimit -f 16"
(ulimit -f 16 && exec mpc6/build/mpc6 decompress ref.fps large) 2>.err
status=$? err=$(cat .err)
((status == 1)) || not_ok "exit status $status instead of 1: $last"
says 'cannot write large: file too large; raise .*ulimit -f'
absent large
[[ -z $(find . -maxdepth 1 -name '*.tmp') ]] || not_ok "temporary files were left behind"

# In programs: both codecs as headers in one, the installed library in C.
cat >both.cpp <<'END'
#include "mpc6.hpp"
#include "plasma.hpp"
int main() {
  const std::vector<double> data(5000, 1.5);
  const auto bytes = std::as_bytes(std::span(data));
  for (const auto& back : {mpc6::decompress(mpc6::compress(bytes)),
                           plasma::decompress(plasma::compress(bytes, 2), 2)}) {
    if (back.size() != bytes.size() || std::memcmp(back.data(), bytes.data(), back.size())) return 1;
  }
  try {
    mpc6::decompress(plasma::compress(bytes));
  } catch (const mpc6::Error& error) {
    return error.status() == mpc6::Status::OtherCodec ? 0 : 2;
  }
  return 3;
}
END
# With the sanitizer that GCC has, which finds at fault what clang's does not, and warns of what is none.
flags=(-O1 -w)
if grep -qw avx2 /proc/cpuinfo; then flags+=(-mavx2 -fsanitize=undefined -fno-sanitize-recover=all); fi
expect 0 "${CXX:-c++}" -std=c++20 "${flags[@]}" -Impc6 -Iplasma both.cpp -o both
expect 0 ./both
# And without OpenMP with a compiler that warns of members that nothing uses.
if command -v clang++ >/dev/null; then
  expect 0 clang++ -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Impc6 -Iplasma both.cpp
else
  echo 'clang is not here: not tested with it'
fi
# Names that parts of a project have too, all in one program.
echo '#include "both.cpp"' >all.cpp
flags=()
for name in Codec Level Status; do
  expect 0 fpsynth generate "ZE" --name $name --out $name
  echo "#include \"${name}_level.cpp\"" >>all.cpp
  flags+=("-D${name^^}_LEVEL=baseline" "-I$name")
done
expect 0 "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Impc6 -Iplasma "${flags[@]}" all.cpp
expect 0 cmake --install mpc6/build
c_user mpc6
cat >user/user.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpc6.h"
int main(void) {
  double data[3000], copy[3000];
  size_t i, bytes = sizeof data, room = mpc6_bound(bytes), back = bytes;
  void *packed = malloc(room);
  int error;
  for (i = 0; i < 3000; ++i) data[i] = (double)i;
  error = mpc6_compress(data, bytes, packed, &room);
  if (!error) error = mpc6_decompress(packed, room, copy, &back);
  if (error) fprintf(stderr, "%s\n", mpc6_error_text(error));
  if (error || back != bytes || memcmp(data, copy, bytes)) return 1;
  back = bytes - 1;
  if (mpc6_decompress(packed, room, copy, &back) != MPC6_TOO_SMALL || back != 0) return 2;
  if (mpc6_compress(NULL, 1, packed, &room) != MPC6_BAD_CALL) return 3;
  free(packed);
  return puts(mpc6_instruction_set()) < 0;
}
END
expect 0 cmake -S user -B user/build "${tool[@]}" -DCMAKE_PREFIX_PATH="$PWD/usr"
expect 0 cmake --build user/build
expect 0 user/build/user
prints 'baseline|avx2|avx512'

# The installed files may be moved together: the program finds its shared library from the new
# prefix, without help from the environment, and pkg-config what a C compiler needs.
mv usr moved
expect 0 env -i moved/bin/mpc6 compress --force in.f64 out.fps
same ref.fps out.fps
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$PWD/moved/lib/pkgconfig
  # shellcheck disable=SC2046 # words
  expect 0 "${CC:-cc}" -std=c99 -Wall -Werror user/user.c -o by_pkg_config \
    $(pkg-config --cflags --libs mpc6) "-Wl,-rpath,$PWD/moved/lib"
  expect 0 ./by_pkg_config
  prints 'baseline|avx2|avx512'
else
  printf 'pkg-config is not here: not tested with it\n'
fi

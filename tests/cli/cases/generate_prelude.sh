# A generated project with a prelude from its user's view: it writes and reads the files of fpsynth, and
# its HDF5 filter works within HDF5's chunks. Compiles one project, half a minute of one core.
# Decimals of one digit, and one value in seven that is none.
perl -e 'binmode STDOUT; print pack("d<*", map { my $x = sin($_ / 50) * 1e3; $_ % 7 ? int($x) / 10 : $x } 1 .. 30000)' >in.f64
method="DEC:1 DICT LAGx:300 / LNV1s ZE | RLE"

# What cannot be generated is refused, and leaves nothing behind.
expect 2 fpsynth generate "LAGq:3 / ZE" --name city --out p
says "unknown step 'LAGq:3'"
expect 2 fpsynth generate "LAGs:3 / LNV1s" --name city --out p
says 'must be ZE, RLE'
expect 1 fpsynth generate "DEC:12 / ZE" --precision single --name city --out p
says 'parameter 12 of DEC; on 4-byte words it is 0 to 9'
nothing_else in.f64

expect 0 fpsynth generate "$method" --target hdf5 --filter-id 301 --name city --out city
prints "13 files for \"${method//|/\\|}\""
grep -qxF "$method" city/README.md || not_ok "README.md does not name the method"
grep -q 'nothing in chunks of 300 words or fewer' city/README.md || not_ok "README.md is silent about chunks of HDF5"
expect 0 fpsynth generate --help
prints 'HDF5 filter sees'

hdf5=1
if ! command -v h5repack >/dev/null || ! command -v h5import >/dev/null ||
  ! configure city >log 2>&1; then
  printf 'HDF5 or its tools are not here: not tested with them\n'
  hdf5=0
  rm -rf city/build
  expect 0 configure city -DCITY_HDF5=OFF
fi
build city

for _ in {1..40}; do cat in.f64; done >long.f64
printf 'xyz' >>long.f64
same_codec city "$method" long.f64 0 1 7 8 9 2399 2400 2408 8192 131081
expect 0 fpsynth decompress out.fps back --force
same part back
rm -f copy

# A file that is not its own or is damaged is an error, and no output is left.
expect 0 fpsynth compress "DEC:1 DICT LAGx:301 / LNV1s ZE | RLE" part other.fps --type f64
expect 1 city/build/city decompress other.fps copy
says 'another pipeline'
expect 0 fpsynth compress "LNV1s ZE | RLE" part plain.fps --type f64
expect 1 city/build/city decompress plain.fps copy
says 'another pipeline'
head -c 1000 part.fps >short.fps
expect 1 city/build/city decompress short.fps copy
says 'damaged'
for at in 20 60 80 2000 $(($(size part.fps) - 100)); do
  cp part.fps bad.fps
  flip bad.fps "$at"
  expect 1 city/build/city decompress bad.fps copy
  says 'damaged|another'
done
absent copy

if ((hdf5)); then
  export HDF5_PLUGIN_PATH=$PWD/city/build/plugins
  printf 'PATH data\nINPUT-CLASS FP\nINPUT-SIZE 64\nINPUT-BYTE-ORDER LE\nRANK 1\nDIMENSION-SIZES 30000\nOUTPUT-CLASS FP\nOUTPUT-SIZE 64\nOUTPUT-ARCHITECTURE IEEE\nOUTPUT-BYTE-ORDER LE\n' >data.cfg
  expect 0 h5import in.f64 -c data.cfg -o in.h5
  # Chunks longer and shorter than the lag; mandatory and optional, where chunks that would grow stay.
  for flag in 0 1; do
    for chunk in 4099 200; do
      expect 0 h5repack -f UD=301,$flag,0 -l data:CHUNK=$chunk in.h5 packed.h5
      expect 0 h5dump -pH packed.h5
      prints "city: ${method//|/\\|}"
      expect 0 h5diff in.h5 packed.h5
    done
  done
fi

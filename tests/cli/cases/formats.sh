# FILE:VARIABLE: files that NumPy and HDF5 made are described, extracted to the byte and searched; raw
# files of another byte order and with a header are too.
doubles 3000 wave.f64
floats 3000 wave.f32
small_space='"space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}'

# .npy by hand: NumPy's header is text.
npy() { # npy DESCR RAW OUT
  perl -e 'my ($descr, $raw, $out) = @ARGV; local $/; open(my $in, "<:raw", $raw) or die; my $values = <$in>;
    my $header = "{\x27descr\x27: \x27$descr\x27, \x27fortran_order\x27: True, \x27shape\x27: (3, 1000), }";
    $header .= " " while (10 + length($header) + 1) % 64; $header .= "\n";
    open(my $f, ">:raw", $out) or die; print $f "\x93NUMPY\1\0", pack("v", length $header), $header, $values;' "$@"
}
npy '<f8' wave.f64 wave.npy
npy '<c8' wave.f64 counts.npy
expect 0 fpsynth data info wave.npy
prints '^wave\.npy +float64 +3x1000 +Fortran order'
prints '^wave +double +24000 '
expect 0 fpsynth data info counts.npy
prints '^counts\.npy +complex64 +3x1000 .*not read: only floats of 16 to 64 bits and integers of 8 to 64 bits are$'
expect 0 fpsynth data decode wave.npy out.f64
same out.f64 wave.f64
expect 1 fpsynth data decode wave.npy out.f64
says 'out\.f64.*--force'
expect 1 fpsynth data decode counts.npy none
says '^fpsynth: cannot read counts\.npy: its values are complex64; only floats of 16 to 64 bits and integers of 8 to 64'
expect 1 fpsynth search counts.npy --out none
says 'its values are complex64'
expect 1 fpsynth data info wave.npy:x
says 'wave\.npy:x: .*has no name'
expect 1 fpsynth data info wave.f64:x
says 'wave\.f64:x: wave\.f64 is no .* file and has no variables'
# A file of that name wins.
cp wave.f64 wave.npy:y.f64
expect 0 fpsynth data info wave.npy:y.f64
prints '^wave\.npy:y +double +24000 '

# Raw words of another byte order, behind a header, and some of them: in commands and in studies.
perl -e 'local $/; open(my $in, "<:raw", "wave.f32") or die; print "head: 3000 values\n", pack("N*", unpack("V*", <$in>))' >big.bin
raw=(--type f32 --endian big --offset 18)
expect 0 fpsynth data decode big.bin out.f32 "${raw[@]}"
same out.f32 wave.f32
expect 0 fpsynth data decode big.bin few.f32 "${raw[@]}" --count 10
[[ $(size few.f32) == 40 ]] || not_ok '--count 10 gave another number of values'
cmp -s -n 40 few.f32 wave.f32 || not_ok '--count 10 gave other values'
expect 1 fpsynth data info big.bin "${raw[@]}" --count 3001
says '--count 3001: there are only 3000 values'
expect 1 fpsynth data info big.bin --type f32 --offset 99999
says '--offset 99999: the file has only 12018 bytes'
expect 1 fpsynth data decode big.bin none --type f32 --offset 12014 --count 2
says '--count 2: there is only 1 value$'
for option in --count --offset; do  # numbers as they were typed
  for wrong in -1 9999999999999999999999; do
    expect 2 fpsynth data decode big.bin none "${raw[@]}" "$option=$wrong"
    says "$option: '$wrong' is "
  done
done
expect 1 fpsynth data info big.bin --type f32 --offset 1M
says '--offset 1048576: the file has only 12018 bytes'
expect 2 fpsynth data make --bytes -1
says "'-1' is not a number of bytes, such as"
absent none
expect 2 fpsynth data info big.bin --endian middle
says 'endian'
expect 2 fpsynth data info big.bin --count 0
says 'count'
expect 1 fpsynth data info wave.npy --endian big
says 'wave\.npy is a NumPy array.*leave out --endian'
expect 1 fpsynth data info wave.npy --type f32
says 'wave\.npy holds float64 values; leave out --type'
cat >study.json <<END
{"name": "s", "data": [{"file": "big.bin", "type": "f32", "endian": "big", "offset": 18, "count": 2500},
 {"file": "wave.npy"}], "precisions": ["single"], $small_space}
END
expect 0 fpsynth search --study study.json --out found
head -c 10000 wave.f32 >first.f32
head -c 20000 wave.f64 >first.f64
printf '{"name": "s", "data": [{"file": "first.f32"}], "precisions": ["single"], %s}\n' "$small_space" >plain.json
expect 0 fpsynth search --study plain.json --out plain
of() { sed -n '/"ranking"/,$p' "$1"; }
cmp -s <(of found/big.single.json) <(of plain/first.single.json) || not_ok 'the raw file has other results'
# The document says how to find the values again.
expect 0 fpsynth bench pipelines --top 1 --runs found --bytes 64K --repetitions 1 --no-generated --threads 1
expect 1 fpsynth search --study <(sed 's/"big"/"middle"/' study.json) --out none
says 'data\[0\]\.endian: expected "little" or "big", found "middle"'

if fpsynth_lacks=$("${fpsynth:?}" --version | grep -o 'no libhdf5'); then
  skip "$fpsynth_lacks in this build"
fi
python=/usr/bin/python3
$python -c 'import h5py' 2>/dev/null || skip 'no h5py (python3-h5py)'
$python - <<'END'
import h5py, numpy
doubles = numpy.fromfile("wave.f64")
with h5py.File("run.h5", "w") as file:
    file["step/wave"] = doubles.reshape(3, 10, 100).astype(">f8")
    packed = file.create_dataset("packed", data=doubles.astype("f4"), chunks=(700,), compression="gzip", shuffle=True)
    packed.attrs["_FillValue"] = numpy.float32(-99)
    packed.attrs["units"] = "m"
    file["count"] = numpy.arange(4) + 1j
numpy.save("of_numpy.npy", doubles.astype(">f4"))
numpy.save("complex.npy", doubles + 1j)
END
expect 0 fpsynth data info run.h5
prints '^run\.h5:/count +complex128 +4 +not read: only floats of 16 to 64 bits'
prints '^run\.h5:/packed +float32 +3000 +shuffle, deflate; units = m; _FillValue = -99'
prints '^run\.h5:/step/wave +float64 +3x10x100 +big-endian'
prints '^Values are as stored: no scale, offset or fill value is applied'
prints '^run_packed +single +12000 '
prints '^run_step_wave +double +24000 '
expect 1 fpsynth data decode run.h5:/packed none --offset 8
says 'run\.h5:/packed is an HDF5 file.*leave out --offset'
absent none
expect 0 fpsynth data info run.h5 --json
prints '"_FillValue": "-99"'
prints '"refused": "only floats of'
expect 0 fpsynth data decode run.h5:step/wave out.f64 --force
same out.f64 wave.f64
expect 0 fpsynth data decode of_numpy.npy numpy.f32
expect 0 fpsynth data decode run.h5:/packed packed.f32
same numpy.f32 packed.f32
expect 1 fpsynth search run.h5 --out none
says 'run\.h5: it has 2 variables with values; name one, as in run\.h5:/packed: /packed \(float32, 3000\), /step/wave'
says 'step/wave .*; fpsynth repack makes all of the file smaller'
expect 2 fpsynth compress auto run.h5
says 'OUT is required; run\.h5 has .* variables: name one, or .* fpsynth repack'
expect 0 fpsynth search 'run.h5:*' --out all --sample 10 --verify none
says 'note: run.h5:\*: without /count \(complex128\), /packed \(float32, with --precision single\)'
prints '^run_step_wave +double'
expect 0 fpsynth search 'run.h5:*' --out singles --sample 10 --verify none --precision single
prints '^run_packed +single'
expect 1 fpsynth compress ZE complex.npy none
says "its values are complex128; only .* NumPy's view\('f8'\) writes the same bits as such values, and loses nothing"
expect 0 fpsynth compress ZE of_numpy.npy grown.fps
says 'note: of_numpy.npy grew, from [0-9]+ to [0-9]+ bytes; try: fpsynth compress auto'
expect 1 fpsynth search run.h5:/wave --out none
says 'run\.h5:/wave: there is no such variable'
expect 2 fpsynth baseline holt run.h5:/packed none
says 'fpsynth data decode run\.h5:/packed OUT'
absent none
expect 0 fpsynth compare run.h5:/packed --only memcpy --repetitions 1 --json
prints '"name": "run_packed"'
printf '{"name": "s", "data": [{"file": "run.h5:step/wave"}], "precisions": ["double"], %s}\n' "$small_space" >study.json
expect 0 fpsynth search --study study.json --out of_file
printf '{"name": "s", "data": [{"file": "wave.f64"}], "precisions": ["double"], %s}\n' "$small_space" >plain.json
expect 0 fpsynth search --study plain.json --out of_words
cmp -s <(of of_file/run_step_wave.double.json) <(of of_words/wave.double.json) || not_ok 'the variable has other results'
mkdir -p moved/deep
mv run.h5 moved/deep
expect 0 fpsynth bench pipelines --top 1 --runs of_file --data moved --bytes 64K --repetitions 1 --no-generated --threads 1
# Escapes of a file's names and attributes do not reach the terminal.
$python - <<'END'
import h5py, numpy
with h5py.File("escapes.h5", "w") as file:
    file["x\033[2J"] = numpy.arange(4.0)
    file["x\033[2J"].attrs["units"] = "\033]0;title\007"
    file["y\033c"] = numpy.arange(4) + 1j
END
expect 0 fpsynth data info escapes.h5 --structure
prints '^escapes\.h5:/x\\x1b\[2J +float64 +4 +units = \\x1b\]0;title\\x07'
prints '^escapes_x_\[2J +double'
cat .out .err | grep -q $'\033' && not_ok 'an escape of the file was printed'
expect 1 fpsynth data info "escapes.h5:y"$'\033c'
cat .out .err | grep -q $'\033' && not_ok 'an escape of the file was printed in an error'
says 'y\\x1bc: its values are complex128'
head -c 3000 moved/deep/run.h5 >cut.h5
expect 1 fpsynth data info cut.h5
says '^fpsynth: cannot read cut\.h5: '
[[ $(wc -l <.err) == 1 ]] || not_ok 'the HDF5 library printed its own errors'

# Tensors of safetensors, of one byte, two and four.
perl -e 'my %t = (bf16 => ["BF16", 1500, 6000, 9000], mask => ["BOOL", 10, 9000, 9010], f32 => ["F32", 1500, 0, 6000], u8 => ["U8", 90, 9010, 9100]);
  my $h = "{\"__metadata__\": {\"format\": \"pt\"}";
  $h .= sprintf(", \"layer.%s\": {\"dtype\": \"%s\", \"shape\": [2, %d], \"data_offsets\": [%d, %d]}", $_, $t{$_}[0], $t{$_}[1] / 2, $t{$_}[2], $t{$_}[3]) for sort keys %t;
  local $/; open(my $in, "<:raw", "wave.f32") or die; print pack("Q<", length($h) + 1), "$h}", substr(<$in>, 0, 9100)' >model.safetensors
expect 0 fpsynth data info model.safetensors
prints '^model\.safetensors:layer\.f32 +float32 +2x750$'
prints '^model\.safetensors:layer\.mask +BOOL +2x5 +not read: only floats'
prints '^model_layer\.bf16 +bfloat16 +3000 +0\.0 +1500 '
prints '^model_layer\.u8 +uint8 +90 +0\.0 +90 '
expect 0 fpsynth data decode model.safetensors:layer.bf16 out.bf16
cmp -s out.bf16 <(tail -c +6001 wave.f32 | head -c 3000) || not_ok 'the tensor is another one'
expect 0 fpsynth data export model.safetensors:layer.u8 --to words
exists words/model_layer.u8.u8
expect 0 fpsynth compress 'LNV1s BIT | ZE' model.safetensors:layer.bf16 bf16.fps
expect 0 fpsynth inspect bf16.fps
prints '^values +bfloat16, 2x750, of a variable layer\.bf16$'
expect 0 fpsynth decompress bf16.fps bf16.npy
grep -aq "'<V2'" bf16.npy || not_ok 'bfloat16 is not V2'
expect 0 fpsynth data decode bf16.npy again.bf16
same again.bf16 out.bf16
expect 0 fpsynth search model.safetensors:layer.bf16 --out tensor --sample 10 --verify none
head -c 9300 model.safetensors >cut.safetensors
expect 1 fpsynth data info cut.safetensors
says '^fpsynth: cannot read cut\.safetensors: its tensor layer\.[a-z0-9]+ ends at byte [0-9]+ of the values, and the file has'
expect 1 fpsynth compress auto model.safetensors none
says 'model\.safetensors: it has 3 variables with values; name one'
absent none
# Words of bfloat16 that are big-endian become little-endian in .npy, where NumPy knows no other.
perl -e 'local $/; print pack("n*", unpack("v*", <STDIN>))' <out.bf16 >big.bin
expect 0 fpsynth compress ZE big.bin big.fps --type bf16 --endian big
expect 0 fpsynth decompress big.fps big.back
same big.back big.bin
expect 0 fpsynth decompress big.fps big.npy --as npy
tail -c 3000 big.npy | cmp -s - out.bf16 || not_ok 'the words of big.npy are others'

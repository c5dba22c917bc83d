# Integers of 32 and 64 bits, signed and unsigned: raw words of both byte orders and .npy arrays are
# described, searched, compressed and compared under their own type, and come back to the byte. No value
# is converted, and other integers are refused by name.
pipeline="LNV1s BIT | ZE"
perl -e 'my $v = 0; for my $i (1 .. 4000) { $v += ($i * 7919) % 101 - 50; print pack("l<", $v) }' >steps.i32
perl -e 'local $/; print pack("q>*", unpack("l<*", <STDIN>))' <steps.i32 >steps.bin
declare -A raw=([i32]='' [u32]='--type u32' [i64]='--type i64 --endian big' [u64]='--type u64 --endian big')
declare -A name=([i32]=int32 [u32]=uint32 [i64]=int64 [u64]=uint64)
for type in i32 u32 i64 u64; do
  file=steps.i32 precision=single
  [[ $type == ?64 ]] && file=steps.bin precision=double
  read -ra said <<<"${raw[$type]}"
  expect 0 fpsynth data info $file "${said[@]}"
  prints "^steps +${name[$type]} +(16|32)000 "
  expect 0 fpsynth data info $file "${said[@]}" --precision both --structure --json
  prints "\"type\": \"${name[$type]}\""
  prints "\"precision\": \"$precision\""
  grep -q sign_changes .out && not_ok 'signs of integers are described as those of floats'
  expect 0 fpsynth compress "$pipeline" $file $type.fps "${said[@]}"
  expect 0 fpsynth inspect $type.fps --verify
  prints "^values +${name[$type]}, 4000, "
  expect 0 fpsynth decompress $type.fps $type.back
  same $type.back $file
  # Through .npy and back.
  expect 0 fpsynth decompress $type.fps $type.npy --as npy
  expect 0 fpsynth data info $type.npy
  prints "^$type\.npy +${name[$type]} +4000"
  expect 0 fpsynth compress "$pipeline" $type.npy $type.npy.fps
  expect 0 fpsynth decompress $type.npy.fps $type.again.npy
  same $type.again.npy $type.npy
  expect 0 fpsynth decompress $type.npy.fps $type.words --as raw
  same $type.words $file
  expect 1 fpsynth compress ZE $type.npy none --type f64
  says "$type\.npy holds ${name[$type]} values; leave out --type"
  # A conversion is refused, whatever asks for it.
  other=double
  [[ $precision == double ]] && other=single
  for call in "data info" "search --out folder" "compare --repetitions 1" "data export --to folder"; do
    read -ra words <<<"$call"
    expect 1 fpsynth "${words[@]}" $type.npy --precision $other
    says "$type\.npy holds ${name[$type]} values, which are not converted to $other; leave out --precision, or make it $precision$"
  done
  expect 0 fpsynth data decode $type.npy $type.$type
  [[ $type == i32 ]] && same $type.$type steps.i32
  expect 0 fpsynth data export $type.npy --to words
  same words/$type.$type $type.$type
done
absent none
# One value, and one without a whole word.
printf '\001\0\0\0\0\0\0\200' >one.i64
expect 0 fpsynth data info one.i64
prints '^one +int64 +8 .* 1 +'
expect 0 fpsynth compress "$pipeline" one.i64 one.fps
expect 0 fpsynth decompress one.fps one.back
same one.back one.i64
printf 'abc' >bytes.u64
expect 0 fpsynth compress "$pipeline" bytes.u64 bytes.fps
says 'note: 3 trailing bytes'
expect 0 fpsynth decompress bytes.fps bytes.back
same bytes.back bytes.u64
"${fpsynth:?}" compress "$pipeline" - - --type i32 <steps.i32 | "${fpsynth:?}" decompress - piped || not_ok 'integers through pipes'
same piped steps.i32

# Names of types that are none.
for type in i24 u4 int32 I32 f8 i i32,u32 ''; do
  expect 2 fpsynth data info steps.i32 "--type=$type"
  says 'type'
  absent none
done
printf '{"name": "s", "data": [{"file": "steps.bin", "type": "i128"}], "precisions": ["double"]}' >wrong.json
expect 1 fpsynth search --study wrong.json --out none
says 'data\[0\]\.type: expected f64, f32, i64, i32, u64, u32, f16, bf16, i16, u16, i8 or u8, found "i128"'
absent none

# Searches, their documents, and what reads these.
printf '{"name": "s", "data": [{"file": "steps.bin", "type": "i64", "endian": "big"}, {"file": "i32.npy"}],
  "precisions": ["double", "single"], "space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}}' >study.json
expect 0 fpsynth search --study study.json --out found
says 'note: 2 data sets hold singles or integers, which are not converted, and are searched as stored'
exists found/steps.double.json
exists found/i32.single.json
nothing_there=$(find found -name 'steps.single*' -o -name 'i32.double*')
[[ -z $nothing_there ]] || not_ok "integers were converted: $nothing_there"
expect 0 fpsynth query best --runs found
grep -q '"type": *"int64"' found/steps.double.json || not_ok 'the document does not say the type'
expect 0 fpsynth search --study study.json --out found --resume
says '^i32 int32: searched already$'
expect 0 fpsynth compress --best i32 --runs found i32.npy best.fps
expect 0 fpsynth decompress best.fps best.npy
same best.npy i32.npy
# Documents of words of 2 bytes, and of bytes, are read as well.
for type in i16 u8; do
  head -c 4000 steps.bin >few.$type
  expect 0 fpsynth search few.$type --stages 2 --out "of_$type"
  expect 0 fpsynth query best --runs "of_$type"
done
expect 0 fpsynth bench pipelines --top 1 --runs found --bytes 16K --repetitions 1 --no-generated --threads 1
expect 0 fpsynth explain "$pipeline" i32.npy
# Preludes that interpret floats restore integers, too, and are not suggested for them.
expect 0 fpsynth compress "DEC:2 / $pipeline" i32.npy odd.fps
expect 0 fpsynth decompress odd.fps odd.npy
same odd.npy i32.npy
expect 0 fpsynth compress "ORD LAGs:1 / $pipeline" i64.npy odd.fps --force
expect 0 fpsynth decompress odd.fps odd.npy --force
same odd.npy i64.npy
expect 0 fpsynth data info i32.npy i64.npy --structure
prints '^Structure of i32, int32$'
prints '^  LAGs:1 '
grep -qE '^  (ORD|DEC|decimals|sign)' .out && not_ok 'integers have decimals or an order of floats'
expect 0 fpsynth compress auto i32.npy auto.fps --effort quick --chunks 1 --candidates 1
expect 0 fpsynth decompress auto.fps auto.npy
same auto.npy i32.npy

# A described set of integers is one of a study.
cat >sets.json <<'JSON'
{"family": "mine", "title": "Mine", "page": "https://example.org/", "sets": [
 {"name": "steps", "native": "int32", "shape": [40, 100], "file": "steps.i32"}]}
JSON
printf '{"name": "s", "datasets": ["sets.json"], "data": [{"dataset": "steps"}], "precisions": ["double", "single"],
  "space": {"stages": 1, "components": ["NUL"]}}' >described.json
FPSYNTH_DATA=. expect 0 fpsynth search --study described.json --out described
grep -q '"type": *"int32"' described/steps.single.json || not_ok 'the described set is not of integers'
expect 0 fpsynth data list steps --registry sets.json --json
prints '"type": "int32"'
sed -i 's/"int32"/"int24"/' sets.json
expect 1 fpsynth search --study described.json --out none.described
says 'sets\[0\]\.native: expected one of "double", "single", "int64", "int32", .*"uint8", found "int24"'

# The compressors that there are: zfp is told the type, the others take words.
expect 0 fpsynth inspect i32.fps
prints '^words +4 bytes$'
expect 0 fpsynth compare i32.npy i64.npy --repetitions 1 --runs found --json
grep -q '"failure"' .out && not_ok 'a round trip of integers failed'
prints '"best searched"'
prints 'its values are int32'
prints '"type": "int64"'
cat >peers.json <<'JSON'
{"peers": [{"name": "copy", "version": ["echo", "1"], "compress": ["cp", "{in}", "{out}"], "decompress": ["cp", "{in}", "{out}"]},
 {"name": "typed", "integers": true, "version": ["echo", "1"], "compress": ["sh", "-c", "echo \"$0\" >>types; cp \"$1\" \"$2\"", "{type}", "{in}", "{out}"],
  "decompress": ["cp", "{in}", "{out}"]}]}
JSON
expect 0 fpsynth compare i32.npy --repetitions 1 --external peers.json --only copy,typed
prints 'i32 \(int32\): without copy, whose description has no "integers": true'
[[ $(sort -u types) == i32 ]] || not_ok "the program was told the types $(sort -u types)"

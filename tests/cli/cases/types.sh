# --type says what files hold, in every command that reads data, and --precision what it is converted
# to. Files of other formats are refused (formats.sh has those that can be read). Published sets with
# other values are reported.
unset FPSYNTH_DATA
floats 4000 field.bin
cp field.bin field.f32
cp field.bin same.raw
cp field.bin plain
doubles 4000 wave.f64
cp wave.f64 wave.dat
small_space='"space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}'

# Nothing says what field.bin holds: every command refuses it and leaves no files.
for call in "search FILE --out found" "search FILE --precision single --out found" \
  "search FILE --dry-run" "compare FILE --only memcpy --precision single" "data info FILE" \
  "bench search FILE --precision single" \
  "bench pipelines ZE --data FILE" "compress ZE FILE out" "baseline fpc FILE out" \
  "baseline pfpc FILE out" "baseline gfc FILE out" \
  "baseline holt FILE out" "baseline mpc FILE out" "baseline sweep pfpc FILE" \
  "baseline sweep gfc FILE" "baseline sweep holt FILE"; do
  for file in field.bin wave.dat same.raw plain; do
    # shellcheck disable=SC2086 # words of a command
    expect 2 fpsynth ${call//FILE/$file}
    says "^fpsynth: $file: nothing says the type of its values; say it with --type, f64, f32, i64, i32, u64, u32, f16, bf16, i16, u16, i8 or u8 "
  done
done
# fed STATUS ARGUMENT...: expect of the program, with wave.f64 as its standard input.
fed() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  expect "$1" bash -c '"$0" "$@" <wave.f64' "${fpsynth:?}" "${@:2}"
}
for call in "compress ZE - out" "baseline holt - out"; do
  # shellcheck disable=SC2086 # words of a command
  fed 2 $call
  says '^fpsynth: standard input: nothing says the type of its values; say it with --type, f64'
done
nothing_else field.bin field.f32 same.raw plain wave.f64 wave.dat

# The ending says it, or --type does; --type prevails.
expect 0 fpsynth compress "LNV1s BIT ZE" field.f32 by_ending.fps
expect 0 fpsynth compress "LNV1s BIT ZE" field.bin by_type.fps --type f32
expect 0 fpsynth compress "LNV1s BIT ZE" wave.f64 by_both.fps --type f32
same by_ending.fps by_type.fps
expect 0 fpsynth inspect by_ending.fps
prints '4-byte words'
expect 0 fpsynth inspect by_both.fps
prints '4-byte words'
expect 2 fpsynth compress ZE field.bin out --type double
says 'type'
expect 0 fpsynth data info field.bin --type f32
prints '^field +single +16000 '
expect 0 fpsynth data info wave.dat --type f64 --precision single
prints '^wave +single +16000 '
expect 0 fpsynth compare field.bin --type f32 --only memcpy --repetitions 1 --json
prints '"precision": "single"'
expect 0 fpsynth baseline sweep holt field.bin --type f32 --repetitions 1 --csv
expect 0 fpsynth bench pipelines ZE --data field.bin --type f32 --bytes 64K --repetitions 1 --no-generated --threads 1
prints '^field \(single\)'
fed 0 baseline fpc - wave.fpc --type f64
expect 0 fpsynth data decode wave.fpc wave.copy
same wave.copy wave.f64
# Singles are never converted to doubles; doubles are converted to singles if --precision says so.
expect 1 fpsynth search field.bin --type f32 --precision double --out none
says 'field\.bin holds native single'
# Files that are not decoded are not read as doubles either, unless --type says so.
expect 2 fpsynth compress ZE wave.fpc out
says 'wave\.fpc is an FPC file.*fpsynth data decode'
expect 2 fpsynth baseline mpc wave.fpc out
says 'wave\.fpc is an FPC file'
absent out
expect 0 fpsynth compress ZE wave.fpc insisted.fps --type f64
expect 1 fpsynth data info wave.fpc --type f32
says 'wave\.fpc is an FPC file'

# Studies: "type", and "native" as before; --type for files without them. The data of a document
# are found again for any type.
for said in '"type": "f32"' '"native": "single"'; do
  printf '{"name": "s", "data": [{"file": "field.bin", %s}], "precisions": ["single"], %s}\n' \
    "$said" "$small_space" >study.json
  rm -rf found
  expect 0 fpsynth search --study study.json --out found
  grep -q '"values": *4000' found/field.single.json || not_ok 'field.bin was not taken as singles'
  expect 0 fpsynth bench pipelines --top 1 --runs found --bytes 64K --repetitions 1 --no-generated --threads 1
done
sed 's/, "native": "single"//' study.json >open.json
rm -rf found
expect 2 fpsynth search --study open.json --out found
says 'field\.bin: nothing says.*in a study: "type"'
absent found
expect 0 fpsynth search --study open.json --out found --type f64
grep -q '"values": *2000' found/field.single.json || not_ok 'field.bin was not converted from doubles'
expect 0 fpsynth bench pipelines --top 1 --runs found --bytes 64K --repetitions 1 --no-generated --threads 1
sed 's/"single"}/"half"}/; s/"native"/"type"/' study.json >wrong.json
expect 1 fpsynth search --study wrong.json --out none
says 'wrong\.json: field data\[0\]\.type: expected f64, f32, i64, i32, u64, u32, f16, bf16, i16, u16, i8 or u8, found "half"'
absent none

# Other formats are named, with advice, whatever their name and --type.
printf '1.5,2.5\n3.5,4.5\n' >table.f64
printf '\223NUMPY\001\000v\000' >array.f64
printf '\211HDF\r\n\032\n' >h5.f64
printf 'SIMPLE  =                    T' >fits.f64
printf 'CDF\001\000\000\000\000' >netcdf.f64
printf '\037\213\010\010\000\000\000\000\000\003wave' >zipped.f64
cp by_ending.fps again.f64
while read -r file words; do
  for type in '' '--type f64'; do
    for call in "search FILE --out none" "compress ZE FILE none" "data info FILE" \
      "baseline gfc FILE none" "compare FILE --only memcpy"; do
      # shellcheck disable=SC2086 # words of a command
      expect 1 fpsynth ${call//FILE/$file} $type
      says "^fpsynth: $file is .*$words"
      absent none
    done
  done
done <<'END2'
table.f64 text with numbers.*numpy\.loadtxt
zipped.f64 gzip.*gunzip
again.f64 fpsynth compress wrote.*fpsynth decompress
END2
# Those that can be read are damaged here; what takes files to the byte says how to extract variables.
while read -r file words; do
  for call in "search FILE --out none" "data info FILE" "data decode FILE none" \
    "compare FILE --only memcpy" "compress ZE FILE none" "compress ZE FILE none --type f64"; do
    # shellcheck disable=SC2086 # words of a command
    expect 1 fpsynth ${call//FILE/$file}
    says "^fpsynth: cannot read $file: "
    absent none
  done
  for type in '' '--type f64'; do
    # shellcheck disable=SC2086 # words of a command
    expect 1 fpsynth baseline gfc "$file" none $type
    says "^fpsynth: $file is .*$words.*fpsynth data decode FILE"
    absent none
  done
done <<'END3'
array.f64 NumPy array
h5.f64 HDF5
fits.f64 FITS
netcdf.f64 netCDF
END3

# A file that has the name and the size of a published set, but not its checksum.
truncate -s 35089600 num_plasma.f64
expect 0 fpsynth baseline fpc num_plasma.f64 num_plasma.trace.fpc --table-bits 10
rm num_plasma.f64
unlike='num_plasma\.trace\.fpc does not hold the published data set num_plasma: .*5f2bda010b0bf34b'
printf '{"name": "s", "data": [{"file": "num_plasma.trace.fpc"}], "precisions": ["double"], %s}\n' \
  "$small_space" >study.json
expect 0 fpsynth search --study study.json --sample 4096 --verify none --out plasma
says "^note: $unlike"
expect 0 fpsynth data info num_plasma.trace.fpc --out info.json
says "^note: $unlike"
grep -q "$unlike" info.json || not_ok 'the document does not say that the data are not the published ones'
expect 0 fpsynth compare num_plasma.trace.fpc --only memcpy --repetitions 1 --out compare.json
says "^note: $unlike"
grep -q "$unlike" compare.json || not_ok 'the comparison does not say that the data are not the published ones'
# A set described by the user, with the right and with a wrong checksum.
expect 0 fpsynth compare wave.f64 --only memcpy --repetitions 1 --json
xxh3=$(grep -oE '"xxh3": "[0-9a-f]{16}"' .out | grep -oE '[0-9a-f]{16}')
printf '{"name": "s", "datasets": ["own.json"], "data": [{"dataset": "tide"}], "precisions": ["double"], %s}\n' \
  "$small_space" >study.json
for known in "$xxh3" 0123456789abcdef; do
  printf '{"family": "own", "sets": [{"name": "tide", "native": "double", "bytes": 32000, "file": "wave.fpc",
    "decode": "fpc", "xxh3": "%s"}]}\n' "$known" >own.json
  expect 0 env FPSYNTH_DATA=. "${fpsynth:?}" search --study study.json --out "tide_$known"
  if [[ $known == "$xxh3" ]]; then
    ! grep -q '^note.*published' .err || not_ok 'a note on data that are right'
  else
    says "^note: .*wave\.fpc does not hold the published data set tide: .* is $xxh3,.* 0123456789abcdef; "
  fi
done
# Another size is another data set.
expect 0 fpsynth data info wave.fpc
! grep -q '^note.*published' .err || not_ok 'a note on data that nobody published'

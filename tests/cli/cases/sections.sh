# Files of sections: each part of an input with a method of its own, found or given by hand.
doubles 3000 a.f64
floats 5000 b.f32
cat a.f64 b.f32 >in.f64
printf 'xyz' >>in.f64

# By hand: lengths in values, and a method for each or one for all.
expect 0 fpsynth compress "LNV1s BIT | ZE; DICT / RLE; | ZE" in.f64 out.fps --sections 1000,2001
expect 0 fpsynth decompress out.fps back.f64
same in.f64 back.f64
expect 0 fpsynth inspect out.fps --verify
prints '^format version +5$'
prints '^section 1 +8000 bytes in [0-9]+, ratio [0-9.]+: LNV1s BIT \| ZE \(chunks of 1024 words\)$'
prints '^section 3 +19995 bytes in '
prints '^overhead +[0-9]+ bytes: index 24, prelude [0-9]+, header [0-9]+, trailing bytes 3$'
prints '^checksum .*, verified by decoding$'
expect 0 fpsynth inspect out.fps --json
prints '"version": 5'
prints '"pipeline": "LNV1s BIT \| ZE"'
prints '"text": "DICT"'
expect 0 fpsynth compress "LNV1s | ZE" in.f64 same.fps --sections 3000 --chunk-words 2048
expect 0 fpsynth inspect same.fps
prints '^section 2 .*LNV1s \| ZE \(chunks of 2048 words\)$'
expect 0 fpsynth compress auto in.f64 auto.fps --sections 3000 --effort quick
says '^auto: 2 sections, ratio [0-9.]+$'
says '^section 1, 3000 words: .* all of the input was decoded and compared$'
says '^section 2, 2500 words: '
expect 0 fpsynth decompress auto.fps back2.f64
same in.f64 back2.f64
# shellcheck disable=SC2002 # a pipe is the point
cat in.f64 | "$fpsynth" compress "ZE; RLE" - - --type f64 --sections 7 | "$fpsynth" decompress - - >piped.f64
same in.f64 piped.f64

# One section is a file without an index.
expect 0 fpsynth compress ZE in.f64 one.fps --sections none
expect 0 fpsynth compress ZE in.f64 whole.fps --sections 5500
same one.fps whole.fps

# Type, shape and byte order are kept as elsewhere.
expect 0 fpsynth compress "LNV1s BIT | ZE; ZE" a.f64 shaped.fps --type i64 --endian big --shape 30x100 --sections 1234
expect 0 fpsynth decompress shaped.fps shaped.back
same a.f64 shaped.back
expect 0 fpsynth inspect shaped.fps
prints '^values +int64, 30x100, big-endian'
prints '^section 2 '

# What cannot be.
for wrong in 0 x '10,' ',10' '10,,5' -1 99999999999999999999; do
  expect 2 fpsynth compress ZE in.f64 none "--sections=$wrong"
  says '\-\-sections'
done
expect 2 fpsynth compress ZE in.f64 none --sections 5000,501
says '\-\-sections 5000,501: .* has only 5500 values'
expect 2 fpsynth compress "ZE; RLE" in.f64 none --sections 10,10
says '2 methods and 3 sections'
expect 2 fpsynth compress "ZE; RLE" in.f64 none
says '2 methods and 1 section'
expect 2 fpsynth compress "ZE;" in.f64 none --sections 10
absent none

# Damage is found before anything is written.
for at in 6 8 20 40 59; do
  cp out.fps bad.fps
  printf '\377' | dd of=bad.fps bs=1 seek=$at conv=notrunc 2>/dev/null
  expect 1 fpsynth decompress bad.fps none
  says '^fpsynth: bad\.fps: '
done
head -c "$(($(size out.fps) - 1))" out.fps >short.fps
expect 1 fpsynth decompress short.fps none
says 'section 3: it ends within'
absent none

# auto finds where the statistics change, with every effort, in sections of 65536 words or more.
perl -e 'srand 1; my $x = 4; my @words = map { $x += rand() - 0.5 } 1..66000;
  print pack("f<*", @words), pack("f<*", map { int(rand(50)) } 1..66000)' >two.f32
for effort in quick normal; do
  expect 0 fpsynth compress auto two.f32 two.fps --no-preludes --chunks 2 --candidates 1 --chunk-words 4096 \
    --effort $effort --force
  says '^auto: 2 sections, ratio [0-9.]+, [0-9.]+ % less than in one$'
done
expect 0 fpsynth inspect two.fps --verify
prints '^section 1 +26[34]'
expect 0 fpsynth decompress two.fps two.back
same two.f32 two.back

# The columns of a table of records have a method each, with every effort; small files are compact.
perl -e 'srand 1; for my $row (1..2000) {
  print pack("d<*", 1e9 + 60 * $row, int(rand(5000)) / 100, int(rand(2))) }' >table.f64
expect 0 fpsynth compress auto table.f64 table.fps --effort quick --chunks 1 --candidates 1 --prelude-candidates 8
says '^auto: 3 sections behind DIM:3, ratio [0-9.]+, [0-9.]+ % less than in one$'
expect 0 fpsynth inspect table.fps --verify
prints '^format version +6$'
prints '^prelude +DIM:3$'
prints '^section 3 +16000 bytes in '
expect 0 fpsynth decompress table.fps table.back
same table.f64 table.back
expect 0 fpsynth compress "DEC:2 / BIT | ZE" table.f64 named.fps
expect 0 fpsynth compress "DEC:2 / BIT | ZE" table.f64 compact.fps --compact
(($(size compact.fps) + 50 < $(size named.fps))) || not_ok "$(size compact.fps) bytes are not compact"
expect 0 fpsynth decompress compact.fps compact.back
same table.f64 compact.back
printf '\377' | dd of=compact.fps bs=1 seek=9 conv=notrunc 2>/dev/null
expect 1 fpsynth decompress compact.fps none
says '^fpsynth: compact\.fps: '

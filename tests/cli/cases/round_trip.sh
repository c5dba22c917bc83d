# compress and decompress, through files and through pipes, with tails and short inputs.
doubles 5000 in.f64
floats 5000 in.f32
pipeline="LNV2s LNV2s LNV2x | ZE"
expect 0 fpsynth compress "$pipeline" in.f64 out.fps
expect 0 fpsynth decompress out.fps back.f64
same in.f64 back.f64
(($(size out.fps) < $(size in.f64))) || not_ok 'a smooth signal did not become smaller'
expect 0 fpsynth compress "LNV1s BIT RLE" in.f32 single.fps
expect 0 fpsynth inspect single.fps
prints 'single'
expect 0 fpsynth decompress single.fps back.f32
same in.f32 back.f32

# Without OUT, the name without .fps, which is replaced with --force only.
cp out.fps name.f64.fps
expect 0 fpsynth decompress name.f64.fps
same in.f64 name.f64
expect 1 fpsynth decompress name.f64.fps
says 'name\.f64.*--force'
expect 0 fpsynth decompress name.f64.fps --force
cp out.fps .fps
for input in in.f64 - .fps; do
  expect 2 fpsynth decompress "$input"
  says 'OUT is required'
done
rm name.f64 name.f64.fps .fps

# The bytes depend neither on the number of threads nor on the instruction set.
expect 0 fpsynth compress "$pipeline" in.f64 threads.fps --threads 3
same out.fps threads.fps
for level in serial baseline; do
  expect 0 env FPSYNTH_SIMD=$level "$fpsynth" compress "$pipeline" in.f64 $level.fps
  same out.fps $level.fps
  expect 0 env FPSYNTH_SIMD=$level "$fpsynth" decompress out.fps $level.f64
  same in.f64 $level.f64
done
expect 1 env FPSYNTH_SIMD=mmx "$fpsynth" compress "$pipeline" in.f64 mmx.fps
says 'mmx'
absent mmx.fps

# Pipes, on both sides.
"$fpsynth" compress "$pipeline" - - --type f64 <in.f64 >piped.fps || not_ok 'compress from file to file by redirection'
same out.fps piped.fps
# shellcheck disable=SC2002 # a pipe is the point
cat in.f64 | "$fpsynth" compress "$pipeline" - - --type f64 | "$fpsynth" decompress - - | cat >piped.f64 ||
  not_ok 'a pipe of compress and decompress'
same in.f64 piped.f64
{ head -c 8 >first && "$fpsynth" compress ZE - rest.fps --type f64; } <in.f64
expect 0 fpsynth decompress rest.fps rest.f64
cat first rest.f64 >whole.f64
same in.f64 whole.f64

# A tail that fills no word is kept, and noted.
for extra in 1 7; do
  head -c $((8 * 1024 + extra)) in.f64 >tail.in
  expect 0 fpsynth compress "$pipeline" tail.in tail.fps --type f64 --force
  says "note.*\\b$extra\\b"
  expect 0 fpsynth decompress tail.fps tail.out --force
  same tail.in tail.out
  expect 0 fpsynth inspect tail.fps
  prints "trailing bytes $extra"
done
# Less than one word, one word, around a chunk's end; all pipelines lengths from 1 to 8.
for bytes in 1 7 8 8184 8192 8200 16384; do
  head -c $bytes in.f64 >short.in
  expect 0 fpsynth compress "BIT | RLE" short.in short.fps --type f64 --force
  expect 0 fpsynth decompress short.fps short.out --force
  same short.in short.out
done
stages=ZE
for _ in 1 2 3 4 5 6 7 8; do
  expect 0 fpsynth compress "$stages" in.f64 long.fps --force
  expect 0 fpsynth decompress long.fps long.out --force
  same in.f64 long.out
  stages="RLE $stages"
done

# The figures of inspect match the file.
expect 0 fpsynth inspect out.fps --json --verify
prints "\"compressed_bytes\": $(size out.fps),?\$"
prints "\"original_bytes\": $(size in.f64),?\$"
prints '"verified": true'

# Files that are damaged, cut short or something else: exit status 1, no output, no crash.
doubles 3000 in.f64
expect 0 fpsynth compress "LNV2s | RLE BIT ZE" in.f64 good.fps
bytes=$(size good.fps)

refused() {
  expect 1 fpsynth decompress bad.fps out.f64
  says '^fpsynth: .*bad\.fps'
  absent out.f64
  expect 1 fpsynth inspect bad.fps --verify
}
for at in 0 1 3 -1 -100 $((bytes / 2)); do
  cp good.fps bad.fps
  flip bad.fps "$at"
  refused
done
# Every byte of the header and of the first frames.
for ((at = 0; at < 64; at++)); do
  cp good.fps bad.fps
  flip bad.fps "$at"
  expect 1 fpsynth decompress bad.fps out.f64
  absent out.f64
done
for length in 1 3 4 10 20 40 $((bytes / 2)) $((bytes - 1)); do
  head -c "$length" good.fps >bad.fps
  refused
done
{ cat good.fps; echo more; } >bad.fps
refused
cp in.f64 bad.fps
refused
head -c 4096 /dev/zero >bad.fps
refused
yes | head -c 4096 >bad.fps
refused

# Development versions wrote version 1.
cp good.fps bad.fps
printf '\001' | dd of=bad.fps bs=1 seek=4 conv=notrunc status=none
refused
says '^fpsynth: bad\.fps: format version 1, .*compress the original again'

# A forged size does not make the program ask for that much memory.
for at in 8 10 12 14 16 18 20 22 24 26; do
  cp good.fps bad.fps
  printf '\377\377\377\377\377\377' | dd of=bad.fps bs=1 seek="$at" conv=notrunc status=none
  expect 1 timeout 20 "$fpsynth" decompress bad.fps out.f64
  absent out.f64
done
nothing_else in.f64 good.fps bad.fps

# Files named .fpc that are not FPC files.
cp in.f64 false.fpc
expect 1 fpsynth search false.fpc --out found
says 'false\.fpc'
absent found

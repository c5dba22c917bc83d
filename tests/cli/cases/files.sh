# Missing inputs, and outputs that must not be changed.
doubles 1000 in.f64
expect 1 fpsynth compress ZE nowhere.f64 out.fps
says 'nowhere\.f64'
says 'no such file'
expect 1 fpsynth decompress nowhere.fps out.f64
says 'nowhere\.fps'
expect 1 fpsynth inspect nowhere.fps
says 'nowhere\.fps'
expect 1 fpsynth search nowhere.f64 --out found
says 'nowhere\.f64'
absent out.fps
absent found

: >empty.f64
expect 0 fpsynth compress "LNV1s BIT ZE" empty.f64 none.fps
[[ $(size none.fps) == 34 ]] || not_ok 'an empty file is not a header alone'
expect 0 fpsynth inspect none.fps --verify
prints '^original +0 bytes'
prints '^chunks +0 of'
expect 0 fpsynth decompress none.fps none.f64
same none.f64 empty.f64
rm none.fps none.f64
expect 1 fpsynth decompress empty.f64 out.f64
says 'empty\.f64'
expect 1 fpsynth inspect empty.f64
expect 1 fpsynth search empty.f64 --out found
says 'empty\.f64'
absent out.fps
absent out.f64
absent found

mkdir folder
expect 1 fpsynth compress ZE folder out.fps
says 'folder'
expect 1 fpsynth compress ZE in.f64 folder
says 'folder'
expect 1 fpsynth compress ZE in.f64 nowhere/out.fps
says 'nowhere'
expect 1 fpsynth search folder --out found
says 'folder'
absent found

# Nothing is overwritten without --force, and the input never.
echo precious >kept.fps
cp kept.fps copy
expect 1 fpsynth compress ZE in.f64 kept.fps
says 'kept\.fps'
says '--force'
same kept.fps copy
expect 2 fpsynth compress ZE in.f64 in.f64 --force
says 'in\.f64'
expect 0 fpsynth compress ZE in.f64 kept.fps --force
expect 1 fpsynth decompress kept.fps copy
says '--force'
expect 0 fpsynth decompress kept.fps copy --force
same in.f64 copy
# A failure does not change an existing output.
echo precious >copy
cp copy copy_of_copy
expect 1 fpsynth decompress in.f64 copy --force
same copy copy_of_copy

if ((EUID != 0)); then
  mkdir closed
  chmod a-w closed
  expect 1 fpsynth compress ZE in.f64 closed/out.fps
  says 'closed'
  chmod 0 in.f64
  expect 1 fpsynth compress ZE in.f64 out.fps
  says 'in\.f64.*permission'
fi

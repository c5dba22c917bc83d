# A generated project for single precision, with stages on words and on bytes: half a minute of one
# core. (Labelled `exhaustive`: generate.sh has another, and this one's header.)
floats 5001 in.f32
pipeline="RLE LNV2s | DIM8 RLE"
expect 0 fpsynth generate "$pipeline" --word single --name plasma --out plasma
expect 0 configure plasma
build plasma

expect 0 fpsynth compress "$pipeline" in.f32 single.fps
expect 0 plasma/build/plasma compress in.f32 out.fps
same single.fps out.fps
expect 0 fpsynth decompress out.fps copy
same in.f32 copy
expect 0 plasma/build/plasma decompress single.fps back
same in.f32 back

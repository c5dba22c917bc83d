# A generated project for single precision, with stages on words and on bytes: half a minute of one
# core. (Labelled `exhaustive`: generate.sh has another, and this one's header.)
floats 5001 in.f32
pipeline="RLE LNV2s | DIM8 RLE"
expect 0 fpsynth generate "$pipeline" --word single --name plasma --out plasma
tool=()
command -v ninja >/dev/null && tool=(-G Ninja)
expect 0 env -i PATH="$PATH" cmake -S plasma -B plasma/build "${tool[@]}" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wshadow -Wpedantic -Werror"
expect 0 env -i PATH="$PATH" cmake --build plasma/build --parallel 2
! grep -rqF "${root:?}" plasma || not_ok "plasma knows of $root: $(grep -rlF "$root" plasma | head -n 3)"

expect 0 fpsynth compress "$pipeline" in.f32 single.fps
expect 0 plasma/build/plasma compress in.f32 out.fps
same single.fps out.fps
expect 0 fpsynth decompress out.fps copy
same in.f32 copy
expect 0 plasma/build/plasma decompress single.fps back
same in.f32 back

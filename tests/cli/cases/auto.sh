# compress auto searches for the pipeline; compress --best takes it from an earlier search.
doubles 40000 in.f64
floats 9001 in.f32
printf 'xyz' >>in.f64

expect 0 fpsynth compress auto in.f64 out.fps
says '^auto: .*ratio [0-9.]+; all of the input was decoded and compared$'
says '^auto: the best of 138240 pipelines on 20 of 40 chunks, then of 8 on all of them; the next, .*, makes [0-9.]+ % more bytes$'
expect 0 fpsynth decompress out.fps back.f64
same in.f64 back.f64

# What it says is the method of the file, and naming that one gives the same file.
chosen=$("$fpsynth" inspect out.fps | sed -n 's/^pipeline *//p')
prelude=$("$fpsynth" inspect out.fps | sed -n 's/^prelude *//p')
[[ -z $prelude ]] || chosen="$prelude / $chosen"
expect 0 fpsynth compress auto in.f64 again.fps --verbose
says "^auto: ${chosen//|/\\|}, ratio"
[[ $(grep -c '^auto: .* bytes ' .err) == 8 ]] || not_ok 'not eight candidates'
grep -qF "$(size out.fps) bytes  +0.00 %  $chosen" .err || not_ok 'the size is not that of the file'
expect 0 fpsynth compress "$chosen" in.f64 named.fps
same out.fps named.fps
same out.fps again.fps

# A search of every chunk finds nothing better than auto with every chunk.
expect 0 fpsynth search in.f64 --verify none --out runs
expect 0 fpsynth compress auto in.f64 all.fps --chunks 1000 --no-preludes
says ' on 40 of 40 chunks'
best=$("$fpsynth" query top 1 --runs runs --csv | sed -n 2p)
[[ $best == *",$(size all.fps)"* ]] || not_ok "the search found $best, auto $(size all.fps) bytes"

# --best: the winner of that search, in the precision of the file.
expect 0 fpsynth compress --best in --runs runs in.f64 best.fps
says '^best of in: .*, ratio'
same all.fps best.fps
expect 2 fpsynth compress --best in --runs runs in.f32 wrong.fps
says 'single'
expect 2 fpsynth compress --best other --runs runs in.f64 wrong.fps
says 'in'
expect 1 fpsynth compress --best in --runs nowhere in.f64 wrong.fps
says 'nowhere'
expect 2 fpsynth compress --best in --runs runs "BIT ZE" in.f64 wrong.fps
says 'not both'
expect 2 fpsynth compress auto in.f64 wrong.fps --runs runs
says '\-\-best'
expect 2 fpsynth compress --best in --runs runs in.f64
says '^fpsynth: OUT is required'
expect 2 fpsynth compress auto in.f64
says '^fpsynth: OUT is required'
expect 2 fpsynth compress in.f64 wrong.fps
says '^fpsynth: PIPELINE is required before IN; try: fpsynth compress auto in\.f64 wrong\.fps$'

# Pipes, singles, few candidates, and inputs in which there is nothing to search.
# shellcheck disable=SC2002 # a pipe is the point
cat in.f32 | "$fpsynth" compress auto - - --type f32 --chunks 2 --candidates 1 2>.err | "$fpsynth" decompress - - >back.f32
same in.f32 back.f32
says ' on 2 of 9 chunks, then of 1 on all of them$'
printf 'abc' >short.f64
expect 0 fpsynth compress auto short.f64 short.fps
says 'no whole word of 8 bytes'
expect 0 fpsynth decompress short.fps short.back
same short.f64 short.back
: >empty.f64
expect 0 fpsynth compress auto empty.f64 empty.fps
expect 0 fpsynth decompress empty.fps empty.back
same empty.f64 empty.back
expect 2 fpsynth compress auto in.f64 wrong.fps --candidates 0
says 'candidates'
cp in.f64 in.bin
expect 2 fpsynth compress auto in.bin wrong.fps
says '\-\-type'
absent wrong.fps

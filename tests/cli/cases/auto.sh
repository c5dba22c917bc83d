# compress auto searches for the pipeline; compress --best takes it from an earlier search.
doubles 40000 in.f64
floats 9001 in.f32
printf 'xyz' >>in.f64

expect 0 fpsynth compress auto in.f64 out.fps --effort quick
says '^auto: .* \(chunks of [0-9]+ words\), ratio [0-9.]+; all of the input was decoded and compared$'
says '^auto: tried ([0-9]+ preludes?, )?[0-9]+ pipelines on 4 of 10 parts of 4096 words, and 5 methods on all; the next, .*, makes [0-9.]+ % (more|fewer) bytes$'
expect 0 fpsynth decompress out.fps back.f64
same in.f64 back.f64

# What it says is the method of the file, and naming that one gives the same file.
chosen=$("$fpsynth" inspect out.fps | sed -n 's/^pipeline *//p')
prelude=$("$fpsynth" inspect out.fps | sed -n 's/^prelude *//p')
[[ -z $prelude ]] || chosen="$prelude / $chosen"
words=$("$fpsynth" inspect out.fps | sed -n 's/^chunks .* up to \([0-9]*\) words.*/\1/p')
expect 0 fpsynth compress auto in.f64 again.fps --effort quick --verbose
says "^auto: ${chosen//|/\\|} \(chunks of $words words\), ratio"
[[ $(grep -c '^auto: .* bytes ' .err) == 5 ]] || not_ok 'not four candidates and one in longer chunks'
grep -qF "$(size out.fps) bytes  +0.00 %  $chosen" .err || not_ok 'the size is not that of the file'
expect 0 fpsynth compress "$chosen" in.f64 named.fps --chunk-words "$words" --compact
same out.fps named.fps
same out.fps again.fps

# More effort finds more.
doubles 2000 short.f64
for effort in quick normal; do
  expect 0 fpsynth compress auto short.f64 $effort.fps --chunks 1 --no-preludes --effort $effort
  says ' on 1 of 1 part of 4096 words'
done
(($(size normal.fps) < $(size quick.fps))) || not_ok "$(size quick.fps), $(size normal.fps) bytes"
expect 2 fpsynth compress auto in.f64 wrong.fps --effort most
says 'quick,normal,thorough'

# --best: the winner of a search, in the precision of the file.
expect 0 fpsynth search in.f64 --verify none --out runs
best=$("$fpsynth" query top 1 --runs runs --csv | sed -n 2p | grep -oE ',[0-9]+,' | tail -1 | tr -d ,)
expect 0 fpsynth compress --best in --runs runs in.f64 best.fps
says '^best of in: .*, ratio'
[[ $(size best.fps) == "$best" ]] || not_ok "$(size best.fps) bytes of the best, $best were found"
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
cat in.f32 | "$fpsynth" compress auto - - --type f32 --effort quick --chunks 2 --candidates 1 2>.err | "$fpsynth" decompress - - >back.f32
same in.f32 back.f32
says ' on 2 of 3 parts of 4096 words, and 1 method on all$'
printf 'abc' >none.f64
expect 0 fpsynth compress auto none.f64 none.fps
says 'no whole word of 8 bytes'
expect 0 fpsynth decompress none.fps none.back
same none.f64 none.back
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

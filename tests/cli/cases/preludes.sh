# Preludes in searches: documents, queries, compress --best and auto, and what may not be mixed.
periodic() { # WORDS FILE: doubles that repeat every 500 words
  doubles 500 .period.f64
  for ((i = 0; i < $1 / 500; ++i)); do cat .period.f64; done >"$2"
}
periodic 8000 in.f64
perl -0777 -e 'binmode STDIN; binmode STDOUT; print pack("f<*", unpack("d<*", <STDIN>))' <in.f64 >in.f32
printf 'xyz' >>in.f64
printf 'xyz' >>in.f32
space='"space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"], "last": ["ZE", "RLE"], "cuts": [0, 2]}'
cat >study.json <<END
{"name": "small", "data": [{"file": "in.f64"}], "precisions": ["double", "single"], $space,
 "preludes": "LAGx:500, DICT"}
END
payload() { tr -d ' \n' <"$1" | grep -o '"payload_bytes":\[[^]]*\]'; }

expect 0 fpsynth search --study study.json --dry-run --out found
prints '^preludes: LAGx:500, DICT; candidates on about 64 chunks, then up to 4 and none on all$'
prints '^estimate: at most .* threads of '
absent found
expect 0 fpsynth search --study study.json --out found
prints '^in +double .* (LAGx:500|DICT) / '
prints '^in +single .* (LAGx:500|DICT) / '
grep -q '"preludes":\["none",' found/in.double.json || not_ok 'no preludes in the document'
grep -q '"prelude":"LAGx:500","reason":"named by the user","finalist":true,"sampled_chunks":8' found/in.double.json ||
  not_ok 'no candidates in the document'
grep -q '"preludes": *"LAGx:500, DICT"' found/study.json || not_ok 'study.json says nothing of preludes'

# The size that the search reports is that of the file, for the best and for each first method.
expect 0 fpsynth query best --runs found
prints 'LAGx:500 / |DICT / '
prints 'preludes are of one data set'
expect 0 fpsynth query runs --runs found --csv --table 2
prints '^in,double,LAGx:500,8,[0-9.]+,[0-9.]+,.*,named by the user'
expect 0 fpsynth query runs --runs found --dataset in --precision single
prints '^in +single +none +8 +'
for precision in double single; do
  [[ $precision == double ]] && type=f64 || type=f32
  expect 0 fpsynth query top 30 --runs found --dataset in --precision "$precision" --csv
  cp .out top.csv
  lines=0
  while IFS=, read -r _ _ _ _ method _ _ bytes _; do
    [[ $method == */* ]] || continue
    expect 0 fpsynth compress "$method" "in.$type" out.fps --force
    [[ $bytes == "$(size out.fps)" ]] || not_ok "$method: $bytes bytes found, $(size out.fps) written"
    lines=$((lines + 1))
    ((lines < 6)) || break
  done < <(tail -n +2 top.csv)
  ((lines == 6)) || not_ok "only $lines methods with a prelude among the best 30"
done

# Pipelines alone have the numbers, and the document the bytes, of a search without preludes.
expect 0 fpsynth search --study study.json --preludes none --out alone
says '^Preludes promise more: in (double|single) about [0-9.e+]+ times smaller, in place of .*, and 1 more; with them: '
with_them=$(sed -n 's/^Preludes promise more: .*; with them: //p' .err)
expect 0 bash -c "$with_them"
says '^The results are in alone-preludes; '
! grep -q '^Preludes promise' .err || not_ok 'a search with preludes asks for them'
grep -q '"preludes": *"auto"' alone-preludes/study.json || not_ok 'the command that was printed has no preludes'
expect 0 fpsynth search --study study.json --preludes none --out quiet --json
! grep -q 'Preludes' .err || not_ok '--json is followed by words'
! grep -q prelude alone/*.json || not_ok 'a document without preludes tells of them'
whole=$(payload found/in.double.json) alone=$(payload alone/in.double.json)
[[ $whole == "${alone%]},"* ]] || not_ok 'pipelines alone have other sizes'
expect 0 fpsynth query pipeline "BIT ZE" --runs found --precision double
prints 'alone and behind the preludes'
expect 0 fpsynth query pipeline "LAGx:500 / BIT ZE" --runs found --precision double
expect 2 fpsynth query pipeline "LAGx:501 / BIT ZE" --runs found
says 'not in the space'

# What is another study is refused; what is complete stays.
cp -r found before
expect 0 fpsynth search --study study.json --out found --resume
diff -r before found >/dev/null || not_ok '--resume changed a complete study'
expect 1 fpsynth search --study study.json --preludes auto --out found --resume
says "preludes 'LAGx:500, DICT', not 'auto'"
expect 1 fpsynth search --study study.json --out alone --resume
says "preludes 'none', not 'LAGx:500, DICT'"

# compress takes the best method.
expect 0 fpsynth compress --best in --runs found in.f64 best.fps
says '^best of in: (LAGx:500|DICT) / '
expect 0 fpsynth decompress best.fps back.f64
same in.f64 back.f64

# auto finds copies, or the period where they are none, and says so.
expect 0 fpsynth compress auto in.f64 copies.fps --effort quick
says '^auto: MATCH .* / .*, ratio [0-9.]+; all of the input was decoded and compared$'
perl -e 'binmode STDOUT;
  for my $p (0 .. 15) { print pack("d<*", map { sin($_ * $_) * 1e3 + $p / 4 } 1 .. 500) }' >near.f64
expect 0 fpsynth compress auto near.f64 auto.fps --effort quick
says '^auto: .*:500.* / .*, ratio [0-9.]+; all of the input was decoded and compared$'
says '^auto: tried [0-9]+ preludes?, [0-9]+ pipelines on '
expect 0 fpsynth decompress auto.fps back.f64 --force
same near.f64 back.f64
expect 0 fpsynth compress auto near.f64 without.fps --no-preludes --effort quick
! grep -q prelude .err || not_ok '--no-preludes tells of preludes'
(($(size auto.fps) * 2 < $(size without.fps))) || not_ok 'the prelude gains nothing'
expect 0 fpsynth search near.f64 --preludes auto --prelude-finalists 1 --verify top=3 --out suggested --json
prints '"best":"[^"]*:500[^"]* / '

# Wrong calls.
expect 2 fpsynth search in.f64 --preludes "LAGx:0" --out x
says 'LAGx needs a number'
expect 2 fpsynth search in.f64 --preludes "DICT, DICT" --out x
says "'DICT' is listed twice"
expect 2 fpsynth search in.f64 --preludes "" --out x
says 'give auto, none, or preludes'
expect 2 fpsynth compress "DICT ZE" in.f64 x
says "'DICT' is a step of a prelude"
# A lag that is too long for the file does nothing, and says so.
expect 0 fpsynth compress "LAGs:8000 / ZE" in.f64 long.fps
says '^note: LAGs:8000 does nothing, in\.f64 has 8000 words$'
expect 0 fpsynth compress "LAGs:7999 / ZE" in.f64 long.fps --force
! grep -q nothing .err || not_ok 'a lag that reaches one word is said to do nothing'
expect 0 fpsynth decompress long.fps long.out
same in.f64 long.out
expect 2 fpsynth search in.f64 --precision both --preludes DEC:12 --out x
says '0 to 9'
expect 2 fpsynth search in.f64 --preludes auto --prelude-finalists 0 --out x
sed 's/DICT/LOG/' study.json >broken.json
expect 1 fpsynth search --study broken.json --out x
says 'broken\.json: field preludes: .*LOG'
absent x

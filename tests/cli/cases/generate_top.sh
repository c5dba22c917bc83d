# A project of several methods: it writes the bytes of each, and of the best where none is named.
doubles 5000 in.f64
cat >study.json <<'END2'
{"name": "two", "data": [{"made": "obs_track", "bytes": 16384}, {"made": "num_lorenz", "bytes": 16384}],
 "precisions": ["double"], "space": {"stages": 2, "components": ["LNV1s", "LNV5x", "BIT"]}, "preludes": "DEC:2"}
END2
expect 0 fpsynth search --study study.json --out runs

expect 2 fpsynth generate "BIT ZE" --top 2 --name two --out two
says 'give a PIPELINE or --top, not both'
expect 2 fpsynth generate --top 17 --runs runs --name two --out two
says "^fpsynth: --top: '17' is not a whole number in 1\.\.16"
expect 2 fpsynth generate --top 2 --runs runs --target cuda --name two --out two
says 'several methods is for processors'
expect 1 fpsynth generate --top 2 --runs nowhere --name two --out two
says 'nowhere'
absent two

expect 0 fpsynth generate --top 3 --runs runs --name two --out two
prints 'and the next 2 on 8-byte words'
grep -q '^Of method 1: It is the best of .* the 2 data sets in runs' two/README.md || not_ok 'the origin is not in the README'
expect 0 fpsynth generate --top 2 --best obs_track --runs runs --name two --out two --force
prints 'two_3.hpp: removed'
grep -q 'DEC:2' two/FORMAT.md || not_ok 'FORMAT.md does not define the prelude'
expect 0 configure two
build two
expect 0 two/build/two --help
for number in 1 2; do
  method=$(sed -n "s/^  $number: //p" .out)
  [[ -n $method ]] || not_ok "--help does not name method $number"
  "$fpsynth" compress "$method" in.f64 "library_$number.fps" 2>/dev/null || not_ok "compress $method"
done
for number in 1 2; do
  expect 0 two/build/two compress --method $number in.f64 "in_$number.fps"
  same "in_$number.fps" "library_$number.fps"
  expect 0 two/build/two decompress "in_$number.fps" "in_$number.back"
  same "in_$number.back" in.f64
done
expect 0 two/build/two compress in.f64 in.fps
smaller=1
(($(size in_2.fps) < $(size in_1.fps))) && smaller=2
same in.fps in_$smaller.fps
expect 2 two/build/two compress --method 3 in.f64 other.fps
expect 0 fpsynth compress "LNV9s ZE" in.f64 other.fps
expect 1 two/build/two decompress other.fps other.back
says 'another pipeline'
absent other.back

# Searches with more stages beside each other: figure 2 carried on.
doubles 9001 in.f64

space() { # STAGES: of three components
  printf '{"stages": %d, "components": ["NUL", "LNV1s", "BIT"], "last": ["ZE", "RLE"]}' "$1"
}
for stages in 2 3 4; do
  space "$stages" >"$stages.json"
  expect 0 fpsynth search in.f64 --space "$stages.json" --out "runs-$stages"
done
expect 0 fpsynth query stages --runs runs-2 --deeper runs-4 --deeper runs-3
prints 'best with 2 stages'
prints 'in +double +4 .*all pipelines'
expect 0 fpsynth query stages --runs runs-4 --csv
four=$(sed -n 2p .out | cut -d, -f 6)
expect 0 fpsynth query stages --runs runs-2 --deeper runs-4 --deeper runs-3 --csv
[[ $(sed -n 2p .out | cut -d, -f 6) == "$four" ]] || not_ok 'the best with four stages is another'
# With three stages alone, there is nothing of four.
expect 0 fpsynth query stages --runs runs-2 --deeper runs-3 --json --out deeper.json
prints '"ratio_3"'
! grep -q ratio_4 .out || not_ok 'there is a column of four stages, which were not searched'
exists deeper.json

expect 1 fpsynth query stages --runs runs-2 --deeper nowhere
says 'nowhere has no results of in \(double\)'
sed 's/"BIT"/"BIT", "INV"/' 3.json >other.json
expect 0 fpsynth search in.f64 --space other.json --out other
expect 1 fpsynth query stages --runs runs-2 --deeper other
says 'differ in more than the number of stages'
expect 0 fpsynth search in.f64 --space 3.json --sample 2 --out sampled
expect 0 fpsynth query stages --runs runs-2 --deeper sampled
prints 'left out: it has one chunk in 2, and that of 2 stages one in 1'

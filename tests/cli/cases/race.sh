# Races: what they leave, what is told of them, how they are continued, and what they refuse.
doubles 40000 in.f64
doubles 9000 small.f64
cat >space.json <<END
{"stages": 3, "components": ["NUL", "INV", "BIT", "DIM2", "LNV1s", "LNV2x", "ZE"], "last": ["ZE", "RLE"]}
END
race=(fpsynth search in.f64 --space space.json --strategy race)

expect 0 "${race[@]}" --out raced
prints '^in +double .* edges verified, 0 failed'
says 'of [0-9]+ distinct pipelines are left after 8 chunks'
grep -q '"race": *{"margin":0.0001,"risk":0.01,"seed":1,' raced/in.double.json ||
  not_ok 'the document does not say that it was raced'
absent raced/in.double.race
expect 0 "${race[@]}" --out raced --resume
says 'searched already'
expect 0 "${race[@]}" --threads 3 --out again
"${PYTHON:-python3}" "$root/tests/cluster/same_documents.py" raced again ||
  not_ok 'three threads raced to another document'
expect 0 fpsynth search in.f64 --space space.json --out all
expect 0 fpsynth query best --runs raced
prints 'raced'

# The winner decodes the whole file.
expect 0 fpsynth compress in.f64 in.fps --best in --runs raced
expect 0 fpsynth decompress in.fps back.f64
cmp in.f64 back.f64 || not_ok 'the winner does not give back the file'

# Of few chunks, all are drawn.
expect 0 fpsynth search small.f64 --space space.json --strategy race --out small
says 'these are all chunks, so this race was an exhaustive search'

# Preludes and pipelines are one space.
expect 0 "${race[@]}" --preludes 'LAGs:1, DICT' --out preludes
prints '^in +double'

expect 0 "${race[@]}" --dry-run
prints '^race: [0-9]+ distinct pipelines, all on 8 chunks of each data set, then fewer on more$'
prints '^memory: about [0-9]+ MiB'
prints '^estimate: about .* for the first round'
expect 0 "${race[@]}" --dry-run --json
prints '^\{"pipelines":[0-9]+,"distinct":[0-9]+,.*"seconds":[0-9.e-]+,"memory_bytes":[0-9]+,.*"first_round_chunks":8\}$'
expect 0 fpsynth search in.f64 --stages 8 --strategy race --dry-run
prints '^space: 8 stages, 24 components, 2 last, cuts 0 1 2 3 4 5 6 7 8: 82556485632 pipelines$'
expect 0 fpsynth search in.f64 --space "$root/configs/spaces/every_n.json" --strategy race --dry-run
prints '^space: 4 stages, 197 components, 2 last, cuts 0 1 2 3 4: 76453730 pipelines$'

# What none can have.
expect 2 "${race[@]}" --risk 0 --out x
says 'risk 0: .*search exhaustively to have none'
expect 2 "${race[@]}" --risk 0.5 --out x
says 'risk 0.5'
expect 2 "${race[@]}" --seed -1 --out x
expect 2 "${race[@]}" --margin -0.1 --out x
says 'margin -0.1'
expect 2 "${race[@]}" --round-chunks 1 --out x
expect 2 fpsynth search in.f64 --stages 9 --strategy race --out x
says 'stages'
expect 2 fpsynth search in.f64 --risk 0.1 --out x
says 'add --strategy race'
expect 2 fpsynth search in.f64 --strategy chase --out x
expect 2 "${race[@]}" --dry-run --shards 4
says '--shards is for exhaustive searches'
absent x
# Another race does not mix with it, nor does an exhaustive search.
expect 1 "${race[@]}" --risk 0.02 --out raced --resume
says "strategy 'race, margin 0.0001, risk 0.01, seed 1, first round 8 chunks', not '.*risk 0.02"
expect 1 fpsynth search in.f64 --space space.json --out raced --resume
says "not 'exhaustive'"
expect 1 "${race[@]}" --out raced
says 'exists already; continue with --resume'

# A race that has not come to its end has a state and no results.
mkdir early
: >early/in.double.race
expect 1 fpsynth query best --runs early
says 'early holds a race that is not over \(in.double.race\) and no results yet; continue it with .*--resume'

# Races, and other ways to search, against exhaustive searches.
doubles 40000 in.f64
expect 0 fpsynth search in.f64 --stages 3 --verify none --out runs
bench=(fpsynth bench strategies --runs runs)

expect 0 "${bench[@]}" --races 2 --seeds 3
prints '^in +double'
prints 'margin 0.0001, risk 0.01, seeds 1 to 2'
expect 0 "${bench[@]}" --races 2 --seeds 3 --json
cp .out first.json
expect 0 "${bench[@]}" --races 2 --seeds 3 --json --threads 1
same first.json .out
expect 0 "${bench[@]}" --races 2 --seeds 3 --csv --threads 1
prints '^data_set,precision,best_ratio,races,winner_found,'
says '^note: budget: '
python3 - first.json <<'END_OF_TEST' || not_ok 'the figures do not fit each other'
import json, sys
bench = json.load(open(sys.argv[1]))
assert bench["benchmark"] == "strategies" and bench["run"]["commit"]
row, = bench["rows"]
assert row["chunks"] == 40 and len(row["races"]) == 2
assert [race["seed"] for race in row["races"]] == [1, 2]
for race in row["races"]:
    assert race["winner_found"] == (race["regret_percent"] == 0)
    assert race["chunk_evaluations"] >= race["survivors"] * row["chunks"]
for name, draws in (("random_sampling", 3), ("genetic_algorithm", 3), ("beam_search", 1)):
    found = row["strategies"][name]
    assert len(found["regrets_percent"]) == draws, name
    assert 0 < found["most_evaluations"] <= row["budget"], name
    assert min(found["regrets_percent"]) >= 0, name
END_OF_TEST

# What cannot be compared with is named.
expect 0 fpsynth search in.f64 --stages 3 --strategy race --out raced
expect 1 fpsynth bench strategies --runs raced
says 'no complete exhaustive search.*in \(double\) is left out: raced'
cp raced/in.double.json runs/other.double.json
expect 0 "${bench[@]}"
prints 'in \(double\) is left out: raced'
rm runs/other.double.json
expect 1 "${bench[@]}" --dataset else
says 'runs has no complete exhaustive search that was asked for'
expect 1 fpsynth bench strategies --runs nowhere
says 'nowhere has no results'
expect 2 "${bench[@]}" --risk 0
says 'risk 0'
expect 2 "${bench[@]}" --margin -1
says 'margin -1'
expect 2 "${bench[@]}" --races 0
doubles 40001 in.f64
expect 1 "${bench[@]}"
says 'checksum'

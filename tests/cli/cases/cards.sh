# query cards: what the data sets of a study are, what compresses them best, commands to copy.
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
cat >described.json <<'END2'
{"family": "mine", "title": "Mine", "page": "https://example.org/", "sets": [
  {"name": "field", "description": "a field", "field": "physics", "licence": "CC0", "native": "single",
   "bytes": 4096, "file": "sub/field.f32", "address": "https://example.org/field.f32"}]}
END2
cat >study.json <<'END2'
{"name": "small", "datasets": ["described.json"], "precisions": ["double", "single"], "data": [
  {"made": "num_control", "bytes": 4096}, {"file": "a b.f64", "name": "a-b"}, {"file": "steps.i64"}, {"dataset": "field"}],
 "space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT", "ZE"]}}
END2
doubles 512 'a b.f64'
cp 'a b.f64' steps.i64
mkdir sub && floats 1024 sub/field.f32
export FPSYNTH_DATA=.
expect 0 fpsynth search --study study.json --out runs
expect 0 fpsynth compare --study study.json --runs runs --only mpc,gzip,memcpy,searched --repetitions 1 --out c.json
expect 0 fpsynth data info --study study.json --out s.json
cards=(query cards --study study.json --compared s.json)
csv() { # TABLE OPTION...
  expect 0 fpsynth "${cards[@]}" --csv --table "$@"
  sed -i 's/\r$//' .out
}
whole=(--runs runs --compared c.json)
csv 1 "${whole[@]}"
prints '^data_set,precision,kind,compressor,ratio,compress_gb_per_s,decompress_gb_per_s,highest$'
prints '^num_control,double,MPC,MPC,[0-9.]+,[0-9.]+,[0-9.]+,(yes|no)$'
prints '^num_control,single,best of the others,gzip -[^,]*,[0-9.]+,[0-9.]+,[0-9.]+,(yes|no)$'
cp .out best
expect 0 fpsynth query best --runs runs --json
ratio=$(sed -n 's/^field,single,best searched,[^,]*,\([0-9.]*\),[0-9.]*,[0-9.]*,.*/\1/p' best)
prints "\"single_ratio\": ${ratio:-none}"
awk -F, 'NR > 1 { key = $1 "," $2; if ($5 > most[key]) { most[key] = $5; high[key] = $8 } }
  END { for (key in high) if (high[key] != "yes") exit 1; exit NR < 12 }' best || not_ok 'not the highest'
! grep -E 'memcpy|^field,double' best || not_ok 'a copy, or singles as doubles'
csv 2 "${whole[@]}"
prints '^field,a field; physics; CC0,single,4096,'
prints '^num_control,,double,4096,'
prints '^steps,,int64,4096,'
csv 3 "${whole[@]}"
prints '^steps,search,fpsynth search data/steps.i64 --out results/runs/steps$'
prints '^num_control,make the data,fpsynth data make num_control --bytes 4096$'
prints '^field,fetch the data,configs/datasets/fetch\.py field$'
prints '^field,search,fpsynth search data/sub/field.f32 --out results/runs/field$'
prints '^field,generate a codec,.*fpsynth generate .* --precision single --name field --out field_codec'
prints "^a-b,search,fpsynth search 'data/a b.f64' --precision both --out results/runs/a-b$"
prints "^a-b,compress with its best pipeline,.*fpsynth compress .* 'data/a b.f64' a_b.fps"
# Without results, what was measured; a set of which nothing is known is left out.
csv 3 --runs nowhere
prints '^field,search,'
! grep -q 'with its best' .out || not_ok 'a best of nothing'
cards=(query cards --study study.json)
csv 3 --runs nowhere
[[ $(wc -l <.out) == 1 ]] || not_ok 'cards of what is not known'
expect 2 fpsynth query cards --runs runs
says '^fpsynth: --study is required'

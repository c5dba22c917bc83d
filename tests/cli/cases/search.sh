# A search of a small space: documents, queries, and results that may not be mixed.
doubles 3000 in.f64
printf xyz >>in.f64
space='"space": {"stages": 3, "components": ["NUL", "LNV1s", "LNV2x", "BIT", "RLE"],
       "last": ["ZE", "RLE"], "cuts": [0, 1, 2, 3]}'
cat >study.json <<END
{"name": "small", "data": [{"file": "in.f64"}, {"made": "num_lorenz", "bytes": 32768}],
 "precisions": ["double", "single"], $space}
END
expect 0 fpsynth search --study study.json --dry-run --out found
absent found
expect 0 fpsynth search --study study.json --out found
for document in in.double in.single num_lorenz.double num_lorenz.single; do
  exists found/$document.json
done
expect 0 fpsynth query best --runs found
prints 'num_lorenz'
expect 0 fpsynth query top 3 --runs found --dataset in --precision double
expect 0 fpsynth query top 3 --runs found --json
expect 2 fpsynth query top 3 --runs found --dataset elsewhere
says 'elsewhere'
says 'num_lorenz'
expect 2 fpsynth query top 0 --runs found

payload() { tr -d ' \n' <"$1" | grep -o '"payload_bytes":\[[^]]*\]'; }
# The size that the search reports is the size of the file that compress writes.
for pipeline in "LNV1s BIT ZE" "LNV2x RLE | ZE" "| BIT LNV1s RLE"; do
  expect 0 fpsynth compress "$pipeline" in.f64 out.fps --force
  expect 0 fpsynth query pipeline "$pipeline" --runs found --dataset in --precision double --json
  id=$(grep -oE '\(id [0-9]+' .out | tr -dc 0-9)
  payload_bytes=$(payload found/in.double.json | tr -c 0-9 '\n' | grep . | sed -n "$((id + 1))p")
  overhead=$(grep -oE '"overhead_bytes": *[0-9]+' found/in.double.json | tr -dc 0-9)
  ((payload_bytes + overhead == $(size out.fps))) ||
    not_ok "$pipeline: found $payload_bytes + $overhead bytes, compressed $(size out.fps)"
done

# Complete: nothing to resume, nothing changes.
cp -r found before
expect 0 fpsynth search --study study.json --out found --resume
diff -r before found >/dev/null || not_ok '--resume changed a complete study'
# Searching again needs --resume.
expect 1 fpsynth search --study study.json --out found
says '--resume'

# The directory of another study is refused.
sed 's/"small"/"other"/' study.json >other.json
for resume in '' --resume; do
  # shellcheck disable=SC2086 # nothing or one option
  expect 1 fpsynth search --study other.json --out found $resume
  says 'small'
done
expect 1 fpsynth search --study study.json --out found --resume --verify none
says 'verif'
diff -r before found >/dev/null || not_ok 'a refused search changed the directory'
# What differs is said, and a directory that will do.
expect 1 fpsynth search in.f64 --out found/ --stages 1
says "^fpsynth: found/ holds the results of a search that was run with study 'small', not 'files'; .*; all results"
says ' --out found-2, or search as before$'
# So is a file.
expect 1 fpsynth search --study study.json --out in.f64
says 'in\.f64'

# The figures depend neither on threads, nor on the instruction set, nor on verification.
expect 0 fpsynth search --study study.json --out again --verify none --threads 1
expect 0 env FPSYNTH_SIMD=baseline "$fpsynth" search --study study.json --out third --verify top=5
for document in in.double in.single num_lorenz.double num_lorenz.single; do
  for other in again third; do
    [[ $(payload found/$document.json) == "$(payload $other/$document.json)" ]] ||
      not_ok "$other/$document.json has other sizes"
  done
done

# Wrong calls and broken studies.
expect 2 fpsynth search
expect 2 fpsynth search --study study.json --out x --verify some
says "'some'.*top=K"
expect 2 fpsynth search --study study.json --out x --verify top=0
expect 2 fpsynth search --study study.json --out x --sample 0
expect 2 fpsynth search --study study.json --out x --threads 0
expect 2 fpsynth search --study study.json --out x --precision quarter
expect 1 fpsynth search --study nowhere.json --out x
says 'nowhere\.json'
echo '{"name": "broken"' >broken.json
expect 1 fpsynth search --study broken.json --out x
says 'broken\.json'
sed 's/"BIT"/"BITE"/' study.json >broken.json
expect 1 fpsynth search --study broken.json --out x
says 'BITE'
says 'BIT\b'
sed 's/"last": \["ZE", /"last": ["BIT", /' study.json >broken.json
expect 1 fpsynth search --study broken.json --out x
says 'BIT'
sed 's/in\.f64/gone.f64/' study.json >broken.json
expect 1 fpsynth search --study broken.json --out x
says 'gone\.f64'
absent x
# A study writes to no other place than results/runs.
sed 's|"small"|"../../away"|' study.json >broken.json
expect 1 fpsynth search --study broken.json
says 'broken\.json: field name: .*\.\./\.\./away'
absent results
absent ../away
expect 1 fpsynth query best --runs nowhere
says 'nowhere'
expect 2 fpsynth query
expect 2 fpsynth query pipeline "LNV1s BIT" --runs found
says 'ZE'
expect 2 fpsynth query pipeline "LNV3s BIT ZE" --runs found
says 'LNV3s'
echo '{' >found/in.double.json
expect 1 fpsynth query best --runs found
says 'in\.double\.json'

# Backends: the messages for a wrong one and a missing GPU.
expect 2 fpsynth search in.f64 --backend gpu --out backend
says "--backend 'gpu': give auto, cpu or cuda"
expect 0 fpsynth search in.f64 --backend cpu --dry-run
prints 'estimate: .* threads of '
prints '^memory: about [0-9]+ MiB$'
prints '^  in double: [0-9]+ chunks, about [0-9.]+ s'
prints '^estimate: [0-9.]+ s'
! grep -q 'more than an hour' .out || not_ok 'ways to less than a short search'
doubles 2000000 long.f64
expect 0 fpsynth search long.f64 in.f64 --backend cpu --threads 1 --stages 5 --dry-run
for way in '--sample [0-9]+' '--strategy race' '--verify top=10'; do prints "^  $way: about [0-9.]+ s"; done
# What the search would refuse: results that are there, those of another search, a place where none can be.
for refused in "in.f64 --stages 1 --out found" "in.f64 --stages 1 --out found --resume" "in.f64 --out in.f64/runs"; do
  # shellcheck disable=SC2086 # words
  expect 1 fpsynth search $refused --dry-run
done
says 'in.f64/runs: Not a directory'
expect 0 fpsynth search in.f64 --backend cpu --dry-run --json
prints '^\{"pipelines":138240,"distinct":126044,"data_sets":1,"precisions":1,"chunks":[0-9]+,.*"stages_per_chunk":176345\}$'
if ! fpsynth search in.f64 --backend cuda --dry-run >/dev/null 2>&1; then
  expect 1 fpsynth search in.f64 --backend cuda --out backend
  says 'no GPU to run on: .*--backend cpu'
  expect 0 fpsynth search in.f64 --backend auto --dry-run
  if [[ -e /dev/nvidia0 ]]; then
    says 'running on the CPU: '
  elif [[ ! -e /proc/driver/nvidia && ! -e /dev/dxg ]]; then
    [[ -z $err ]] || not_ok 'a note on GPUs where there is none'
  fi
fi

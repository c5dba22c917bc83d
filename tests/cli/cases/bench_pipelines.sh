# Throughput of pipelines: documents, rows, and what cannot be timed.
unset FPSYNTH_DATA
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
doubles 20000 wave.f64
fast=(--bytes 512K --repetitions 2 --no-generated)
expect 0 fpsynth bench pipelines "lnv1s bit ze" "LNV1s BIT ZE" --data wave.f64 "${fast[@]}"
prints '^wave \(double\): throughput in GB/s'
prints '^memcpy +library +1 +1\.000'
prints '^LNV1s BIT ZE +library +2 +[0-9.]+'
prints 'the whole chunks of the data set.s 0\.2 MiB, 4 times'
[[ $(grep -c '^LNV1s' .out) == 2 ]] || not_ok 'the same pipeline is timed more than once'
nothing_else wave.f64

# Without data: the synthetic sets. Single precision, as JSON.
expect 0 fpsynth bench pipelines "| RLE" --precision single --json "${fast[@]}" --threads 1
prints '"name":"made_sets"'
prints '"precision":"single"'
for key in commit device instruction_set copies cache_bytes kind how seconds median_seconds ratio; do
  grep -q "\"$key\"" .out || not_ok "the document has no $key"
done
expect 2 fpsynth bench pipelines "ZE" --data wave.f64 --baselines
says 'fpsynth compare'

# As CSV: one table of all data sets.
expect 0 fpsynth bench pipelines "ZE" --precision both --csv "${fast[@]}" --threads 1
prints '^data_set,precision,compressor,how,threads,ratio,compress_gb_per_s,compress_spread_percent,dec'
[[ $(grep -c '^data_set' .out) == 1 ]] || not_ok 'more than one table in the CSV'
prints '^made_sets,double,ZE,library,1,'
prints '^made_sets,single,ZE,library,1,'
expect 2 fpsynth bench pipelines "ZE" --csv --json

# With the results of a search: its best pipelines, rows that are kept.
cat >study.json <<'END2'
{"name": "small", "data": [{"file": "wave.f64"}, {"made": "msg_heat", "bytes": 65536}],
 "precisions": ["double"], "space": {"stages": 3, "components": ["NUL", "LNV1s", "BIT", "RLE"]}}
END2
expect 0 fpsynth search --study study.json --out runs
expect 0 fpsynth bench pipelines --top 2 --runs runs "${fast[@]}"
document=runs/wave.double.cpu.throughput.json
exists $document
exists runs/msg_heat.double.cpu.throughput.json
expect 0 fpsynth query best --runs runs
prints '^wave '
[[ $(grep -c '"kind":"pipeline"' $document) == 4 ]] || not_ok 'not two pipelines in two ways'
# The ratio is the search's.
expect 0 fpsynth query top 1 --runs runs --dataset wave --json
bytes=$(grep -oE '"compressed_bytes": *[0-9]+' .out | tr -dc 0-9)
grep -q "\"compressed_bytes\":$bytes," $document || not_ok "no row of the best's $bytes bytes"
expect 0 fpsynth bench pipelines "RLE" --runs runs --dataset wave "${fast[@]}"
[[ $(grep -c '"kind":"pipeline"' $document) == 6 ]] || not_ok 'rows timed before were not kept'
# Other measurements replace a document only with --force; the error comes before any timing.
cp $document before.json
expect 1 fpsynth bench pipelines "RLE" --runs runs --dataset wave "${fast[@]}" --threads 1
says 'wave\.double\.cpu\.throughput\.json holds measurements.*\(threads 2 and 1\).*--force'
expect 1 fpsynth bench pipelines --top 1 --runs runs --bytes 1M --repetitions 1 --json
says 'repetitions 2 and 1, input_bytes'
same $document before.json
expect 0 fpsynth bench pipelines "RLE" --runs runs --dataset wave "${fast[@]}" --threads 1 --force
[[ $(grep -c '"kind":"pipeline"' $document) == 1 ]] || not_ok 'rows of another run were kept'

# Generated code: the same bytes (or an error); it leaves no file.
if command -v c++ >/dev/null; then
  expect 0 fpsynth bench pipelines "LNV1s ZE" --data wave.f64 --bytes 512K --repetitions 1
  prints '^LNV1s ZE +generated +1 '
  prints '^LNV1s ZE +generated +2 '
  cat >compiler <<'END2'
#!/bin/sh
[ "$1" = --version ] && echo 'a compiler' && exit 0
echo 'I do not know C++20' >&2
exit 1
END2
  chmod +x compiler
  expect 0 env CXX=./compiler "$fpsynth" bench pipelines ZE --data wave.f64 --bytes 512K --repetitions 1
  prints 'ZE: no generated code: \./compiler does not compile .*I do not know'
  # CXX as in build systems: with arguments, or after another program.
  expect 0 env CXX="env c++ -O3" "$fpsynth" bench pipelines ZE --data wave.f64 --bytes 512K --repetitions 1
  prints '^ZE +generated +1 '
fi
expect 0 env CXX=./nothing "$fpsynth" bench pipelines ZE --data wave.f64 --bytes 512K
says "no generated code: CXX names './nothing', which does not run.*--no-generated"
prints '^ZE +library'
mkdir bin
expect 0 env -u CXX PATH="$PWD/bin" "$fpsynth" bench pipelines ZE --data wave.f64 --bytes 512K
says 'no C\+\+ compiler was found'

# Wrong calls.
expect 2 fpsynth bench pipelines
says 'nothing to time.*--top'
expect 2 fpsynth bench pipelines --top 3
says '\-\-runs'
expect 2 fpsynth bench pipelines "LNV1s FOO ZE"
says "FOO"
expect 2 fpsynth bench pipelines "LNV1s BIT"
says 'ZE'
expect 2 fpsynth bench pipelines ZE --top 0 --runs runs
expect 2 fpsynth bench pipelines ZE --repetitions 0
expect 2 fpsynth bench pipelines ZE --bytes 0
says '\-\-bytes: must be at least 1$'
expect 2 fpsynth bench pipelines ZE --data wave.f64 --dataset elsewhere
says "files of --data are no data set 'elsewhere'.*but wave"
expect 2 fpsynth bench pipelines ZE --study study.json --dataset elsewhere
says "study\.json has no data set 'elsewhere'.*but wave, msg_heat"
expect 2 fpsynth bench pipelines ZE --backend tpu
expect 1 fpsynth bench pipelines ZE --data nowhere.f64
says 'nowhere\.f64'
doubles 1000 other.f64
expect 1 fpsynth bench pipelines --top 1 --runs runs --data other.f64
says 'other \(double\) was not searched in runs: there is no other\.double\.json; search it'
mkdir empty
expect 1 fpsynth bench pipelines --top 1 --runs empty
says 'empty contains no result documents'
expect 2 fpsynth bench pipelines --top 1 --runs runs --dataset elsewhere
says 'elsewhere'
says 'wave'
doubles 20001 wave.f64
expect 1 fpsynth bench pipelines --top 1 --runs runs --dataset wave
says 'does not hold the data that was searched'
rm wave.f64
expect 1 fpsynth bench pipelines --top 1 --runs runs --dataset wave
says 'wave\.f64'
# If there is a GPU, it is timed; otherwise the message says what to do.
if ! ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
  expect 1 fpsynth bench pipelines ZE --backend cuda
  says 'no GPU to time on: .*--backend cpu'
  expect 1 fpsynth bench pipelines ZE --backend both
  says '\-\-backend cpu'
fi

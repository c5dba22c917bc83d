# Ratio against speed: what was timed and compared.
unset FPSYNTH_DATA
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
doubles 20000 wave.f64
cat >study.json <<'END2'
{"name": "small", "data": [{"file": "wave.f64"}, {"made": "msg_heat", "bytes": 65536}],
 "precisions": ["double", "single"],
 "space": {"stages": 3, "components": ["NUL", "LNV1s", "BIT", "RLE"]}}
END2
expect 0 fpsynth search --study study.json --out runs
expect 1 fpsynth query pareto --runs runs
says 'runs holds no throughput documents.*bench pipelines'
expect 0 fpsynth bench pipelines --top 2 --runs runs --bytes 256K --repetitions 1 --no-generated
expect 0 fpsynth query pareto wave --runs runs --precision double
prints '^wave \(double\), cpu: ratio against compression speed, one thread'
prints '^wave \(double\), cpu: ratio against decompression speed, all threads'
prints '^memcpy +copy +library +1 +1\.000'
# The front depends on the speed of the machine. So it is tested with a document whose
# figures are the same on every machine: 2^-16 s for the copies, 2^-10 s for the best pipeline, and
# 2^-12 s for the other one, all for 311296 bytes.
mkdir fixed
cp runs/wave.double.*json fixed
figures() {
  printf 's/"gb_per_s":[^,]*,"median_seconds":[^,]*(,"spread":[^,]*,"seconds":)[^]]*/"gb_per_s":%s,"median_seconds":%s\\1[%s/g' "$1" "$2" "$2"
}
sed -i -E -e "/\"kind\":\"copy\"/ $(figures 20.401094656 1.52587890625e-05)" \
  -e "/\"kind\":\"pipeline\"/ $(figures 1.275068416 0.000244140625)" fixed/wave.double.cpu.throughput.json
expect 0 fpsynth query top 1 --runs runs --dataset wave --precision double --csv
IFS=, read -r _ _ _ _ name best _ < <(sed -n 2p .out)
sed -i -E "/\"name\":\"${name//|/\\|}\"/ $(figures 0.318767104 0.0009765625)" fixed/wave.double.cpu.throughput.json
expect 0 fpsynth query pareto wave --runs fixed --precision double
prints '^memcpy +copy +library +1 +1\.000 +20\.401 .* yes'
prints ' library +1 .* 1\.275 .* yes'
prints ' library +1 .* 0\.319 .* yes'
expect 0 fpsynth query pareto wave --runs fixed --precision double --at-least 1
prints 'note: only what was timed at 1 GB/s or more in both directions'
grep -q ' 0\.319 ' .out && not_ok 'what is slower is listed'
expect 2 fpsynth query pareto wave --runs fixed --at-least -1
# The best pipeline does 0.319 GB/s, so that its compression is the slowest part of a fast link, and
# the one that does 1.275 GB/s brings more.
expect 0 fpsynth query pareto wave --runs fixed --precision double --gbit 80
prints '^wave \(double\), cpu: over a link of 80 Gbit/s, one thread'
prints ' 1\.275 +1\.275 +1\.275 +compress '
prints ' 0\.319 +0\.319 +0\.319 +compress '
prints 'note: without compression, 10\.000 GB/s of the data arrive'
expect 0 fpsynth query pareto --runs fixed --gbit 10 --csv
prints '^data_set,precision,backend,thread_limit,link_gbit_per_s,compressor,'
expect 2 fpsynth query pareto --runs fixed --gbit 0
says '0'
# The best ratio of all is on the front, with the figures of the search.
expect 0 fpsynth query pareto wave --runs fixed --precision double --csv
[[ $(sed -n 2p .out | cut -d, -f10) == "$best"* ]] || not_ok "the front does not begin with $best"
# Its row, the other pipeline's, and the copy's: from the best ratio to the fastest.
[[ $(grep -c ',yes' .out) == 12 ]] || not_ok 'not three points on each of the four fronts'
expect 0 fpsynth query pareto --runs runs
prints '^2 data sets \(double\), cpu'
prints '^2 data sets \(single\), cpu'
prints 'harmonic mean of the ratios; speed is total bytes'
expect 0 fpsynth query timed --runs runs --precision double
prints '^Timed compressors'
prints '^wave +double +cpu .* memcpy +copy +library +1 +1 '
prints '^harmonic mean +double +cpu .* memcpy +copy +library +1 +2 +- +1\.000 '
expect 0 fpsynth query timed wave --runs runs --precision single --out timed.json
grep -q '"kind": "query timed"' timed.json || not_ok 'the document has no kind'
grep -q '"harmonic mean"' timed.json && not_ok 'a mean over one data set'
expect 2 fpsynth query timed elsewhere --runs runs
expect 1 fpsynth query timed --runs nowhere
expect 0 fpsynth query pareto --runs runs --precision single --json
prints '"front": *"yes"'

# Baselines and peers of a comparison of the same data on the same machine.
expect 0 fpsynth compare wave.f64 --only gfc,memcpy --repetitions 1 --out compare.json
expect 0 fpsynth query pareto wave --runs runs --precision double
grep -q '^GFC' .out && not_ok 'a comparison was found that nobody named'
expect 0 fpsynth query pareto wave --runs runs --precision double --compared compare.json
prints '^GFC +compared +library'
sed 's/"cpu": "/"cpu": "not /' compare.json >runs/compare.json
expect 0 fpsynth query pareto wave --runs runs --precision double
prints 'note: runs/compare\.json is left out, because it was measured on another machine \(not '

# Searched, but not timed.
rm runs/msg_heat.double.cpu.throughput.json
expect 0 fpsynth query pareto --runs runs --precision double
prints 'searched but not timed, and left out: msg_heat'

expect 2 fpsynth query pareto elsewhere --runs runs
says 'wave \(double, cpu\)'
expect 2 fpsynth query pareto --runs runs --backend cuda
expect 2 fpsynth query pareto --runs runs --precision quarter
expect 1 fpsynth query pareto --runs nowhere
says 'nowhere'
expect 1 fpsynth query pareto --runs runs --compared nowhere.json
says 'nowhere\.json'
echo '{' >runs/wave.double.cpu.throughput.json
expect 1 fpsynth query pareto --runs runs
says 'wave\.double\.cpu\.throughput\.json'

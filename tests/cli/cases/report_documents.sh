# analysis/make.py: what a report is drawn from is made once, and again where it is outdated.
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
cat >study.json <<'END2'
{"name": "small", "data": [{"made": "num_control", "bytes": 4096}, {"file": "gone.f64"},
  {"file": "in.f32"}], "precisions": ["double", "single"],
 "space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT", "ZE"]}}
END2
floats 1024 in.f32
study=(--study study.json --runs runs)
made() { prints "^runs/documents: $1 documents? made, [0-9]+ up to date$"; }
make=(python3 "$root/analysis/make.py" --fpsynth "$fpsynth")
# --- without results -----------------------------------------------------------------------------
expect 0 "${make[@]}" "${study[@]}"
says '^small: left out because its data are not available: gone$'
says '^small: runs has no results; search first: fpsynth search --study study.json --out runs$'
exists runs/documents/compare.json runs/documents/pfpc-modes.json
grep -q "\"file\": \"$PWD/in.f32\"" runs/documents/study.json || not_ok 'the study has no absolute path'
! grep -q gone runs/documents/study.json || not_ok 'the study has what is not there'
! grep -q in.f32 runs/documents/study-doubles.json || not_ok 'singles among doubles'
absent runs/documents/best.json
# --- with results: made once ---------------------------------------------------------------------
expect 0 fpsynth search --study runs/documents/study.json --out runs
expect 0 fpsynth bench pipelines ZE --runs runs --no-generated --repetitions 1 --bytes 4K
expect 0 "${make[@]}" "${study[@]}"
says '^small: best.json is not there: fpsynth query best --runs runs$'
says '^small: compare.json is older than runs/in.single.json: fpsynth compare .*--runs runs'
[[ $(<.out) == 'runs/documents: '* ]] || not_ok 'the commands print, too'
exists runs/documents/{claims,scorecard,pareto,peers}.json
expect 0 "${make[@]}" "${study[@]}"
made 0
# --- outdated documents, and those that are made of them -----------------------------------------
rm runs/documents/holt.json
expect 0 "${make[@]}" "${study[@]}"
made 3
touch runs/num_control.double.cpu.throughput.json
expect 0 "${make[@]}" "${study[@]}"
says '^small: claims.json is older than runs/num_control.double.cpu.throughput.json: '
made 3
# --- wider and deeper searches of the same data --------------------------------------------------
expect 1 "${make[@]}" "${study[@]}" --preludes-runs none
says '^analysis.make: none has no results of a search; leave it out, or search first$'
absent none
expect 0 fpsynth search --study runs/documents/study.json --preludes LAGx:2 --out preludes
expect 0 fpsynth search --study runs/documents/study.json --stages 3 --out three
more=(--preludes-runs preludes --deeper-runs three)
expect 0 "${make[@]}" "${study[@]}" "${more[@]}"
prints '^preludes/documents: 2 documents made, 0 up to date$'
exists preludes/documents/one-core.json runs/documents/deeper.json
grep -q preludes/documents/one-core.json runs/documents/peers.json || not_ok 'peers without preludes'
expect 0 "${make[@]}" "${study[@]}" "${more[@]}"
made 0
# --- errors --------------------------------------------------------------------------------------
printf '{' >runs/in.single.json
expect 1 "${make[@]}" "${study[@]}"
says '^fpsynth: runs/in.single.json'
says '^analysis.make: fpsynth query runs --runs runs --out runs/documents/runs.json failed'
expect 1 "${make[@]}" --runs nowhere
says nowhere
absent nowhere
# --- without a study: the results, and their files as far as they are there -----------------------
expect 0 fpsynth search in.f32 --stages 1 --out own
expect 0 "${make[@]}" --runs own
prints '^own/documents: 8 documents made, 0 up to date$'
mv in.f32 other.f32
expect 0 "${make[@]}" --runs own
says '^own: no speeds: the files of its data sets are not where they were searched$'

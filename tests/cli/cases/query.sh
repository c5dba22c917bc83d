# Queries: where they find results, what they print as CSV, and documents that are none.
unset FPSYNTH_DATA
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
doubles 9000 wave.f64
space='"space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}'
cat >study.json <<END
{"name": "small", "data": [{"file": "wave.f64"}, {"made": "msg_heat", "bytes": 65536}],
 "precisions": ["double", "single"], $space}
END
sed 's/"stages": 2/"stages": 3/' study.json >deeper.json

# Without --runs: the default directory, the one folder in it that has results, or a list of those.
expect 1 fpsynth query best
says 'results/runs contains no result documents'
expect 0 fpsynth search --study study.json --out results/runs/small
expect 0 fpsynth query best
says 'note: the results are those in results/runs/small$'
prints '^Best +[0-9.]+ '
prints '^note: Best: one pipeline for all data sets, .*harmonic mean of their ratios$'
prints '^note: CR: compression ratio'
[[ $(grep -c 'note: CR' .out) == 1 ]] || not_ok 'CR is defined more than once'
expect 1 fpsynth query timed
says 'bench pipelines --top 10 --runs results/runs/small`'
expect 0 fpsynth data make --out . --bytes 64K msg_heat
expect 0 fpsynth compress --best msg_heat msg_heat.f64 heat.fps
says 'note: the results are those in results/runs/small$'
expect 0 fpsynth search --study deeper.json --out results/runs/deeper
expect 2 fpsynth query best
says 'results/runs holds .* several studies.*: results/runs/deeper, results/runs/small$'
expect 0 fpsynth query best --runs results/runs/small
! grep -q 'note: the results are' .err || not_ok 'a directory that was named is told'

# On a terminal, lines are as long as its rows.
if command -v script >/dev/null; then
  expect 0 script -qec "stty cols 60; '$fpsynth' query claims --runs results/runs/small" wrapped
  prints '^claim +what +holds if'
  (($(tr -d '\r' <.out | wc -L) <= 60)) || not_ok "a line of more than 60 columns on a terminal that has 60"
fi

# A data set by its name.
expect 0 fpsynth query best msg_heat --runs results/runs/small
prints '^msg_heat '
! grep -q '^wave' .out || not_ok 'another data set than the one named'
expect 2 fpsynth query best elsewhere --runs results/runs/small
says 'no results for elsewhere'
expect 0 fpsynth search wave.f64 --preludes auto --out preludes --space <(echo "{${space#*\{}")
expect 0 fpsynth query best --runs preludes
prints '^note: Best: .*, without preludes$'

# Claims: several searches stand side by side, under the names of their directories.
expect 0 fpsynth query claims --runs results/runs/small results/runs/deeper
prints "^claim +the papers' tables +small +deeper +section"
prints '^ze-last +all spaces +does not hold +[0-9] of 4 \(double'
prints '^note: small: has synthetic data'

# The scorecard: a synthetic set is not the papers', whatever its name.
expect 0 fpsynth query scorecard --runs results/runs/small
prints '^note: none of the data sets is the papers'
expect 0 fpsynth query scorecard --runs results/runs/small --csv
prints '^from,what,data_set,precision,published,ours,difference_percent,cause,printed_decimals,searched_in'

# Every query's CSV is one table, whatever it has as text: a line of keys, and as many cells a row.
expect 0 fpsynth compare --study study.json --only mpc --repetitions 1 --out results/runs/small/compare.json
expect 0 fpsynth bench pipelines --top 1 --runs results/runs/small --bytes 64K --repetitions 1 --no-generated
expect 0 fpsynth compare --study study.json --runs results/runs/small --only searched,zstd --threads 1 --repetitions 1 --out peers.json
expect 0 fpsynth query peers peers.json --pipelines peers.json --table 2
prints '^pipelines +pipelines +2 +4 +[0-9]'
prints '^zstd -19 +- +2 +4 +[0-9]'
expect 1 fpsynth query peers results/runs/small/wave.double.json
says 'fpsynth-comparison'
cat >check.awk <<'END_OF_AWK'
# Cells of a line: commas outside of quotes, which are in pairs.
{
  sub(/\r$/, "")
  gsub(/"[^"]*"/, "")
  cells = gsub(/,/, ",") + 1
  if (NR == 1) { keys = $0; columns = cells }
  else if ($0 == keys) { print "a second line of keys: " NR; exit 1 }
  if (cells != columns) { print "line " NR " has " cells " cells, not " columns; exit 1 }
}
END { if (NR < wanted) { print NR " lines"; exit 1 } }
END_OF_AWK
expect 0 fpsynth data info --study study.json --out statistics.json
"$fpsynth" query --help | sed -n '/ommands:/,/^$/ s/^  *\([a-z]*\) .*/\1/p' >queries
[[ $(wc -l <queries) -ge 16 ]] || not_ok 'fewer queries than there are'
while read -r query; do
  case $query in
    peers | diff) continue ;;
    top | overall) arguments=("$query" 3) ;;
    pipeline) arguments=("$query" 'BIT ZE') ;;
    components | patterns) arguments=("$query" --published) ;;
    cards) arguments=(cards --study study.json --compared statistics.json) ;;
    stages) arguments=("$query" --deeper results/runs/deeper) ;;
    *) arguments=("$query") ;;
  esac
  wanted=2
  # The paper's sets were not searched.
  [[ $query == scorecard ]] && wanted=1
  for table in 1 2 3 4 5; do
    "$fpsynth" query "${arguments[@]}" --runs results/runs/small --csv --table "$table" >.out 2>.err ||
      { grep -q "there is no table $table" .err && ((table > 1)) && break; }
    found=$(awk -v wanted="$wanted" -f check.awk .out) || not_ok "query $query, table $table: $found"
  done
done <queries
expect 0 fpsynth query top 3 --runs results/runs/small --csv
[[ $(wc -l <.out) == 13 ]] || not_ok 'not the keys, and three rows for each of four documents'
says '^note: table 1 of 2; --table 2: Ties of the best pipelines'
expect 0 fpsynth query top 3 --runs results/runs/small --table 2
prints '^Ties of the best'
! grep -q '^Top 3' .out || not_ok 'another table than the one chosen'
expect 2 fpsynth query top 3 --runs results/runs/small --table 3
says 'there is no table 3: query top prints 2 tables'
expect 2 fpsynth query best --table 0 --runs results/runs/small

# Two runs beside each other, also where one has sets that the other lacks.
cp -r results/runs/small fewer
rm fewer/wave.single.json
expect 0 fpsynth query diff fewer results/runs/deeper
prints '^data set +precision +CR A +CR B +B - A % +pipeline a +pipeline b$'
prints '^wave +double +[0-9.]+ +[0-9.]+ +[0-9]+\.[0-9][0-9] '
prints '^wave +single +- +[0-9.]+ +- +- '
prints '^note: wave in single precision is only in B$'
expect 0 fpsynth query diff results/runs/small results/runs/small --csv
[[ $(grep -c ',0,' .out) == 4 ]] || not_ok 'a run differs from itself'
expect 0 fpsynth query diff fewer results/runs/small --markdown
prints '^\| wave +\| double +\| +[0-9.]+ \| +[0-9.]+ \| +0\.00 \|'
prints '^- note: wave in single precision is only in B$'
expect 2 fpsynth query diff fewer results/runs/small --markdown --csv
expect 1 fpsynth query diff fewer nowhere
says 'nowhere'

# Terminals obey escapes in texts of documents.
cp -r results/runs/small hostile
sed -i 's/"backend":"[a-z]*"/"backend":"\\u001b[2Jcpu\\u009b"/' hostile/wave.double.json
for form in '' --csv --json; do
  expect 0 fpsynth query runs --runs hostile $form
  ! grep -q $'[\033]' .out || not_ok "an escape is printed raw ($form)"
done
prints 'u001b'
expect 0 fpsynth query runs --runs hostile
prints 'x1b\[2Jcpu'

# A pipe among documents is named, and not waited for.
mkfifo hostile/pipe.double.json
expect 1 timeout 20 "$fpsynth" query best --runs hostile
says 'hostile/pipe.double.json: it is a pipe'
expect 0 fpsynth query dimensionality --runs results/runs/small --compared <(cat results/runs/small/compare.json)

# The paper's cuts and dimensionalities, fitted to data that have the name and the size of one of its sets.
doubles 3000 obs_info.f64
truncate -s 18930528 obs_info.f64
expect 0 fpsynth search obs_info.f64 --out fitted --precision double --sample 1024 --verify none
expect 0 fpsynth query scorecard --runs fitted
prints '^obs_info +double +II +LNV2s \| DIM8 BIT RLE +cut 1, inferred from the text +1\.245 +(nothing fits|.* near|.*equal)'
prints "^obs_info +double +III +LNV.s BIT LNV1s ZE +d 2, .* +1\.214 "
prints '^note: without a run: msg_bt, .*, obs_info \(single\), '
expect 0 fpsynth query scorecard --runs fitted --csv --table 4
prints '^data_set,precision,table,paper_pipeline,recorded,paper_ratio,verdict,'
expect 0 fpsynth query scorecard --runs fitted --json
prints '"verdict"'

# Documents for figures: --out of queries, statistics and sweeps, by study.
cat >study.json <<'END'
{"name": "small", "data": [{"made": "msg_heat", "bytes": 16384}, {"made": "num_nbody", "bytes": 16384}],
 "precisions": ["double", "single"], "space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}}
END
expect 0 fpsynth search --study study.json --out runs
expect 0 fpsynth query distribution --runs runs --out distribution.json
prints '^msg_heat +double +18 '
grep -q '"schema": "fpsynth-tables"' distribution.json || not_ok 'the document does not say what it is'
grep -q '"kind": "query distribution"' distribution.json || not_ok 'the document has no kind'
expect 0 fpsynth query runs --runs runs --precision single --json
prints '"one_chunk_in": 1'
expect 0 fpsynth query best --runs runs --published
prints '^double +one pipeline for all +2 +[0-9.]+ +.* 13 +1\.214 +LNV6s BIT LNV1s ZE'
prints '^single +each data set.s own best +2 +[0-9.]+ '
expect 0 fpsynth query components --top 1 --runs runs --published
[[ $(grep -c '^component ' .out) == 4 ]] || not_ok 'not ours and the published components, as counts and shares'
expect 0 fpsynth query patterns --runs runs --published --out patterns.json
prints '^LNV BIT LNV ZE +5 +3 +8 +30\.8 +6$'
[[ $(grep -c '"title": "Patterns' patterns.json) == 2 ]] || not_ok 'not our patterns and the published ones'
expect 0 fpsynth query patterns --runs runs --top 18 --precision double --csv
prints '^pattern,double_pipelines,single_pipelines,pipelines,share_percent,data_sets'
prints '^BIT . RLE,2,0,2,5\.5'
expect 0 fpsynth query top 1 --runs runs
prints '^Ties of the best pipelines'
expect 0 fpsynth query overall 1 --runs runs --json
prints '"both_ratio": [0-9.]+'
expect 1 fpsynth query dimensionality --runs runs
says 'runs has no comparison with MPC; make one with .fpsynth compare'
expect 0 fpsynth compare --study study.json --only mpc --repetitions 1 --out runs/compare.json
expect 0 fpsynth query dimensionality --runs runs
prints '^num_nbody +double +3 +known '
prints '^single +above 1 +1 +'
expect 0 fpsynth query dimensionality --runs runs --compared runs/compare.json --json
prints '"mpc_above_best_percent": '
expect 0 fpsynth data info --study study.json --out statistics.json
prints '^num_nbody +single '
[[ $(grep -c '"entropy_bits"' statistics.json) == 5 ]] || not_ok 'not a column and 4 rows'
expect 0 fpsynth baseline sweep gfc --study study.json --chunks 1 --repetitions 1 --out gfc.json
prints '^num_nbody +3 +8 +'
expect 0 fpsynth baseline sweep holt --study study.json --repetitions 1 --csv
prints '^data_set,bytes,compressed_bytes,ratio'
expect 0 fpsynth baseline sweep pfpc --study study.json --tables 9 --threads 1,2 --chunks 8 --repetitions 1
prints '^harmonic mean +9 '
# Times may be of a part of the data, no smaller than the tables; ratios are of all.
expect 0 fpsynth baseline sweep pfpc --study study.json --tables 7,9 --threads 2 --chunks 8 --repetitions 1 --timed-bytes 4K --csv
for timed in 7,2048:4096 9,8192:16384; do
  [[ $(grep -c "^[a-z_]*,${timed%:*},2,8,16384,.*,${timed#*:},2" .out) == 2 ]] || not_ok "not two data sets of 16384 bytes: $timed of them timed"
done
expect 2 fpsynth baseline sweep pfpc --study study.json --timed-bytes 4
expect 2 fpsynth baseline sweep holt --study study.json --device 0
says '--device 0 goes with --backend cuda'
expect 2 fpsynth baseline sweep gfc
says 'nothing to sweep'
expect 1 fpsynth query runs --runs runs --out nowhere/runs.json
says 'nowhere'
# A synthetic set is not the paper's, whatever its name.
expect 0 fpsynth compare --only memcpy,mpc --repetitions 1 --json --out made.json --study <(
  echo '{"name": "n", "data": [{"made": "num_control", "bytes": 16384}], "precisions": ["double"]}')
prints '"on_front"'
sed -i 's/"bytes": 16384/"bytes": 159504744/' made.json
expect 0 fpsynth query scorecard --compared made.json --runs nowhere
prints 'none of the data sets is the papers'

# Shards of a race, each of which runs it, and `merge`: what one process leaves.
unset SLURM_ARRAY_TASK_ID
doubles 30345 in.f64
doubles 700 tiny.f64
cat >space.json <<END
{"stages": 3, "components": ["NUL", "INV", "BIT", "DIM2", "LNV1s", "LNV2x", "ZE"], "last": ["ZE", "RLE"]}
END
race=(search in.f64 tiny.f64 --space space.json --backend cpu --strategy race --round-chunks 2 --margin 0)
compare() { # DIR DIR
  "${PYTHON:-python3}" "$root/tests/cluster/same_documents.py" "$1" "$2" ||
    not_ok "$1 and $2 hold different documents"
}
expect 0 fpsynth "${race[@]}" --out whole

for shard in 1 2 3; do
  expect 0 fpsynth "${race[@]}" --out parts --shard $shard/3
  absent parts/shard-$shard-of-3/in.double.race
  ((shard == 3)) || says "^tiny double: shard $shard/3 has none of 1 chunk$"
done
expect 0 fpsynth "${race[@]}" --out parts --shard 3/3 --resume
says '^in double: searched already$'
expect 0 fpsynth merge parts --out merged
compare whole merged

# Shards of a race, which give each other files, and `merge`: what one process leaves.
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
terminated=143  # as one that a signal ended: there is more to do
expect 0 fpsynth "${race[@]}" --out whole

# One after the other: each does what it can without the others.
expect "$terminated" fpsynth "${race[@]}" --out parts --shard 1/3
says '^fpsynth: shard 1/3 has done its part of wave 1 of the race; of 3 shards, these have not: 2-3; when they have, the same command with --resume continues$'
exists parts/shard-1-of-3/in.double.race
exists parts/race/in.double/wave-1.shard-1-of-3
absent parts/shard-1-of-3/in.double.json
expect 1 fpsynth "${race[@]}" --out parts --shard 1/3
says 'in\.double\.race exists already; continue with --resume'
expect "$terminated" fpsynth "${race[@]}" --out parts --shard 2/3
says 'these have not: 3; when they have'
# Another race does not mix with it.
expect 1 fpsynth "${race[@]}" --seed 2 --out parts --shard 3/3
says 'parts/race/in\.double/wave-1\.shard-1-of-3 is of another race'
rm -r parts/shard-3-of-3 parts/race/in.double/wave-1.shard-3-of-3
starts=0 left=3
while ((left > 0 && starts++ < 40)); do
  left=0
  for shard in 1 2 3; do
    "$fpsynth" "${race[@]}" --out parts --shard $shard/3 --resume >.out 2>.err
    case $? in
      0) ;;
      "$terminated") left=$((left + 1)) ;;
      *) not_ok "shard $shard: $(cat .err)" ;;
    esac
  done
done
((left == 0)) || not_ok 'the shards did not end'
expect 0 fpsynth "${race[@]}" --out parts --shard 3/3 --resume
says '^in double: searched already$'
absent parts/shard-1-of-3/in.double.race
expect 0 fpsynth merge parts --out merged
compare whole merged

# Side by side they wait for those that run, and go on when they are started again.
for shard in 1 2 3; do
  for ((start = 0; start < 40; ++start)); do
    "$fpsynth" "${race[@]}" --out together --shard $shard/3 --resume >/dev/null 2>".err.$shard"
    [[ $? == "$terminated" ]] || break
    sleep 0.2
  done &
done
wait
expect 0 fpsynth merge together --out together.merged
compare whole together.merged

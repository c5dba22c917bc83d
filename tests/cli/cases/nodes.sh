# search --dry-run --nodes: what a study would take on a cluster.
doubles 300000 in.f64
space='{"stages": 3, "components": ["NUL", "LNV1s", "LNV2x", "BIT", "RLE"],
        "last": ["ZE", "RLE"], "cuts": [0, 1, 2, 3]}'
echo "$space" >space.json
cat >study.json <<END
{"name": "small", "data": [{"file": "in.f64"}, {"made": "num_lorenz", "bytes": 32768}],
 "precisions": ["double", "single"], "space": $space}
END
# number KEY: of the object that was printed.
number() { grep -oE "\"$1\":[-+.e0-9]+" .out | cut -d: -f2; }
# holds EXPRESSION: of awk.
holds() { awk "BEGIN { exit !($1) }" || not_ok "not so: $1"; }

expect 0 fpsynth search in.f64 --space space.json --backend cpu --threads 2 --dry-run --nodes 4
prints '^nodes: 4 like this one, 4 ranks in all, each on 2 threads of '
prints '^chunks: 293, 73\.2 per rank, 36\.6 per thread; '
prints '^time: [0-9:]+, efficiency [0-9]+ %'
prints '^memory: [0-9.]+ MB per rank'
prints '^read: 2\.4 MB by all ranks together, and 2\.4 MB by rank 0 '
prints '^sums: .* to rank 0, which receives [0-9]+ messages'
prints '^limit: '
nothing_else in.f64 space.json study.json

expect 0 fpsynth search --study study.json --backend cpu --dry-run --nodes 3 --json
[[ $(wc -l <.out) == 1 ]] || not_ok 'not one object'
[[ $(number nodes) == 3 && $(number ranks) == 3 && $(number gpus_per_node) == 0 ]] || not_ok 'other nodes'
# Doubles and singles: 293 chunks and 4 of either.
[[ $(number chunks) == 594 ]] || not_ok 'other chunks'
# The file is read for each precision; what is made is not read.
[[ $(number bytes_read) == 4800000 && $(number bytes_read_by_rank_0) == 4800000 ]] ||
  not_ok 'other bytes are read'
holds "$(number efficiency) > 0 && $(number efficiency) <= 1 && $(number seconds) > 0"
holds "$(number memory_bytes_per_rank) > 2400000"
# A sample of the chunks: of 293, one of ten.
expect 0 fpsynth search in.f64 --space space.json --backend cpu --sample 10 --dry-run --nodes 1 --json
[[ $(number chunks) == 30 ]] || not_ok 'other chunks of a sample'
[[ $(number bytes_of_sums_to_rank_0) == 0 ]] || not_ok 'one rank sends sums'
# More nodes than chunks are not efficient, and the limit is lower.
expect 0 fpsynth search in.f64 --space space.json --backend cpu --threads 1 --dry-run --nodes 1000 --json
holds "$(number efficiency) < 0.3 && $(number most_nodes) < 1000"
grep -q '"limit":"' .out || not_ok 'no limit is named'
# A file that is not mapped is read by every rank.
expect 0 fpsynth search in.f64 --endian big --space space.json --backend cpu --dry-run --nodes 2 --json
holds "$(number bytes_read) >= 4800000 && $(number bytes_read_by_rank_0) == 2400000"
# Preludes: finalists are searched, too.
expect 0 fpsynth search in.f64 --space space.json --backend cpu --preludes auto --dry-run --nodes 2
prints '^time: at most '

# Wrong calls.
expect 2 fpsynth search in.f64 --nodes 4
says '--nodes is for --dry-run; .*fpsynth-mpi'
expect 2 fpsynth search in.f64 --dry-run --gpus 4
says '--nodes'
expect 2 fpsynth search in.f64 --dry-run --nodes 4 --gpus 4 --backend cpu
says '--gpus'
for bad in 0 -1 x 100001 1.5; do
  expect 2 fpsynth search in.f64 --dry-run --nodes "$bad"
  says 'nodes'
done
expect 2 fpsynth search in.f64 --dry-run --nodes 2 --gpus 0
says 'gpus'
expect 1 fpsynth search gone.f64 --dry-run --nodes 2
says 'gone\.f64'
absent results
# GPUs are timed, or refused.
if ! fpsynth search in.f64 --backend cuda --dry-run >/dev/null 2>&1; then
  expect 1 fpsynth search in.f64 --dry-run --nodes 2 --gpus 4
  says '--gpus: .*on a GPU .*none here: .*leave out --gpus'
fi

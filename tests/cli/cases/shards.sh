# Shards of a search, and `merge`, whose documents are those of an undivided search.
unset SLURM_ARRAY_TASK_ID
doubles 12345 in.f64
printf xyz >>in.f64
doubles 700 tiny.f64
space='"space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"], "last": ["ZE", "RLE"], "cuts": [0, 2]}'
cat >study.json <<END
{"name": "small", "data": [{"file": "in.f64"}, {"file": "tiny.f64"}],
 "precisions": ["double", "single"], $space}
END
# A document without what tells how long a search took and on what it ran.
findings() { sed -E 's/"(threads|seconds|pipeline_bytes_per_second)":[^,]*,//g' "$1"; }
same_documents() { # DIR DIR
  for document in in.double in.single tiny.double tiny.single; do
    [[ $(findings "$1/$document.json") == "$(findings "$2/$document.json")" ]] ||
      not_ok "$1 and $2 have different documents $document"
  done
  same "$1/study.json" "$2/study.json"
}
search_shards() { # COUNT DIR OPTION...: all of them
  local count=$1 parts=$2 shard
  shift 2
  for ((shard = 1; shard <= count; ++shard)); do
    expect 0 fpsynth search --study study.json --backend cpu --out "$parts" --shard "$shard/$count" "$@"
  done
}

# A dry run: the longest of five shards has 3 of 13 chunks, twice, and 1 of 1, twice.
dry=(fpsynth search --study study.json --backend cpu --dry-run)
expect 0 "${dry[@]}" --shards 5
prints '^shards: 5, the longest of 8 chunks: about [0-9.]+ s.*, [0-9.]+ s.* of it to open and check the data'
prints '^merge: about '
for shards in 1 5 1000; do
  expect 0 "${dry[@]}" --shards $shards --preludes auto --json
  cp .out $shards.json
done
python3 - <<'END' || not_ok 'the shares do not fit each other'
import json
one, five, thousand = (json.load(open(f"{shards}.json")) for shards in (1, 5, 1000))
assert (one["shard_chunks"], five["shard_chunks"], thousand["shard_chunks"]) == (28, 8, 4)
assert one["chunks"] == 28 and one["shard_seconds"] > one["start_seconds"] > 0
assert abs(thousand["merge_seconds"] / one["merge_seconds"] - 1000) < 1e-6
END
absent results
expect 2 fpsynth search --study study.json --shards 5 --out whole
says '--shards is for --dry-run; --shard K/N searches'
expect 2 "${dry[@]}" --shards 0

expect 0 fpsynth search --study study.json --backend cpu --out whole
search_shards 1 one
says '^Shard 1/1 is in one/shard-1-of-1; when all are there: .*/fpsynth merge one --out one-merged$'
expect 0 fpsynth merge one --out one.merged
says '^The results are in one.merged; next: .*/fpsynth query best --runs one.merged$'
same_documents whole one.merged

# A shard says that it is one.
expect 0 fpsynth search --study study.json --backend cpu --out three --shard 1/3
prints '^in +double .*; shard 1/3: 4 chunks of 13$'
says '^tiny single: shard 1/3 has none of 1 chunk$'
grep -q '"complete":false' three/shard-1-of-3/in.double.json || not_ok 'a shard is complete'
absent three/shard-1-of-3/tiny.double.json
# What is done stays.
cp -r three before
expect 0 fpsynth search --study study.json --backend cpu --out three --shard 1/3 --resume
says '^in double: searched already$'
diff -r before three >/dev/null || not_ok '--resume changed a finished shard'
expect 1 fpsynth search --study study.json --backend cpu --out three --shard 1/3
says 'in\.double\.json exists already; continue with --resume'
# Those that are missing are named, and nothing is merged.
expect 1 fpsynth merge three --out three.merged
says '^fpsynth: of 3 shards, missing: 2-3; search them with --shard K/3 --resume'
absent three.merged
expect 0 fpsynth merge three --missing
[[ $out == 2-3 ]] || not_ok 'merge --missing'
export SLURM_ARRAY_TASK_ID=2
expect 0 fpsynth search --study study.json --backend cpu --out three --shard auto/3 --json
prints '"dataset":"in","precision":"single",.*"complete":false,"chunks_done":4,"chunks_total":13,"shard":"2/3","shard_chunks":4'
unset SLURM_ARRAY_TASK_ID
expect 0 fpsynth search --study study.json --backend cpu --out three --shard 3/3
expect 0 fpsynth merge three --missing
[[ -z $out ]] || not_ok 'merge --missing names shards where none is missing'
# One that was killed: a document of it is missing.
rm three/shard-2-of-3/in.single.json
expect 0 fpsynth merge three --missing
[[ $out == 2 ]] || not_ok 'merge --missing does not name an unfinished shard'
expect 1 fpsynth merge three --out three.merged
says 'of 3 shards, not finished: 2;'
expect 0 fpsynth search --study study.json --backend cpu --out three --shard 2/3 --resume
# Shards may be in several places; the merged documents come in a directory without others.
mkdir elsewhere
mv three/shard-2-of-3 elsewhere/
expect 0 fpsynth merge elsewhere/shard-2-of-3 three --out three.merged --json
prints '"dataset":"in","precision":"double",.*"complete":true,"chunks_done":13,"chunks_total":13'
[[ -z $err ]] || not_ok 'merge --json says more than JSON'
same_documents whole three.merged
# Not into a directory of shards, which it would be no longer; under whatever name.
for out in three ./three/../three elsewhere three/shard-1-of-3; do
  expect 2 fpsynth merge elsewhere/shard-2-of-3 three --out "$out"
  says 'holds shards.*merge into another directory'
done
expect 0 fpsynth merge elsewhere/shard-2-of-3 three --missing
expect 1 fpsynth merge elsewhere three --out three.merged
says 'three\.merged/in\.double\.json exists already; merge into another directory'
expect 0 fpsynth query best --runs three.merged
prints '^in +[0-9.]+ +BIT RLE'

# More shards than chunks, a sample, preludes, no verification.
options=(--sample 2 --verify none --preludes "LAGx:2, DICT")
expect 0 fpsynth search --study study.json --backend cpu --out whole.sample "${options[@]}"
search_shards 64 many "${options[@]}"
exists many/shard-01-of-64/study.json
expect 0 fpsynth merge many --out many.merged
same_documents whole.sample many.merged

# The usual place of shards.
expect 0 fpsynth search --study study.json --backend cpu --shard 2/2
exists results/runs/small/parts/shard-2-of-2/in.double.json

# A full disk: what was written before it is not left behind.
# shellcheck disable=SC2016 # for bash -c
expect 1 bash -c 'ulimit -f 1; exec "$0" merge elsewhere three --out full' "$fpsynth"
says 'full/in\.double\.json'
absent full/in.double.json
absent full/study.json

# What does not belong together.
expect 1 fpsynth merge elsewhere elsewhere/shard-2-of-3 --out x
says 'shard 2/3 is in elsewhere/shard-2-of-3 and in elsewhere/shard-2-of-3, and would count twice'
expect 1 fpsynth merge three one --out x
says 'three/shard-1-of-3 is shard 1/3, but one/shard-1-of-1 is shard 1/1'
expect 0 fpsynth search --study study.json --backend cpu --out other --shard 2/3 --verify none
expect 1 fpsynth merge three other --out x
says "are parts of different searches: verification 'all', not 'none'"
expect 1 fpsynth merge whole --out x
says 'whole is no shard'
expect 1 fpsynth merge nowhere --out x
says 'cannot list nowhere: '
mkdir empty
expect 1 fpsynth merge empty --missing
says 'there are no shards in empty'
# Another version of the data on another machine: of the same size, and of another.
cp -r three changed
flip in.f64 8000
expect 0 fpsynth search --study study.json --backend cpu --out changed --shard 2/3
expect 1 fpsynth merge changed --out x
says 'changed/shard-2-of-3/in\.double\.json does not belong to changed/shard-1-of-3/in\.double\.json: .*XXH3 of the data'
absent x/in.double.json
rm -r changed/shard-2-of-3
doubles 11111 in.f64
expect 0 fpsynth search --study study.json --backend cpu --out changed --shard 2/3
expect 1 fpsynth merge changed --out x
says "data set 'in \(double, 13 chunks\)', not 'in \(double, 11 chunks\)'"
# Overlaps, and damage: what was merged before it is not left behind.
cp -r three damaged
cp -r elsewhere/shard-2-of-3 damaged/
cp damaged/shard-1-of-3/in.single.json damaged/shard-2-of-3/in.single.json
expect 1 fpsynth merge damaged --out x
says 'damaged/shard-2-of-3/in\.single\.json holds the chunks \[0, 4\) of 13, but the share of shard 2/3 is \[4, 8\)'
absent x/in.double.json
absent x/study.json
truncate -s 1000 damaged/shard-2-of-3/in.single.json
expect 1 fpsynth merge damaged --out x
says 'damaged/shard-2-of-3/in\.single\.json.*; remove that file, and search shard 2/3 again with --resume'
absent x/in.double.json
sed -i 's|"2/3"|"4/3"|' damaged/shard-2-of-3/study.json
expect 1 fpsynth merge damaged --out x
says "damaged/shard-2-of-3/study\.json: field shard: shard '4/3': "

# Wrong calls.
for shard in 4/3 0/3 3 '' 1/0 a/b 1/1000001; do
  expect 2 fpsynth search --study study.json --out x --shard "$shard"
  says "^fpsynth: shard '$shard': "
done
expect 2 fpsynth search --study study.json --out x --shard auto/3
says 'SLURM_ARRAY_TASK_ID is not set'
expect 2 env SLURM_ARRAY_TASK_ID=7 "$fpsynth" search --study study.json --out x --shard auto/3
says '7, from SLURM_ARRAY_TASK_ID, is not in 1\.\.3; submit the job with --array=1-3'
expect 2 fpsynth search --study study.json --out x --shard 1/3 --verify top=5
says 'shard 1/3 with verification top=5: .*all or none'
expect 2 fpsynth search --study study.json --out x --shard 1/3 --dry-run
says '\-\-dry-run is of the whole study'
expect 2 fpsynth merge
expect 2 fpsynth merge three
says '\-\-out'

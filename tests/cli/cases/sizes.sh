# Five stages: the sizes are in a file beside the document, which is resumed, merged and queried as others.
cat >space.json <<'END'
{"stages": 5, "components": ["NUL", "INV", "BIT", "DIM2", "DIM3", "DIM4", "DIM5", "DIM8", "DIM16",
                             "DIM32", "LNV1s", "LNV2s", "LNV3s", "LNV5s", "LNV6s", "LNV1x", "ZE", "RLE"]}
END
doubles 1100 in.f64
expect 0 fpsynth search in.f64 --space space.json --verify none --out runs
sizes=(runs/in.double.*.sizes)
[[ ${#sizes[@]} == 1 && -s ${sizes[0]} ]] || not_ok 'not one file of sizes'
grep -q "\"file\":\"${sizes[0]#runs/}\"" runs/in.double.json || not_ok 'the document does not name it'
grep -q '"payload_bytes": *\[' runs/in.double.json && not_ok 'the document has the sizes, too'
[[ $(size runs/in.double.json) -lt 30000 ]] || not_ok 'the document is not small'
expect 0 fpsynth query top 1 --runs runs
expect 0 fpsynth compress --best in --runs runs in.f64 best.fps
expect 0 fpsynth query top 1 --runs runs
prints " $(size best.fps) "
expect 0 fpsynth decompress best.fps back.f64
same in.f64 back.f64
expect 0 fpsynth search in.f64 --space space.json --verify none --out runs --resume
says 'searched already'

# Two shards are the whole.
for shard in 1 2; do
  expect 0 fpsynth search in.f64 --space space.json --verify none --out parts --shard $shard/2
done
expect 0 fpsynth merge parts --out merged
same merged/"${sizes[0]#runs/}" "${sizes[0]}"
expect 0 fpsynth query best --runs merged

# Without its sizes, or with those of another document.
mv "${sizes[0]}" elsewhere
expect 1 fpsynth query best --runs runs
says "${sizes[0]}"
says 'restore it from a copy'
expect 1 fpsynth search in.f64 --space space.json --verify none --out runs --resume
says 'restore it from a copy'
head -c 1000000 elsewhere >"${sizes[0]}"
expect 1 fpsynth query best --runs runs
says 'is damaged or of another document'
mv elsewhere "${sizes[0]}"
expect 0 fpsynth query best --runs runs

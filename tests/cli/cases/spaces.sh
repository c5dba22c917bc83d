# Spaces of their own files: other components, and chunks of other lengths.
doubles 9001 in.f64

expect 0 fpsynth compress "LNV1s RRE | ZEC" in.f64 long.fps --chunk-words 2048
expect 0 fpsynth inspect long.fps
prints '2048 words'
expect 0 fpsynth decompress long.fps back.f64
same in.f64 back.f64
expect 0 fpsynth compress "DICT LAGx:3 / LNV1s | REC" in.f64 behind.fps --chunk-words 4096
expect 0 fpsynth decompress behind.fps behind.f64
same in.f64 behind.f64
expect 0 fpsynth compress "LNV1s CLOG | REC" in.f64 usual.fps
expect 0 fpsynth inspect usual.fps
prints '1024 words'
expect 0 fpsynth decompress usual.fps usual.f64
same in.f64 usual.f64
expect 2 fpsynth compress "ZE" in.f64 x.fps --chunk-words 1000
says 'chunk-words.*2048'
absent x.fps

# A search in chunks of 4096 words: the files of its winner are as long as it says.
cat >space.json <<'END'
{"stages": 2, "components": ["NUL", "LNV1s", "BIT"], "last": ["ZE", "ZEC", "CLOG"], "chunk_words": 4096}
END
expect 0 fpsynth search in.f64 --space space.json --out runs
grep -q '"chunk_words": \?4096' runs/in.double.json || not_ok 'the document does not hold the chunk length'
grep -q '"chunks_total": \?3,' runs/in.double.json || not_ok '9001 words are not three chunks of 4096'
expect 0 fpsynth compress --best in --runs runs in.f64 best.fps
expect 0 fpsynth inspect best.fps
prints '4096 words'
expect 0 fpsynth query top 1 --runs runs
prints "$(size best.fps)"
expect 0 fpsynth compress --best in --runs runs in.f64 shorter.fps --chunk-words 1024
expect 0 fpsynth inspect shorter.fps
prints '1024 words'
expect 0 fpsynth generate --best in --runs runs --name best --out project
grep -q 'Pipeline = ChunkedPipeline<' project/best.hpp || not_ok 'the project has the usual chunks'
expect 0 fpsynth generate "LNV1s ZE" --name usual --out usual
grep -q 'Pipeline = StaticPipeline<' usual/usual.hpp || not_ok 'the project has other chunks'
# Another length is another space.
sed 's/4096/2048/' space.json >other.json
expect 1 fpsynth search in.f64 --space other.json --out runs --resume
says '2048'

expect 0 fpsynth search in.f64 --space "$root/configs/spaces/wide.json" --verify none --dry-run
prints '28 components, 6 last, cuts 0 1 2 3 4: 658560 pipelines'
expect 0 fpsynth search in.f64 --space "$root/configs/spaces/longer_lnv.json" --verify none --dry-run
prints '65 components, 1 last, cuts 4: 274625 pipelines'
expect 0 fpsynth search in.f64 --space "$root/configs/spaces/fpcompress.json" --verify none --dry-run
prints '14 components, 5 last, cuts 0 1 2 3 4: 68600 pipelines'
expect 0 fpsynth compress "LNV1s TCMS BIT | ZEC" in.f64 tcms.fps
expect 0 fpsynth decompress tcms.fps tcms.f64
cmp in.f64 tcms.f64 || not_ok 'TCMS does not come back'
# The paper's space with the RLE of its words, and without any.
for space in paper_rle without_rle; do
  file=$root/configs/spaces/$space.json
  expect 0 fpsynth search in.f64 --space "$file" --verify none --dry-run
  if [[ $space == paper_rle ]]; then
    prints '24 components, 2 last, cuts 0 1 2 3 4: 138240 pipelines'
  else
    prints '23 components, 1 last, cuts 0 1 2 3 4: 60835 pipelines'
  fi
  expect 0 fpsynth search in.f64 --space "$file" --stages 2 --out "$space"
  expect 0 fpsynth compress --best in --runs "$space" in.f64 "$space.fps"
  expect 0 fpsynth query top 100 --runs "$space"
  prints "$(size "$space.fps")"
  grep -oE '\bRL[EP]\b' .out | sort -u >"$space.txt"
done
grep -qx RLP paper_rle.txt || not_ok 'the space of the paper has no RLP'
[[ $(cat paper_rle.txt without_rle.txt) == RLP ]] || not_ok 'RLE is in a space, or RLP in both'
expect 1 fpsynth search in.f64 --space nowhere.json --out x
says 'nowhere\.json'
sed 's/4096/4097/' space.json >wrong.json
expect 1 fpsynth search in.f64 --space wrong.json --out x
says 'wrong\.json: field chunk_words: chunks of 4097 words; give 1024, 2048, 4096'
sed 's/CLOG/CLOGG/' space.json >wrong.json
expect 1 fpsynth search in.f64 --space wrong.json --out x
says 'field last\[2\].*CLOGG.*CLOG'
absent x

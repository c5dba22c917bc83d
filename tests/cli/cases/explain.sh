# explain: the table and the document of what each step of a method makes of the data.
expect 0 fpsynth data make --out . --bytes 64K obs_track
method="DEC:2 LAGs:60 / BIT RLE | LNV8s ZE"
expect 0 fpsynth explain "$method" obs_track.f64 --out track.json
[[ $(awk '{ print $1 }' .out | tr '\n' ' ') == "step data DEC:2 LAGs:60 BIT RLE LNV8s ZE " ]] || not_ok "the steps are not those of $method"
read -r words beside < <(awk '$1 == "ZE" { print $3, $4 }' .out)

# The last step's bytes, and what it keeps beside them, are those of the file.
expect 0 fpsynth compress "$method" obs_track.f64 track.fps
expect 0 fpsynth inspect track.fps --json
header=$(grep -oE '"header_bytes": [0-9]+' .out | head -n 1 | tr -dc 0-9)
(($(size track.fps) == words + beside + header)) || not_ok "$(size track.fps) bytes are not $words + $beside + $header"

expect 0 fpsynth explain "$method" obs_track.f64 --json
grep -q '"schema": "fpsynth-explanation"' .out || not_ok "no schema"
expect 0 fpsynth explain "LNV1s ZE" obs_track.f64 --out track.json
prints '^ZE +64 '

expect 0 fpsynth explain 113847 obs_track.f64
says 'pipeline 113847: BIT LNV5x LNV5x RLE'
prints '^RLE +64 '

expect 1 fpsynth explain "LNV1s ZE" obs_track.f64 --chunk 8
says 'there is no chunk 8: the data have 8 chunks of 1024 words'
expect 1 fpsynth explain "LNV1s ZE" nothing.f64
says 'nothing.f64'
expect 2 fpsynth explain "LNV1s QQ ZE" obs_track.f64
expect 1 fpsynth explain "LNV1s ZE" obs_track.f64 --out obs_track.f64
says 'obs_track.f64'
expect 2 fpsynth explain auto obs_track.f64
says 'auto is not a method; `fpsynth compress auto'
expect 2 fpsynth compress --best --runs here in out
says '^fpsynth: --best --runs: name a data set'
expect 2 fpsynth query top ten
says "N: 'ten' is not a whole number from 1 up"
expect 1 fpsynth query best --runs obs_track.f64
says 'obs_track.f64: Not a directory; name a directory of results'

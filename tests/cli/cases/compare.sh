# The comparison: rows, figures, documents, and what cannot be compared.
unset FPSYNTH_DATA
doubles 20000 wave.f64
floats 5000 field.f32
expect 0 fpsynth compare wave.f64 --only memcpy,gfc,mpc --precision both --repetitions 2 --out found.json
prints '^memcpy +1\.000'
prints '^GFC +0\.[0-9]+'
prints 'wave: dimensionality [0-9]+, the best of all for MPC'
prints 'wave: GFC has dimensionality [0-9]+, the best of all for GFC'
exists found.json
grep -q '"schema": "fpsynth-comparison"' found.json || not_ok 'the document does not say what it is'
for key in commit compiler cpu command threads repetitions seconds xxh3 spread; do
  grep -q "\"$key\"" found.json || not_ok "the document has no $key"
done
# GFC has no single precision: 3 rows and 2.
[[ $(grep -c '"verified": true' found.json) == 5 ]] || not_ok 'not 5 verified rows in the document'

expect 0 fpsynth compare field.f32 --only memcpy --json
prints '"precision": "single"'
expect 0 fpsynth compare wave.f64 field.f32 --only mpc,holt --precision both --repetitions 1 --csv --table 3
prints '^precision,compressor,harmonic_mean,wave,field'
prints '^single,MPC,'
says 'table 3 of 3; --table 1: Compression ratios, double precision; --table 2: Throughput'
says '^note: '

# What compress auto finds: the same bytes, also of which only the first are timed.
expect 0 fpsynth compare wave.f64 --auto quick --only auto --repetitions 1 --timed-bytes 80000 --json
says '^auto: .*, ratio [0-9.]+; all of the input was decoded and compared$'
prints '"compressor": "auto quick"'
bytes=$(sed -n 's/.*"compressed_bytes": \([0-9]*\),/\1/p' .out)
expect 0 fpsynth compress auto wave.f64 auto.fps --effort quick
[[ $bytes == "$(size auto.fps)" ]] || not_ok "compare has $bytes bytes, compress $(size auto.fps)"
expect 2 fpsynth compare wave.f64 --auto much
says '\-\-auto.*quick'

# The best searched pipeline, only if the search was of this data.
cat >study.json <<'END'
{"name": "small", "data": [{"file": "wave.f64"}, {"made": "msg_heat", "bytes": 16384}],
 "precisions": ["double"], "space": {"stages": 2, "components": ["NUL", "LNV1s", "BIT"]}}
END
expect 0 fpsynth compare --study study.json --only memcpy --repetitions 1 --json
awk '/"compress": \{/ { on = 1 } on && /"gb_per_s"/ { seconds += 1 / $2; ++sets; on = 0 }
  /"harmonic_mean_compress_gb_per_s"/ { off = $2 * seconds / sets - 1 }
  END { exit !(sets == 2 && off != "" && off * off < 1e-12) }' .out || not_ok 'no harmonic mean of both speeds'
expect 0 fpsynth search --study study.json --out runs
expect 0 fpsynth compare --study study.json --runs runs --only memcpy,searched --repetitions 1
prints '^best searched +1\.[0-9]+ +1\.[0-9]+ '
prints 'wave: best searched is '
expect 0 fpsynth search --study study.json --out sampled --sample 2
expect 0 fpsynth compare --study study.json --runs runs --only searched --repetitions 1 --threads 1 --json
prints '"threads": 1,'
expect 2 fpsynth compare --study study.json --runs runs --threads 0
says 'threads'
expect 0 fpsynth compare --study study.json --runs sampled --only searched --repetitions 1 --json
prints '"searched_one_chunk_in": 2'
expect 0 fpsynth compare --study study.json --runs runs --only memcpy,searched --repetitions 1
cr=$(grep '^best searched' .out | head -n 1 | awk '{print $4}')
expect 0 fpsynth query best --runs runs
prints "^wave +$cr "
doubles 20001 wave.f64
expect 0 fpsynth compare wave.f64 --runs runs --only memcpy,searched --repetitions 1
prints 'is not of this data'

# The paper's figures are beside those of its data sets: by name and size where no checksum is known.
doubles 3000 obs_info.f64
expect 0 fpsynth compare obs_info.f64 --only mpc --repetitions 1 --out small.json
expect 0 fpsynth query scorecard --compared small.json --runs nowhere
prints 'none of the data sets is the papers'
truncate -s 18930528 obs_info.f64
expect 0 fpsynth compare obs_info.f64 --only memcpy,mpc --repetitions 1 --out large.json
expect 0 fpsynth query scorecard --compared large.json --runs nowhere
prints '^MPC, Table III +MPC +obs_info +double +1\.214 +[0-9.]+ +-?[0-9.]+'
prints 'Tesla K40'
expect 0 fpsynth query best --runs runs --published
prints 'Best .* 1\.214 '

# GFC's files say at most 32 values per point; for more it gets its own best, which is not MPC's.
doubles 3000 wide.f64
doubles 3000 thin.f64
cat >own.json <<'END'
{"family": "own", "sets": [
 {"name": "wide", "native": "double", "bytes": 24000, "dimensionality": 42,
  "dimensionality_from": "tables", "file": "wide.f64"},
 {"name": "thin", "native": "double", "bytes": 24000, "dimensionality": 3,
  "dimensionality_from": "guess", "file": "thin.f64"}]}
END
cat >own_study.json <<'END'
{"name": "own", "datasets": ["own.json"], "precisions": ["double"],
 "data": [{"dataset": "wide"}, {"dataset": "thin"}]}
END
export FPSYNTH_DATA=$PWD
expect 0 fpsynth compare --study own_study.json --only gfc --repetitions 1 --out own.out.json
prints "wide: dimensionality 42, known from the paper's tables"
prints 'wide: GFC has dimensionality [0-9]+, the best of all for GFC'
prints 'thin: dimensionality 3, a guess'
prints 'thin: GFC has dimensionality 3, a guess'
[[ $(grep -c '"dimensionality_is": "the best of all for GFC"' own.out.json) == 1 ]] ||
  not_ok 'the document does not say how the dimensionality of GFC was found'
expect 0 fpsynth baseline sweep gfc --study own_study.json --chunks 1 --repetitions 1
prints 'thin: dimensionality 3, a guess'
expect 0 fpsynth baseline sweep gfc --study own_study.json --chunks 1 --repetitions 1 --dim 3
! grep -q 'a guess' .out || not_ok 'the dimensionality of --dim is called a guess'
unset FPSYNTH_DATA

# Some compressors refuse trailing bytes, and the table says so.
printf xyz >>wave.f64
expect 0 fpsynth compare wave.f64 --only memcpy,gfc --repetitions 1
prints '^memcpy +1\.000'
prints 'note: wave: GFC: .*whole number of doubles'

# Compressors that are programs. One of them times itself, and one gives other bytes back.
doubles 1000 own.f64
peer() { # NAME COMPRESS DECOMPRESS
  printf '{"name": "%s", "version": ["echo", "own 1.2"], "compress": ["sh", "-c", "%s", "{in}", "{out}", "{seconds}"],
    "decompress": ["sh", "-c", "%s", "{in}", "{out}", "{seconds}"]}' "$1" "$2" "$3"
}
# shellcheck disable=SC2016 # the shell that the program runs expands it
stored='echo 0.5 >$2; cp $0 $1'
printf '{"peers": [%s]}' "$(peer stored "$stored" "$stored")" >peers.json
expect 0 fpsynth compare own.f64 --external peers.json --only stored,memcpy --repetitions 1 --json
prints '"compressor": "stored"'
prints '"library": "own 1\.2"'
prints '"gb_per_s": 1\.6e-05'
# shellcheck disable=SC2016
printf '{"peers": [%s]}' "$(peer stored "$stored" 'echo 1 >$2; tr x y <$0 >$1; echo >>$1')" >wrong.json
expect 1 fpsynth compare own.f64 --external wrong.json --only stored --repetitions 1
says 'stored cannot decompress its own output.*8001 bytes'
printf '{"peers": [%s]}' "$(peer stored 'echo no reason >&2; exit 3' "$stored")" >failing.json
expect 0 fpsynth compare own.f64 --external failing.json --only stored --repetitions 1
prints 'ended with status 3: no reason'
# shellcheck disable=SC2016
printf '{"peers": [%s]}' "$(peer stored 'cp $0 $1; echo soon >$2' "$stored")" >timeless.json
expect 0 fpsynth compare own.f64 --external timeless.json --only stored --repetitions 1
prints "wrote 'soon' to \{seconds\}"
for seconds in 1e-12 1e9 inf -1 '0.5 h'; do
  sed "s/echo 0.5/echo $seconds/" peers.json >nonsense.json
  expect 0 fpsynth compare own.f64 --external nonsense.json --only stored --repetitions 1
  prints "wrote '$seconds' to \{seconds\}, and all of it took 0"
done
# shellcheck disable=SC2016 # the peer's shell expands it
sed 's/"name"/"limit": 1, "name"/; s/cp $0 $1/sleep 60/; s/own 1.2/'"$(printf 'long%.0s' {1..40})"'/' peers.json >slow.json
expect 0 fpsynth compare own.f64 --external slow.json --only stored --repetitions 1
prints 'note: .*stored: .* took more than 1 s; give it more with "limit"'
! grep -q "$(printf 'long%.0s' {1..30})" .out || not_ok 'a long version is printed whole'
# shellcheck disable=SC2016
sed 's/, "{seconds}"//g' peers.json | sed 's/echo 0.5 >$2; //g' >whole.json
expect 0 fpsynth compare own.f64 --external whole.json --only stored --repetitions 1
prints '^stored +1\.000'
prints 'note: stored: its seconds are those of whole commands'
sed 's/"echo", "own 1.2"/".\/nothing"/' peers.json >absent.json
expect 0 fpsynth compare own.f64 --external absent.json --only memcpy,stored --repetitions 1
prints 'note: without stored: cannot run \./nothing'
sed 's/"name": "stored"/"name": "MPC"/' peers.json >named.json
expect 1 fpsynth compare own.f64 --external named.json --only MPC
says 'another compressor is called MPC'
sed 's/"{in}"/"in"/' peers.json >inless.json
expect 1 fpsynth compare own.f64 --external inless.json
says 'inless\.json: field peers\[0\]\.compress: has no \{in\}'
expect 1 fpsynth compare own.f64 --external nowhere.json
says 'nowhere\.json'

# The descriptions of LC and FPcompress, whose programs print what they are and their seconds.
mkdir -p FPcompress/{single,double}_src/bin LC-framework
cat >printing <<'EOF'
#!/bin/sh
echo "CPU LC 1.2 Algorithm: NONE"
[ $# = 3 ] && cp "$1" "$2" || exit 255
case $0 in *decompress) echo "decoding time: 0.250000 s" ;; *) echo "encoding time: 0.500000 s" ;; esac
EOF
chmod +x printing
for way in compress decompress; do
  for kind in speed ratio; do
    cp printing "FPcompress/single_src/bin/$kind-cpu-$way"
    cp printing "FPcompress/double_src/bin/$kind-cpu-$way"
  done
  cp printing "LC-framework/f64-$way"
  cp printing "LC-framework/f32-$way"
done
cp "$root"/configs/peers/{fpcompress,lc}.json .
expect 0 fpsynth compare own.f64 --external fpcompress.json --external lc.json --repetitions 1 --json \
  --precision both --only SPspeed,SPratio,DPspeed,DPratio,LC
for name in SPspeed SPratio DPspeed DPratio LC; do prints "\"compressor\": \"$name\""; done
prints '"library": "CPU LC 1\.2 Algorithm: NONE"'
prints '"gb_per_s": 1\.6e-05'
[[ $(grep -c '"verified": true' .out) == 6 ]] || not_ok 'FPcompress or LC does not run in its own precisions'

expect 2 fpsynth compare
says '--study'
expect 1 fpsynth compare nowhere.f64 --out nowhere/all.json
says '^fpsynth: cannot create nowhere/all.json: No such file'
expect 1 fpsynth compare nowhere.f64
says 'nowhere\.f64'
expect 2 fpsynth compare wave.f64 --only wave
says "'wave'.*MPC"
expect 2 fpsynth compare wave.f64 --repetitions 0
expect 2 fpsynth compare wave.f64 --precision quarter
expect 2 fpsynth compare wave.f64 ./wave.f64
says 'wave'
expect 1 fpsynth compare wave.f64 --runs nowhere
says 'nowhere'
expect 1 fpsynth compare wave.f64 --only memcpy --out nowhere/found.json
says 'nowhere/found\.json'
absent nowhere

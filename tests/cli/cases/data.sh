# Data sets: made, described, encoded and decoded.
expect 0 fpsynth data make --out made --bytes 64K num_lorenz obs_track
exists made/num_lorenz.f64
[[ $(size made/obs_track.f64) == 65536 ]] || not_ok 'a synthetic set has another size than asked for'
expect 0 fpsynth data make --out made --bytes 64K num_lorenz
prints 'up to date'
expect 1 fpsynth data make --out made --bytes 128K num_lorenz
says 'num_lorenz'
says '--force'
[[ $(size made/num_lorenz.f64) == 65536 ]] || not_ok 'a file was replaced without --force'
expect 0 fpsynth data make --out made --bytes 128K num_lorenz --force
expect 2 fpsynth data make --out made lorenz
says "'lorenz'"
says 'num_lorenz'
expect 1 fpsynth data make --out made/num_lorenz.f64 obs_track

expect 0 fpsynth baseline fpc made/num_lorenz.f64 lorenz.fpc --table-bits 10
expect 0 fpsynth data decode lorenz.fpc lorenz.f64
same lorenz.f64 made/num_lorenz.f64
expect 1 fpsynth data decode lorenz.fpc made/obs_track.f64
says '--force'
expect 1 fpsynth data decode made/num_lorenz.f64 out.f64
says 'num_lorenz\.f64 is no FPC file; it is raw already'
expect 0 fpsynth data decode lorenz.fpc lorenz.f32
says 'note: lorenz\.f32 holds float64, and its ending says float32; call it \.f64, or read it with --type f64'
rm lorenz.f32
expect 2 fpsynth data info -
says 'data sets are not read from standard input'
head -c 1000 lorenz.fpc >short.fpc
expect 1 fpsynth data decode short.fpc out.f64
says 'short\.fpc'
: >empty.fpc
expect 1 fpsynth data decode empty.fpc out.f64
says 'empty\.fpc'
expect 1 fpsynth data decode nowhere.fpc out.f64
says 'nowhere\.fpc'
absent out.f64

# The words of a study, as searches take them.
expect 0 fpsynth data export made/num_lorenz.f64 made/obs_track.f64 --precision both --to words --csv
prints '^data_set,precision,bytes,xxh3,file'
prints '^num_lorenz,single,65536,[0-9a-f]{16},words/num_lorenz\.f32'
same words/num_lorenz.f64 made/num_lorenz.f64
[[ $(size words/obs_track.f32) == 32768 ]] || not_ok 'singles of doubles have another size'
expect 0 fpsynth compare made/num_lorenz.f64 --precision single --only memcpy --json
compared=$(grep xxh3 .out)
expect 0 fpsynth compare words/num_lorenz.f32 --only memcpy --json
[[ -n $compared && $(grep xxh3 .out) == "$compared" ]] || not_ok 'exported words are not those compared'
expect 1 fpsynth data export made/num_lorenz.f64 --to words
says 'words/num_lorenz\.f64 exists; replace it with --force'
expect 0 fpsynth data export made/num_lorenz.f64 --to words --force
expect 1 fpsynth data export made/num_lorenz.f64 --to lorenz.fpc
says 'lorenz\.fpc.*--to'
expect 2 fpsynth data export made/num_lorenz.f64
says '--to'

expect 0 fpsynth data info made/num_lorenz.f64 lorenz.fpc --precision both
prints '^num_lorenz +double +131072'
prints '^num_lorenz +single +65536'
expect 0 fpsynth data info made/obs_track.f64 --json
prints '"values": 8192'
expect 1 fpsynth data info short.fpc
says 'short\.fpc'

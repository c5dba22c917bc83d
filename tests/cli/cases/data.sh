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

expect 0 fpsynth data encode made/num_lorenz.f64 lorenz.fpc --table-bits 10
expect 0 fpsynth data decode lorenz.fpc lorenz.f64
same lorenz.f64 made/num_lorenz.f64
expect 1 fpsynth data decode lorenz.fpc made/obs_track.f64
says '--force'
expect 1 fpsynth data decode made/num_lorenz.f64 out.f64
says 'num_lorenz\.f64'
head -c 1000 lorenz.fpc >short.fpc
expect 1 fpsynth data decode short.fpc out.f64
says 'short\.fpc'
: >empty.fpc
expect 1 fpsynth data decode empty.fpc out.f64
says 'empty\.fpc'
expect 1 fpsynth data decode nowhere.fpc out.f64
says 'nowhere\.fpc'
absent out.f64

expect 0 fpsynth data info made/num_lorenz.f64 lorenz.fpc --precision both
prints '^num_lorenz +double +131072'
prints '^num_lorenz +single +65536'
expect 0 fpsynth data info made/obs_track.f64 --json
prints '"values": 8192'
expect 1 fpsynth data info short.fpc
says 'short\.fpc'

# A race for the best of the pipelines that are fast enough.
doubles 40000 in.f64
echo '{"stages": 2, "components": ["NUL", "LNV1s", "BIT"], "last": ["ZE", "RLE"]}' >space.json
expect 0 fpsynth search in.f64 --space space.json --out runs
expect 0 fpsynth bench pipelines --model --runs runs --bytes 1M --threads 1
race=(fpsynth search in.f64 --space space.json --stages 3 --strategy race --speed-model runs)

expect 0 "${race[@]}" --min-speed compress=0.000001,decompress=0.000001 --out raced
prints '^in +double'
expect 1 "${race[@]}" --min-speed compress=1000000 --out none
says 'no pipeline of the space is predicted to reach compress=1000000 GB/s'
absent none/in.double.json
# Races with other least speeds are other races.
expect 0 "${race[@]}" --min-speed compress=0.000001,decompress=0.000001 --out raced --resume
says 'searched already'
expect 1 "${race[@]}" --min-speed compress=0.000002 --out raced --resume

expect 2 "${race[@]}" --min-speed compress=0 --out x
says "least speed 'compress=0': give compress=GB/s, decompress=GB/s or both"
expect 2 "${race[@]}" --out x
says '--min-speed and --speed-model go together'
expect 2 fpsynth search in.f64 --min-speed compress=1 --speed-model runs --out x
says 'add --strategy race'
expect 2 "${race[@]}" --min-speed compress=1 --preludes LAGs:2 --out x
says 'no model predicts preludes'
absent x
expect 1 fpsynth search in.f64 --strategy race --min-speed compress=1 --speed-model nowhere --out y
says 'nowhere has no model of the speed of in \(double\).*bench pipelines'
# The model was fitted to three components.
expect 1 fpsynth search in.f64 --strategy race --min-speed compress=1 --speed-model runs --out z
says 'no costs of .* on words of 8 bytes'
absent y
absent z

# Described data sets: list, verify, fetch.py with a file, and studies that name them.
unset FPSYNTH_DATA
expect 0 fpsynth data list
prints '^num_plasma +fpc +double +35089600 +- +2 +data +no'
prints '^num_comet .* 1 +tables +no'
prints '^obs_info .* 2 +guess +no'
prints '^msg_bt .* - +- +no'
prints '^miranda_density +sdrbench +double +301989888 +256x384x384 '
expect 0 fpsynth data list num_plasma --json
prints '"dimensionality_from": "data"'
prints '"address": "https://userweb\.cs\.txstate\.edu/.*/num_plasma\.trace\.fpc"'
expect 2 fpsynth data list num_plasmo
says 'num_plasmo.*num_plasma'
command -v python3 >/dev/null || skip 'no python3'
python=$(python3 -c 'import sys; print(sys.executable)')  # no script that changes the PATH
fetch=("$python" "$root/configs/datasets/fetch.py" --fpsynth "$fpsynth" --registry own.json --dir sets)
expect 2 "${fetch[@]}"

# A set of the user, and a fake curl instead of the network.
doubles 6000 right.f64
expect 0 fpsynth baseline fpc right.f64 right.fpc --table-bits 10
cat >own.json <<'END'
{"family": "own", "page": "https://example.org/",
 "sets": [{"name": "wave", "native": "double", "shape": [60, 100], "dimensionality": 1,
           "file": "waves/wave.fpc", "address": "https://example.org/wave.fpc", "decode": "fpc"},
          {"name": "field", "native": "single", "shape": [10, 10], "file": "field.f32"}]}
END
mkdir bin
cat >bin/curl <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --output) out=$2 ;; --url) echo "$2" >>asked ;; esac
  shift
done
[ -e answer ] || { echo 'curl: (6) no network' >&2; exit 6; }
at=$(stat -c %s "$out" 2>/dev/null || echo 0)
tail -c "+$((at + 1))" answer >>"$out"
END
chmod +x bin/curl
network() { expect "$1" env PATH="$PWD/bin:$PATH" "${fetch[@]}" "${@:2}"; }

network 1 wave
says 'no network'
says 'https://example\.org/wave\.fpc.*sets/waves/wave\.fpc'
absent sets/waves/wave.fpc
expect 1 env PATH=/nowhere "${fetch[@]}" wave
says 'cannot run curl'
says 'https://example\.org/wave\.fpc.*sets/waves/wave\.fpc'
expect 1 fpsynth data list wave --verify --registry own.json --dir sets
says 'is not in sets'
expect 1 fpsynth data list wave field --verify --registry own.json --dir sets
says '2 of 2 data sets are missing: wave, field'

# A download that is not the data set is removed.
echo '<html>not found</html>' >answer
network 1 wave
says 'was removed'
absent sets/partial/waves/wave.fpc
absent sets/waves/wave.fpc

# Interrupted, then complete.
head -c 1000 right.fpc >sets/partial/waves/wave.fpc
cp right.fpc answer
network 0 wave
same sets/waves/wave.fpc right.fpc
absent sets/partial
rm asked
network 0 wave
prints 'is there'
absent asked
expect 0 fpsynth data list wave --verify --registry own.json --dir sets
prints '48000 bytes'

# A field without an address; the other sets of a family are fetched after a failure.
network 1 own
says 'https://example\.org/ .*sets/field\.f32 \(400 bytes\)'
says '1 of 2 data sets'
prints 'wave: is there'
head -c 396 right.f64 >sets/field.f32
expect 1 fpsynth data list field --verify --registry own.json --dir sets
says '396 bytes.*400'
floats 100 sets/field.f32
expect 0 fpsynth data list field --verify --registry own.json --dir sets

# Studies name them.
cat >study.json <<'END'
{"name": "own", "datasets": ["own.json"], "data": [{"dataset": "wave"}], "precisions": ["double"],
 "space": {"stages": 1}}
END
expect 1 fpsynth search --study study.json --out found
says 'wave.*is not in data'
expect 0 env FPSYNTH_DATA=sets "$fpsynth" search --study study.json --out found
exists found/wave.double.json
expect 1 fpsynth search --study "$root/configs/studies/fpc.json" --out other
says 'https://userweb.*msg_bt\.trace\.fpc'

sed 's/"shape": \[10, 10\]/"shape": [10, 0]/' own.json >broken.json
expect 1 fpsynth data list --registry broken.json
says 'broken\.json: field sets\[1\]\.shape\[1\]: expected a whole number from 1 to [0-9]*, found 0'
sed 's/"field"/"num_plasma"/' own.json >broken.json
expect 1 fpsynth data list --registry broken.json
says 'num_plasma.* already'
expect 1 fpsynth data list --registry nowhere.json
says 'nowhere\.json'
